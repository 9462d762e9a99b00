//! The crate `board-game`, with its own rules.

use std::cmp::Ordering;
use std::hint::black_box;

use board_game::ai::mcts::mcts_build_tree;
use board_game::ai::minimax::{Heuristic, minimax_value};
use board_game::board::{Board, Outcome};
use board_game::games::connect4::Connect4;
use board_game::games::ttt::TTTBoard;
use board_game::pov::NonPov;
use board_game::wdl::OutcomeWDL;
use rand::SeedableRng;
use rand_xoshiro::Xoroshiro64StarStar;

fn playouts<B: Board + Default>() -> f64 {
    let mut rng = Xoroshiro64StarStar::seed_from_u64(1);
    crate::rate(|| {
        for _ in 0..1000 {
            let mut board = B::default();
            while let Ok(m) = board.random_available_move(&mut rng) {
                board.play(m).expect("the move is available");
            }
            black_box(board.outcome());
        }
        1000
    })
}

pub fn tictactoe_playouts() -> f64 {
    playouts::<TTTBoard>()
}

pub fn connect4_playouts() -> f64 {
    playouts::<Connect4>()
}

pub fn uct_simulations() -> f64 {
    let mut rng = Xoroshiro64StarStar::seed_from_u64(1);
    crate::rate(|| {
        black_box(mcts_build_tree(&Connect4::default(), 200_000, 1.4, &mut rng).nodes.len());
        200_000
    })
}

/// Values unfinished games as 0, like our `ZeroEvaluator`.
#[derive(Debug)]
struct OnlyResults;

impl<B: Board> Heuristic<B> for OnlyResults {
    type V = i32;

    fn value(&self, board: &B, depth: u32) -> i32 {
        match board.outcome().map(|outcome: Outcome| outcome.pov(board.next_player())) {
            Some(OutcomeWDL::Win) => 1000 - depth as i32,
            Some(OutcomeWDL::Loss) => depth as i32 - 1000,
            Some(OutcomeWDL::Draw) | None => 0,
        }
    }

    fn merge(old: i32, new: i32) -> (i32, Ordering) {
        (old.max(new), new.cmp(&old))
    }
}

pub fn alphabeta_milliseconds(depth: u32) -> f64 {
    crate::milliseconds(|| {
        black_box(minimax_value(&Connect4::default(), &OnlyResults, depth));
    })
}
