//! Fits parameters to examples with a prior.
//!
//! Mini-batches in random order with Adam (Kingma and Ba, 2015) and a decaying learning rate. The
//! parameters with the lowest loss on held-out examples are kept.

use tesuji_games::random::{below, derived, seeded};

use crate::network::{Optimizer, OptimizerState};
use crate::settings::settings;

/// An objective to minimize: a mean over examples.
pub trait Objective {
    /// The number of examples.
    fn count(&self) -> usize;

    /// The loss of one example.
    fn loss(&self, example: usize, parameters: &[f32]) -> f32;

    /// Adds the gradient of one example's loss.
    fn add_gradient(&self, example: usize, parameters: &[f32], gradient: &mut [f32]);

    /// The mean loss; 0 without examples.
    fn mean_loss(&self, parameters: &[f32]) -> f64 {
        let losses = (0..self.count()).map(|n| f64::from(self.loss(n, parameters)));
        losses.sum::<f64>() / self.count().max(1) as f64
    }
}

settings! {
    /// Settings of the fit.
    pub struct FitSettings {
        /// The maximum number of passes over all examples.
        pub passes: u32 = 30, 1.0..=1e4;
        /// Stops after this many passes without improvement on held-out examples.
        pub patience: u32 = 4, 1.0..=1e4;
        /// Examples per step.
        pub batch: usize = 1024, 1.0..=1e6;
        /// The initial learning rate.
        pub rate: f32 = 0.002, 1e-6..=10.0;
    }
}

/// The learning rate of the last pass relative to the first.
const FINAL_RATE: f32 = 0.02;

/// A Gaussian prior of the parameters.
pub struct GaussianPrior {
    /// The initial parameters.
    pub mean: Vec<f32>,
    /// By parameter: the standard deviation of its individual offset; 0 for a parameter that has
    /// none.
    pub std_dev: Vec<f32>,
    /// The shifts that parameters share.
    pub shared: SharedShifts,
    /// The standard deviation of the shared shifts.
    pub shared_std_dev: f32,
}

/// The shifts that each parameter shares with others. An example of one parameter moves all that
/// share a shift with it, including those without examples.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SharedShifts {
    /// The number of shifts.
    count: usize,
    /// By parameter: its shifts.
    shifts: Vec<Vec<u16>>,
}

impl SharedShifts {
    /// Creates a list with this many shifts and no parameters.
    pub fn new(count: usize) -> SharedShifts {
        SharedShifts { count, shifts: Vec::new() }
    }

    /// Adds a parameter with its shifts.
    pub fn push(&mut self, shifts: impl IntoIterator<Item = usize>) {
        self.shifts.push(shifts.into_iter().map(|shift| shift as u16).collect());
    }

    /// The shifts of a parameter; none if it was not added.
    fn of(&self, parameter: usize) -> &[u16] {
        self.shifts.get(parameter).map_or(&[], Vec::as_slice)
    }
}

/// The result of a fit.
pub struct FitResult {
    /// The best parameters.
    pub parameters: Vec<f32>,
    /// The mean loss on held-out examples before the fit.
    pub before: f64,
    /// The mean loss on held-out examples after the fit.
    pub after: f64,
}

/// Fits parameters to examples.
pub fn fit(
    objective: &impl Objective,
    held_out: &impl Objective,
    prior: &GaussianPrior,
    settings: &FitSettings,
    seed: u64,
) -> FitResult {
    let before = held_out.mean_loss(&prior.mean);
    let mut best = FitResult { parameters: prior.mean.clone(), before, after: before };
    let mut descent = Descent::new(objective, prior, settings);
    let mut passes_without_gain = 0;
    for pass in 0..settings.passes {
        let left = 1.0 - pass as f32 / settings.passes as f32;
        descent
            .pass(&shuffled(objective.count(), derived(seed, [pass.into()])), left.max(FINAL_RATE));
        let after = held_out.mean_loss(&descent.parameters);
        passes_without_gain += 1;
        if after < best.after {
            best.after = after;
            best.parameters.clone_from(&descent.parameters);
            passes_without_gain = 0;
        }
        if passes_without_gain >= settings.patience {
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

/// A fit in progress. Its variables are the offsets of parameters from their means, and the shifts.
struct Descent<'a, O> {
    objective: &'a O,
    prior: &'a GaussianPrior,
    batch: usize,
    optimizer: Optimizer,
    state: OptimizerState,
    /// By parameter: its individual offset; then the shifts.
    offsets: Vec<f32>,
    /// The gradient by these variables.
    gradient: Vec<f32>,
    parameters: Vec<f32>,
}

impl<'a, O: Objective> Descent<'a, O> {
    fn new(objective: &'a O, prior: &'a GaussianPrior, settings: &FitSettings) -> Self {
        let optimizer = Optimizer::Adam { rate: settings.rate };
        let count = prior.mean.len() + prior.shared.count;
        Descent {
            objective,
            prior,
            batch: settings.batch.max(1),
            optimizer,
            state: optimizer.state(count),
            offsets: vec![0.0; count],
            gradient: vec![0.0; count],
            parameters: prior.mean.clone(),
        }
    }

    fn pass(&mut self, order: &[u32], scale: f32) {
        for batch in order.chunks(self.batch) {
            self.gradient.fill(0.0);
            for &example in batch {
                self.objective.add_gradient(example as usize, &self.parameters, &mut self.gradient);
            }
            self.finish_gradient(batch.len() as f32);
            self.optimizer.step(scale, &mut self.offsets, &self.gradient, &mut self.state);
            self.update_parameters();
        }
    }

    /// Converts the sum of gradients by parameters to the mean gradient by the variables, with this
    /// batch's share of the prior.
    fn finish_gradient(&mut self, examples: f32) {
        let GaussianPrior { mean, std_dev, shared, shared_std_dev } = self.prior;
        let (own, shifts) = self.gradient.split_at_mut(mean.len());
        for (n, grad) in own.iter_mut().enumerate() {
            *grad /= examples;
            shared.of(n).iter().for_each(|&shift| shifts[usize::from(shift)] += *grad);
        }
        let count = self.objective.count() as f32;
        for (n, grad) in self.gradient.iter_mut().enumerate() {
            let std_dev = std_dev.get(n).copied().unwrap_or(*shared_std_dev);
            let pull = self.offsets[n] / (std_dev * std_dev * count);
            *grad = if std_dev > 0.0 { *grad + pull } else { 0.0 };
        }
    }

    /// Computes the parameters from the variables.
    fn update_parameters(&mut self) {
        let GaussianPrior { mean, shared, .. } = self.prior;
        let (own, shifts) = self.offsets.split_at(mean.len());
        for (n, parameter) in self.parameters.iter_mut().enumerate() {
            let shift: f32 = shared.of(n).iter().map(|&shift| shifts[usize::from(shift)]).sum();
            *parameter = mean[n] + own[n] + shift;
        }
    }
}
