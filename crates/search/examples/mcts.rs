//! Runs Monte Carlo tree search on Othello and prints the visits and the score of every move:
//! `cargo run --release -p tesuji-search --example mcts -- f5d6`.
#![allow(clippy::print_stdout)]

use std::error::Error;

use tesuji_games::rules::othello::Othello;
use tesuji_games::{Draw, Notation, Position};
use tesuji_search::{Limits, Search, Uct, UctOptions};

fn search(moves: &str, simulations: u64) -> Result<u64, Box<dyn Error>> {
    let position = Othello::<8>::new().parse_line(moves)?.end;
    if position.outcome().is_some() {
        return Err("the game is over".into());
    }
    println!("{}", position.diagram());
    let mut search = Uct::new(UctOptions { exploration: 0.7, seed: 1, ..UctOptions::default() });
    let report = search.run(&position, &Limits::nodes(simulations));
    for scored in &report.moves {
        println!("{}: {} visits, {}", position.move_text(scored.m), scored.visits, scored.score);
    }
    Ok(report.moves.iter().map(|scored| scored.visits).sum())
}

fn main() -> Result<(), Box<dyn Error>> {
    let moves = std::env::args().nth(1).unwrap_or_default();
    search(&moves, 20_000).map(drop)
}

#[test]
fn every_simulation_tries_a_move() {
    assert!(search("f5d6", 500).unwrap() >= 499);
    assert!(search("a1", 500).is_err());
}
