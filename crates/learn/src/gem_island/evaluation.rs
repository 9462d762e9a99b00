//! Networks as what a rollout is worth where it stops.

use std::sync::Arc;

use tesuji_games::rules::gem_island::{Board, GemIsland, View};
use tesuji_search::flat_ucb::RolloutValue;

use super::outcome::Clock;
use super::planes::{self, Faults, PLANES, UNCHANGED, check_board};
use super::sight::{self, SIGHT};
use super::utility::HORIZON;
use crate::network::{Input, Network, NetworkError, Scratch, Shape};
use crate::shipped::{GEM_OUTCOME, GEM_OUTCOME_AS_PUBLISHED, GEM_UTILITY};

/// Room for the numbers of a board that are not zero; more would still find theirs.
const USUAL_ENTRIES: usize = 1024;

/// Worth in place of moves that are needed less: a tenth of a win each. Measured on level 1 with rollouts of 2 swaps,
/// 500 games each, with an early network: 98.0 % and 11.3 moves with a fiftieth, 97.8 % and 10.9 moves with this.
const WORTH_OF_A_MOVE: f64 = 0.1;

/// How much differences of worth are stretched around that of the start, for the bandit to see which swaps deserve
/// its rollouts. Measured in the same way: from 10.9 to 10.5 moves.
const CONTRAST: f64 = 10.0;

/// The utility network at the end of rollouts. On a board that [`check_board`] refuses, everything is worth nothing.
#[derive(Clone, Debug)]
pub struct NnUtility {
    network: Arc<Network>,
    scratch: Scratch,
    seen: Vec<(u32, f32)>,
    /// The start of the last rollout and its worth: that of the next one is mostly the same.
    start: Option<(Board<u128>, u16, f64)>,
}

impl NnUtility {
    /// The network that comes with the program.
    pub fn shipped() -> NnUtility {
        let network = Network::from_bytes(GEM_UTILITY).expect("a test has read it");
        NnUtility::around(network)
    }

    /// A network, if it is one for this.
    pub fn new(network: Network) -> Result<NnUtility, NetworkError> {
        check_network(&network, SIGHT, HORIZON)?;
        Ok(NnUtility::around(network))
    }

    fn around(network: Network) -> NnUtility {
        let scratch = network.scratch();
        let seen = Vec::with_capacity(USUAL_ENTRIES);
        NnUtility { network: Arc::new(network), scratch, seen, start: None }
    }

    /// The chances that the greedy agent would win within 1, 2, … moves.
    pub fn chances(&mut self, state: &GemIsland<u128>) -> &[f32] {
        sight::show(state, &mut self.seen);
        self.network.predict(Input::Sparse(&self.seen), &mut self.scratch)
    }

    /// The chance to win in time, and something for each move that is expected to be left then, or taken off for each
    /// that is missing.
    pub fn worth(&mut self, state: &GemIsland<u128>) -> f64 {
        let left = usize::from(state.moves_left());
        if state.medals_left() == 0 {
            return 1.0 + WORTH_OF_A_MOVE * left as f64;
        }
        let chances = self.chances(state);
        let needed = 1.0 + chances.iter().map(|&chance| f64::from(1.0 - chance)).sum::<f64>();
        let in_time = match left.min(chances.len()) {
            0 => 0.0,
            left => f64::from(chances[left - 1]),
        };
        in_time + WORTH_OF_A_MOVE * (left as f64 - needed)
    }

    fn worth_of_start(&mut self, start: &GemIsland<u128>) -> f64 {
        match self.start {
            Some((board, moves, worth))
                if moves == start.moves_left() && board == *start.board() =>
            {
                worth
            }
            _ => {
                let worth = self.worth(start);
                self.start = Some((*start.board(), start.moves_left(), worth));
                worth
            }
        }
    }
}

impl RolloutValue<GemIsland<u128>> for NnUtility {
    fn value(&mut self, start: &View<u128>, end: &GemIsland<u128>, _: f64) -> f64 {
        if check_board(&end.grid().settings).is_err() {
            return 0.0;
        }
        let gained = self.worth(end) - self.worth_of_start(&start.known);
        1.0 / (1.0 + (-CONTRAST * gained).exp())
    }
}

/// How the outcome network's answer becomes the value of a rollout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OutcomeForm {
    /// What is shown wrongly.
    pub faults: Faults,
    /// Whether the answer counts a third and the share of moves left another third, as published, instead of the bare
    /// answer.
    pub with_moves_left: bool,
    /// How the network that comes with the program was taught; one from a file was taught as it was.
    pub clock: Clock,
}

impl OutcomeForm {
    /// As the published program did it.
    pub const PUBLISHED: OutcomeForm =
        OutcomeForm { faults: Faults::PUBLISHED, with_moves_left: true, clock: Clock::Played };
    /// As it was meant.
    pub const CORRECTED: OutcomeForm =
        OutcomeForm { faults: Faults::NONE, with_moves_left: false, clock: Clock::Drawn };
}

/// The outcome network at the end of rollouts. On a board that [`check_board`] refuses, everything is worth nothing.
#[derive(Clone, Debug)]
pub struct NnOutcome {
    network: Arc<Network>,
    scratch: Scratch,
    ones: Vec<u32>,
    form: OutcomeForm,
}

/// The published divisor of the moves left, whatever the level.
const PUBLISHED_MOVES: f64 = 20.0;

impl NnOutcome {
    /// The network that comes with the program.
    pub fn shipped(form: OutcomeForm) -> NnOutcome {
        let bytes = match form.clock {
            Clock::Played => GEM_OUTCOME_AS_PUBLISHED,
            Clock::Drawn => GEM_OUTCOME,
        };
        let network = Network::from_bytes(bytes).expect("a test has read it");
        NnOutcome::around(network, form)
    }

    /// A network, if it is one for this.
    pub fn new(network: Network, form: OutcomeForm) -> Result<NnOutcome, NetworkError> {
        check_network(&network, PLANES, 1)?;
        Ok(NnOutcome::around(network, form))
    }

    fn around(network: Network, form: OutcomeForm) -> NnOutcome {
        let scratch = network.scratch();
        let ones = Vec::with_capacity(USUAL_ENTRIES);
        NnOutcome { network: Arc::new(network), scratch, ones, form }
    }

    /// The chance that a game with this board is won.
    pub fn chance(&mut self, state: &GemIsland<u128>) -> f64 {
        planes::show(state, &UNCHANGED, self.form.faults, &mut self.ones);
        self.network.predict(Input::OneHot(&self.ones), &mut self.scratch)[0].into()
    }
}

impl RolloutValue<GemIsland<u128>> for NnOutcome {
    fn value(&mut self, _: &View<u128>, end: &GemIsland<u128>, _: f64) -> f64 {
        if check_board(&end.grid().settings).is_err() {
            return 0.0;
        }
        let chance = self.chance(end);
        match self.form.with_moves_left {
            false => chance,
            true => chance / 3.0 + f64::from(end.moves_left()) / PUBLISHED_MOVES / 3.0,
        }
    }
}

fn check_network(network: &Network, input: Shape, outputs: usize) -> Result<(), NetworkError> {
    if network.input() == input && network.outputs() == outputs {
        return Ok(());
    }
    let told = |shape: Shape| format!("{}x{}x{}", shape.rows, shape.columns, shape.channels);
    let what = format!(
        "it makes {} numbers of {}; expected {outputs} of {}",
        network.outputs(),
        told(network.input()),
        told(input)
    );
    Err(NetworkError::Purpose(what))
}
