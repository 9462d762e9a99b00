//! Settings of a run that tunes the Gomoku engine: one TOML file with `learner = "gomoku-eval"`.

use tesuji_games::RowRule;
use tesuji_gomoku::{LONGEST_SIDE, SHORTEST_SIDE};

use super::fit::FitSettings;
use crate::settings::settings;
use tesuji_train::settings::{check_learner, check_ranges};
use tesuji_train::{CommonSettings, LearnerSettings, MeasureSettings, SettingsError};

/// The value of `learner`.
pub const LEARNER: &str = "gomoku-eval";

settings! {
    /// Settings of the learner. Everything has a default.
    pub struct EngineTunerSettings {
        /// The learner: `gomoku-eval`.
        pub learner: String = LEARNER.to_string();
        /// The rule: `freestyle`, `standard`, `renju` or `caro`.
        pub rule: String = RowRule::AtLeast.to_string();
        /// The random seed of the run.
        pub seed: u64 = 1, 0.0..=i64::MAX as f64;
        /// Games in parallel, 0 for one per hardware thread. Affects only the speed.
        pub threads: usize = 1, 0.0..=1024.0;
        /// Rounds of games and tuning.
        pub rounds: u64 = 3, 1.0..=10_000.0;
        /// Self-play.
        pub games: EngineSelfPlaySettings = EngineSelfPlaySettings::default();
        /// Tuning of the estimate.
        pub estimate: EstimateSettings = EstimateSettings::default();
        /// Tuning of the move order.
        pub order: OrderSettings = OrderSettings::default();
        /// Measurements after each round.
        pub measure: MeasureSettings = MeasureSettings::default();
    }

    /// Settings of self-play.
    pub struct EngineSelfPlaySettings {
        /// Games per round.
        pub count: u64 = 1_000, 2.0..=1e6;
        /// The number of rounds, including the last one, whose games are the training data.
        pub keep: u64 = 3, 1.0..=10_000.0;
        /// Nodes per search.
        pub nodes: u64 = 4_000, 1.0..=1e9;
        /// Sides of the boards, equally often.
        pub boards: Vec<usize> = vec![15];
        /// Minimum and maximum number of random opening stones.
        pub opening: [usize; 2] = [2, 8];
        /// Openings with a larger absolute score are drawn again.
        pub even: i32 = 250, 0.0..=1e6;
        /// The probability of an exploratory move.
        #[serde(alias = "stray")]
        pub exploration: f64 = 0.15, 0.0..=1.0;
        /// The number of moves after the opening with exploration.
        #[serde(alias = "stray_plies")]
        pub exploration_plies: usize = 12;
        /// A game with this many stones is a draw.
        pub longest: usize = 120;
    }

    /// Settings of the estimate's tuning.
    pub struct EstimateSettings {
        /// The weight of the game's result in the target; the rest is the score of the search.
        pub result: f32 = 0.6, 0.0..=1.0;
        /// The standard deviation of a cell's value from the handcrafted one, in points.
        pub width_cells: f32 = 10.0, 1e-3..=1e4;
        /// The same for threats.
        pub width_threats: f32 = 100.0, 1e-3..=1e4;
        /// The same for the shared shift of all cells with a pattern or of a class, and of all
        /// positions with a threat.
        pub width_shared: f32 = 100.0, 1e-3..=1e4;
        /// Settings of the fit.
        pub fit: FitSettings = FitSettings::default();
    }

    /// Settings of the order's tuning.
    pub struct OrderSettings {
        /// The standard deviation of a move score from the handcrafted one, in points.
        pub width: f32 = 100.0, 1e-3..=1e4;
        /// The same for the shared shift of all cells with a pattern or of a class.
        pub width_shared: f32 = 300.0, 1e-3..=1e4;
        /// Settings of the fit.
        pub fit: FitSettings = FitSettings { rate: 0.01, ..FitSettings::default() };
    }
}

