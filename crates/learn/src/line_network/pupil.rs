//! A line network that learns by mini-batches. Its half-lines are the sum of what is learned for each alone and of what
//! their cells have in common with other half-lines: so those that were seldom met are sensible, too.

use serde::{Deserialize, Serialize};
use tesuji_games::random::{derived, seeded};
use tesuji_search::envelope::{opened, sealed};

use super::batch::Batch;
use super::file::{LineFileError, numbers, put};
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
#[derive(Clone, PartialEq, Debug)]
pub struct PupilState {
    /// What is learned.
    pub parameters: Vec<f32>,
    /// What the optimizer remembers.
    pub optimizer: OptimizerState,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    passes: u64,
    steps: u64,
}

const STATE_MARK: &[u8; 8] = b"tesuji-m";

impl PupilState {
    /// The bytes of a checkpoint after so many passes: parameters, then what Adam remembers.
    pub fn to_bytes(&self, passes: u64) -> Vec<u8> {
        let header = Header { passes, steps: self.optimizer.steps };
        let header = serde_json::to_vec(&header).expect("numbers are always JSON");
        sealed(STATE_MARK, &header, |bytes| {
            put(bytes, &self.parameters);
            put(bytes, &self.optimizer.first);
            put(bytes, &self.optimizer.second);
        })
    }

    /// Reads a checkpoint, and how many passes were done.
    pub fn from_bytes(bytes: &[u8]) -> Result<(PupilState, u64), LineFileError> {
        let (header, body) = opened(bytes, STATE_MARK)?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| LineFileError::Header { what: error.to_string() })?;
        let mut parameters = numbers(body)?;
        if parameters.len() != 3 * Pupil::parameters() {
            return Err(LineFileError::Damaged { what: "its memory is too short or too long" });
        }
        let second = parameters.split_off(2 * Pupil::parameters());
        let first = parameters.split_off(Pupil::parameters());
        let optimizer = OptimizerState { steps: header.steps, first, second };
        Ok((PupilState { parameters, optimizer }, header.passes))
    }
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
