//! The utility network, which the thesis left unfinished. There are two.
//!
//! As the thesis proposed ([`UtilityLabels::Search`]), it predicts the value of the best swap in a
//! search by the flat bandit with the evaluation `crude`, in one state of each game. Input and
//! layers are those of the published program.
//!
//! Ours predicts the chances to win within 1, 2, 3… more moves ([`UtilityLabels::Moves`]).
//! Its labels come from games that the greedy agent plays to the end without a limit. The number of
//! moves that it needs determines all outputs: for every number of moves, whether it suffices. So
//! the moves left are not an input but select the output. The states resemble those of an
//! evaluation: the agent plays the beginning of a game with random slips, some random moves follow
//! as in a rollout, and every state after these is an example.

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, GemSettings, GemView};
use tesuji_search::gem_island::Evaluation;
use tesuji_search::{FlatUcb, FlatUcbOptions, Limits};

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

/// What the utility network predicts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UtilityLabels {
    /// The chances to win within 1, 2, … moves.
    #[default]
    Moves,
    /// The value of the best swap in a search, as the thesis proposed.
    Search,
}

/// The published layers of the network for [`UtilityLabels::Search`], with 12 filters and 32 units.
pub fn search_layers(filters: usize, units: usize) -> Vec<Layer> {
    vec![
        Layer::convolution(filters, 3, Padding::Same, Activation::Relu),
        Layer::dense(units, Activation::Sigmoid),
        Layer::dense(1, Activation::Sigmoid),
    ]
}

/// The label of a state in the thesis: the mean value of the best swap after a search with the
/// published options, 100 rollouts of 5 swaps. `None` when the game is over.
pub fn search_label(view: &GemView<u128>, seed: u64) -> Option<f32> {
    let options = FlatUcbOptions { seed, ..FlatUcbOptions::default() };
    let mut search = FlatUcb::with_value(options, Evaluation::Crude);
    let arms = search.rank_actions::<GemIsland<u128>>(view, &Limits::default());
    arms.first().map(|best| best.mean as f32)
}

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
