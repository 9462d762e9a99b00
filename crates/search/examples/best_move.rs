//! Prints the best move of a Connect Four position and the score of every move:
//! `cargo run --release -p tesuji-search --example best_move -- 4453`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Duration;

use tesuji_games::rules::connect4::Connect4;
use tesuji_games::{Notation, Position};
use tesuji_search::{Engine, EngineOptions, GameHeuristic, Limits, Search};

fn best_move(moves: &str) -> Result<String, Box<dyn Error>> {
    let position = Connect4::new().parse_line(moves)?.end;
    if position.outcome().is_some() {
        return Err("the game is over".into());
    }
    let mut engine = Engine::new(GameHeuristic, EngineOptions::strongest());
    let limits = Limits { depth: Some(12), ..Limits::time(Duration::from_secs(1)) };
    let report = engine.run(&position, &limits);
    let line: Vec<String> = report.line.iter().map(|m| position.move_text(*m)).collect();
    println!(
        "score {}, depth {}, {} nodes, line {}",
        report.score,
        report.depth,
        report.nodes,
        line.join(" ")
    );
    for scored in engine.analyze(&position, &Limits::depth(8), &mut |_| {}).moves {
        println!("{}: {}", position.move_text(scored.m), scored.score);
    }
    report.best.map(|m| position.move_text(m)).ok_or_else(|| "no legal move".into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let moves = std::env::args().nth(1).unwrap_or_default();
    println!("best move: {}", best_move(&moves)?);
    Ok(())
}

#[test]
fn a_win_in_one_is_found() {
    assert_eq!(best_move("445566").unwrap(), "3");
    assert!(best_move("9").is_err());
}
