//! A line network that learns by mini-batches. Its half-lines are the sum of what is learned for each alone and of what
//! their cells have in common with other half-lines: so those that were seldom met are sensible, too.

use serde::{Deserialize, Serialize};
use tesuji_games::random::{derived, seeded};

use super::batch::Batch;
use super::settings::SlopeFinder;
use super::shape::CENTRES;
use super::slopes::{Losses, Slopes};
use super::weights::{
    CELLS, HIDDEN, LineWeights, Part, UnfitWeights, add_cells, cells_by_chance, gather_cells,
};
use crate::network::{Optimizer, OptimizerState};

/// Numbers of the cells of half-lines; they come before those of the network.
const SHARED: usize = CELLS * CENTRES * HIDDEN;

/// See the top of this file.
#[derive(Debug)]
pub struct Pupil {
    optimizer: Optimizer,
    parameters: Vec<f32>,
    state: OptimizerState,
    weights: LineWeights,
    finder: SlopeFinder,
    slopes: Slopes,
    gradient: Vec<f32>,
}

/// What must be kept to go on learning as if nothing had happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PupilState {
    /// What is learned.
    pub parameters: Vec<f32>,
    /// What the optimizer remembers.
    pub optimizer: OptimizerState,
}

impl Pupil {
    /// A pupil who knows nothing.
    pub fn untaught(seed: u64, optimizer: Optimizer) -> Pupil {
        let mut parameters = cells_by_chance(&mut seeded(derived(seed, [0])));
        parameters.extend(LineWeights::untaught(seed).numbers());
        let halves = Part::Halves.range();
        parameters[SHARED + halves.start..SHARED + halves.end].fill(0.0);
        let state = optimizer.state(parameters.len());
        let mut pupil = Pupil {
            optimizer,
            parameters,
            state,
            weights: LineWeights::untaught(seed),
            finder: SlopeFinder::ByHand,
            slopes: Slopes::default(),
            gradient: Vec::new(),
        };
        pupil.weights.set(&pupil.reckoned());
        pupil
    }

    /// Lets somebody else find the slopes.
    pub fn with_slopes_by(self, finder: SlopeFinder) -> Pupil {
        Pupil { finder, ..self }
    }

    /// The network so far, unless its numbers have run away.
    pub fn network(&self) -> Result<LineWeights, UnfitWeights> {
        LineWeights::new(self.reckoned())
    }

    /// How many numbers are learned.
    pub fn parameters() -> usize {
        SHARED + LineWeights::count()
    }

    /// What must be kept to go on later.
    pub fn state(&self) -> PupilState {
        PupilState { parameters: self.parameters.clone(), optimizer: self.state.clone() }
    }

    /// Goes on from what was kept; `false`, and nothing changes, when it is that of another network.
    pub fn restore(&mut self, kept: PupilState) -> bool {
        let lengths = |state: &OptimizerState| (state.first.len(), state.second.len());
        let fits = kept.parameters.len() == self.parameters.len()
            && lengths(&kept.optimizer) == lengths(&self.state);
        if fits {
            (self.parameters, self.state) = (kept.parameters, kept.optimizer);
            self.weights.set(&self.reckoned());
        }
        fits
    }

    /// Learns from a batch; says how wrong the network was before. `scale` makes the step smaller or larger than the
    /// optimizer's rate.
    pub fn learn(&mut self, batch: &Batch, scale: f32) -> Losses {
        let losses = self.find_slopes(batch);
        let mut gradient = vec![0.0; SHARED];
        gather_cells(&self.gradient[Part::Halves.range()], &mut gradient);
        gradient.extend(&self.gradient);
        self.optimizer.step(scale, &mut self.parameters, &gradient, &mut self.state);
        self.weights.set(&self.reckoned());
        losses
    }

    fn find_slopes(&mut self, batch: &Batch) -> Losses {
        match self.finder {
            #[cfg(feature = "tensors")]
            SlopeFinder::Tensors => super::tensors::find(&self.weights, batch, &mut self.gradient),
            _ => self.slopes.find(&self.weights, batch, &mut self.gradient),
        }
    }

    /// How wrong the network is.
    pub fn judge(&mut self, batch: &Batch) -> Losses {
        self.slopes.judge(&self.weights, batch)
    }

    fn reckoned(&self) -> Vec<f32> {
        let (cells, numbers) = self.parameters.split_at(SHARED);
        let mut numbers = numbers.to_vec();
        add_cells(cells, &mut numbers[Part::Halves.range()]);
        numbers
    }
}
