//! What a run that tunes the Gomoku engine is told: one TOML file with `learner = "gomoku-eval"`.

use tesuji_games::RowRule;
use tesuji_gomoku::{LONGEST_SIDE, SHORTEST_SIDE};

use super::fit::FitSettings;
use crate::settings::settings;
use tesuji_train::settings::{check_learner, check_ranges};
use tesuji_train::{Facts, MeasureSettings, Settings, SettingsError};

/// The word behind `learner`.
pub const LEARNER: &str = "gomoku-eval";

settings! {
    /// How the engine is tuned. Everything has a default.
    pub struct TuneSettings {
        /// Who learns: `gomoku-eval`.
        pub learner: String = LEARNER.to_string();
        /// The rule: `freestyle`, `standard`, `renju` or `caro`.
        pub rule: String = RowRule::AtLeast.to_string();
        /// What decides all chance of the run.
        pub seed: u64 = 1, 0.0..=i64::MAX as f64;
        /// Games at once, 0 for as many as the machine runs threads; their number changes nothing but the time.
        pub threads: usize = 1, 0.0..=1024.0;
        /// Rounds of games and learning.
        pub rounds: u64 = 3, 1.0..=10_000.0;
        /// What is played.
        pub games: GameSettings = GameSettings::default();
        /// How the estimate is learned.
        pub estimate: EstimateSettings = EstimateSettings::default();
        /// How the order of moves is learned.
        pub order: OrderSettings = OrderSettings::default();
        /// What is measured after each round.
        pub measure: MeasureSettings = MeasureSettings::default();
    }

    /// What is played.
    pub struct GameSettings {
        /// Games of one round.
        pub count: u64 = 1_000, 2.0..=1e6;
        /// From the games of how many rounds, the last ones, is learned.
        pub keep: u64 = 3, 1.0..=10_000.0;
        /// Nodes of the search for each move.
        pub nodes: u64 = 4_000, 1.0..=1e9;
        /// Sides of the boards, all as often.
        pub boards: Vec<usize> = vec![15];
        /// The fewest and the most random stones at the beginning.
        pub opening: [usize; 2] = [2, 8];
        /// Openings with a score further from 0 are drawn again.
        pub even: i32 = 250, 0.0..=1e6;
        /// The chance that another move than the best is played,
        #[serde(alias = "stray")]
        pub exploration: f64 = 0.15, 0.0..=1.0;
        /// in so many moves after the opening.
        #[serde(alias = "stray_plies")]
        pub exploration_plies: usize = 12;
        /// A game with so many stones is a draw.
        pub longest: usize = 120;
    }

    /// How the estimate is learned.
    pub struct EstimateSettings {
        /// The part of the game's result in what should be estimated; the rest is the score of the search.
        pub result: f32 = 0.6, 0.0..=1.0;
        /// How far from the number by hand a cell's worth may well be, in points.
        pub width_cells: f32 = 10.0, 1e-3..=1e4;
        /// The same for threats.
        pub width_threats: f32 = 100.0, 1e-3..=1e4;
        /// The same for all cells with a pattern, or of a class, together, and for all positions with a threat.
        pub width_shared: f32 = 100.0, 1e-3..=1e4;
        /// How the numbers are fitted.
        pub fit: FitSettings = FitSettings::default();
    }

    /// How the order of moves is learned.
    pub struct OrderSettings {
        /// How far from the number by hand a promise may well be, in points.
        pub width: f32 = 100.0, 1e-3..=1e4;
        /// The same for all cells with a pattern, or of a class, together.
        pub width_shared: f32 = 300.0, 1e-3..=1e4;
        /// How the numbers are fitted.
        pub fit: FitSettings = FitSettings { rate: 0.01, ..FitSettings::default() };
    }
}

