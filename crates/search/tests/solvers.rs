//! Tests of the exact solvers: their results equal those of exhaustive search.

use std::collections::HashMap;

use crate::uneven_turns::{UnevenTurns, best_outcome, open_positions};
use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Outcome, Playable, Position, Side, registry, typed};
use tesuji_search::exact::{ExactSolver, GameValue, Solution, SolveOptions};
use tesuji_search::proof::ProofVerdict;
use tesuji_search::{AlphaBetaSolver, GameCapabilities, Limits, ProofSearch, Search, TableSize};

const SMALL: TableSize = TableSize::from_bytes(1 << 16);

fn value_for(outcome: Outcome, side: Side) -> GameValue {
    match outcome {
        Outcome::Draw => GameValue::Draw,
        Outcome::Win(winner) if winner == side => GameValue::Win,
        Outcome::Win(_) => GameValue::Loss,
    }
}

/// Checks the result for both sides, and that the line of a proof keeps it.
fn proofs_are_right<P: Position>(
    positions: &[P],
    capabilities: GameCapabilities<P>,
    table: TableSize,
) {
    let mut cache = HashMap::new();
    let mut search = ProofSearch::with_capabilities(capabilities, table);
    for position in positions {
        let outcome = best_outcome(position, &mut cache);
        for side in Side::ALL {
            let proof = search.prove(position, side, &Limits::default());
            let wins = outcome == Outcome::Win(side);
            assert_eq!(proof.verdict == ProofVerdict::Proven, wins, "{side}");
            assert_ne!(proof.verdict, ProofVerdict::Unknown);
            let mut end = position.clone();
            for m in proof.line {
                assert!(end.is_legal(m));
                end.play(m);
                let still_wins = best_outcome(&end, &mut cache) == Outcome::Win(side);
                assert_eq!(still_wins, wins, "a move of the line changes the result");
            }
        }
    }
}

#[test]
fn proofs_agree_with_minimax_at_tictactoe() {
    let mut positions = open_positions(&TicTacToe::new());
    positions.retain(|p| p.key() % 4 == 0);
    positions.push(TicTacToe::new());
    proofs_are_right(&positions, GameCapabilities::declared(), SMALL);
    proofs_are_right(&positions, GameCapabilities::none(), SMALL);
}

#[test]
fn proofs_agree_with_minimax_where_a_side_moves_twice() {
    for cells in [5, 7, 8] {
        let mut positions = open_positions(&UnevenTurns::new(cells));
        positions.retain(|p| p.key() % 5 == 0);
        positions.push(UnevenTurns::new(cells));
        proofs_are_right(&positions, GameCapabilities::none(), SMALL);
    }
}

#[test]
fn a_tiny_table_costs_time_not_correctness() {
    let tiny = TableSize::from_bytes(256);
    proofs_are_right(&[UnevenTurns::new(7)], GameCapabilities::none(), tiny);
    solutions_are_right(&[UnevenTurns::new(7)], GameCapabilities::none(), tiny);
}

#[test]
fn limits_end_a_proof_without_an_answer() {
    let mut search = ProofSearch::new(SMALL);
    let proof = search.prove(&Connect4::new(), Side::First, &Limits::nodes(1000));
    assert_eq!((proof.verdict, proof.best), (ProofVerdict::Unknown, None));
    assert_eq!(proof.nodes, 1000);
    let mut solver = AlphaBetaSolver::new(SMALL);
    let solution = solver.solve(&Connect4::new(), SolveOptions::default(), &Limits::nodes(1000));
    assert_eq!(solution.value(), None);
    assert!(solver.run(&Connect4::new(), &Limits::nodes(1000)).best.is_some());
}

fn solutions_are_right<P: Position>(
    positions: &[P],
    capabilities: GameCapabilities<P>,
    table: TableSize,
) {
    let mut cache = HashMap::new();
    let mut solver = AlphaBetaSolver::with_capabilities(capabilities, table);
    for position in positions {
        let outcome = best_outcome(position, &mut cache);
        let side = position.to_move();
        let solution = solver.solve(position, SolveOptions::EVERY_MOVE, &Limits::default());
        assert_eq!(solution.value(), Some(value_for(outcome, side)));
        assert_eq!(solution.moves.len(), position.move_count());
        for &(m, exact_value) in &solution.moves {
            let mut child = position.clone();
            child.play(m);
            assert_eq!(exact_value.value, value_for(best_outcome(&child, &mut cache), side));
            assert_eq!(solution.best.contains(&m), Some(exact_value) == solution.exact_value);
        }
        line_ends_with(position, &solution, outcome);
    }
}

