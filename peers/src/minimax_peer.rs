//! The crate `minimax`, which has searches but no games: it plays our Connect Four.

use std::hint::black_box;

use minimax::strategies::iterative::IterativeOptions;
use minimax::strategies::negamax::Negamax;
use minimax::{
    Evaluation, Evaluator, Game, IterativeSearch, MCTSOptions, MonteCarloTreeSearch, Strategy, Winner,
};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoroshiro64StarStar;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::{Heuristic, Outcome, Position};

struct Rules;

impl Game for Rules {
    type S = Connect4;
    type M = <Connect4 as Position>::Move;

    fn generate_moves(state: &Connect4, moves: &mut Vec<Self::M>) -> Option<Winner> {
        let winner = Self::get_winner(state);
        if winner.is_none() {
            state.push_moves(moves);
        }
        winner
    }

    fn apply(state: &mut Connect4, m: Self::M) -> Option<Connect4> {
        let mut next = *state;
        next.play(m);
        Some(next)
    }

    fn get_winner(state: &Connect4) -> Option<Winner> {
        state.outcome().map(|outcome| match outcome {
            Outcome::Draw => Winner::Draw,
            Outcome::Win(_) => Winner::PlayerJustMoved,
        })
    }

    fn zobrist_hash(state: &Connect4) -> u64 {
        state.key()
    }
}

#[derive(Clone)]
struct OurHeuristic;

impl Evaluator for OurHeuristic {
    type G = Rules;
    fn evaluate(&self, state: &Connect4) -> Evaluation {
        Heuristic::evaluate(state) as Evaluation
    }
}

struct OnlyResults;

impl Evaluator for OnlyResults {
    type G = Rules;
    fn evaluate(&self, _: &Connect4) -> Evaluation {
        0
    }
}

pub fn playouts() -> f64 {
    let mut rng = Xoroshiro64StarStar::seed_from_u64(1);
    let mut moves = Vec::new();
    crate::rate(|| {
        for _ in 0..1000 {
            let mut state = Connect4::new();
            loop {
                moves.clear();
                if let Some(winner) = Rules::generate_moves(&state, &mut moves) {
                    black_box(winner);
                    break;
                }
                let m = moves[rng.gen_range(0..moves.len())];
                state = Rules::apply(&mut state, m).expect("this game returns new states");
            }
        }
        1000
    })
}

pub fn uct_simulations(threads: usize) -> f64 {
    crate::rate(|| {
        let options = MCTSOptions::default().with_num_threads(threads);
        let mut search = MonteCarloTreeSearch::<Rules>::new(options);
        search.set_max_rollouts(200_000);
        black_box(search.choose_move(&Connect4::new()));
        200_000
    })
}

pub fn negamax_milliseconds(depth: u8) -> f64 {
    crate::milliseconds(|| {
        black_box(Negamax::new(OnlyResults, depth).choose_move(&Connect4::new()));
    })
}

pub fn iterative_milliseconds(depth: u8) -> f64 {
    crate::milliseconds(|| {
        let options = IterativeOptions::new().with_table_byte_size(64 << 20);
        let mut search = IterativeSearch::new(OurHeuristic, options);
        search.set_max_depth(depth);
        black_box(search.choose_move(&Connect4::new()));
    })
}
