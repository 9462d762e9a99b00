//! The outcome network, after Brereton (2017): whether the game will be won, from one look at the board. One state of
//! each game is learned from, under several permutations of its colours.

use tesuji_games::random::{below, derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, Settings, Status};

use super::planes::{self, Faults, draw_permutation};
use super::players::Player;
use crate::network::{Activation, Examples, Layer, Padding};

/// The published layers: six maps of 5 × 5, half of them left out while learning, 32 units, one answer.
pub fn layers(l2: f32) -> Vec<Layer> {
    vec![
        Layer::convolution(6, 5, Padding::Valid, Activation::Relu).with_l2(l2),
        Layer::dropout(0.5),
        Layer::dense(32, Activation::Sigmoid),
        Layer::dense(1, Activation::Sigmoid),
    ]
}

/// Adds the examples of one game; a game without a result has none.
pub(super) fn examples(
    settings: Settings,
    player: &Player,
    permutations: usize,
    seed: u64,
    examples: &mut Examples,
) {
    let Some((state, won)) = sample(settings, player, seed) else { return };
    let mut rng = seeded(derived(seed, [3]));
    let mut ones = Vec::new();
    for _ in 0..permutations {
        planes::show(&state, &draw_permutation(&mut rng), Faults::NONE, &mut ones);
        examples.push(ones.iter().map(|&one| (one, 1.0)), &[f32::from(u8::from(won))]);
    }
}

/// One state of a game, and whether it was won.
fn sample(settings: Settings, player: &Player, seed: u64) -> Option<(GemIsland<u128>, bool)> {
    let mut rng = seeded(derived(seed, [0]));
    let mut agent = player.agent(derived(seed, [1]));
    let mut choice = seeded(derived(seed, [2]));
    let mut state = GemIsland::generate(settings, &mut rng)?;
    let (mut taken, mut states) = (state.clone(), 1);
    while state.status() == Status::Running {
        let decision = agent.decide(&state.view())?;
        state.play(decision.swap, &mut rng, &mut ());
        // Each state of the game is as likely as any other to be the one, however many come.
        states += 1;
        if below(&mut choice, states) == 0 {
            taken = state.clone();
        }
    }
    match state.status() {
        Status::Won => Some((taken, true)),
        Status::Lost => Some((taken, false)),
        Status::Running | Status::Stuck => None,
    }
}
