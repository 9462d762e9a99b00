//! The utility network, which the thesis left unfinished: it predicts the chances to win within 1,
//! 2, 3… more moves.
//!
//! Its labels come from games that the greedy agent plays to the end without a limit. The number of
//! moves that it needs determines all outputs: for every number of moves, whether it suffices. So
//! the moves left are not an input but select the output. The states resemble those of an
//! evaluation: the agent plays the beginning of a game with random slips, some random moves follow
//! as in a rollout, and every state after these is an example.

use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, GemSettings};

use super::features;
use super::players::{LABEL_AGENT, random_swap};
use crate::network::{Activation, Examples, Layer, Padding};

/// The number of outputs: the chances to win within 1, 2, … this many moves.
pub const HORIZON: usize = 32;

/// One swap in this many is random in the prefix of a game.
const SLIPS: u32 = 8;
/// The maximum number of moves of the prefix.
const MAX_PREFIX_MOVES: u32 = 15;
/// The maximum number of random moves after the prefix.
const MAX_RANDOM_MOVES: u32 = 5;
/// Longer games count as not won.
const MAX_GAME_MOVES: usize = 60;

/// The layers.
pub fn layers(filters: usize, units: usize) -> Vec<Layer> {
    vec![
        Layer::convolution(filters, 3, Padding::Same, Activation::Relu),
        Layer::dense(units, Activation::Relu),
        Layer::dense(HORIZON, Activation::Sigmoid),
    ]
}

/// Adds the examples of one game.
pub(super) fn examples(settings: GemSettings, seed: u64, examples: &mut Examples) {
    let mut rng = seeded(derived(seed, [0]));
    let unlimited = GemSettings { moves: 1000, ..settings };
    let Some(mut state) = GemIsland::generate(unlimited, &mut rng) else { return };
    play_random_prefix(&mut state, &mut rng);
    let mut inputs: Vec<Vec<(u32, f32)>> = Vec::new();
    while state.medals_left() > 0 && inputs.len() < MAX_GAME_MOVES {
        let mut encoded = Vec::new();
        features::encode(&state, &mut encoded);
        inputs.push(encoded);
        let Some(swap) = LABEL_AGENT.choose(&state) else { return };
        state.play(swap, &mut rng, &mut ());
    }
    let moves = inputs.len();
    for (n, input) in inputs.into_iter().enumerate() {
        let needed = if state.medals_left() == 0 { moves - n } else { usize::MAX };
        let within =
            std::array::from_fn::<f32, HORIZON, _>(|k| f32::from(u8::from(needed <= k + 1)));
        examples.push(input, &within);
    }
}

/// Plays up to the first example.
fn play_random_prefix(state: &mut GemIsland<u128>, rng: &mut Rng) {
    let (prefix, random) = (below(rng, MAX_PREFIX_MOVES + 1), below(rng, MAX_RANDOM_MOVES + 1));
    for n in 0..prefix + random {
        let slip = n >= prefix || below(rng, SLIPS) == 0;
        let swap = match slip {
            true => random_swap(state, rng),
            false => LABEL_AGENT.choose(state),
        };
        let Some(swap) = swap.filter(|_| state.medals_left() > 0) else { return };
        state.play(swap, rng, &mut ());
    }
}
