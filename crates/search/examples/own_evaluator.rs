//! Implements a custom evaluator for the engine: Connect Four with points for discs near the
//! center, against an evaluator that always returns 0:
//! `cargo run --release -p tesuji-search --example own_evaluator`.
#![allow(clippy::print_stdout)]

use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::{Outcome, Position, RowPosition, Side};
use tesuji_search::{Engine, EngineOptions, Evaluator, Limits, Search, ZeroEvaluator};

/// Gives more points to discs in the middle columns. The sum is updated with every move, so a leaf
/// costs nothing.
#[derive(Clone, Default)]
struct Center {
    /// From the first side's point of view.
    sum: i32,
}

impl Center {
    /// The points of a disc on a cell, from the first side's point of view.
    fn points(position: &Connect4, cell: usize, side: Side) -> i32 {
        let columns = position.grid().columns;
        let column = cell % columns;
        let points = column.min(columns - 1 - column) as i32;
        if side == Side::First { points } else { -points }
    }
}

impl Evaluator<Connect4> for Center {
    fn start(&mut self, position: &Connect4) {
        // The engine calls this at the start of every search, for any position.
        let points =
            |cell| position.stone_at(cell).map_or(0, |side| Center::points(position, cell, side));
        self.sum = (0..position.grid().cells()).map(points).sum();
    }

    fn before_play(&mut self, position: &Connect4, m: <Connect4 as Position>::Move) {
        self.sum += Center::points(position, position.cell(m), position.to_move());
    }

    fn after_undo(&mut self, position: &Connect4, m: <Connect4 as Position>::Move) {
        self.sum -= Center::points(position, position.cell(m), position.to_move());
    }

    fn evaluate(&mut self, position: &Connect4) -> i32 {
        if position.to_move() == Side::First { self.sum } else { -self.sum }
    }
}

/// Plays one game after four random moves.
fn play(center: Side, seed: u64) -> Outcome {
    let mut with_center = Engine::new(Center::default(), EngineOptions::plain());
    let mut without = Engine::new(ZeroEvaluator, EngineOptions::plain());
    let (mut game, mut rng) = (Connect4::new(), seeded(seed));
    for _ in 0..4 {
        let m = game.random_move(&mut rng);
        game.play(m);
    }
    loop {
        if let Some(outcome) = game.outcome() {
            return outcome;
        }
        let limits = Limits::depth(4);
        let report = match game.to_move() == center {
            true => with_center.run(&game, &limits),
            false => without.run(&game, &limits),
        };
        match report.best {
            Some(m) => game.play(m),
            None => return Outcome::Draw,
        };
    }
}

fn main() {
    let mut points = 0.0;
    for pair in 0..50 {
        for side in Side::ALL {
            points += match play(side, pair) {
                Outcome::Win(winner) if winner == side => 1.0,
                Outcome::Win(_) => 0.0,
                Outcome::Draw => 0.5,
            };
        }
    }
    println!("discs in the center: {points} of 100 points");
}

#[test]
fn both_evaluators_play_to_the_end() {
    assert_eq!(play(Side::First, 1), play(Side::First, 1));
    main();
}
