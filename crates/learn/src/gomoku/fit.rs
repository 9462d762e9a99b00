//! Fits parameters to examples: the best for the examples they are given, pulled towards where they come from.
//!
//! Mini-batches in random order with Adam (Kingma and Ba, 2015), the steps getting smaller from pass to pass. What counts
//! is the loss of examples that were held out: the parameters after the best pass are kept.

use tesuji_games::random::{below, derived, seeded};

use crate::network::{Optimizer, OptimizerState};
use crate::settings::settings;

/// What is to be made small: a mean over examples.
pub trait Objective {
    /// How many examples there are.
    fn count(&self) -> usize;

    /// The loss of one example.
    fn loss(&self, example: usize, parameters: &[f32]) -> f32;

    /// Adds the grad of one example's loss to the gradient.
    fn add_gradient(&self, example: usize, parameters: &[f32], gradient: &mut [f32]);

    /// The mean loss; 0 without examples.
    fn mean_loss(&self, parameters: &[f32]) -> f64 {
        let losses = (0..self.count()).map(|n| f64::from(self.loss(n, parameters)));
        losses.sum::<f64>() / self.count().max(1) as f64
    }
}

settings! {
    /// How parameters are fitted.
    pub struct FitSettings {
        /// Passes over all examples at most.
        pub passes: u32 = 30, 1.0..=1e4;
        /// Ends after so many passes that did not help examples that were held out.
        pub patience: u32 = 4, 1.0..=1e4;
        /// Examples of one step.
        pub batch: usize = 1024, 1.0..=1e6;
        /// The size of the first steps.
        pub rate: f32 = 0.002, 1e-6..=10.0;
    }
}

/// The share of a step that is left in the last pass.
const LAST_STEP: f32 = 0.02;

/// Where parameters come from, and how likely they are to be elsewhere.
pub struct Prior {
    /// The parameters before anything is learned.
    pub mean: Vec<f32>,
    /// How far from there each may well be by itself: one standard deviation. 0 for one that does not move by itself.
    pub std_dev: Vec<f32>,
    /// What parameters have in common and move by together.
    pub shared: SharedShifts,
    /// How far what they share may well move: one standard deviation.
    pub shared_std_dev: f32,
}

/// For each parameter which shifts it shares with others. Whatever is learned about one of them says something about all
/// that have a part in the same shift, those among them that were never seen, too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SharedShifts {
    /// How many shifts there are.
    count: usize,
    /// Those of each parameter.
    shifts: Vec<Vec<u16>>,
}

impl SharedShifts {
    /// No parameters yet, and so many shifts.
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

/// What came of it.
pub struct FitResult {
    /// The best parameters.
    pub parameters: Vec<f32>,
    /// The mean loss of held-out examples before,
    pub before: f64,
    /// and after.
    pub after: f64,
}

/// Fits parameters to examples.
pub fn fit(
    objective: &impl Objective,
    held_out: &impl Objective,
    prior: &Prior,
    settings: &FitSettings,
    seed: u64,
) -> FitResult {
    let before = held_out.mean_loss(&prior.mean);
    let mut best = FitResult { parameters: prior.mean.clone(), before, after: before };
    let mut descent = Descent::new(objective, prior, settings);
    let mut idle = 0;
    for pass in 0..settings.passes {
        let left = 1.0 - pass as f32 / settings.passes as f32;
        descent
            .pass(&shuffled(objective.count(), derived(seed, [pass.into()])), left.max(LAST_STEP));
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

/// Parameters on their way downhill. What moves is how far each is from the mean by itself, and the shifts.
struct Descent<'a, O> {
    objective: &'a O,
    prior: &'a Prior,
    batch: usize,
    optimizer: Optimizer,
    state: OptimizerState,
    /// How far each parameter is from the mean by itself; then the shifts.
    offsets: Vec<f32>,
    /// The same for the gradient.
    gradient: Vec<f32>,
    parameters: Vec<f32>,
}

impl<'a, O: Objective> Descent<'a, O> {
    fn new(objective: &'a O, prior: &'a Prior, settings: &FitSettings) -> Self {
        let optimizer = Optimizer::Adam { rate: settings.rate };
        let all = prior.mean.len() + prior.shared.count;
        Descent {
            objective,
            prior,
            batch: settings.batch.max(1),
            optimizer,
            state: optimizer.state(all),
            offsets: vec![0.0; all],
            gradient: vec![0.0; all],
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

    /// From the sum of the parameters' gradient to the mean gradient of what moves, with this batch's part of the pull back.
    fn finish_gradient(&mut self, examples: f32) {
        let Prior { mean, std_dev, shared, shared_std_dev } = self.prior;
        let (own, shifts) = self.gradient.split_at_mut(mean.len());
        for (n, grad) in own.iter_mut().enumerate() {
            *grad /= examples;
            shared.of(n).iter().for_each(|&shift| shifts[usize::from(shift)] += *grad);
        }
        let all = self.objective.count() as f32;
        for (n, grad) in self.gradient.iter_mut().enumerate() {
            let std_dev = std_dev.get(n).copied().unwrap_or(*shared_std_dev);
            let pull = self.offsets[n] / (std_dev * std_dev * all);
            *grad = if std_dev > 0.0 { *grad + pull } else { 0.0 };
        }
    }

    /// Makes the parameters those that have offsets so far.
    fn update_parameters(&mut self) {
        let Prior { mean, shared, .. } = self.prior;
        let (own, shifts) = self.offsets.split_at(mean.len());
        for (n, parameter) in self.parameters.iter_mut().enumerate() {
            let together: f32 = shared.of(n).iter().map(|&shift| shifts[usize::from(shift)]).sum();
            *parameter = mean[n] + own[n] + together;
        }
    }
}
