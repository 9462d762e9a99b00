//! Networks as what a rollout is expected_score where it stops.

use std::sync::Arc;

use tesuji_games::rules::gem_island::{Board, GemIsland, View};
use tesuji_search::flat_ucb::RolloutValue;

use super::features::{self, FEATURES};
use super::planes::{self, Faults, PLANES, UNCHANGED, check_board};
use super::utility::HORIZON;
use crate::network::{Input, Network, NetworkError, Scratch, Shape};
use crate::shipped::{GEM_OUTCOME, GEM_OUTCOME_AS_PUBLISHED, GEM_UTILITY};

/// Room for the numbers of a board that are not zero; more would still find theirs.
const USUAL_ENTRIES: usize = 1024;

/// Worth in place of moves that are needed less: a tenth of a win each. Measured on level 1 with rollouts of 2 swaps,
/// 500 games each, with an early network: 98.0 % and 11.3 moves with a fiftieth, 97.8 % and 10.9 moves with this.
const VALUE_OF_A_MOVE: f64 = 0.1;

/// How much differences of expected_score are stretched around that of the start, for the bandit to see which swaps deserve
/// its rollouts. Measured in the same way: from 10.9 to 10.5 moves.
const CONTRAST: f64 = 10.0;

/// What a network is asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueKind {
    /// Whether the game will be won.
    Outcome,
    /// The same as the published program asked it, with its [`Faults`]: the answer counts a third and the share of
    /// moves left another third. The network that comes with the program for this was taught as published, too.
    PublishedOutcome,
    /// How likely it is won within 1, 2, … moves of the greedy agent.
    Utility,
}

/// A network at the end of rollouts. On a board that [`check_board`] refuses, everything is expected_score nothing.
#[derive(Clone, Debug)]
pub struct NetworkValue {
    pub(super) network: Arc<Network>,
    kind: ValueKind,
    scratch: Scratch,
    ones: Vec<u32>,
    seen: Vec<(u32, f32)>,
    /// The start of the last rollout and its expected_score: that of the next one is mostly the same.
    start: Option<(Board<u128>, u16, f64)>,
}

/// The published divisor of the moves left, whatever the level.
const PUBLISHED_MOVES: f64 = 20.0;

impl NetworkValue {
    /// The network that comes with the program.
    pub fn shipped(kind: ValueKind) -> NetworkValue {
        let bytes = match kind {
            ValueKind::Outcome => GEM_OUTCOME,
            ValueKind::PublishedOutcome => GEM_OUTCOME_AS_PUBLISHED,
            ValueKind::Utility => GEM_UTILITY,
        };
        let network = Network::from_bytes(bytes);
        let value = network.and_then(|network| NetworkValue::new(network, kind));
        value.expect("a test has read it")
    }

    /// A network, if it is one for this.
    pub fn new(network: Network, kind: ValueKind) -> Result<NetworkValue, NetworkError> {
        let (input, outputs) = match kind {
            ValueKind::Outcome | ValueKind::PublishedOutcome => (PLANES, 1),
            ValueKind::Utility => (FEATURES, HORIZON),
        };
        if network.input() != input || network.outputs() != outputs {
            let told =
                |shape: Shape| format!("{}x{}x{}", shape.rows, shape.columns, shape.channels);
            let what = format!(
                "it makes {} numbers of {}; expected {outputs} of {}",
                network.outputs(),
                told(network.input()),
                told(input)
            );
            return Err(NetworkError::Incompatible(what));
        }
        let (scratch, ones) = (network.scratch(), Vec::with_capacity(USUAL_ENTRIES));
        let (network, seen) = (Arc::new(network), Vec::with_capacity(USUAL_ENTRIES));
        Ok(NetworkValue { network, kind, scratch, ones, seen, start: None })
    }

    /// What the network says: one chance, or those that the greedy agent would win within 1, 2, … moves.
    pub fn chances(&mut self, state: &GemIsland<u128>) -> &[f32] {
        let faults = match self.kind {
            ValueKind::Utility => {
                features::encode(state, &mut self.seen);
                return self.network.predict(Input::Sparse(&self.seen), &mut self.scratch);
            }
            ValueKind::Outcome => Faults::NONE,
            ValueKind::PublishedOutcome => Faults::PUBLISHED,
        };
        planes::encode(state, &UNCHANGED, faults, &mut self.ones);
        self.network.predict(Input::OneHot(&self.ones), &mut self.scratch)
    }

    /// The chance to win in time, and something for each move that is expected to be left then, or taken off for each
    /// that is missing.
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
            self.start.filter(|known| (known.0, known.1) == (board, left))
        {
            return expected_score;
        }
        let expected_score = self.expected_score(start);
        self.start = Some((board, left, expected_score));
        expected_score
    }
}

impl RolloutValue<GemIsland<u128>> for NetworkValue {
    fn value(&mut self, start: &View<u128>, end: &GemIsland<u128>, _: f64) -> f64 {
        if check_board(&end.grid().settings).is_err() {
            return 0.0;
        }
        match self.kind {
            ValueKind::Utility => {
                let gained = self.expected_score(end) - self.start_score(&start.known);
                1.0 / (1.0 + (-CONTRAST * gained).exp())
            }
            ValueKind::Outcome => self.chances(end)[0].into(),
            ValueKind::PublishedOutcome => {
                let chance = f64::from(self.chances(end)[0]);
                chance / 3.0 + f64::from(end.moves_left()) / PUBLISHED_MOVES / 3.0
            }
        }
    }
}
