//! Settings of a run that trains a critic: one TOML file with `learner = "critic"`.

use serde::{Deserialize, Serialize};

use crate::settings::settings;
use tesuji_train::settings::{check_game, check_learner, check_ranges};
use tesuji_train::{CommonSettings, LearnerSettings, MeasureSettings, SettingsError};

/// The value of `learner`.
pub const LEARNER: &str = "critic";

settings! {
    /// Settings of the learner. Everything but the game has a default.
    pub struct CriticLearnerSettings {
        /// The learner: `critic`.
        pub learner: String = LEARNER.to_string();
        /// The game, such as `gomoku` or `mnk:10x10,k=5`.
        pub game: String = String::new();
        /// The random seed of the run.
        pub seed: u64 = 1, 0.0..=i64::MAX as f64;
        /// Games in parallel, 0 for one per hardware thread. Affects only the speed.
        pub threads: usize = 1, 0.0..=1024.0;
        /// Training.
        pub learning: CriticTrainingSettings = CriticTrainingSettings::default();
        /// Self-play.
        pub play: CriticSelfPlaySettings = CriticSelfPlaySettings::default();
        /// Opponents in self-play.
        pub opponents: OpponentSettings = OpponentSettings::default();
        /// Measurements during the run.
        pub measure: MeasureSettings = MeasureSettings::default();
    }

    /// Settings of training.
    pub struct CriticTrainingSettings {
        /// Total number of games.
        pub games: u64 = 20_000, 1.0..=1e12;
        /// Games per step. Each step writes a line of metrics and a checkpoint.
        pub block: u64 = 1_000, 1.0..=1e12;
        /// Games that are played in parallel with the same weights before training on them in
        /// order.
        pub batch: u64 = 16, 1.0..=10_000.0;
        /// The initial learning rate.
        pub rate: f64 = 0.1, 1e-9..=1e3;
        /// The final learning rate.
        pub rate_end: f64 = 0.01, 1e-9..=1e3;
        /// The decay of the learning rate.
        pub schedule: RateSchedule = RateSchedule::Exponential;
        /// λ of TD(λ), the decay of eligibility traces: 0 to 1.
        pub lambda: f64 = 0.7, 0.0..=1.0;
        /// The discount of the next position's value. Below 1, chances far from the end of the game
        /// are closer to ½.
        pub discount: f64 = 1.0, 0.0..=1.0;
        /// The target of a position.
        pub target: TdTarget = TdTarget::Next;
        /// For the target `reply`: the weight of the game's result in it.
        pub result: f64 = 0.3, 0.0..=1.0;
        /// For the target `reply`: the number of moves to search, those with the best estimates.
        pub width: usize = 4, 1.0..=1_000.0;
        /// Which positions to train on.
        pub positions: TrainedPositions = TrainedPositions::All;
        /// Whether to train on each position with the sides swapped as well.
        pub sides: SideAugmentation = SideAugmentation::Both;
        /// How an exploratory move affects the positions before it.
        #[serde(alias = "strays")]
        pub exploratory_moves: ExploratoryMoves = ExploratoryMoves::Cut;
        /// The share of games, the last ones, over which the weights are averaged; 0 for the last
        /// weights alone.
        pub average: f64 = 0.25, 0.0..=1.0;
        /// The run stops if the absolute value of a weight exceeds this.
        pub largest: f64 = 100.0, 1.0..=1e30;
    }

    /// Settings of self-play.
    pub struct CriticSelfPlaySettings {
        /// How exploratory moves are drawn.
        pub explore: ExplorationMode = ExplorationMode::Greedy;
        /// At the start: the share of random moves (`greedy`), or the temperature (`softmax`:
        /// P(move) ∝ (odds of winning)^(1/T)).
        pub chance: f64 = 0.2, 0.0..=100.0;
        /// The same at the end; it changes linearly.
        pub chance_end: f64 = 0.05, 0.0..=100.0;
        /// Minimum and maximum number of random opening stones.
        pub opening: [u32; 2] = [1, 6];
        /// Maximum distance of opening stones from the center, in rows and columns.
        pub radius: usize = 3, 1.0..=100.0;
    }

    /// Opponents: shares of games, which need not add up to 1.
    pub struct OpponentSettings {
        /// The critic itself.
        pub itself: f64 = 1.0, 0.0..=1e6;
        /// A critic with earlier weights.
        pub earlier: f64 = 0.0, 0.0..=1e6;
        /// The report's alpha-beta agent (five in a row only).
        pub alphabeta: f64 = 0.0, 0.0..=1e6;
        /// Games between snapshots of the weights as an opponent.
        pub every: u64 = 1_000, 1.0..=1e12;
        /// The maximum number of snapshots to keep, the latest ones.
        pub most: usize = 8, 1.0..=100.0;
    }
}

/// The decay of the learning rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RateSchedule {
    /// None.
    Constant,
    /// Linear.
    Linear,
    /// Exponential.
    Exponential,
    /// 1 / (1 + c·t), which the theory of convergence requires.
    Inverse,
}

/// The target of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TdTarget {
    /// The estimate of the next position: temporal differences.
    Next,
    /// The estimate after the best move and the best reply, averaged with the game's result (after
    /// Veness et al., 2009).
    Reply,
}

/// Which positions to train on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainedPositions {
    /// All.
    All,
    /// Those without a threat that restricts the moves, so that a sequence of threats counts as one
    /// step.
    Quiet,
}

