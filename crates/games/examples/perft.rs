//! Counts the move sequences of a game, for each first move (perft): `cargo run --release -p
//! tesuji-games --example perft -- chess 4`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use tesuji_games::{Notation, Position, State, registry};

/// The number of sequences of `depth` moves from a position.
fn perft(position: &mut State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.outcome().is_some() {
        return 0;
    }
    let mut total = 0;
    for m in position.legal_moves() {
        let undo = position.play(m);
        total += perft(position, depth - 1);
        position.undo(m, undo);
    }
    total
}

fn count(game: &str, depth: u32) -> Result<u64, Box<dyn Error>> {
    let mut position = registry::start(game)?;
    let mut total = 0;
    for m in position.legal_moves() {
        let text = position.move_text(m);
        let undo = position.play(m);
        let below = perft(&mut position, depth.saturating_sub(1));
        position.undo(m, undo);
        println!("{text}: {below}");
        total += below;
    }
    println!("{game}, depth {depth}: {total}");
    Ok(total)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let game = words.next().unwrap_or_else(|| "othello".to_string());
    let depth = words.next().map_or(Ok(5), |word| word.parse())?;
    count(&game, depth).map(drop)
}

#[test]
fn counts_are_the_published_ones() {
    assert_eq!(count("chess", 3).unwrap(), 8_902);
    assert_eq!(count("othello", 5).unwrap(), 1_396);
    assert!(count("no such game", 1).is_err());
}
