//! Trains a line network by mini-batches. The row of a half-line is the sum of an individual term
//! and of terms of its cells, which it shares with other half-lines, so that rare half-lines get
//! sensible values as well.

use tesuji_games::random::{derived, seeded};

use super::backprop::{Backprop, Losses};
use super::batch::Batch;
use super::settings::GradientMethod;
use super::shape::CENTERS;
use super::weights::{
    CELLS, HIDDEN, LineWeights, Part, add_cells, gather_cell_gradient, random_cells,
};
use crate::network::{NetworkError, Optimizer, TrainerState};

/// The number of shared cell parameters; they come before those of the network.
const SHARED: usize = CELLS * CENTERS * HIDDEN;

/// See the top of this file.
#[derive(Debug)]
pub struct LineTrainer {
    optimizer: Optimizer,
    state: TrainerState,
    weights: LineWeights,
    method: GradientMethod,
    backprop: Backprop,
    gradient: Vec<f32>,
}

impl LineTrainer {
    /// A trainer with random weights.
    pub fn random_init(seed: u64, optimizer: Optimizer, method: GradientMethod) -> LineTrainer {
        let mut parameters = random_cells(&mut seeded(derived(seed, [0])));
        let mut weights = LineWeights::random_init(seed);
        parameters.extend(weights.parameters());
        let halves = Part::Halves.range();
        parameters[SHARED + halves.start..SHARED + halves.end].fill(0.0);
        let state = TrainerState::new(parameters, &optimizer);
        weights.set(&numbers_of(&state));
        LineTrainer {
            optimizer,
            state,
            weights,
            method,
            backprop: Backprop::default(),
            gradient: Vec::new(),
        }
    }

    /// The current network, unless its parameters have diverged.
    pub fn network(&self) -> Result<LineWeights, NetworkError> {
        LineWeights::new(self.weights.parameters().to_vec())
    }

    /// The state to save in a checkpoint.
    pub fn state(&self) -> &TrainerState {
        &self.state
    }

    /// Restores a saved state; returns `false` and changes nothing if it belongs to another
    /// network.
    pub fn restore(&mut self, saved: TrainerState) -> bool {
        let fits = saved.fits(&self.state);
        if fits {
            self.weights.set(&numbers_of(&saved));
            self.state = saved;
        }
        fits
    }

    /// Trains on a batch; returns the losses before the step. `scale` multiplies the learning rate.
    pub fn step(&mut self, batch: &Batch, scale: f32) -> Losses {
        let losses = match self.method {
            #[cfg(feature = "tensors")]
            GradientMethod::Tensors => {
                super::tensors::gradient(&self.weights, batch, &mut self.gradient)
            }
            _ => self.backprop.gradient(&self.weights, batch, &mut self.gradient),
        };
        let mut gradient = vec![0.0; SHARED];
        gather_cell_gradient(&self.gradient[Part::Halves.range()], &mut gradient);
        gradient.extend(&self.gradient);
        let TrainerState { parameters, optimizer } = &mut self.state;
        self.optimizer.step(scale, parameters, &gradient, optimizer);
        self.weights.set(&numbers_of(&self.state));
        losses
    }

    /// The losses of a batch.
    pub fn evaluate(&mut self, batch: &Batch) -> Losses {
        self.backprop.losses(&self.weights, batch)
    }
}

/// The parameters of the network: those of half-lines include those of their cells.
fn numbers_of(state: &TrainerState) -> Vec<f32> {
    let (cells, numbers) = state.parameters.split_at(SHARED);
    let mut numbers = numbers.to_vec();
    add_cells(cells, &mut numbers[Part::Halves.range()]);
    numbers
}
