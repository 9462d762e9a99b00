//! Settings of a run that trains a line network: one TOML file with `learner = "line-network"`.

use serde::{Deserialize, Serialize};

use tesuji_games::RowRule;

use super::board::LONGEST_SIDE;
use crate::gomoku::EngineTunerSettings;
use crate::gomoku::settings::{EngineSelfPlaySettings, game_of};
use tesuji_train::settings::{check_learner, check_ranges};
use tesuji_train::{CommonSettings, LearnerSettings, MeasureSettings, SettingsError};

/// The value of `learner`.
pub const LEARNER: &str = "line-network";

/// The minimum number of games of the tuner.
const MIN_GAMES: u64 = 2;

/// Settings of the learner. Everything has a default.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LineLearnerSettings {
    /// The learner: `line-network`.
    pub learner: String,
    /// The rule: `freestyle`, `standard`, `renju` or `caro`.
    pub rule: String,
    /// The random seed of the run.
    pub seed: u64,
    /// Games in parallel, 0 for one per hardware thread. Affects only the speed.
    pub threads: usize,
    /// Files of recorded games to train on as well.
    pub records: Vec<String>,
    /// Self-play.
    pub games: EngineSelfPlaySettings,
    /// Training.
    pub learning: LineTrainingSettings,
    /// Measurements during the run.
    pub measure: MeasureSettings,
}

/// Settings of training.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LineTrainingSettings {
    /// Passes over all positions.
    pub passes: u64,
    /// Positions per batch.
    pub batch: usize,
    /// The initial learning rate of Adam; it decays to 0 along a cosine.
    pub rate: f32,
    /// The weight of the game's result in the value target; the rest is the score of the search.
    pub result: f32,
    /// One game in this many is held out.
    pub held_out: usize,
    /// How gradients are computed.
    #[serde(alias = "slopes")]
    pub gradients: GradientMethod,
}

/// How gradients are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GradientMethod {
    /// Hand-written backpropagation.
    #[default]
    ByHand,
    /// Automatic differentiation by a tensor library, if the program was built with it.
    Tensors,
}

impl Default for LineLearnerSettings {
    fn default() -> Self {
        LineLearnerSettings {
            learner: LEARNER.to_string(),
            rule: RowRule::AtLeast.to_string(),
            seed: 1,
            threads: 1,
            records: Vec::new(),
            games: EngineSelfPlaySettings {
                count: 2_000,
                nodes: 3_000,
                ..EngineSelfPlaySettings::default()
            },
            learning: LineTrainingSettings::default(),
            measure: MeasureSettings::default(),
        }
    }
}

impl Default for LineTrainingSettings {
    fn default() -> Self {
        LineTrainingSettings {
            passes: 6,
            batch: 128,
            rate: 0.002,
            result: 0.5,
            held_out: 20,
            gradients: GradientMethod::ByHand,
        }
    }
}

impl LearnerSettings for LineLearnerSettings {
    fn check(&self) -> Result<(), SettingsError> {
        check_learner(&self.learner, LEARNER)?;
        self.check_games()?;
        if cfg!(not(feature = "tensors")) && self.learning.gradients == GradientMethod::Tensors {
            return Err(SettingsError::value(
                "`learning.gradients`: \"tensors\" needs a program built with the feature `tensors`; expected \
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

    fn common(&self) -> CommonSettings {
        CommonSettings {
            game: game_of(&self.rule, &self.games),
            seed: self.seed,
            threads: Some(self.threads),
            steps: Some(self.learning.passes),
            measure: Some(self.measure.with_default_options("sims=200")),
            ..CommonSettings::default()
        }
    }
}

impl LineLearnerSettings {
    /// The rule of the games.
    pub fn rule(&self) -> Result<RowRule, SettingsError> {
        self.rule.parse().map_err(|error| SettingsError::Value(format!("`rule`: {error}")))
    }

    /// Checks the games like those of the engine's tuner, except that there may be none if there
    /// are records.
    fn check_games(&self) -> Result<(), SettingsError> {
        let mut games = self.games.clone();
        if !self.records.is_empty() {
            games.count = games.count.max(MIN_GAMES);
        }
        let (rule, seed, threads) = (self.rule.clone(), self.seed, self.threads);
        EngineTunerSettings { rule, seed, threads, games, ..EngineTunerSettings::default() }.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_round_trip() {
        let settings = LineLearnerSettings::from_toml("learner = 'line-network'").unwrap();
        assert_eq!(settings, LineLearnerSettings::default());
        assert_eq!(LineLearnerSettings::from_toml(&settings.to_toml()), Ok(settings));
        assert!(LineLearnerSettings::from_toml("records = ['a']\n[games]\ncount = 0").is_ok());
    }

    #[test]
    fn errors_name_the_problem_in_one_line() {
        for (text, words) in [
            ("learner = 'lines'", "`learner`"),
            ("seeds = 3", "unknown field `seeds`"),
            ("rule = 'pente'", "`rule`: "),
            ("[games]\ncount = 0", "`games.count`"),
            ("[games]\nboards = [22]", "`games.boards`"),
            ("[learning]\nrate = nan", "`learning.rate`"),
            ("[learning]\nbatch = 0", "`learning.batch`"),
            ("[learning]\nheld_out = 1", "`learning.held_out`"),
            ("[learning]\ngradients = 'magic'", "unknown variant `magic`"),
        ] {
            let error = LineLearnerSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }

    #[test]
    fn the_earlier_spelling_of_a_key_is_read() {
        let settings = LineLearnerSettings::from_toml("[learning]\nslopes = 'by-hand'").unwrap();
        assert_eq!(settings.learning.gradients, GradientMethod::ByHand);
        assert!(settings.to_toml().contains("gradients = \"by-hand\""));
    }
}
