//! What a run that teaches a critic is told: one TOML file with `learner = "critic"`.

use serde::{Deserialize, Serialize};

use crate::settings::settings;
use tesuji_train::settings::{check_game, check_learner, check_ranges};
use tesuji_train::{Facts, MeasureSettings, Settings, SettingsError};

/// The word behind `learner`.
pub const LEARNER: &str = "critic";

settings! {
    /// How a critic is taught. Everything but the game has a default.
    pub struct CriticSettings {
        /// Who learns: `critic`.
        pub learner: String = LEARNER.to_string();
        /// The game, such as `gomoku` or `mnk:10x10,k=5`.
        pub game: String = String::new();
        /// What decides all chance of the run.
        pub seed: u64 = 1, 0.0..=i64::MAX as f64;
        /// Games at once, 0 for as many as the machine runs threads; their number changes nothing but the time.
        pub threads: usize = 1, 0.0..=1024.0;
        /// How it is learned.
        pub learning: LearningSettings = LearningSettings::default();
        /// How both sides play.
        pub play: PlaySettings = PlaySettings::default();
        /// Who plays.
        pub opponents: OpponentSettings = OpponentSettings::default();
        /// What is measured on the way.
        pub measure: MeasureSettings = MeasureSettings::default();
    }

    /// How it is learned.
    pub struct LearningSettings {
        /// Games in all.
        pub games: u64 = 20_000, 1.0..=1e12;
        /// Games of a step: after each block there is a line of metrics and a checkpoint.
        pub block: u64 = 1_000, 1.0..=1e12;
        /// Games that are played with the same weights, side by side, before they are learned from one after the other.
        pub batch: u64 = 16, 1.0..=10_000.0;
        /// The size of a step at the beginning,
        pub rate: f64 = 0.1, 1e-9..=1e3;
        /// and at the end.
        pub rate_end: f64 = 0.01, 1e-9..=1e3;
        /// What lies between.
        pub schedule: Schedule = Schedule::Exponential;
        /// How much of an error the position before is blamed for, and so on: 0 to 1.
        pub lambda: f64 = 0.7, 0.0..=1.0;
        /// What the next position is worth beside this one; below 1, chances far from the end are nearer to even.
        pub discount: f64 = 1.0, 0.0..=1.0;
        /// What a position is moved towards.
        pub target: Target = Target::Next;
        /// For the target `reply`: the part of the game's result in it,
        pub result: f64 = 0.3, 0.0..=1.0;
        /// and how many moves are looked at, those that the critic likes best.
        pub width: usize = 4, 1.0..=1_000.0;
        /// Which positions are learned from.
        pub positions: Positions = Positions::All;
        /// Whether each position is also learned with the sides exchanged.
        pub sides: Sides = Sides::Both;
        /// What a move that is not the best one means for the positions before it.
        #[serde(alias = "strays")]
        pub exploratory_moves: ExploratoryMoves = ExploratoryMoves::Cut;
        /// The share of games, the last ones, over which the weights are averaged; 0 for the last weights alone.
        pub average: f64 = 0.25, 0.0..=1.0;
        /// A weight beyond this ends the run.
        pub largest: f64 = 100.0, 1.0..=1e30;
    }

    /// How both sides play.
    pub struct PlaySettings {
        /// How moves other than the best come about.
        pub explore: Explore = Explore::Greedy;
        /// The share of random moves (`greedy`), or how even the choice is (`softmax`: the odds of a move are its odds of
        /// winning to the power of one by this), at the beginning,
        pub chance: f64 = 0.2, 0.0..=100.0;
        /// and at the end; between, it changes evenly.
        pub chance_end: f64 = 0.05, 0.0..=100.0;
        /// The fewest and the most random stones at the beginning of a game,
        pub opening: [u32; 2] = [1, 6];
        /// none further than so many rows and columns from the middle.
        pub radius: usize = 3, 1.0..=100.0;
    }

    /// Who plays: shares of the games, which need not add up to 1.
    pub struct OpponentSettings {
        /// The critic against itself.
        pub itself: f64 = 1.0, 0.0..=1e6;
        /// Against one of its earlier selves.
        pub earlier: f64 = 0.0, 0.0..=1e6;
        /// Against the report's alpha-beta agent (five in a row only).
        pub alphabeta: f64 = 0.0, 0.0..=1e6;
        /// An earlier self is kept after every so many games,
        pub every: u64 = 1_000, 1.0..=1e12;
        /// and so many of them, the last ones.
        pub most: usize = 8, 1.0..=100.0;
    }
}

/// How the size of a step changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Schedule {
    /// Not at all.
    Constant,
    /// Evenly.
    Linear,
    /// By the same factor from game to game.
    Exponential,
    /// As 1 / (1 + c·t), as convergence would have it.
    Inverse,
}

/// What a position is moved towards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// What the critic says of the next position: temporal differences.
    Next,
    /// What it says after the best move and the best reply, mixed with the game's result (after Veness et al., 2009).
    Reply,
}

