//! Games that both sides play to the end by threats first and by chance else: what a position is worth without a critic.

use tesuji_games::random::{choose, derived, seeded};
use tesuji_games::{Outcome, Playable, Side, Stones};
use tesuji_search::Evaluator;

use super::super::{CriticEvaluator, Prospects};

/// Nobody wins a game that goes on for longer: most are decided after twenty moves.
const LONGEST_PLAYOUT: usize = 80;

/// The points of the side to move in one game; the critic has followed the position. Chance depends
/// on the seed and the position alone.
pub(super) fn playout<P: Playable + Stones>(
    position: &P,
    critic: &CriticEvaluator,
    found: &mut Prospects<P::Move>,
    seed: u64,
) -> f32 {
    let mut rng = seeded(derived(seed, [position.key()]));
    let (side, mut position, mut critic) = (position.to_move(), position.clone(), critic.clone());
    for _ in 0..LONGEST_PLAYOUT {
        if let Some(outcome) = position.outcome() {
            return points(outcome, side);
        }
        let m = match position.winning_move() {
            Some(m) => Some(m),
            None => {
                critic.prospects(&position, found);
                choose(&mut rng, &found.moves).map(|prospect| prospect.m)
            }
        };
        let Some(m) = m else { break };
        critic.playing(&position, m);
        position.play(m);
    }
    0.5
}

fn points(outcome: Outcome, side: Side) -> f32 {
    match outcome {
        Outcome::Draw => 0.5,
        Outcome::Win(winner) if winner == side => 1.0,
        Outcome::Win(_) => 0.0,
    }
}
