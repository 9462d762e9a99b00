//! The utility network: how likely the game is won within one, two, three… more moves.

use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, Settings};
use tesuji_search::gem_island::Greedy;

use super::sight::{self, SIGHT};
use crate::network::{Activation, Examples, Layer, Padding};

/// Numbers of moves that the network has an answer for: the chance to win within 1, 2, … of them.
pub const HORIZON: usize = 32;

/// The layers.
pub fn layers(filters: usize, units: usize) -> Vec<Layer> {
    vec![
        Layer::convolution(filters, 3, Padding::Same, Activation::Relu),
        Layer::dense(units, Activation::Relu),
        Layer::dense(HORIZON, Activation::Sigmoid),
    ]
}

pub fn fresh(level: usize, rng: &mut Rng) -> GemIsland<u128> {
    let settings = Settings { moves: 500, ..Settings::level(level).unwrap() };
    GemIsland::generate(settings, rng).unwrap()
}

pub fn game(seed: u64, examples: &mut Examples) {
    let mut rng = seeded(seed);
    let mut state = fresh(1 + below(&mut rng, 3) as usize, &mut rng);
    let greedy = Greedy::default();
    let mut seen = Vec::new();
    // Moves of chance anywhere on the way, so that also what good play avoids is seen.
    let before = below(&mut rng, 16);
    let astray = below(&mut rng, 6);
    for n in 0..before + astray {
        if state.medals_left() == 0 { break; }
        let swap = if n < before && below(&mut rng, 8) > 0 { greedy.choose(&state) } else {
            let count = state.swaps().count();
            (count > 0).then(|| state.swap_at(below(&mut rng, count)))
        };
        let Some(swap) = swap else { return };
        state.play(swap, &mut rng, &mut ());
    }
    let mut inputs: Vec<Vec<(u32, f32)>> = Vec::new();
    while state.medals_left() > 0 && inputs.len() < 60 {
        sight::show(&state, &mut seen);
        inputs.push(seen.clone());
        let Some(swap) = greedy.choose(&state) else { return };
        state.play(swap, &mut rng, &mut ());
    }
    let won = state.medals_left() == 0;
    let total = inputs.len();
    for (n, input) in inputs.into_iter().enumerate() {
        let needed = if won { total - n } else { usize::MAX };
        let target: Vec<f32> = (1..=HORIZON).map(|k| f32::from(u8::from(needed <= k))).collect();
        examples.push(input, &target);
    }
}

pub fn block(seed: u64, block: u64, games: u64) -> Examples {
    let mut examples = Examples::new(HORIZON);
    for n in 0..games {
        game(derived(seed, [block, n]), &mut examples);
    }
    let _ = SIGHT;
    examples
}
