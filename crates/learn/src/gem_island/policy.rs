//! The policy network, after the unfinished one in the program of Brereton (2017): it predicts from
//! a board and a swap whether a player would make this swap. Its input is that of the outcome
//! network and a 15th plane with the two cells of the swap. The first plane always has the kind of
//! gem that the swap brings into a run, the second one the kind that it moves away, so that the
//! network need not learn every pattern for every kind.
//!
//! It is trained on swaps that were played, and for each of them on other legal swaps of the same
//! board. So the logit of its output is, up to a constant, the logarithm of a swap's probability
//! among the legal ones. The published program has the result of the game as the label
//! ([`PolicyLabels::Won`]), which hardly depends on a single swap.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below};
use tesuji_games::rules::gem_island::log::{GemLog, LoggedTurn};
use tesuji_games::rules::gem_island::{GemCell, GemGrid, GemIsland, GemView, Swap};

use super::planes::{self, ColorPermutation, Faults, PLANES, SIDE, UNCHANGED};
use crate::network::{
    Activation, Examples, Input, Layer, Network, NetworkError, Padding, Scratch, Shape,
};
use crate::shipped::GEM_POLICY;

/// The planes of the outcome network, and the cells of the swap.
pub const POLICY_PLANES: Shape = Shape::new(SIDE, SIDE, PLANES.channels + 1);

/// The layers; published with 30 filters and 10 units with a sigmoid.
pub fn layers(filters: usize, units: usize) -> Vec<Layer> {
    vec![
        Layer::convolution(filters, 5, Padding::Valid, Activation::Relu),
        Layer::dense(units, Activation::Relu),
        Layer::dense(1, Activation::Sigmoid),
    ]
}

/// What the policy network predicts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyLabels {
    /// Whether the swap was played.
    #[default]
    Played,
    /// Whether the game was won, as published.
    Won,
}

/// A board with a swap that was played on it.
#[derive(Clone, Debug)]
pub struct PlayedSwap {
    /// What the player knew.
    pub view: GemView<u128>,
    /// The swap.
    pub swap: Swap,
    /// Whether the game was won.
    pub won: bool,
}

impl PlayedSwap {
    /// A turn of a log; `None` if the state or the swap is impossible.
    pub fn of_turn(
        grid: &Arc<GemGrid<u128>>,
        log: &GemLog,
        turn: &LoggedTurn,
    ) -> Option<PlayedSwap> {
        let view = GemView::of_snapshot(grid, &turn.state, log.moves_left(turn))?;
        let swap = view.known.oriented(turn.swap.first, turn.swap.second)?;
        Some(PlayedSwap { view, swap, won: log.won() })
    }

    /// Adds examples: the played swap, and `others` other legal swaps if they are the contrast.
    pub(super) fn add_examples(
        &self,
        labels: PolicyLabels,
        others: usize,
        rng: &mut Rng,
        examples: &mut Examples,
    ) {
        let kinds = planes::draw_permutation(rng);
        let state = &self.view.known;
        let mut push = |swap, label: bool| {
            let mut ones = Vec::new();
            encode(state, swap, kinds, &mut ones);
            let input = ones.into_iter().map(|index| (index, 1.0));
            examples.push(input, &[f32::from(u8::from(label))]);
        };
        if labels == PolicyLabels::Won {
            return push(self.swap, self.won);
        }
        push(self.swap, true);
        let mut swaps = self.view.known.legal_swaps();
        swaps.retain(|swap| *swap != self.swap);
        for _ in 0..others.min(swaps.len()) {
            push(swaps.swap_remove(below(rng, swaps.len() as u32) as usize), false);
        }
    }
}

/// Encodes a board and a legal swap as the indices of the ones. `kinds` is the order of the kinds
/// that the swap does not move.
fn encode(state: &GemIsland<u128>, swap: Swap, mut kinds: ColorPermutation, ones: &mut Vec<u32>) {
    let (grid, board) = (state.grid(), state.board());
    let kind = |cell: GemCell| usize::from(board.kind_at(grid.index(cell)));
    for (plane, kind) in [kind(swap.second), kind(swap.first)].into_iter().enumerate() {
        // The kind takes the plane from the kind that had it.
        if let Some(other) = kinds.iter().position(|it| usize::from(*it) == plane) {
            kinds.swap(kind, other);
        }
    }
    planes::encode(state, &kinds, Faults::NONE, ones);
    let channels = PLANES.channels as u32;
    ones.iter_mut().for_each(|one| *one += *one / channels);
    ones.extend([swap.first, swap.second].map(|cell| {
        POLICY_PLANES.index(cell.row.into(), cell.column.into(), PLANES.channels) as u32
    }));
}

/// A network that values the legal swaps of a board.
#[derive(Clone, Debug)]
pub struct PolicyNetwork {
    network: Arc<Network>,
    scratch: Scratch,
    input: Vec<u32>,
}

impl PolicyNetwork {
    /// The network that is shipped with the program.
    pub fn shipped() -> PolicyNetwork {
        let network = Network::from_bytes(GEM_POLICY).and_then(PolicyNetwork::new);
        network.expect("the shipped network is valid")
    }

    /// Checks that the network is a policy network.
    pub fn new(network: Network) -> Result<PolicyNetwork, NetworkError> {
        if network.input() != POLICY_PLANES || network.outputs() != 1 {
            let problem = "not a policy network of Gem Island; expected one trained with learner = \"gem-policy\"";
            return Err(NetworkError::Incompatible(problem.to_string()));
        }
        let scratch = network.scratch();
        Ok(PolicyNetwork { network: Arc::new(network), scratch, input: Vec::new() })
    }

    /// The probability of each of these legal swaps. The board must be one that
    /// [`check_board`](super::check_board) accepts.
    pub fn probabilities(&mut self, state: &GemIsland<u128>, swaps: &[Swap]) -> Vec<f64> {
        let mut odds = Vec::with_capacity(swaps.len());
        for &swap in swaps {
            encode(state, swap, UNCHANGED, &mut self.input);
            let output = self.network.predict(Input::OneHot(&self.input), &mut self.scratch)[0];
            let chance = f64::from(output).clamp(1e-6, 1.0 - 1e-6);
            odds.push(chance / (1.0 - chance));
        }
        let sum: f64 = odds.iter().sum();
        odds.iter().map(|odd| odd / sum).collect()
    }

    /// Whether the most probable swap is the one that was played.
    pub fn matches(&mut self, played: &PlayedSwap) -> bool {
        let swaps = played.view.known.legal_swaps();
        let chances = self.probabilities(&played.view.known, &swaps);
        let best = swaps.iter().zip(&chances).max_by(|a, b| a.1.total_cmp(b.1));
        best.is_some_and(|(swap, _)| *swap == played.swap)
    }
}