/// Which positions are learned from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Positions {
    /// All.
    All,
    /// Those in which no threat leaves only some of the moves: sequences of threats count as one step.
    Quiet,
}

/// Whether positions are learned with the sides exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sides {
    /// As it was played, and the other way round.
    Both,
    /// As it was played.
    Played,
}

/// What moves that are not the best mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExploratoryMoves {
    /// Positions before it learn from the best move instead (Watkins, 1989).
    Cut,
    /// Nothing: positions are worth what comes of them in such games.
    Follow,
}

/// How moves other than the best come about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Explore {
    /// Now and then any of the moves that threats leave.
    Greedy,
    /// The better a move looks, the more often.
    Softmax,
}

impl Settings for CriticSettings {
    fn check(&self) -> Result<(), SettingsError> {
        check_learner(&self.learner, LEARNER)?;
        check_game(&self.game, "gomoku")?;
        self.check_numbers("")?;
        self.learning.check_numbers("learning.")?;
        self.play.check_numbers("play.")?;
        self.opponents.check_numbers("opponents.")?;
        let [least, most] = self.play.opening.map(f64::from);
        check_ranges([
            ("play.opening (the fewest)", least, 0.0, most),
            ("play.opening (the most)", most, least, 100.0),
        ])?;
        let OpponentSettings { itself, earlier, alphabeta, .. } = self.opponents;
        if itself + earlier + alphabeta <= 0.0 {
            return Err(SettingsError::sense(
                "`opponents` has no share above 0; write `itself = 1.0`",
            ));
        }
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts {
            game: self.game.clone(),
            seed: self.seed,
            threads: Some(self.threads),
            steps: Some(self.learning.games.div_ceil(self.learning.block)),
            measure: Some(self.measure.clone()),
            ..Facts::default()
        }
    }
}

impl LearningSettings {
    /// How far the run is before this game, from 0 to 1.
    fn progress(&self, game: u64) -> f64 {
        (game as f64 / self.games.max(1) as f64).min(1.0)
    }

    /// The size of a step.
    pub fn rate_at(&self, game: u64) -> f64 {
        let (first, last, progress) = (self.rate, self.rate_end, self.progress(game));
        match self.schedule {
            Schedule::Constant => first,
            Schedule::Linear => first + (last - first) * progress,
            Schedule::Exponential => first * (last / first).powf(progress),
            Schedule::Inverse => 1.0 / (1.0 / first + (1.0 / last - 1.0 / first) * progress),
        }
    }

    /// From this game on the weights are averaged.
    pub fn averages_from(&self) -> u64 {
        ((1.0 - self.average) * self.games as f64) as u64
    }
}

impl CriticSettings {
    /// How much is explored in a game.
    pub fn exploration_at(&self, game: u64) -> f64 {
        let PlaySettings { chance, chance_end, .. } = self.play;
        chance + (chance_end - chance) * self.learning.progress(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_suffices_and_everything_is_written_back() {
        let settings = CriticSettings::from_toml("game = 'gomoku'").unwrap();
        assert_eq!(CriticSettings::from_toml(&settings.to_toml()), Ok(settings));
    }

    #[test]
    fn schedules_begin_and_end_where_they_should() {
        let mut learning = LearningSettings { games: 100, ..LearningSettings::default() };
        for (schedule, half_way) in [
            (Schedule::Linear, 0.055),
            (Schedule::Exponential, 0.1 * 0.1f64.sqrt()),
            (Schedule::Inverse, 1.0 / 55.0),
            (Schedule::Constant, 0.1),
        ] {
            learning.schedule = schedule;
            let ends = [0, 50, 100].map(|game| learning.rate_at(game));
            let last = if schedule == Schedule::Constant { 0.1 } else { 0.01 };
            for (found, expected) in ends.into_iter().zip([0.1, half_way, last]) {
                assert!((found - expected).abs() < 1e-9, "{schedule:?}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        for (text, words) in [
            ("", "`game` is missing"),
            ("game = 'g'\nlearner = 'forest'", "`learner` is \"forest\"; expected \"critic\""),
            ("game = 'g'\nseeds = 3", "line 2: unknown field `seeds`"),
            ("game = 'g'\n[learning]\nrate = 0", "`learning.rate` is 0; expected"),
            ("game = 'g'\n[learning]\nlambda = nan", "`learning.lambda` is NaN; expected 0 to 1"),
            ("game = 'g'\n[learning]\ngames = 0", "`learning.games` is 0"),
            ("game = 'g'\n[learning]\nschedule = 'steep'", "line 3: unknown variant `steep`"),
            ("game = 'g'\n[play]\nopening = [4, 2]", "`play.opening (the fewest)` is 4"),
            ("game = 'g'\n[opponents]\nitself = 0.0", "`opponents` has no share above 0"),
            ("game = 'g'\n[learning]\nblock = 0", "`learning.block` is 0"),
        ] {
            let error = CriticSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
