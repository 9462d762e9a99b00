//! Fits new parameters to games.

use tesuji_games::random::derived;
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::engine::weights::{EngineWeights, SCALE};

use super::examples::{EstimateExamples, ExampleExtractor, OrderExamples};
use super::fit::{FitResult, GaussianPrior, Objective, fit};
use super::parameters::{MOVE_SCORE_SCALE, ParameterLayout};
use super::record::{SelfPlayRecord, SelfPlayRecordError};
use super::settings::EngineTunerSettings;

/// One game in this many is held out for evaluation.
const HELD_OUT: u64 = 10;

/// Examples from games.
pub struct TuningDataset<'a> {
    settings: &'a EngineTunerSettings,
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
    pub weights: EngineWeights,
    /// The number of examples of estimates.
    pub positions: usize,
    /// The number of examples of orders.
    pub orders: usize,
    /// The mean loss of the estimate on held-out examples with the handcrafted parameters, those of
    /// the games' players, and the new ones.
    pub estimate: [f64; 3],
    /// The same for the order.
    pub order: [f64; 3],
    /// The share of positions whose best move comes first, with the handcrafted parameters and with
    /// the new ones.
    pub found: [f64; 2],
}

impl<'a> TuningDataset<'a> {
    /// Creates an empty dataset.
    pub fn new(settings: &'a EngineTunerSettings, rule: RowRule) -> TuningDataset<'a> {
        let layout = ParameterLayout::new(rule);
        let extractor = ExampleExtractor::new(layout, settings.estimate.result);
        let (estimates, orders) = Default::default();
        TuningDataset { settings, rule, layout, extractor, estimates, orders }
    }

    /// Adds the positions of a game.
    pub fn add(&mut self, game: &SelfPlayRecord) -> Result<(), SelfPlayRecordError> {
        let held = usize::from(game.game % HELD_OUT == HELD_OUT - 1);
        let (estimates, orders) = (&mut self.estimates[held], &mut self.orders[held]);
        game.replay(self.rule, |analyzed| self.extractor.extract(analyzed, estimates, orders))
    }

    /// Fits new parameters; `before` are those of the games' players.
    pub fn learn(&self, before: &EngineWeights, seed: u64) -> TuningResult {
        let handcrafted = EngineWeights::handcrafted(self.rule);
        let ([estimates, held_estimates], [orders, held_orders]) = (&self.estimates, &self.orders);
        let (prior, settings) = (self.estimate_prior(&handcrafted), &self.settings.estimate.fit);
        let estimate = fit(estimates, held_estimates, &prior, settings, derived(seed, [1]));
        let (prior, settings) = (self.order_prior(&handcrafted), &self.settings.order.fit);
        let order = fit(orders, held_orders, &prior, settings, derived(seed, [2]));
        let losses = |fit: &FitResult, before| [fit.before, before, fit.after];
        TuningResult {
            positions: estimates.count() + held_estimates.count(),
            orders: orders.count() + held_orders.count(),
            estimate: losses(&estimate, held_estimates.mean_loss(&self.layout.estimate_of(before))),
            order: losses(&order, held_orders.mean_loss(&self.layout.order_of(before))),
            found: [&prior.mean, &order.parameters].map(|it| held_orders.accuracy(it)),
            weights: self.layout.engine_weights(&estimate.parameters, &order.parameters),
        }
    }

    fn estimate_prior(&self, handcrafted: &EngineWeights) -> GaussianPrior {
        let mean = self.layout.estimate_of(handcrafted);
        let width = |index| match index {
            index if index < self.layout.cells() => self.settings.estimate.width_cells,
            _ => self.settings.estimate.width_threats,
        };
        let mut std_dev: Vec<f32> =
            (0..mean.len()).map(|index| width(index) / SCALE as f32).collect();
        // An occupied cell, or one where no pattern is possible anymore, has the value 0.
        Side::ALL.iter().for_each(|&side| std_dev[self.layout.cell(side, 0)] = 0.0);
        let shared_std_dev = self.settings.estimate.width_shared / SCALE as f32;
        GaussianPrior { mean, std_dev, shared: self.layout.shared_in_estimate(), shared_std_dev }
    }

    fn order_prior(&self, handcrafted: &EngineWeights) -> GaussianPrior {
        let mean = self.layout.order_of(handcrafted);
        let std_dev = vec![self.settings.order.width / MOVE_SCORE_SCALE as f32; mean.len()];
        let shared_std_dev = self.settings.order.width_shared / MOVE_SCORE_SCALE as f32;
        GaussianPrior { mean, std_dev, shared: self.layout.shared_in_order(), shared_std_dev }
    }
}
