//! A simple perft, independent of the fast one in `tesuji-search`.
#![allow(dead_code, reason = "each test file uses a part")]

use tesuji_games::Position;

/// The number of move paths of this length, at least 1; games that end earlier do not count.
pub(crate) fn perft<P: Position>(position: &mut P, depth: u32) -> u64 {
    if depth == 1 {
        return position.move_count() as u64;
    }
    sum_over_moves(position, |position| perft(position, depth - 1))
}

/// As [`perft`], but a game that ends earlier counts once, as is usual for Othello.
pub(crate) fn perft_with_finished_games<P: Position>(position: &mut P, depth: u32) -> u64 {
    if depth == 0 || position.outcome().is_some() {
        return 1;
    }
    if depth == 1 {
        return position.move_count() as u64;
    }
    sum_over_moves(position, |position| perft_with_finished_games(position, depth - 1))
}

fn sum_over_moves<P: Position>(position: &mut P, mut count: impl FnMut(&mut P) -> u64) -> u64 {
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    let mut sum = 0;
    for m in moves {
        let undo = position.play(m);
        sum += count(position);
        position.undo(m, undo);
    }
    sum
}
