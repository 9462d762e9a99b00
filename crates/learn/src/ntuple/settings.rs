//! What a run that learns weights is told: one TOML file with `learner = "weights"`.

use serde::{Deserialize, Serialize};

use super::learning::Learning;
use super::patterns::PatternSettings;
use super::{TupleNetwork, network};
use crate::forest::Pattern;
use crate::toml_fault::line_and_words;

/// How weights are learned. Everything but the game has a default.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WeightSettings {
    /// Who learns: `weights`.
    pub learner: String,
    /// The game, such as `mnk:10x10,k=5`.
    pub game: String,
    /// What decides all chance of the run.
    pub seed: u64,
    /// What is looked at.
    pub patterns: PatternSettings,
    /// How it is learned.
    pub learning: Learning,
    /// What is measured on the way.
    pub measure: MeasureSettings,
}

/// What is measured on the way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MeasureSettings {
    /// Games that are learned from between two lines of metrics, each with a checkpoint.
    pub block: u64,
    /// Strength is measured after every so many blocks; 0 for never.
    pub every: u64,
    /// Games against each other player, half of them with each colour.
    pub games: u64,
}

impl Default for WeightSettings {
    fn default() -> Self {
        WeightSettings {
            learner: LEARNER.to_string(),
            game: String::new(),
            seed: 1,
            patterns: PatternSettings::default(),
            learning: Learning::default(),
            measure: MeasureSettings::default(),
        }
    }
}

impl Default for MeasureSettings {
    fn default() -> Self {
        MeasureSettings { block: 1_000, every: 5, games: 100 }
    }
}

const LEARNER: &str = "weights";

/// Why a text holds no settings, in one line.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// It is not written as it should be, or has keys that are none.
    #[error("line {line}: {what}")]
    Form {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A number is out of its range.
    #[error("`{key}` is {value}; expected {least} to {most}")]
    Range {
        /// The key.
        key: &'static str,
        /// What it is.
        value: f64,
        /// The least that it may be.
        least: f64,
        /// The most that it may be.
        most: f64,
    },
    /// No game.
    #[error("`game` is missing; write the game to be learned, such as game = \"mnk:10x10,k=5\"")]
    NoGame,
    /// Another learner.
    #[error("`learner` is '{found}'; expected 'weights'")]
    Learner {
        /// What it is.
        found: String,
    },
    /// Patterns from nowhere.
    #[error(
        "`patterns.from` is '{found}'; expected lines, walks, scattered, mixed, search or forest:FILE.xml"
    )]
    PatternSource {
        /// What it is.
        found: String,
    },
    /// A forest that cannot be read.
    #[error("`patterns.from`: {file}: {what}")]
    Forest {
        /// The file.
        file: String,
        /// What is wrong with it.
        what: String,
    },
}

impl WeightSettings {
    /// Reads the text of a TOML file and checks what can be checked without a game.
    pub fn from_toml(text: &str) -> Result<WeightSettings, SettingsError> {
        let settings: WeightSettings = toml::from_str(text).map_err(|error| {
            let (line, what) = line_and_words(text, &error);
            SettingsError::Form { line, what }
        })?;
        settings.check()?;
        Ok(settings)
    }

    /// All settings as TOML, with the defaults written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Whether everything is within its range; the error names the first key that is not.
    pub fn check(&self) -> Result<(), SettingsError> {
        if self.learner != LEARNER {
            return Err(SettingsError::Learner { found: self.learner.clone() });
        }
        if self.game.trim().is_empty() {
            return Err(SettingsError::NoGame);
        }
        self.patterns.source()?;
        for (key, value, least, most) in self.ranges() {
            if !(least..=most).contains(&value) {
                return Err(SettingsError::Range { key, value, least, most });
            }
        }
        Ok(())
    }

    fn ranges(&self) -> Vec<(&'static str, f64, f64, f64)> {
        let (patterns, learning, measure) = (&self.patterns, &self.learning, &self.measure);
        let most_patterns = TupleNetwork::MOST_PATTERNS as f64;
        let mut all = vec![
            ("seed", self.seed as f64, 0.0, i64::MAX as f64),
            ("patterns.count", patterns.count as f64, 1.0, most_patterns),
            ("patterns.window", patterns.window as f64, 1.0, 20.0),
            ("patterns.cells (how many numbers)", patterns.cells.len() as f64, 1.0, 100.0),
            ("patterns.search.tries", patterns.search.tries as f64, 1.0, 10_000.0),
            ("patterns.search.games", patterns.search.games as f64, 10.0, 1e6),
            ("patterns.search.practice", patterns.search.practice as f64, 0.0, 1e9),
            ("learning.games", learning.games as f64, 1.0, 1e12),
            ("learning.alpha", learning.alpha, 1e-9, 1e3),
            ("learning.alpha_end", learning.alpha_end, 1e-9, 1e3),
            ("learning.lambda", learning.lambda, 0.0, 1.0),
            ("learning.epsilon", learning.epsilon, 0.0, 1.0),
            ("learning.epsilon_end", learning.epsilon_end, 0.0, 1.0),
            ("learning.openings", f64::from(learning.openings), 0.0, 1e6),
            ("learning.radius", learning.radius as f64, 0.0, 20.0),
            ("measure.block", measure.block as f64, 1.0, 1e12),
            ("measure.every", measure.every as f64, 0.0, 1e12),
            ("measure.games", measure.games as f64, 2.0, 1e6),
        ];
        let cells = patterns.cells.iter();
        all.extend(cells.map(|&n| ("patterns.cells", n as f64, 1.0, Pattern::MOST_CELLS as f64)));
        let tables = patterns.cells.iter().map(|&cells| network::table_size(cells));
        let weights = tables.max().unwrap_or(0).saturating_mul(patterns.count);
        let most = TupleNetwork::MOST_WEIGHTS as f64;
        all.push(("patterns.count times the largest table", weights as f64, 1.0, most));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_suffices_and_everything_is_written_back() {
        let settings = WeightSettings::from_toml("game = 'tictactoe'").unwrap();
        let text = settings.to_toml();
        assert_eq!(WeightSettings::from_toml(&text).unwrap(), settings, "{text}");
        assert!(text.contains("learner = \"weights\"") && text.contains("alpha = "), "{text}");
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        for (text, words) in [
            ("", "`game` is missing"),
            ("game = 3", "line 1: invalid type"),
            ("game = 'g'\nlearner = 'forest'", "`learner` is 'forest'; expected 'weights'"),
            ("game = 'g'\nseeds = 3", "line 2: unknown field `seeds`"),
            ("game = 'g'\n[learning]\nalfa = 1", "line 3: unknown field `alfa`"),
            ("game = 'g'\n[learning]\nalpha = 0", "`learning.alpha` is 0; expected"),
            ("game = 'g'\n[learning]\nlambda = nan", "`learning.lambda` is NaN; expected 0 to 1"),
            ("game = 'g'\n[patterns]\ncells = []", "how many numbers"),
            ("game = 'g'\n[patterns]\ncells = [8, 13]", "`patterns.cells` is 13; expected 1 to 12"),
            ("game = 'g'\n[patterns]\ncells = [12]\ncount = 4096", "the largest table"),
            ("game = 'g'\n[patterns]\nfrom = 'stars'", "'stars'; expected lines, walks"),
            ("game = 'g'\n[patterns.spread]\nslide = 'up'", "line 3: unknown variant `up`"),
        ] {
            let error = WeightSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
