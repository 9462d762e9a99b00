//! Tests of Monte Carlo searches: proofs are correct, tree reuse loses nothing, seeds reproduce
//! results, and every registered game can be played.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::uneven_turns::{UnevenTurns, best_outcome, open_positions};
use tesuji_games::random::{below, seeded};
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Notation, Outcome, Playable, Position, Score, Side, registry, typed};
use tesuji_search::mcts::{DecisiveRollout, EvaluatorLeaf};
use tesuji_search::{
    FlatUcb, FlatUcbOptions, Limits, Scheduler, Search, Uct, UctOptions, UctThreads,
};

/// The outcome that a proven score claims.
fn claimed_outcome(score: Score, side: Side) -> Outcome {
    match score {
        score if score.is_win() => Outcome::Win(side),
        score if score.is_loss() => Outcome::Win(!side),
        _ => Outcome::Draw,
    }
}

/// Searches until there is a proof; checks the proof and the move.
fn proofs_are_right<P: Position + Debug>(positions: &[P], options: &UctOptions) {
    const MAX_SIMULATIONS: u64 = 400_000;
    let mut known = HashMap::new();
    for position in positions {
        let report = Uct::new(options.clone()).run(position, &Limits::nodes(MAX_SIMULATIONS));
        assert!(report.nodes < MAX_SIMULATIONS, "no proof for {position:?}");
        let (outcome, side) = (best_outcome(position, &mut known), position.to_move());
        assert_eq!(claimed_outcome(report.score, side), outcome, "{position:?}");
        let mut after = position.clone();
        after.play(report.best.expect("a move"));
        assert_eq!(best_outcome(&after, &mut known), outcome, "best move of {position:?}");
    }
}

#[test]
fn solver_proves_every_position_of_tictactoe() {
    let positions = open_positions(&TicTacToe::new());
    assert_eq!(positions.len(), 5478 - 958);
    for rave in [None, Some(300.0)] {
        proofs_are_right(&positions, &UctOptions { rave, ..UctOptions::default() });
    }
}

#[test]
fn solver_is_right_where_a_side_moves_twice() {
    for cells in [5, 6, 7] {
        let positions = open_positions(&UnevenTurns::new(cells));
        proofs_are_right(&positions, &UctOptions::default());
    }
}

fn position_after(text: &str) -> TicTacToe {
    let mut position = TicTacToe::new();
    for name in text.split_whitespace() {
        let m = position.parse_move(name).expect("a legal move");
        position.play(m);
    }
    position
}

#[test]
fn a_fork_is_proven() {
    // The first side has two opposite corners and the center against edges: a fork wins by force.
    let position = position_after("a1 b1 b2 c3");
    let report = Uct::new(UctOptions::default()).run(&position, &Limits::nodes(20_000));
    assert_eq!(report.score, Score::win_in(3), "{report:?}");
    assert_eq!(report.line.len(), 3);
    let mut end = position;
    for m in report.line {
        assert!(end.is_legal(m));
        end.play(m);
    }
    assert_eq!(end.outcome(), Some(Outcome::Win(Side::First)));
}

#[test]
fn same_seed_same_search() {
    for rave in [None, Some(100.0)] {
        let run = |seed| {
            let options = UctOptions { seed, rave, solver: false, ..UctOptions::default() };
            let report = Uct::new(options).run(&TicTacToe::new(), &Limits::nodes(3_000));
            (report.best, report.moves, report.line, report.nodes)
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7).1, run(8).1);
    }
}

#[test]
fn a_second_search_of_a_position_continues_the_first() {
    let options = UctOptions { solver: false, ..UctOptions::default() };
    let at_once = Uct::new(options.clone()).run(&TicTacToe::new(), &Limits::nodes(2_000));
    let mut uct = Uct::new(options);
    uct.run(&TicTacToe::new(), &Limits::nodes(800));
    let in_two_parts = uct.run(&TicTacToe::new(), &Limits::nodes(1_200));
    assert_eq!(at_once.moves, in_two_parts.moves);
}

#[test]
fn a_kept_tree_still_knows_its_visits() {
    let options = UctOptions { solver: false, rave: Some(50.0), ..UctOptions::default() };
    let mut rng = seeded(5);
    for _ in 0..20 {
        let mut uct = Uct::new(options.clone());
        let mut position = TicTacToe::new();
        let before = uct.run(&position, &Limits::nodes(5_000));
        let size = uct.tree_size();
        let visited_move = before.moves[below(&mut rng, 3) as usize];
        position.play(visited_move.m);
        let after = uct.run(&position, &Limits::nodes(1));
        let visits: u64 = after.moves.iter().map(|m| m.visits).sum();
        // All visits except the first went on to one of the children; the new search adds one.
        assert_eq!(visits, visited_move.visits, "visits below the move that was played");
        assert!(uct.tree_size() < size, "the rest of the tree is freed");
    }
}

#[test]
fn a_small_tree_keeps_simulating() {
    let options = UctOptions { capacity: 1, solver: false, ..UctOptions::default() };
    let mut uct = Uct::new(options);
    let report = uct.run(&TicTacToe::new(), &Limits::nodes(200_000));
    assert_eq!(report.nodes, 200_000);
    assert!(uct.tree_size() <= 8_192);
}

