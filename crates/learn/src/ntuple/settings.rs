//! What a run that learns weights is told: one TOML file with `learner = "weights"`.

use serde::{Deserialize, Serialize};

use super::learning::Learning;
use super::patterns::PatternSettings;
use super::{TupleNetwork, network};
use crate::forest::Pattern;
use tesuji_train::settings::{check_game, check_learner, check_ranges};
use tesuji_train::{Facts, MeasureSettings, Settings, SettingsError};

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

const LEARNER: &str = "weights";

impl Settings for WeightSettings {
    fn check(&self) -> Result<(), SettingsError> {
        check_learner(&self.learner, LEARNER)?;
        check_game(&self.game, "mnk:10x10,k=5")?;
        self.patterns.source()?;
        check_ranges(self.ranges())
    }

    fn facts(&self) -> Facts {
        Facts {
            game: self.game.clone(),
            seed: self.seed,
            steps: Some(self.learning.games.div_ceil(self.learning.block)),
            measure: Some(self.measure.clone()),
            ..Facts::default()
        }
    }
}

impl WeightSettings {
    fn ranges(&self) -> Vec<(&'static str, f64, f64, f64)> {
        let (patterns, learning) = (&self.patterns, &self.learning);
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
            ("learning.block", learning.block as f64, 1.0, 1e12),
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
            ("game = 'g'\nlearner = 'forest'", "`learner` is \"forest\"; expected \"weights\""),
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
