//! Reference implementation of Connect Four scores by definition with plain alpha-beta, and random
//! test positions.
#![allow(dead_code, reason = "each test file uses a part")]

use std::ops::RangeInclusive;

use tesuji_games::random::{Rng, below, choose, seeded};
use tesuji_games::rules::connect4::{
    Bits, Connect4, Connect4Move, Connect4Size, Geometry, RuntimeSize,
};
use tesuji_games::{Outcome, Position, Side};

/// Greater than any score.
const INFINITE: i32 = 1000;

/// The empty board of a size that fits into 64 bits.
pub(crate) fn narrow(width: usize, height: usize) -> Connect4<RuntimeSize<u64>> {
    Connect4::on(RuntimeSize::narrow(Connect4Size::new(width, height).unwrap()).unwrap())
}

/// The empty board of any size.
pub(crate) fn wide(width: usize, height: usize) -> Connect4<RuntimeSize<u128>> {
    Connect4::on(RuntimeSize::wide(Connect4Size::new(width, height).unwrap()))
}

/// The score of a finished game for the side that would be next: 1 for a win with the winner's last
/// stone, 2 with the last but one and so on.
pub(crate) fn final_score<G: Geometry>(position: &Connect4<G>) -> Option<i32> {
    let stones_of = |side: Side, stones: i32| match side {
        Side::First => (stones + 1) / 2,
        Side::Second => stones / 2,
    };
    position.outcome().map(|outcome| match outcome {
        Outcome::Draw => 0,
        // Only the side that moved last can have won.
        Outcome::Win(winner) => {
            let cells = position.geometry().size().cells() as i32;
            let unused = stones_of(winner, cells) - stones_of(winner, position.ply() as i32);
            -(1 + unused)
        }
    })
}

/// The score by alpha-beta without a table, move ordering, or any knowledge except the rules.
pub(crate) fn plain_score<G: Geometry>(position: &Connect4<G>) -> i32 {
    alpha_beta(position, -INFINITE, INFINITE)
}

fn alpha_beta<G: Geometry>(position: &Connect4<G>, mut alpha: i32, beta: i32) -> i32 {
    if let Some(score) = final_score(position) {
        return score;
    }
    position.for_each_move(|m| {
        if alpha < beta {
            alpha = alpha.max(-alpha_beta(&after(position, m), -beta, -alpha));
        }
    });
    alpha
}

/// The position after a move.
pub(crate) fn after<G: Geometry>(position: &Connect4<G>, m: Connect4Move) -> Connect4<G> {
    let mut next = *position;
    next.play(m);
    next
}

/// Unfinished positions with a random number of empty cells. In half of the games that lead to
/// them, both sides avoid moves that lose at once: these positions are quiet, with threats that are
/// not yet reachable.
pub(crate) fn late_positions<G: Geometry>(
    start: &Connect4<G>,
    empty: RangeInclusive<u32>,
    count: usize,
    seed: u64,
) -> Vec<Connect4<G>> {
    let mut rng = seeded(seed);
    let cells = start.geometry().size().cells() as u32;
    let choices = empty.end() - empty.start() + 1;
    let mut found = Vec::new();
    while found.len() < count {
        let plies = cells - empty.start() - below(&mut rng, choices);
        let avoids_losses = found.len() % 2 == 0;
        found.extend(random_position(start, plies, avoids_losses, &mut rng));
    }
    found
}

/// A position after `plies` random moves that do not end the game; `None` if there is no such move.
fn random_position<G: Geometry>(
    start: &Connect4<G>,
    plies: u32,
    avoids_losses: bool,
    rng: &mut Rng,
) -> Option<Connect4<G>> {
    let mut position = *start;
    for _ in 0..plies {
        let mut moves = Vec::new();
        position.push_moves(&mut moves);
        moves.retain(|&m| after(&position, m).outcome().is_none());
        let safe = position.non_losing_cells();
        let is_safe = |m: &Connect4Move| safe & G::Bits::ONE << m.bit() != G::Bits::ZERO;
        if avoids_losses && moves.iter().any(is_safe) {
            moves.retain(is_safe);
        }
        position.play(*choose(rng, &moves)?);
    }
    Some(position)
}