#[test]
fn several_threads_agree_with_minimax() {
    let mut positions = open_positions(&TicTacToe::new());
    positions.retain(|p| p.key() % 40 == 0);
    for threads in [UctThreads::Root(2), UctThreads::Tree(2), UctThreads::Tree(4)] {
        proofs_are_right(&positions, &UctOptions { threads, ..UctOptions::default() });
        let mut uct = Uct::new(UctOptions { threads, solver: false, ..UctOptions::default() });
        let report = uct.run(&TicTacToe::new(), &Limits::nodes(10_001));
        assert_eq!(report.nodes, 10_001);
        assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 10_001);
    }
}

/// Plays a few moves of a game with each kind of Monte Carlo search.
struct AllSearches;

impl AllSearches {
    fn searches<P: Playable>() -> Vec<(&'static str, Box<dyn Search<P>>)> {
        let options = UctOptions::default;
        let rave = UctOptions { rave: Some(300.0), ..options() };
        let plain = UctOptions { solver: false, ..options() };
        let tree_parallel = UctOptions { threads: UctThreads::Tree(2), ..options() };
        let root_parallel = UctOptions { threads: UctThreads::Root(2), ..options() };
        vec![
            ("uct", Box::new(Uct::<P>::new(plain))),
            ("solver", Box::new(Uct::<P>::new(options()))),
            ("rave", Box::new(Uct::<P>::new(rave))),
            ("decisive", Box::new(Uct::with_leaf(options(), DecisiveRollout))),
            ("heuristic", Box::new(Uct::with_leaf(options(), EvaluatorLeaf::default()))),
            ("tree parallel", Box::new(Uct::<P>::new(tree_parallel))),
            ("root parallel", Box::new(Uct::<P>::new(root_parallel))),
            ("flat", Box::new(FlatUcb::new(FlatUcbOptions { depth: None, ..Default::default() }))),
            ("flat, short", Box::new(FlatUcb::two_sided(FlatUcbOptions::default()))),
        ]
    }
}

impl AllSearches {
    fn visit<P: Playable>(self, start: P) {
        for (name, mut search) in Self::searches::<P>() {
            let mut position = start.clone();
            for _ in 0..3 {
                if position.outcome().is_some() {
                    break;
                }
                let report = search.run(&position, &Limits::nodes(30));
                let m = report.best.expect(name);
                assert!(position.is_legal(m), "{name} played an illegal move");
                assert_eq!(report.line[0], m, "{name}");
                assert!(report.moves.len() <= position.move_count(), "{name}");
                // Moves that were neither visited nor proven have no score.
                let mut known = report.moves.iter();
                assert!(!report.moves.is_empty(), "{name}");
                assert!(known.all(|known| known.visits > 0 || known.score.is_decided()), "{name}");
                position.play(m);
            }
        }
    }
}

#[test]
fn every_game_can_be_played() {
    for name in registry::names() {
        registry::start(name)
            .map(|state| typed!(state, |start| AllSearches.visit(Clone::clone(start))))
            .expect(name);
    }
}

#[test]
fn flat_ucb_takes_a_win_and_stops_one() {
    let flat =
        || FlatUcb::new(FlatUcbOptions { depth: None, simulations: 3_000, ..Default::default() });
    let win = position_after("a1 a3 b1 b3");
    assert_eq!(win.move_text(flat().run(&win, &Limits::default()).best.expect("a move")), "c1");
    let block = position_after("a1 b2 b1");
    assert_eq!(block.move_text(flat().run(&block, &Limits::default()).best.expect("a move")), "c1");
}

#[test]
fn time_and_the_stop_flag_end_a_search() {
    for threads in [UctThreads::One, UctThreads::Root(2), UctThreads::Tree(2)] {
        let options = UctOptions { threads, solver: false, ..UctOptions::default() };
        let mut uct = Uct::new(options);
        let report = uct.run(&TicTacToe::new(), &Limits::time(Duration::from_millis(20)));
        assert!(report.time >= Duration::from_millis(20) && report.nodes > 0);
        let stop = Some(Arc::new(AtomicBool::new(true)));
        let report = uct.run(&TicTacToe::new(), &Limits { stop, ..Limits::default() });
        assert!((1..=4096).contains(&report.nodes), "{} simulations", report.nodes);
    }
}

#[test]
fn progress_is_reported_with_growing_numbers() {
    let mut seen = Vec::new();
    let mut uct = Uct::new(UctOptions { solver: false, ..UctOptions::default() });
    let mut observe = |report: &tesuji_search::SearchReport<u8>| {
        seen.push((report.nodes, report.moves.iter().map(|m| m.visits).sum::<u64>()));
    };
    uct.search(&TicTacToe::new(), &Limits::nodes(5_000), &mut observe);
    assert_eq!(seen[..2], [(256, 256), (512, 512)]);
    assert!(seen.is_sorted() && seen.iter().all(|&(nodes, visits)| nodes == visits), "{seen:?}");
}

#[test]
fn threads_are_borrowed_from_the_scheduler() {
    let scheduler = Scheduler::new(2);
    let search = || {
        let options = UctOptions { threads: UctThreads::Tree(2), ..UctOptions::default() };
        let mut search = Uct::<Connect4>::new(options).with_scheduler(scheduler.clone());
        search.run(&Connect4::new(), &Limits::nodes(5_000)).moves
    };
    let games = [scheduler.start_game(), scheduler.start_game()];
    assert_eq!(search(), search(), "two games leave one thread, and one thread is deterministic");
    drop(games);
    assert!(!search().is_empty());
    assert_eq!(scheduler.loan().renew(2), 2, "the search has returned its thread");
}
