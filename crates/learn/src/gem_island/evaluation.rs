//! Networks as evaluations of the ends of rollouts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::rules::gem_island::{GemBoard, GemIsland, GemView};
use tesuji_search::flat_ucb::RolloutValue;

use super::features::{self, FEATURES};
use super::planes::{self, Faults, PLANES, UNCHANGED, check_board};
use super::utility::HORIZON;
use crate::network::{Input, Network, NetworkError, Scratch, Shape};
use crate::shipped::{GEM_OUTCOME, GEM_OUTCOME_AS_PUBLISHED, GEM_UTILITY, GEM_UTILITY_SEARCH};

/// Initial capacity for the nonzero inputs of a board; the buffer grows if there are more.
const INITIAL_CAPACITY: usize = 1024;

/// The value of each move to spare: a tenth of a win. Measured on level 1 with rollouts of 2 swaps,
/// 500 games each, with an early network: 98.0 % wins and 11.3 moves with a fiftieth, 97.8 % and
/// 10.9 moves with a tenth.
const VALUE_OF_A_MOVE: f64 = 0.1;

/// The factor of differences from the score of the start, which lets the bandit distinguish swaps.
/// Measured in the same way: 10.5 instead of 10.9 moves.
const CONTRAST: f64 = 10.0;

/// What a network predicts and how its output is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// Whether the game will be won.
    Outcome,
    /// The same as in the published program, with its [`Faults`]: the value is a third of the
    /// output plus a third of the share of moves left. The shipped network for this was also
    /// trained as published, on games of people.
    PublishedOutcome,
    /// The chance to win within 1, 2, … moves of the greedy agent.
    Utility,
    /// The value of the best swap in a search, as the thesis proposed.
    SearchUtility,
}

/// A network that evaluates the ends of rollouts. On a board that [`check_board`] rejects, every
/// value is 0.
#[derive(Clone, Debug)]
pub struct NetworkValue {
    pub(super) network: Arc<Network>,
    kind: ValueKind,
    scratch: Scratch,
    planes: Vec<u32>,
    features: Vec<(u32, f32)>,
    /// The start of the last rollout and its score, since the next rollout usually has the same
    /// start.
    start: Option<(GemBoard<u128>, u16, f64)>,
}

/// The published divisor of the moves left, regardless of the level.
const PUBLISHED_MOVES: f64 = 20.0;

impl NetworkValue {
    /// The network that is shipped with the program.
    pub fn shipped(kind: ValueKind) -> NetworkValue {
        let bytes = match kind {
            ValueKind::Outcome => GEM_OUTCOME,
            ValueKind::PublishedOutcome => GEM_OUTCOME_AS_PUBLISHED,
            ValueKind::Utility => GEM_UTILITY,
            ValueKind::SearchUtility => GEM_UTILITY_SEARCH,
        };
        let network = Network::from_bytes(bytes);
        let value = network.and_then(|network| NetworkValue::new(network, kind));
        value.expect("the shipped network is valid")
    }

    /// Checks that the network is of this kind.
    pub fn new(network: Network, kind: ValueKind) -> Result<NetworkValue, NetworkError> {
        let (input, outputs) = match kind {
            ValueKind::Utility => (FEATURES, HORIZON),
            ValueKind::Outcome | ValueKind::PublishedOutcome | ValueKind::SearchUtility => {
                (PLANES, 1)
            }
        };
        if network.input() != input || network.outputs() != outputs {
            let text =
                |shape: Shape| format!("{}x{}x{}", shape.rows, shape.columns, shape.channels);
            let what = format!(
                "{} outputs from an input of {}; expected {outputs} from {}",
                network.outputs(),
                text(network.input()),
                text(input)
            );
            return Err(NetworkError::Incompatible(what));
        }
        let (scratch, planes) = (network.scratch(), Vec::with_capacity(INITIAL_CAPACITY));
        let (network, features) = (Arc::new(network), Vec::with_capacity(INITIAL_CAPACITY));
        Ok(NetworkValue { network, kind, scratch, planes, features, start: None })
    }

    /// The outputs of the network: one chance, or the chances to win within 1, 2, … moves of the
    /// greedy agent.
    pub fn chances(&mut self, state: &GemIsland<u128>) -> &[f32] {
        let faults = match self.kind {
            ValueKind::Utility => {
                features::encode(state, &mut self.features);
                return self.network.predict(Input::Sparse(&self.features), &mut self.scratch);
            }
            ValueKind::Outcome | ValueKind::SearchUtility => Faults::NONE,
            ValueKind::PublishedOutcome => Faults::PUBLISHED,
        };
        planes::encode(state, &UNCHANGED, faults, &mut self.planes);
        self.network.predict(Input::OneHot(&self.planes), &mut self.scratch)
    }

    /// The chance to win in time, plus the expected number of moves to spare, negative if moves are
    /// missing, times [`VALUE_OF_A_MOVE`].
    fn expected_score(&mut self, state: &GemIsland<u128>) -> f64 {
        let left = usize::from(state.moves_left());
        if state.medals_left() == 0 {
            return 1.0 + VALUE_OF_A_MOVE * left as f64;
        }
        let chances = self.chances(state);
        let needed = 1.0 + chances.iter().map(|&chance| f64::from(1.0 - chance)).sum::<f64>();
        let in_time = match left.min(chances.len()) {
            0 => 0.0,
            left => f64::from(chances[left - 1]),
        };
        in_time + VALUE_OF_A_MOVE * (left as f64 - needed)
    }

    fn start_score(&mut self, start: &GemIsland<u128>) -> f64 {
        let (board, left) = (*start.board(), start.moves_left());
        if let Some((_, _, expected_score)) =
            self.start.filter(|start| (start.0, start.1) == (board, left))
        {
            return expected_score;
        }
        let expected_score = self.expected_score(start);
        self.start = Some((board, left, expected_score));
        expected_score
    }
}

impl RolloutValue<GemIsland<u128>> for NetworkValue {
    fn value(&mut self, start: &GemView<u128>, end: &GemIsland<u128>, _: f64) -> f64 {
        if check_board(&end.grid().settings).is_err() {
            return 0.0;
        }
        match self.kind {
            ValueKind::Utility => {
                let gained = self.expected_score(end) - self.start_score(&start.known);
                1.0 / (1.0 + (-CONTRAST * gained).exp())
            }
            ValueKind::SearchUtility if end.medals_left() == 0 => 1.0,
            ValueKind::Outcome | ValueKind::SearchUtility => self.chances(end)[0].into(),
            ValueKind::PublishedOutcome => {
                let chance = f64::from(self.chances(end)[0]);
                chance / 3.0 + f64::from(end.moves_left()) / PUBLISHED_MOVES / 3.0
            }
        }
    }
}