impl Settings for TuneSettings {
    fn check(&self) -> Result<(), SettingsError> {
        self.rule()?;
        check_learner(&self.learner, LEARNER)?;
        let games = &self.games;
        let [shortest, longest] = [SHORTEST_SIDE, LONGEST_SIDE].map(|side| side as f64);
        // The boards first: other ranges depend on them.
        check_ranges(games.boards.iter().map(|&n| ("games.boards", n as f64, shortest, longest)))?;
        let least_side = games.boards.iter().copied().min().unwrap_or(0);
        let [least, most] = games.opening.map(|stones| stones as f64);
        check_ranges([
            ("games.boards (how many)", games.boards.len() as f64, 1.0, 100.0),
            ("games.opening (the fewest)", least, 0.0, most),
            ("games.opening (the most)", most, least, least_side as f64),
            ("games.longest", games.longest as f64, most + 1.0, longest * longest),
        ])?;
        self.check_numbers("")?;
        games.check_numbers("games.")?;
        self.estimate.check_numbers("estimate.")?;
        self.estimate.fit.check_numbers("estimate.fit.")?;
        self.order.check_numbers("order.")?;
        self.order.fit.check_numbers("order.fit.")
    }

    fn facts(&self) -> Facts {
        Facts {
            game: game_of(&self.rule, &self.games),
            seed: self.seed,
            threads: Some(self.threads),
            steps: Some(self.rounds),
            measure: Some(self.measure.with_usual_options(&format!("nodes={}", self.games.nodes))),
            ..Facts::default()
        }
    }
}

/// The game that a rule of the engine is played as, on the first of the boards.
pub(crate) fn game_of(rule: &str, games: &GameSettings) -> String {
    five_in_a_row(rule, games.boards.first().copied().unwrap_or(15))
}

/// Five in a row by a rule of the engine, on a square board.
pub fn five_in_a_row(rule: &str, side: usize) -> String {
    match (rule.parse().unwrap_or(RowRule::AtLeast), side) {
        (RowRule::AtLeast, 15) => "gomoku".to_string(),
        (rule @ (RowRule::Open | RowRule::Renju), 15) => rule.to_string(),
        (rule, _) => rule.five_in_a_row(side, side),
    }
}

impl TuneSettings {
    /// The rule that is played.
    pub fn rule(&self) -> Result<RowRule, SettingsError> {
        self.rule.parse().map_err(|error| SettingsError::Sense(format!("`rule`: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_suffices_and_everything_is_written_back() {
        let settings = TuneSettings::from_toml("learner = 'gomoku-eval'").unwrap();
        assert_eq!(settings, TuneSettings::default());
        assert_eq!(TuneSettings::from_toml(&settings.to_toml()), Ok(settings));
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        for (text, words) in [
            ("learner = 'weights'", "expected \"gomoku-eval\""),
            ("seeds = 3", "line 1: unknown field `seeds`"),
            ("rule = 'pente'", "`rule`: unknown rule \"pente\""),
            ("rounds = 0", "`rounds` is 0; expected 1 to 10000"),
            ("[games]\nboards = []", "`games.boards (how many)` is 0"),
            ("[games]\nboards = [4]", "`games.boards` is 4; expected 5 to 22"),
            ("[games]\nopening = [5, 3]", "`games.opening (the fewest)` is 5; expected 0 to 3"),
            ("[games]\nboards = [6]", "`games.opening (the most)` is 8; expected 2 to 6"),
            ("[games]\nopening = [2]", "line 2: "),
            ("[games]\nstray = nan", "`games.exploration` is NaN"),
            ("[games]\nlongest = 8", "`games.longest` is 8; expected 9 to 484"),
            ("[estimate]\nresult = 1.5", "`estimate.result` is 1.5; expected 0 to 1"),
            ("[estimate]\nwidth_cells = 0.0", "`estimate.width_cells` is 0"),
            ("[order.fit]\nbatch = 0", "`order.fit.batch` is 0; expected 1 to 1000000"),
        ] {
            let error = TuneSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
