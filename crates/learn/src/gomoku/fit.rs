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

    /// Adds the slope of one example's loss to the slopes.
    fn add_slope(&self, example: usize, parameters: &[f32], slopes: &mut [f32]);

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
    pub middle: Vec<f32>,
    /// How far from there each may well be by itself: one standard deviation. 0 for one that does not move by itself.
    pub width: Vec<f32>,
    /// What parameters have in common and move by together.
    pub shared: Shared,
    /// How far what they share may well move: one standard deviation.
    pub shared_width: f32,
}

/// For each parameter which shifts it shares with others. Whatever is learned about one of them says something about all
/// that have a part in the same shift, those among them that were never seen, too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shared {
    /// How many shifts there are.
    count: usize,
    /// Those of each parameter.
    shifts: Vec<Vec<u16>>,
}

impl Shared {
    /// No parameters yet, and so many shifts.
    pub fn new(count: usize) -> Shared {
        Shared { count, shifts: Vec::new() }
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
pub struct Fit {
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
) -> Fit {
    let before = held_out.mean_loss(&prior.middle);
    let mut best = Fit { parameters: prior.middle.clone(), before, after: before };
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

/// Parameters on their way downhill. What moves is how far each is from the middle by itself, and the shifts.
struct Descent<'a, O> {
    objective: &'a O,
    prior: &'a Prior,
    batch: usize,
    optimizer: Optimizer,
    state: OptimizerState,
    /// How far each parameter is from the middle by itself; then the shifts.
    moved: Vec<f32>,
    /// The same for the slopes.
    slopes: Vec<f32>,
    parameters: Vec<f32>,
}

impl<'a, O: Objective> Descent<'a, O> {
    fn new(objective: &'a O, prior: &'a Prior, settings: &FitSettings) -> Self {
        let optimizer = Optimizer::Adam { rate: settings.rate };
        let all = prior.middle.len() + prior.shared.count;
        Descent {
            objective,
            prior,
            batch: settings.batch.max(1),
            optimizer,
            state: optimizer.state(all),
            moved: vec![0.0; all],
            slopes: vec![0.0; all],
            parameters: prior.middle.clone(),
        }
    }

    fn pass(&mut self, order: &[u32], scale: f32) {
        for batch in order.chunks(self.batch) {
            self.slopes.fill(0.0);
            for &example in batch {
                self.objective.add_slope(example as usize, &self.parameters, &mut self.slopes);
            }
            self.finish_slopes(batch.len() as f32);
            self.optimizer.step(scale, &mut self.moved, &self.slopes, &mut self.state);
            self.follow();
        }
    }

    /// From the sum of the parameters' slopes to the mean slopes of what moves, with this batch's part of the pull back.
    fn finish_slopes(&mut self, examples: f32) {
        let Prior { middle, width, shared, shared_width } = self.prior;
        let (own, shifts) = self.slopes.split_at_mut(middle.len());
        for (n, slope) in own.iter_mut().enumerate() {
            *slope /= examples;
            shared.of(n).iter().for_each(|&shift| shifts[usize::from(shift)] += *slope);
        }
        let all = self.objective.count() as f32;
        for (n, slope) in self.slopes.iter_mut().enumerate() {
            let width = width.get(n).copied().unwrap_or(*shared_width);
            let pull = self.moved[n] / (width * width * all);
            *slope = if width > 0.0 { *slope + pull } else { 0.0 };
        }
    }

    /// Makes the parameters those that have moved so far.
    fn follow(&mut self) {
        let Prior { middle, shared, .. } = self.prior;
        let (own, shifts) = self.moved.split_at(middle.len());
        for (n, parameter) in self.parameters.iter_mut().enumerate() {
            let together: f32 = shared.of(n).iter().map(|&shift| shifts[usize::from(shift)]).sum();
            *parameter = middle[n] + own[n] + together;
        }
    }
}
