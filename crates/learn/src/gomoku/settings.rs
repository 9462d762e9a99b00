//! What a run that tunes the Gomoku engine is told: one TOML file with `learner = "gomoku-eval"`.

use serde::{Deserialize, Serialize};
use tesuji_games::RowRule;
use tesuji_gomoku::{LONGEST_SIDE, SHORTEST_SIDE};

use super::fit::FitSettings;
use tesuji_train::settings::{check_learner, check_ranges};
use tesuji_train::{Facts, MeasureSettings, Settings, SettingsError};

/// The word behind `learner`.
pub const LEARNER: &str = "gomoku-eval";

/// How the engine is tuned. Everything has a default.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TuneSettings {
    /// Who learns: `gomoku-eval`.
    pub learner: String,
    /// The rule: `freestyle`, `standard`, `renju` or `caro`.
    pub rule: String,
    /// What decides all chance of the run.
    pub seed: u64,
    /// Games at once, 0 for as many as the machine runs threads; their number changes nothing but the time.
    pub threads: usize,
    /// Rounds of games and learning.
    pub rounds: u64,
    /// What is played.
    pub games: GameSettings,
    /// How the estimate is learned.
    pub estimate: EstimateSettings,
    /// How the order of moves is learned.
    pub order: OrderSettings,
    /// What is measured after each round.
    pub measure: MeasureSettings,
}

/// What is played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameSettings {
    /// Games of one round.
    pub count: u64,
    /// From the games of how many rounds, the last ones, is learned.
    pub keep: u64,
    /// Nodes of the search for each move.
    pub nodes: u64,
    /// Sides of the boards, all as often.
    pub boards: Vec<usize>,
    /// The fewest and the most random stones at the beginning.
    pub opening: [usize; 2],
    /// Openings with a score further from 0 are drawn again.
    pub even: i32,
    /// The chance that another move than the best is played,
    pub stray: f64,
    /// in so many moves after the opening.
    pub stray_plies: usize,
    /// A game with so many stones is a draw.
    pub longest: usize,
}

/// How the estimate is learned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EstimateSettings {
    /// The part of the game's result in what should be estimated; the rest is the score of the search.
    pub result: f32,
    /// How far from the number by hand a cell's worth may well be, in points.
    pub width_cells: f32,
    /// The same for threats.
    pub width_threats: f32,
    /// The same for all cells with a pattern, or of a class, together, and for all positions with a threat.
    pub width_shared: f32,
    /// How the numbers are fitted.
    pub fit: FitSettings,
}

/// How the order of moves is learned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OrderSettings {
    /// How far from the number by hand a promise may well be, in points.
    pub width: f32,
    /// The same for all cells with a pattern, or of a class, together.
    pub width_shared: f32,
    /// How the numbers are fitted.
    pub fit: FitSettings,
}

impl Default for TuneSettings {
    fn default() -> Self {
        TuneSettings {
            learner: LEARNER.to_string(),
            rule: RowRule::AtLeast.to_string(),
            seed: 1,
            threads: 1,
            rounds: 3,
            games: GameSettings::default(),
            estimate: EstimateSettings::default(),
            order: OrderSettings::default(),
            measure: MeasureSettings::default(),
        }
    }
}

impl Default for GameSettings {
    fn default() -> Self {
        GameSettings {
            count: 1_000,
            keep: 3,
            nodes: 4_000,
            boards: vec![15],
            opening: [2, 8],
            even: 250,
            stray: 0.15,
            stray_plies: 12,
            longest: 120,
        }
    }
}

impl Default for EstimateSettings {
    fn default() -> Self {
        let fit = FitSettings::default();
        EstimateSettings {
            result: 0.6,
            width_cells: 10.0,
            width_threats: 100.0,
            width_shared: 100.0,
            fit,
        }
    }
}

impl Default for OrderSettings {
    fn default() -> Self {
        let fit = FitSettings { rate: 0.01, ..FitSettings::default() };
        OrderSettings { width: 100.0, width_shared: 300.0, fit }
    }
}

impl Settings for TuneSettings {
    fn check(&self) -> Result<(), SettingsError> {
        self.rule()?;
        check_learner(&self.learner, LEARNER)?;
        check_ranges(self.ranges())
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

    fn ranges(&self) -> Vec<(&'static str, f64, f64, f64)> {
        let (games, estimate, order) = (&self.games, &self.estimate, &self.order);
        let least_side = games.boards.iter().copied().min().unwrap_or(0);
        let [least, most] = games.opening.map(|stones| stones as f64);
        let (shortest, longest) = (SHORTEST_SIDE as f64, LONGEST_SIDE as f64);
        // The boards first: other ranges depend on them.
        let boards =
            games.boards.iter().map(|&side| ("games.boards", side as f64, shortest, longest));
        let mut all: Vec<_> = boards.collect();
        all.extend([
            ("seed", self.seed as f64, 0.0, i64::MAX as f64),
            ("threads", self.threads as f64, 0.0, 1024.0),
            ("rounds", self.rounds as f64, 1.0, 10_000.0),
            ("games.count", games.count as f64, 2.0, 1e6),
            ("games.keep", games.keep as f64, 1.0, 10_000.0),
            ("games.nodes", games.nodes as f64, 1.0, 1e9),
            ("games.boards (how many)", games.boards.len() as f64, 1.0, 100.0),
            ("games.opening (the fewest)", least, 0.0, most),
            ("games.opening (the most)", most, least, least_side as f64),
            ("games.even", games.even.into(), 0.0, 1e6),
            ("games.stray", games.stray, 0.0, 1.0),
            ("games.longest", games.longest as f64, most + 1.0, longest * longest),
            ("estimate.result", estimate.result.into(), 0.0, 1.0),
            ("estimate.width_cells", estimate.width_cells.into(), 1e-3, 1e4),
            ("estimate.width_threats", estimate.width_threats.into(), 1e-3, 1e4),
            ("estimate.width_shared", estimate.width_shared.into(), 1e-3, 1e4),
            ("order.width_shared", order.width_shared.into(), 1e-3, 1e4),
            ("order.width", order.width.into(), 1e-3, 1e4),
        ]);
        for (keys, fit) in [(ESTIMATE_FIT, &estimate.fit), (ORDER_FIT, &order.fit)] {
            let values = [fit.passes.into(), fit.patience.into(), fit.batch as f64];
            let most = [1e4, 1e4, 1e6];
            all.extend((0..3).map(|n| (keys[n], values[n], 1.0, most[n])));
            all.push((keys[3], fit.rate.into(), 1e-6, 10.0));
        }
        all
    }
}

const ESTIMATE_FIT: [&str; 4] =
    ["estimate.fit.passes", "estimate.fit.patience", "estimate.fit.batch", "estimate.fit.rate"];
const ORDER_FIT: [&str; 4] =
    ["order.fit.passes", "order.fit.patience", "order.fit.batch", "order.fit.rate"];

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
            ("[games]\nstray = nan", "`games.stray` is NaN"),
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
