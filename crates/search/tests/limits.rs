//! Searches obey their limits, return a legal move, and report the depth reached.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use tesuji_games::rules::connect4::{Connect4, Connect4Move};
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Playable, Position, Score};
use tesuji_search::{
    AlphaBeta, Book, BookKeys, Deepening, Engine, EngineOptions, Evaluator, GameHeuristic, Limits,
    Minimax, NegaAlphaBeta, Negamax, ParallelMode, RunningGame, Scheduler, Search, TableSize,
};

fn small_table<P: Position>() -> EngineOptions<P> {
    EngineOptions { table: Some(TableSize::megabytes(4)), ..EngineOptions::exact() }
}

fn all_searches() -> Vec<Box<dyn Search<Connect4>>> {
    let threaded = |parallel| EngineOptions { threads: 2, parallel, ..small_table() };
    vec![
        Box::new(Minimax::new(GameHeuristic)),
        Box::new(Negamax::new(GameHeuristic)),
        Box::new(AlphaBeta::new(GameHeuristic)),
        Box::new(NegaAlphaBeta::new(GameHeuristic)),
        Box::new(Engine::new(GameHeuristic, EngineOptions::plain())),
        Box::new(Engine::new(GameHeuristic, small_table())),
        Box::new(Engine::new(GameHeuristic, threaded(ParallelMode::SharedTable))),
        Box::new(Engine::new(GameHeuristic, threaded(ParallelMode::RootSplit))),
    ]
}

#[test]
fn every_search_obeys_nodes_time_and_the_stop_flag() {
    let position = Connect4::new();
    let stop_flag = Arc::new(AtomicBool::new(true));
    for mut search in all_searches() {
        for nodes in [1, 2, 10, 5_000, 100_000] {
            let report = search.run(&position, &Limits::nodes(nodes));
            assert!(report.best.is_some_and(|m| position.is_legal(m)));
            assert!(report.nodes <= nodes + 64, "{} nodes instead of {nodes}", report.nodes);
        }
        let started = Instant::now();
        let report = search.run(&position, &Limits::time(Duration::from_millis(20)));
        assert!(report.best.is_some_and(|m| position.is_legal(m)));
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        let stop = Limits { stop: Some(stop_flag.clone()), ..Limits::default() };
        assert!(search.run(&position, &stop).best.is_some_and(|m| position.is_legal(m)));
    }
}

#[test]
fn a_stopped_iteration_falls_back_on_the_last_complete_one() {
    let position = Connect4::new();
    let mut engine = Engine::new(GameHeuristic, small_table());
    let complete = engine.run(&position, &Limits::depth(7));
    engine.forget();
    // Enough nodes for seven plies, but not for eight.
    let limits = Limits { depth: Some(8), ..Limits::nodes(complete.nodes + 10) };
    let report = engine.run(&position, &limits);
    assert_eq!((report.depth, report.best), (7, complete.best));
    assert_eq!(report.score, complete.score);
}

