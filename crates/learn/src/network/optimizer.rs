//! Optimizers: SGD with momentum, and Adam.

use serde::{Deserialize, Serialize};

/// An optimizer.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "lowercase", deny_unknown_fields)]
pub enum Optimizer {
    /// Stochastic gradient descent with momentum.
    Sgd {
        /// The learning rate.
        rate: f32,
        /// The share of the last step that is added to the next one; 0 for none.
        #[serde(default)]
        momentum: f32,
    },
    /// Adam (Kingma and Ba, 2015), with its usual constants.
    Adam {
        /// The learning rate.
        rate: f32,
    },
}

const FIRST_DECAY: f32 = 0.9;
const SECOND_DECAY: f32 = 0.999;
const SMALLEST_DIVISOR: f32 = 1e-8;

/// The state of an optimizer.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct OptimizerState {
    /// The number of steps so far.
    pub steps: u64,
    /// By parameter: the last step (SGD) or the mean of the gradient (Adam).
    pub first: Vec<f32>,
    /// By parameter: the mean of the squared gradient (Adam).
    pub second: Vec<f32>,
}

/// The state that a trainer saves and restores.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrainerState {
    /// The parameters in training.
    pub parameters: Vec<f32>,
    /// The state of the optimizer.
    pub optimizer: OptimizerState,
}

impl TrainerState {
    /// The state before the first step.
    pub(crate) fn new(parameters: Vec<f32>, optimizer: &Optimizer) -> TrainerState {
        TrainerState { optimizer: optimizer.state(parameters.len()), parameters }
    }

    /// Whether all vectors have the lengths of another state's.
    pub(crate) fn fits(&self, other: &TrainerState) -> bool {
        let lengths = |it: &TrainerState| {
            (it.parameters.len(), it.optimizer.first.len(), it.optimizer.second.len())
        };
        lengths(self) == lengths(other)
    }
}

impl Optimizer {
    /// The initial state.
    pub fn state(&self, parameters: usize) -> OptimizerState {
        let second = match self {
            Optimizer::Sgd { .. } => Vec::new(),
            Optimizer::Adam { .. } => vec![0.0; parameters],
        };
        OptimizerState { steps: 0, first: vec![0.0; parameters], second }
    }

    /// Makes one step. `scale` multiplies the learning rate.
    pub fn step(
        &self,
        scale: f32,
        parameters: &mut [f32],
        gradient: &[f32],
        state: &mut OptimizerState,
    ) {
        state.steps += 1;
        match *self {
            Optimizer::Sgd { rate, momentum } => {
                let velocities = parameters.iter_mut().zip(gradient).zip(&mut state.first);
                for ((parameter, &grad), velocity) in velocities {
                    *velocity = momentum * *velocity - scale * rate * grad;
                    *parameter += *velocity;
                }
            }
            Optimizer::Adam { rate } => adam(scale * rate, parameters, gradient, state),
        }
    }
}

fn adam(rate: f32, parameters: &mut [f32], gradient: &[f32], state: &mut OptimizerState) {
    let steps = i32::try_from(state.steps).unwrap_or(i32::MAX);
    let (unbiased_first, unbiased_second) =
        (1.0 / (1.0 - FIRST_DECAY.powi(steps)), 1.0 / (1.0 - SECOND_DECAY.powi(steps)));
    let moments = state.first.iter_mut().zip(&mut state.second);
    for ((parameter, &grad), (first, second)) in parameters.iter_mut().zip(gradient).zip(moments) {
        *first = FIRST_DECAY * *first + (1.0 - FIRST_DECAY) * grad;
        *second = SECOND_DECAY * *second + (1.0 - SECOND_DECAY) * grad * grad;
        let divisor = (*second * unbiased_second).sqrt() + SMALLEST_DIVISOR;
        *parameter -= rate * (*first * unbiased_first) / divisor;
    }
}