/// Whether to train on positions with the sides swapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SideAugmentation {
    /// As played and with the sides swapped.
    Both,
    /// As played.
    Played,
}

/// How exploratory moves affect earlier positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExploratoryMoves {
    /// Earlier positions learn from the best move instead (Watkins, 1989).
    Cut,
    /// Not at all: earlier positions learn from the played move.
    Follow,
}

/// How exploratory moves are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExplorationMode {
    /// With a given probability, uniformly among the candidate moves.
    Greedy,
    /// By a softmax of the estimates.
    Softmax,
}

impl LearnerSettings for CriticLearnerSettings {
    fn check(&self) -> Result<(), SettingsError> {
        check_learner(&self.learner, LEARNER)?;
        check_game(&self.game, "gomoku")?;
        self.check_numbers("")?;
        self.learning.check_numbers("learning.")?;
        self.play.check_numbers("play.")?;
        self.opponents.check_numbers("opponents.")?;
        let [min, max] = self.play.opening.map(f64::from);
        check_ranges([
            ("play.opening (minimum)", min, 0.0, max),
            ("play.opening (maximum)", max, min, 100.0),
        ])?;
        let OpponentSettings { itself, earlier, alphabeta, .. } = self.opponents;
        if itself + earlier + alphabeta <= 0.0 {
            return Err(SettingsError::value(
                "`opponents`: no share above 0; expected at least one, such as itself = 1.0",
            ));
        }
        Ok(())
    }

    fn common(&self) -> CommonSettings {
        CommonSettings {
            game: self.game.clone(),
            seed: self.seed,
            threads: Some(self.threads),
            steps: Some(self.learning.games.div_ceil(self.learning.block)),
            measure: Some(self.measure.clone()),
            ..CommonSettings::default()
        }
    }
}

impl CriticTrainingSettings {
    /// The progress of the run before this game, from 0 to 1.
    fn progress(&self, game: u64) -> f64 {
        (game as f64 / self.games.max(1) as f64).min(1.0)
    }

    /// The learning rate.
    pub fn rate_at(&self, game: u64) -> f64 {
        let (first, last, progress) = (self.rate, self.rate_end, self.progress(game));
        match self.schedule {
            RateSchedule::Constant => first,
            RateSchedule::Linear => first + (last - first) * progress,
            RateSchedule::Exponential => first * (last / first).powf(progress),
            RateSchedule::Inverse => 1.0 / (1.0 / first + (1.0 / last - 1.0 / first) * progress),
        }
    }

    /// The first game after which the weights are averaged.
    pub fn averages_from(&self) -> u64 {
        ((1.0 - self.average) * self.games as f64) as u64
    }
}

impl CriticLearnerSettings {
    /// The exploration rate or temperature of a game.
    pub fn exploration_at(&self, game: u64) -> f64 {
        let CriticSelfPlaySettings { chance, chance_end, .. } = self.play;
        chance + (chance_end - chance) * self.learning.progress(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_need_only_a_game_and_round_trip() {
        let settings = CriticLearnerSettings::from_toml("game = 'gomoku'").unwrap();
        assert_eq!(CriticLearnerSettings::from_toml(&settings.to_toml()), Ok(settings));
    }

    #[test]
    fn schedules_start_and_end_at_the_given_rates() {
        let mut learning =
            CriticTrainingSettings { games: 100, ..CriticTrainingSettings::default() };
        for (schedule, half_way) in [
            (RateSchedule::Linear, 0.055),
            (RateSchedule::Exponential, 0.1 * 0.1f64.sqrt()),
            (RateSchedule::Inverse, 1.0 / 55.0),
            (RateSchedule::Constant, 0.1),
        ] {
            learning.schedule = schedule;
            let ends = [0, 50, 100].map(|game| learning.rate_at(game));
            let last = if schedule == RateSchedule::Constant { 0.1 } else { 0.01 };
            for (found, expected) in ends.into_iter().zip([0.1, half_way, last]) {
                assert!((found - expected).abs() < 1e-9, "{schedule:?}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn errors_name_the_problem_in_one_line() {
        for (text, words) in [
            ("", "`game`"),
            ("game = 'g'\nlearner = 'forest'", "`learner`"),
            ("game = 'g'\nseeds = 3", "unknown field `seeds`"),
            ("game = 'g'\n[learning]\nrate = 0", "`learning.rate`"),
            ("game = 'g'\n[learning]\nlambda = nan", "`learning.lambda`"),
            ("game = 'g'\n[learning]\ngames = 0", "`learning.games`"),
            ("game = 'g'\n[learning]\nschedule = 'steep'", "unknown variant `steep`"),
            ("game = 'g'\n[play]\nopening = [4, 2]", "`play.opening (minimum)`"),
            ("game = 'g'\n[opponents]\nitself = 0.0", "`opponents`: "),
            ("game = 'g'\n[learning]\nblock = 0", "`learning.block`"),
        ] {
            let error = CriticLearnerSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }

    #[test]
    fn the_earlier_spelling_of_a_key_is_read() {
        let text = "game = 'gomoku'\n[learning]\nstrays = 'follow'";
        let settings = CriticLearnerSettings::from_toml(text).unwrap();
        assert_eq!(settings.learning.exploratory_moves, ExploratoryMoves::Follow);
        assert!(settings.to_toml().contains("exploratory_moves = \"follow\""));
    }
}
