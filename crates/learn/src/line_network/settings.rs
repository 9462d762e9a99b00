//! What a run that teaches a line network is told: one TOML file with `learner = "line-network"`.

use serde::{Deserialize, Serialize};

use tesuji_games::RowRule;

use super::board::LONGEST_SIDE;
use crate::gomoku::TuneSettings;
use crate::gomoku::settings::{GameSettings, game_of};
use tesuji_train::settings::{check_learner, check_ranges};
use tesuji_train::{Facts, MeasureSettings, Settings, SettingsError};

/// The word behind `learner`.
pub const LEARNER: &str = "line-network";

/// The tuner plays no fewer.
const FEWEST_GAMES: u64 = 2;

/// How a line network is taught. Everything has a default.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LineSettings {
    /// Who learns: `line-network`.
    pub learner: String,
    /// The rule: `freestyle`, `standard`, `renju` or `caro`.
    pub rule: String,
    /// What decides all chance of the run.
    pub seed: u64,
    /// Games at once, 0 for as many as the machine runs threads; their number changes nothing but the time.
    pub threads: usize,
    /// Files of games that were recorded earlier, to be learned from as well.
    pub records: Vec<String>,
    /// What is played.
    pub games: GameSettings,
    /// How is learned.
    pub learning: LearningSettings,
    /// How the network is measured.
    pub measure: MeasureSettings,
}

/// How is learned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearningSettings {
    /// How often each position is learned from.
    pub passes: u64,
    /// Positions of a batch.
    pub batch: usize,
    /// The rate of Adam at the beginning; it falls to 0 as a cosine does.
    pub rate: f32,
    /// The part of the game's result in what the value should be; the rest is the score of the search.
    pub result: f32,
    /// One game of so many is held out.
    pub held_out: usize,
    /// Who finds the slopes.
    #[serde(alias = "slopes")]
    pub gradients: GradientMethod,
}

/// Who finds the slopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GradientMethod {
    /// What was written for this network.
    #[default]
    ByHand,
    /// A library of tensors, where the program was built with it.
    Tensors,
}

impl Default for LineSettings {
    fn default() -> Self {
        LineSettings {
            learner: LEARNER.to_string(),
            rule: RowRule::AtLeast.to_string(),
            seed: 1,
            threads: 1,
            records: Vec::new(),
            games: GameSettings { count: 2_000, nodes: 3_000, ..GameSettings::default() },
            learning: LearningSettings::default(),
            measure: MeasureSettings::default(),
        }
    }
}

impl Default for LearningSettings {
    fn default() -> Self {
        LearningSettings {
            passes: 6,
            batch: 128,
            rate: 0.002,
            result: 0.5,
            held_out: 20,
            gradients: GradientMethod::ByHand,
        }
    }
}

impl Settings for LineSettings {
    fn check(&self) -> Result<(), SettingsError> {
        check_learner(&self.learner, LEARNER)?;
        self.check_games()?;
        if cfg!(not(feature = "tensors")) && self.learning.gradients == GradientMethod::Tensors {
            return Err(SettingsError::sense(
                "`learning.gradients` is \"tensors\"; this program was built without the feature `tensors`, expected \
                 \"by-hand\"",
            ));
        }
        let learning = &self.learning;
        let side = self.games.boards.iter().copied().max().unwrap_or(0);
        check_ranges([
            ("games.boards", side as f64, 5.0, LONGEST_SIDE as f64),
            ("learning.passes", learning.passes as f64, 1.0, 1e4),
            ("learning.batch", learning.batch as f64, 1.0, 1e5),
            ("learning.rate", learning.rate.into(), 1e-6, 100.0),
            ("learning.result", learning.result.into(), 0.0, 1.0),
            ("learning.held_out", learning.held_out as f64, 2.0, 1e6),
        ])
    }

    fn facts(&self) -> Facts {
        Facts {
            game: game_of(&self.rule, &self.games),
            seed: self.seed,
            threads: Some(self.threads),
            steps: Some(self.learning.passes),
            measure: Some(self.measure.with_usual_options("sims=200")),
            ..Facts::default()
        }
    }
}

impl LineSettings {
    /// The rule that is played.
    pub fn rule(&self) -> Result<RowRule, SettingsError> {
        self.rule.parse().map_err(|error| SettingsError::Sense(format!("`rule`: {error}")))
    }

    /// The games are those of the engine's tuner, and so are their ranges; but there may be none where records are.
    fn check_games(&self) -> Result<(), SettingsError> {
        let mut games = self.games.clone();
        if !self.records.is_empty() {
            games.count = games.count.max(FEWEST_GAMES);
        }
        let (rule, seed, threads) = (self.rule.clone(), self.seed, self.threads);
        TuneSettings { rule, seed, threads, games, ..TuneSettings::default() }.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_suffices_and_everything_is_written_back() {
        let settings = LineSettings::from_toml("learner = 'line-network'").unwrap();
        assert_eq!(settings, LineSettings::default());
        assert_eq!(LineSettings::from_toml(&settings.to_toml()), Ok(settings));
        assert!(LineSettings::from_toml("records = ['a']\n[games]\ncount = 0").is_ok());
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        for (text, words) in [
            ("learner = 'lines'", "expected \"line-network\""),
            ("seeds = 3", "line 1: unknown field `seeds`"),
            ("rule = 'pente'", "`rule`: unknown rule \"pente\""),
            ("[games]\ncount = 0", "`games.count` is 0"),
            ("[games]\nboards = [22]", "`games.boards` is 22; expected 5 to 20"),
            ("[learning]\nrate = nan", "`learning.rate` is NaN"),
            ("[learning]\nbatch = 0", "`learning.batch` is 0; expected 1 to 100000"),
            ("[learning]\nheld_out = 1", "`learning.held_out` is 1; expected 2"),
            ("[learning]\nslopes = 'magic'", "line 2: unknown variant `magic`"),
        ] {
            let error = LineSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
