//! Tests that a search of two plies with the estimate beats random play from both sides. This
//! detects a wrong sign or a wrong side.

use tesuji_games::random::{self, Rng};
use tesuji_games::{Outcome, Playable, Side, registry, typed};

const WON: i32 = 1_000_000;

/// The value for the side to move of a search of `depth` plies.
fn value<P: Playable>(position: &mut P, depth: u32) -> i32 {
    let side = position.to_move();
    match position.outcome() {
        Some(Outcome::Draw) => return 0,
        Some(Outcome::Win(winner)) => return if winner == side { WON } else { -WON },
        None if depth == 0 => return position.estimate(),
        None => {}
    }
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    let values = moves.into_iter().map(|m| value_of(position, m, depth));
    values.max().expect("an unfinished game has a move")
}

/// The value of a move for the side that plays it.
fn value_of<P: Playable>(position: &mut P, m: P::Move, depth: u32) -> i32 {
    let side = position.to_move();
    let undo = position.play(m);
    let same_side = position.to_move() == side && position.outcome().is_none();
    let value = value(position, depth - 1) * if same_side { 1 } else { -1 };
    position.undo(m, undo);
    value
}

fn best_move<P: Playable>(position: &mut P) -> P::Move {
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    let best = moves.into_iter().max_by_key(|&m| value_of(position, m, 2));
    best.expect("an unfinished game has a move")
}

struct PointsAgainstChance {
    games: usize,
}

impl PointsAgainstChance {
    fn visit<P: Playable>(self, start: P) -> f64 {
        let mut rng = random::seeded(1959);
        let sides = Side::ALL.into_iter().cycle().take(self.games);
        sides.map(|side| points(start.clone(), side, &mut rng)).sum()
    }
}

fn points<P: Playable>(mut position: P, side: Side, rng: &mut Rng) -> f64 {
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome.points(side);
        }
        let is_searcher = position.to_move() == side;
        let m = if is_searcher { best_move(&mut position) } else { position.random_move(rng) };
        position.play(m);
    }
}

#[test]
fn estimates_beat_chance() {
    for name in ["othello", "othello:6x6", "checkers", "chess"] {
        let points = registry::start(name)
            .map(|state| {
                typed!(state, |start| PointsAgainstChance { games: 20 }.visit(Clone::clone(start)))
            })
            .unwrap();
        assert!(points >= 17.0, "{name}: {points} of 20");
    }
}