#[test]
fn progress_is_reported_ply_by_ply() {
    let mut depths = Vec::new();
    let mut engine = Engine::new(GameHeuristic, small_table());
    engine.search(&Connect4::new(), &Limits::depth(6), &mut |report| depths.push(report.depth));
    assert_eq!(depths, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_search_without_limits_ends_with_the_game_tree() {
    let mut engine = Engine::new(GameHeuristic, small_table());
    let report = engine.run(&TicTacToe::new(), &Limits::default());
    assert_eq!((report.score, report.line.len()), (Score::DRAW, 9));
    assert!(report.depth <= 9, "the game tree ends after {} plies", report.depth);
    let mut won = Connect4::new();
    for column in [3, 0, 3, 0, 3, 0] {
        let m = won.drop_into(column).expect("the column is open");
        won.play(m);
    }
    let report = engine_for::<Connect4>().run(&won, &Limits::default());
    assert_eq!((report.score, report.depth), (Score::win_in(1), 1));
}

fn engine_for<P: Playable>() -> Engine<P, GameHeuristic> {
    Engine::new(GameHeuristic, small_table())
}

#[test]
fn idle_threads_are_used_and_returned() {
    let scheduler = Scheduler::new(2);
    let options = EngineOptions { threads: 8, deepening: Deepening::Off, ..small_table() };
    let mut engine = Engine::new(GameHeuristic, options).with_scheduler(scheduler.clone());
    let alone = engine.run(&Connect4::new(), &Limits::depth(9));
    assert_eq!(scheduler.loan().renew(2), 2, "the search has returned its thread");
    let _games = [scheduler.start_game(), scheduler.start_game()];
    engine.forget();
    let crowded = engine.run(&Connect4::new(), &Limits::depth(9));
    assert_eq!(alone.score, crowded.score);
}

/// Ends a game during a search, and then waits until another thread evaluates too.
#[derive(Clone)]
struct EndsAGame {
    game: Arc<Mutex<Option<RunningGame>>>,
    threads: Arc<Mutex<HashSet<ThreadId>>>,
    /// The moves of the root that this thread has begun.
    root_moves: u32,
}

impl Evaluator<Connect4> for EndsAGame {
    fn start(&mut self, _: &Connect4) {
        self.root_moves = 0;
    }

    fn before_play(&mut self, position: &Connect4, _: Connect4Move) {
        self.root_moves += u32::from(position.key() == Connect4::new().key());
    }

    fn evaluate(&mut self, position: &Connect4) -> i32 {
        self.threads.lock().unwrap().insert(std::thread::current().id());
        drop(self.game.lock().unwrap().take());
        let given_up = Instant::now() + Duration::from_secs(60);
        while self.root_moves > 1 && self.threads.lock().unwrap().len() < 2 {
            assert!(Instant::now() < given_up, "no thread has joined");
            std::thread::yield_now();
        }
        Evaluator::<Connect4>::evaluate(&mut GameHeuristic, position)
    }
}

#[test]
fn a_thread_that_becomes_idle_joins_a_search_to_a_fixed_depth() {
    let scheduler = Scheduler::new(2);
    let _own = scheduler.start_game();
    let plain = EngineOptions { parallel: ParallelMode::RootSplit, ..EngineOptions::plain() };
    let limits = Limits::depth(7);
    let alone = Engine::new(GameHeuristic, plain.clone()).run(&Connect4::new(), &limits);
    let threads = Arc::new(Mutex::new(HashSet::new()));
    let game = Arc::new(Mutex::new(Some(scheduler.start_game())));
    let evaluator = EndsAGame { game: game.clone(), threads: threads.clone(), root_moves: 0 };
    let options = EngineOptions { threads: 4, ..plain };
    let mut engine = Engine::new(evaluator, options).with_scheduler(scheduler.clone());
    for round in 0..3 {
        threads.lock().unwrap().clear();
        *game.lock().unwrap() = Some(scheduler.start_game());
        let helped = engine.run(&Connect4::new(), &limits);
        assert_eq!((helped.best, helped.score), (alone.best, alone.score), "round {round}");
        assert_eq!(threads.lock().unwrap().len(), 2, "round {round}");
        assert_eq!(scheduler.loan().renew(2), 2, "the search has returned its thread");
    }
    let analysis = engine.analyze(&Connect4::new(), &limits, &mut |_| {});
    assert_eq!((analysis.best, analysis.moves.len()), (alone.best, 7));
}

#[test]
fn the_book_is_used_first() {
    let start = TicTacToe::new();
    let keys = BookKeys::new(TicTacToe::symmetry());
    let mut book = Book::new("tictactoe");
    let full = Limits::default();
    book.build(&start, 1, keys, &mut NegaAlphaBeta::new(GameHeuristic), &full, |_| {});
    let mut engine = engine_for().with_book(Arc::new(book), keys);
    let mut corner = start;
    corner.play(8);
    let report = engine.run(&corner, &Limits::depth(1));
    assert_eq!((report.best, report.score, report.nodes), (Some(4), Score::DRAW, 0));
    corner.play(0);
    assert!(
        engine.run(&corner, &Limits::depth(1)).nodes > 0,
        "it searches positions that are not in the book"
    );
}
