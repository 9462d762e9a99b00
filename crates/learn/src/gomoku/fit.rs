//! Fits parameters to examples: the best for the examples they are given, pulled towards where they come from.
//!
//! Mini-batches in random order with Adam (Kingma and Ba, 2015), the steps getting smaller from pass to pass. What counts
//! is the loss of examples that were held out: the parameters after the best pass are kept.

use serde::{Deserialize, Serialize};
use tesuji_games::random::{below, derived, seeded};

use crate::network::Optimizer;

/// What is to be made small: a mean over examples.
pub trait Objective {
    /// How many examples there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The loss of one example.
    fn loss(&self, example: usize, parameters: &[f32]) -> f32;

    /// Adds the slope of one example's loss to the slopes.
    fn add_slope(&self, example: usize, parameters: &[f32], slopes: &mut [f32]);

    /// The mean loss; 0 without examples.
    fn mean_loss(&self, parameters: &[f32]) -> f64 {
        let losses = (0..self.len()).map(|n| f64::from(self.loss(n, parameters)));
        losses.sum::<f64>() / self.len().max(1) as f64
    }
}

/// How parameters are fitted.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitSettings {
    /// Passes over all examples at most.
    pub passes: u32,
    /// Ends after so many passes that did not help examples that were held out.
    pub patience: u32,
    /// Examples of one step.
    pub batch: usize,
    /// The size of the first steps.
    pub rate: f32,
}

impl Default for FitSettings {
    fn default() -> Self {
        FitSettings { passes: 30, patience: 4, batch: 256, rate: 0.01 }
    }
}

/// The share of a step that is left in the last pass.
const LAST_STEP: f32 = 0.02;

/// Where parameters come from, and how likely they are to be elsewhere.
pub struct Prior {
    /// The parameters before anything is learned.
    pub middle: Vec<f32>,
    /// For each how far from there it may well be: one standard deviation. 0 for one that stays.
    pub width: Vec<f32>,
}

/// What came of it.
pub struct Fit {
    /// The best parameters.
    pub parameters: Vec<f32>,
    /// The mean loss of held-out examples before,
    pub before: f64,
    /// and after.
    pub after: f64,
    /// Passes that were made.
    pub passes: u32,
}

/// Fits parameters to examples.
pub fn fit(
    objective: &impl Objective,
    held_out: &impl Objective,
    prior: &Prior,
    settings: &FitSettings,
    seed: u64,
) -> Fit {
    let before = held_out.mean_loss(&prior.middle);
    let mut best = Fit { parameters: prior.middle.clone(), before, after: before, passes: 0 };
    let mut descent = Descent::new(objective, prior, settings);
    let mut idle = 0;
    for pass in 0..settings.passes {
        let left = 1.0 - pass as f32 / settings.passes as f32;
        descent.pass(&shuffled(objective.len(), derived(seed, [pass.into()])), left.max(LAST_STEP));
        best.passes = pass + 1;
        let after = held_out.mean_loss(&descent.parameters);
        idle += 1;
        if after < best.after {
            best.after = after;
            best.parameters.clone_from(&descent.parameters);
            idle = 0;
        }
        if idle >= settings.patience {
            break;
        }
    }
    best
}

fn shuffled(length: usize, seed: u64) -> Vec<u32> {
    let mut rng = seeded(seed);
    let mut order: Vec<u32> = (0..length as u32).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, below(&mut rng, last as u32 + 1) as usize);
    }
    order
}

/// Parameters on their way downhill.
struct Descent<'a, O> {
    objective: &'a O,
    prior: &'a Prior,
    batch: usize,
    optimizer: Optimizer,
    state: crate::network::OptimizerState,
    parameters: Vec<f32>,
    slopes: Vec<f32>,
}

impl<'a, O: Objective> Descent<'a, O> {
    fn new(objective: &'a O, prior: &'a Prior, settings: &FitSettings) -> Self {
        let optimizer = Optimizer::Adam { rate: settings.rate };
        Descent {
            objective,
            prior,
            batch: settings.batch.max(1),
            optimizer,
            state: optimizer.state(prior.middle.len()),
            parameters: prior.middle.clone(),
            slopes: vec![0.0; prior.middle.len()],
        }
    }

    fn pass(&mut self, order: &[u32], scale: f32) {
        for batch in order.chunks(self.batch) {
            self.slopes.fill(0.0);
            for &example in batch {
                let example = example as usize;
                self.objective.add_slope(example, &self.parameters, &mut self.slopes);
            }
            self.pull(batch.len() as f32);
            self.optimizer.step(scale, &mut self.parameters, &self.slopes, &mut self.state);
        }
    }

    /// Makes the slopes those of the mean, with this batch's part of the pull towards the prior's middle.
    fn pull(&mut self, examples: f32) {
        let all = self.objective.len() as f32;
        let Prior { middle, width } = self.prior;
        for (n, slope) in self.slopes.iter_mut().enumerate() {
            let away = self.parameters[n] - middle[n];
            let pull = if away == 0.0 { 0.0 } else { away / (width[n] * width[n] * all) };
            *slope = if width[n] > 0.0 { *slope / examples + pull } else { 0.0 };
        }
    }
}
