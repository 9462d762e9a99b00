//! The outcome network, after Brereton (2017): predicts from one board whether the game will be
//! won. It trains on one state of each game, under several permutations of its colors.
//!
//! The input does not contain the moves left, and in games as played, boards with less ice occur
//! later, so a network trained on them values cleared boards lower. Therefore the moves left can be
//! drawn independently of the board ([`MovesLeft::Drawn`]).

use serde::{Deserialize, Serialize};
use tesuji_games::random::{below, derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, GemSettings};

use super::planes::{self, Faults, draw_permutation};
use super::players::{AgentFactory, PlayedGame};
use super::settings::GemSelfPlaySettings;
use crate::network::{Activation, Examples, Layer, Padding};

/// The published layers: six maps of 5 × 5, dropout of one half, 32 units, one output.
pub fn layers(l2: f32) -> Vec<Layer> {
    vec![
        Layer::convolution(6, 5, Padding::Valid, Activation::Relu).with_l2(l2),
        Layer::Dropout { rate: 0.5 },
        Layer::dense(32, Activation::Sigmoid),
        Layer::dense(1, Activation::Sigmoid),
    ]
}

/// The number of moves left in a training state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MovesLeft {
    /// As in the game, as published.
    Played,
    /// A random number, independent of the board. The label is whether the player won within that
    /// many more moves.
    #[default]
    Drawn,
}

/// Adds the examples of one game; a game without a result has none.
pub(super) fn examples(
    board: GemSettings,
    player: &AgentFactory,
    settings: &GemSelfPlaySettings,
    seed: u64,
    examples: &mut Examples,
) {
    let sampled = match settings.clock {
        MovesLeft::Played => as_played(board, player, seed),
        MovesLeft::Drawn => with_drawn_clock(board, player, seed),
    };
    let Some((state, won)) = sampled else { return };
    let mut rng = seeded(derived(seed, [3]));
    let mut indices = Vec::new();
    for _ in 0..settings.permutations {
        planes::encode(&state, &draw_permutation(&mut rng), Faults::NONE, &mut indices);
        examples.push(indices.iter().map(|&index| (index, 1.0)), &[f32::from(u8::from(won))]);
    }
}

/// A random state of a game, and whether the game was won.
pub(super) fn as_played(
    board: GemSettings,
    player: &AgentFactory,
    seed: u64,
) -> Option<(GemIsland<u128>, bool)> {
    let PlayedGame { mut states, won, .. } = PlayedGame::play(board, player, seed)?;
    let won = won?;
    let mut rng = seeded(derived(seed, [2]));
    Some((states.swap_remove(below(&mut rng, states.len() as u32) as usize), won))
}

/// A random state that the game could have reached with its own number of moves, and whether the
/// player won within an independent number of moves.
fn with_drawn_clock(
    board: GemSettings,
    player: &AgentFactory,
    seed: u64,
) -> Option<(GemIsland<u128>, bool)> {
    let moves = board.moves;
    let long = GemSettings { moves: 2 * moves, ..board };
    let PlayedGame { mut states, won, .. } = PlayedGame::play(long, player, seed)?;
    let needed = (won == Some(true)).then(|| states.len() - 1);
    let mut rng = seeded(derived(seed, [2]));
    let among = states.len().min(usize::from(moves) + 1);
    let (chosen, left) = (below(&mut rng, among as u32), below(&mut rng, u32::from(moves) + 1));
    let won = needed.is_some_and(|needed| needed <= (chosen + left) as usize);
    Some((states.swap_remove(chosen as usize), won))
}
