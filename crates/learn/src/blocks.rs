//! Statistics of blocks of self-play games, their metrics and charts.

use std::time::Instant;

use serde_json::{Map, Value};
use tesuji_games::{Outcome, Side};
use tesuji_train::{Chart, StepMetrics};

/// The results of each block's games.
pub(crate) const RESULTS_CHART: Chart = Chart {
    file: "results",
    title: "Results of the games",
    unit: "share",
    series: &[("first", "won by the first side"), ("drawn", "drawn")],
};

/// The speed of playing and learning.
pub(crate) const SPEED_CHART: Chart = Chart {
    file: "speed",
    title: "Games per second",
    unit: "games per second",
    series: &[("games_per_second", "games per second")],
};

/// Statistics of some games.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct BlockStats {
    /// The number of games.
    pub(crate) games: u64,
    /// The total length of all games.
    pub(crate) length: u64,
    /// The number of games won by the first side.
    pub(crate) first: u64,
    /// The number of drawn games.
    pub(crate) drawn: u64,
    /// The number of training positions.
    pub(crate) positions: u64,
    /// The sum of the absolute errors of these positions.
    pub(crate) error: f64,
}

impl BlockStats {
    /// Counts a game.
    pub(crate) fn add(&mut self, outcome: Outcome, length: u64) {
        self.games += 1;
        self.length += length;
        self.first += u64::from(outcome == Outcome::Win(Side::First));
        self.drawn += u64::from(outcome == Outcome::Draw);
    }

    /// The mean error per position.
    pub(crate) fn mean_error(&self) -> f64 {
        self.error / (self.positions as f64).max(1.0)
    }

    /// The metrics of a block: `games` counts from the beginning of the run, `unit` is the unit of
    /// a game's length, and `more` adds the learner's own metrics.
    pub(crate) fn record(
        &self,
        games: u64,
        unit: &str,
        more: &[(&str, f64)],
        started: Instant,
    ) -> StepMetrics {
        let mean = |count: u64| count as f64 / (self.games as f64).max(1.0);
        let (error, length) = (self.mean_error(), mean(self.length));
        let (first, drawn) = (mean(self.first), mean(self.drawn));
        let speed = self.games as f64 / started.elapsed().as_secs_f64().max(1e-9);
        let line = format!(
            "{games} games, error {error:.3}, {length:.1} {unit}, {:.1} % won by the first side, \
             {:.1} % drawn; {speed:.0} games/s",
            100.0 * first,
            100.0 * drawn,
        );
        let common = [("error", error), (unit, length), ("first", first), ("drawn", drawn)];
        let speed = [("games_per_second", speed)];
        let numbers = common.iter().chain(more).chain(&speed);
        let mut values = Map::from_iter([("games".to_string(), games.into())]);
        values.extend(numbers.map(|&(name, number)| (name.to_string(), Value::from(number))));
        StepMetrics::new(&values, line)
    }
}