impl LearnerSettings for EngineTunerSettings {
    fn check(&self) -> Result<(), SettingsError> {
        self.rule()?;
        check_learner(&self.learner, LEARNER)?;
        let games = &self.games;
        let [shortest, longest] = [SHORTEST_SIDE, LONGEST_SIDE].map(|side| side as f64);
        // Checked first, since other ranges depend on them.
        check_ranges(games.boards.iter().map(|&n| ("games.boards", n as f64, shortest, longest)))?;
        let min_side = games.boards.iter().copied().min().unwrap_or(0);
        let [min, max] = games.opening.map(|stones| stones as f64);
        check_ranges([
            ("games.boards (count)", games.boards.len() as f64, 1.0, 100.0),
            ("games.opening (minimum)", min, 0.0, max),
            ("games.opening (maximum)", max, min, min_side as f64),
            ("games.longest", games.longest as f64, max + 1.0, longest * longest),
        ])?;
        self.check_numbers("")?;
        games.check_numbers("games.")?;
        self.estimate.check_numbers("estimate.")?;
        self.estimate.fit.check_numbers("estimate.fit.")?;
        self.order.check_numbers("order.")?;
        self.order.fit.check_numbers("order.fit.")
    }

    fn common(&self) -> CommonSettings {
        CommonSettings {
            game: game_of(&self.rule, &self.games),
            seed: self.seed,
            threads: Some(self.threads),
            steps: Some(self.rounds),
            measure: Some(
                self.measure.with_default_options(&format!("nodes={}", self.games.nodes)),
            ),
            ..CommonSettings::default()
        }
    }
}

/// The name of the game for a rule, on the first of the boards.
pub(crate) fn game_of(rule: &str, games: &EngineSelfPlaySettings) -> String {
    five_in_a_row(rule, games.boards.first().copied().unwrap_or(15))
}

/// The name of the game for a rule, on a square board.
pub fn five_in_a_row(rule: &str, side: usize) -> String {
    match (rule.parse().unwrap_or(RowRule::AtLeast), side) {
        (RowRule::AtLeast, 15) => "gomoku".to_string(),
        (rule @ (RowRule::Caro | RowRule::Renju), 15) => rule.to_string(),
        (rule, _) => rule.five_in_a_row(side, side),
    }
}

impl EngineTunerSettings {
    /// The rule of the games.
    pub fn rule(&self) -> Result<RowRule, SettingsError> {
        self.rule.parse().map_err(|error| SettingsError::Value(format!("`rule`: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_round_trip() {
        let settings = EngineTunerSettings::from_toml("learner = 'gomoku-eval'").unwrap();
        assert_eq!(settings, EngineTunerSettings::default());
        assert_eq!(EngineTunerSettings::from_toml(&settings.to_toml()), Ok(settings));
    }

    #[test]
    fn errors_name_the_problem_in_one_line() {
        for (text, words) in [
            ("learner = 'weights'", "`learner`"),
            ("seeds = 3", "unknown field `seeds`"),
            ("rule = 'pente'", "`rule`: "),
            ("rounds = 0", "`rounds`"),
            ("[games]\nboards = []", "`games.boards (count)`"),
            ("[games]\nboards = [4]", "`games.boards`"),
            ("[games]\nopening = [5, 3]", "`games.opening (minimum)`"),
            ("[games]\nboards = [6]", "`games.opening (maximum)`"),
            ("[games]\nopening = [2]", "invalid length"),
            ("[games]\nexploration = nan", "`games.exploration`"),
            ("[games]\nlongest = 8", "`games.longest`"),
            ("[estimate]\nresult = 1.5", "`estimate.result`"),
            ("[estimate]\nwidth_cells = 0.0", "`estimate.width_cells`"),
            ("[order.fit]\nbatch = 0", "`order.fit.batch`"),
        ] {
            let error = EngineTunerSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }

    #[test]
    fn earlier_spellings_of_keys_are_read() {
        let text = "[games]\nstray = 0.5\nstray_plies = 3";
        let EngineSelfPlaySettings { exploration, exploration_plies, .. } =
            EngineTunerSettings::from_toml(text).unwrap().games;
        assert_eq!((exploration, exploration_plies), (0.5, 3));
    }
}
