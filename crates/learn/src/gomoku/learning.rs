//! Fits new parameters to games.

use tesuji_games::random::derived;
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::engine::weights::{EngineWeights, SCALE};

use super::examples::{EstimateExamples, ExampleExtractor, OrderExamples};
use super::fit::{FitResult, Objective, Prior, fit};
use super::parameters::{MOVE_SCORE_SCALE, ParameterLayout};
use super::record::{GameRecord, RecordError};
use super::settings::TuneSettings;

/// One game in this many is held out for evaluation.
const HELD_OUT: u64 = 10;

/// Examples from games.
pub struct TuningDataset<'a> {
    settings: &'a TuneSettings,
    rule: RowRule,
    layout: ParameterLayout,
    extractor: ExampleExtractor,
    /// Training examples, and held-out ones.
    estimates: [EstimateExamples; 2],
    orders: [OrderExamples; 2],
}

/// The result of tuning.
pub struct TuningResult {
    /// The new parameters.
    pub numbers: EngineWeights,
    /// The number of examples of estimates.
    pub positions: usize,
    /// The number of examples of orders.
    pub orders: usize,
    /// The mean loss of the estimate on held-out examples: with the handcrafted parameters, with
    /// those that the games were played with, and with the new ones.
    pub estimate: [f64; 3],
    /// The same for the order.
    pub order: [f64; 3],
    /// The share of best moves that come first: with the handcrafted parameters, and with the new
    /// ones.
    pub found: [f64; 2],
}

impl<'a> TuningDataset<'a> {
    /// No examples yet.
    pub fn new(settings: &'a TuneSettings, rule: RowRule) -> TuningDataset<'a> {
        let layout = ParameterLayout::new(rule);
        let extractor = ExampleExtractor::new(layout, settings.estimate.result);
        let (estimates, orders) = Default::default();
        TuningDataset { settings, rule, layout, extractor, estimates, orders }
    }

    /// Adds the positions of a game.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), RecordError> {
        let held = usize::from(game.game % HELD_OUT == HELD_OUT - 1);
        let (estimates, orders) = (&mut self.estimates[held], &mut self.orders[held]);
        game.replay(self.rule, |analyzed| self.extractor.extract(analyzed, estimates, orders))
    }

    /// Fits new parameters; `before` are those that the games were played with.
    pub fn learn(&self, before: &EngineWeights, seed: u64) -> TuningResult {
        let by_hand = EngineWeights::handcrafted(self.rule);
        let ([estimates, held_estimates], [orders, held_orders]) = (&self.estimates, &self.orders);
        let (prior, how) = (self.estimate_prior(&by_hand), &self.settings.estimate.fit);
        let estimate = fit(estimates, held_estimates, &prior, how, derived(seed, [1]));
        let (prior, how) = (self.order_prior(&by_hand), &self.settings.order.fit);
        let order = fit(orders, held_orders, &prior, how, derived(seed, [2]));
        let losses = |fit: &FitResult, before| [fit.before, before, fit.after];
        TuningResult {
            positions: estimates.count() + held_estimates.count(),
            orders: orders.count() + held_orders.count(),
            estimate: losses(&estimate, held_estimates.mean_loss(&self.layout.estimate_of(before))),
            order: losses(&order, held_orders.mean_loss(&self.layout.order_of(before))),
            found: [&prior.mean, &order.parameters].map(|it| held_orders.accuracy(it)),
            numbers: self.layout.numbers(&estimate.parameters, &order.parameters),
        }
    }

    fn estimate_prior(&self, by_hand: &EngineWeights) -> Prior {
        let mean = self.layout.estimate_of(by_hand);
        let width = |place| match place {
            place if place < self.layout.cells() => self.settings.estimate.width_cells,
            _ => self.settings.estimate.width_threats,
        };
        let mut std_dev: Vec<f32> =
            (0..mean.len()).map(|place| width(place) / SCALE as f32).collect();
        // An occupied cell, or one where no pattern is possible any more, has the value 0.
        Side::ALL.iter().for_each(|&side| std_dev[self.layout.cell(side, 0)] = 0.0);
        let shared_std_dev = self.settings.estimate.width_shared / SCALE as f32;
        Prior { mean, std_dev, shared: self.layout.shared_in_estimate(), shared_std_dev }
    }

    fn order_prior(&self, by_hand: &EngineWeights) -> Prior {
        let mean = self.layout.order_of(by_hand);
        let std_dev = vec![self.settings.order.width / MOVE_SCORE_SCALE as f32; mean.len()];
        let shared_std_dev = self.settings.order.width_shared / MOVE_SCORE_SCALE as f32;
        Prior { mean, std_dev, shared: self.layout.shared_in_order(), shared_std_dev }
    }
}