fn line_ends_with<P: Position>(position: &P, solution: &Solution<P::Move>, outcome: Outcome) {
    let mut end = position.clone();
    for &m in &solution.line {
        assert!(end.is_legal(m));
        end.play(m);
    }
    assert_eq!(end.outcome(), Some(outcome));
}

#[test]
fn solutions_agree_with_minimax_at_tictactoe() {
    let positions = open_positions(&TicTacToe::new());
    solutions_are_right(&positions, GameCapabilities::declared(), SMALL);
    solutions_are_right(&positions, GameCapabilities::none(), SMALL);
}

#[test]
fn solutions_agree_with_minimax_where_a_side_moves_twice() {
    for cells in [5, 7, 8] {
        solutions_are_right(
            &open_positions(&UnevenTurns::new(cells)),
            GameCapabilities::none(),
            SMALL,
        );
    }
}

/// Unfinished positions after `plies` random moves.
fn late_positions<P: Position>(start: &P, plies: u32, count: usize) -> Vec<P> {
    let mut rng = seeded(3);
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = start.clone();
        for _ in 0..plies {
            if position.outcome().is_none() {
                let m = position.random_move(&mut rng);
                position.play(m);
            }
        }
        if position.outcome().is_none() {
            found.push(position);
        }
    }
    found
}

#[test]
fn both_agree_with_minimax_on_late_connect4() {
    let positions = late_positions(&Connect4::new(), 30, 20);
    solutions_are_right(&positions, GameCapabilities::declared(), SMALL);
    proofs_are_right(&positions, GameCapabilities::declared(), SMALL);
}

/// Solves a complete game.
struct GameSolution;

impl GameSolution {
    fn visit<P: Playable>(self, start: P) -> GameValue {
        let mut solver = AlphaBetaSolver::new(TableSize::megabytes(64));
        let solution = solver.solve(&start, SolveOptions::default(), &Limits::default());
        let value = solution.value().expect("no limits");
        let best = solution.best[0];
        assert!(start.is_legal(best));
        value
    }
}

#[test]
fn published_values() {
    for (game, value) in [
        ("tictactoe", GameValue::Draw),
        ("connect4:4x4", GameValue::Draw),
        ("connect4:5x4", GameValue::Draw),
        ("connect4:4x5", GameValue::Draw),
        ("connect4:6x4", GameValue::Loss),
        ("mnk:2x2,k=2", GameValue::Win),
        ("mnk:5x1,k=3", GameValue::Draw),
        ("mnk:7x2,k=3", GameValue::Draw),
        ("mnk:4x3,k=3", GameValue::Win),
        ("mnk:5x3,k=3", GameValue::Win),
        ("mnk:5x3,k=4", GameValue::Draw),
        ("mnk:4x4,k=3", GameValue::Win),
        ("mnk:4x4,k=4", GameValue::Draw),
        ("mnk:5x4,k=4", GameValue::Draw),
        ("tictactoe3d", GameValue::Win),
    ] {
        assert_eq!(
            registry::start(game)
                .map(|state| typed!(state, |start| GameSolution.visit(Clone::clone(start)))),
            Ok(value),
            "{game}"
        );
    }
}

/// Proves a win of the first side with proof-number search.
struct FirstSideProof;

impl FirstSideProof {
    fn visit<P: Playable>(self, start: P) -> ProofVerdict {
        let mut search = ProofSearch::new(TableSize::megabytes(64));
        let proof = search.prove(&start, Side::First, &Limits::default());
        assert!(proof.best.is_some_and(|m| start.is_legal(m)));
        proof.verdict
    }
}

#[test]
fn published_wins() {
    for game in ["tictactoe3d", "mnk:4x3,k=3", "mnk:6x5,k=4", "mnk:6x6,k=4"] {
        assert_eq!(
            registry::start(game)
                .map(|state| typed!(state, |start| FirstSideProof.visit(Clone::clone(start)))),
            Ok(ProofVerdict::Proven),
            "{game}"
        );
    }
}
