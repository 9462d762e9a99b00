//! The main law: every search returns the root value of plain minimax at the same depth, on every
//! game, with table, ordering, windows and threads on or off.

use crate::counter_heap::CounterHeap;
use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::{Playable, Position, Score, registry, typed};
use tesuji_search::{
    AlphaBeta, Deepening, Engine, EngineOptions, GameHeuristic, Limits, Minimax, MoveOrdering,
    NegaAlphaBeta, Negamax, ParallelMode, Search, SearchReport, TableSize, WindowMode,
    ZeroEvaluator,
};

/// The approximate number of nodes of plain minimax per tested position.
const NODES_PER_POSITION: f64 = 6_000.0;

#[test]
fn every_search_has_minimax_value_on_every_game() {
    for name in registry::names() {
        registry::start(name)
            .map(|state| typed!(state, |start| MinimaxLaw { name }.visit(Clone::clone(start))))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn every_search_has_minimax_value_when_a_side_moves_twice() {
    let mut searches = searches();
    for counters in 1..40 {
        let position = CounterHeap::new(counters);
        for depth in 1..=7 {
            check(&position, depth, &mut searches, &format!("heap of {counters}"));
        }
    }
}

struct MinimaxLaw {
    name: &'static str,
}

impl MinimaxLaw {
    fn visit<P: Playable>(self, start: P) {
        let mut searches = searches::<P>();
        let mut rng = seeded(1928);
        for plies in [0, 1, 4, 7, 11, 18, 30] {
            let position = after_random_moves(&start, plies, &mut rng);
            let deepest = feasible_depth(&position);
            for depth in [deepest, deepest.saturating_sub(1).max(1)] {
                check(&position, depth, &mut searches, self.name);
            }
        }
    }
}

/// An unfinished position after up to `plies` random moves.
fn after_random_moves<P: Position>(start: &P, plies: u32, rng: &mut Rng) -> P {
    let mut position = start.clone();
    for _ in 0..plies {
        let m = position.random_move(rng);
        let undo = position.play(m);
        if position.outcome().is_some() {
            position.undo(m, undo);
            break;
        }
    }
    position
}

fn feasible_depth<P: Position>(position: &P) -> u32 {
    let branching = (position.move_count() as f64).max(1.5);
    (NODES_PER_POSITION.ln() / branching.ln()).clamp(1.0, 6.0) as u32
}

type NamedSearch<P> = (String, Box<dyn Search<P>>);

/// The textbook searches, and the engine with every combination of options that keeps the value.
fn searches<P: Playable>() -> Vec<NamedSearch<P>> {
    let mut all: Vec<NamedSearch<P>> = vec![
        ("negamax".into(), Box::new(Negamax::new(GameHeuristic))),
        ("alpha-beta".into(), Box::new(AlphaBeta::new(GameHeuristic))),
        ("nega-alpha-beta".into(), Box::new(NegaAlphaBeta::new(GameHeuristic))),
    ];
    let tables = [None, Some(TableSize::from_bytes(256)), Some(TableSize::megabytes(1))];
    for table in tables {
        for ordering in [MoveOrdering::Off, MoveOrdering::Game, MoveOrdering::Full] {
            for window in [WindowMode::AlphaBeta, WindowMode::PrincipalVariation] {
                for (deepening, aspiration) in
                    [(Deepening::Off, None), (Deepening::On, None), (Deepening::On, Some(3))]
                {
                    let options = EngineOptions {
                        table,
                        ordering,
                        window,
                        deepening,
                        aspiration,
                        win_detection: ordering != MoveOrdering::Game,
                        ..EngineOptions::plain()
                    };
                    let name = format!(
                        "table {table:?}, {ordering:?}, {window:?}, {deepening:?}, {aspiration:?}"
                    );
                    all.push((name, Box::new(Engine::new(GameHeuristic, options))));
                }
            }
        }
    }
    all.extend(symmetric(tables));
    all.extend(threaded(tables));
    all
}

/// The engine with one table entry for all images of a position.
fn symmetric<P: Playable>(tables: [Option<TableSize>; 3]) -> Vec<NamedSearch<P>> {
    let mut all: Vec<NamedSearch<P>> = Vec::new();
    for (table, threads) in [(tables[1], 1), (tables[2], 1), (tables[2], 2)] {
        for ordering in [MoveOrdering::Game, MoveOrdering::Full] {
            for deepening in [Deepening::Off, Deepening::On] {
                let exact = EngineOptions::exact();
                let symmetries = P::symmetry();
                let options =
                    EngineOptions { table, symmetries, ordering, deepening, threads, ..exact };
                let name = format!("symmetric {table:?}, {ordering:?}, {deepening:?}, {threads}");
                all.push((name, Box::new(Engine::new(GameHeuristic, options))));
            }
        }
    }
    all
}

fn threaded<P: Playable>(tables: [Option<TableSize>; 3]) -> Vec<NamedSearch<P>> {
    let mut all: Vec<NamedSearch<P>> = Vec::new();
    for table in tables {
        for parallel in [ParallelMode::RootSplit, ParallelMode::SharedTable] {
            for window in [WindowMode::AlphaBeta, WindowMode::PrincipalVariation] {
                // With deepening, threads start only for large iterations, so the small trees of
                // this test are searched without threads.
                for deepening in [Deepening::Off, Deepening::On] {
                    let exact = EngineOptions::exact();
                    let options =
                        EngineOptions { table, parallel, window, deepening, threads: 2, ..exact };
                    let name =
                        format!("{table:?}, {parallel:?}, 2 threads, {window:?}, {deepening:?}");
                    all.push((name, Box::new(Engine::new(GameHeuristic, options))));
                }
            }
        }
    }
    all
}

fn check<P: Playable>(position: &P, depth: u32, searches: &mut [NamedSearch<P>], game: &str) {
    let limits = Limits::depth(depth);
    let expected = Minimax::new(GameHeuristic).run(position, &limits);
    let context = |name: &str| format!("{game}, depth {depth}, {name}");
    check_report(position, &expected, expected.score, &expected, &context("minimax"));
    for (name, search) in searches {
        let report = search.run(position, &limits);
        check_report(position, &report, expected.score, &expected, &context(name));
    }
}

/// Checks that the value is correct, the best move is one of the best, and the line can be played.
fn check_report<P: Position>(
    position: &P,
    report: &SearchReport<P::Move>,
    value: Score,
    expected: &SearchReport<P::Move>,
    context: &str,
) {
    assert_eq!(report.score, value, "{context}");
    let best = report.best.unwrap_or_else(|| panic!("no move: {context}"));
    let true_score =
        expected.moves.iter().find(|scored| scored.m == best).map(|scored| scored.score);
    assert_eq!(true_score, Some(value), "the best move is not best: {context}");
    assert_eq!(report.line.first(), Some(&best), "{context}");
    let mut position = position.clone();
    for &m in &report.line {
        assert!(position.try_play(m).is_ok(), "illegal move {m:?} in the line: {context}");
    }
}

#[test]
fn analysis_scores_every_move() {
    let start = tesuji_games::rules::tictactoe::TicTacToe::new();
    let mut rng = seeded(7);
    let engine = |threads| {
        let options = EngineOptions { threads, ..EngineOptions::exact() };
        Box::new(Engine::new(GameHeuristic, options))
    };
    let searches: [Box<dyn Search<_>>; 5] = [
        engine(1),
        engine(2),
        Box::new(Minimax::new(GameHeuristic)),
        Box::new(AlphaBeta::new(GameHeuristic)),
        Box::new(NegaAlphaBeta::new(GameHeuristic)),
    ];
    for mut search in searches {
        for _ in 0..20 {
            let plies = below(&mut rng, 5);
            let position = after_random_moves(&start, plies, &mut rng);
            let limits = Limits::depth(1 + below(&mut rng, 5));
            let mut expected = Minimax::new(GameHeuristic).run(&position, &limits).moves;
            let report = search.analyze(&position, &limits, &mut |_| {});
            assert_eq!((report.best, report.line[0]), (Some(report.moves[0].m), report.moves[0].m));
            for scored in &report.moves {
                assert_eq!(report.line_from(scored.m)[0], scored.m);
            }
            let mut scores = report.moves;
            assert!(scores.windows(2).all(|pair| pair[0].score >= pair[1].score));
            expected.sort_by_key(|scored| scored.m);
            scores.sort_by_key(|scored| scored.m);
            assert_eq!(scores, expected);
        }
    }
}

/// With a time or node limit, the default implementation deepens one ply at a time while the limits
/// allow; a solver gives its result at once.
#[test]
fn analysis_obeys_its_limits() {
    let position = tesuji_games::rules::connect4::Connect4::new();
    let mut search = AlphaBeta::new(GameHeuristic);
    let mut depths = Vec::new();
    let report =
        search.analyze(&position, &Limits::nodes(3_000), &mut |report| depths.push(report.depth));
    assert_eq!(depths, (1..=report.depth).collect::<Vec<_>>());
    assert!(report.depth > 1 && report.moves.len() == 7);
    let position = tesuji_games::rules::tictactoe::TicTacToe::new();
    let mut solver = tesuji_search::AlphaBetaSolver::new(TableSize::megabytes(1));
    let report = solver.analyze(&position, &Limits::default(), &mut |_| {});
    assert_eq!(report.moves.len(), 9);
    assert!(report.moves.iter().all(|scored| scored.score == Score::DRAW));
}

/// Threads share work only well above the leaves, so these trees are deeper than plain minimax
/// could search. The reference is one thread, which the other tests compare with minimax.
#[test]
fn two_threads_find_what_one_finds_in_deeper_trees() {
    for (name, depth) in
        [("tictactoe", 9), ("connect4", 10), ("othello", 8), ("checkers", 9), ("mnk:5x5,k=4", 7)]
    {
        registry::start(name)
            .map(|state| {
                typed!(state, |start| TwoThreads { name, depth }.visit(Clone::clone(start)))
            })
            .unwrap();
    }
}

struct TwoThreads {
    name: &'static str,
    depth: u32,
}

impl TwoThreads {
    fn visit<P: Playable>(self, start: P) {
        let engine = |threads, parallel, deepening| {
            let options = EngineOptions { threads, parallel, deepening, ..EngineOptions::exact() };
            Engine::new(
                GameHeuristic,
                EngineOptions { table: Some(TableSize::megabytes(4)), ..options },
            )
        };
        let limits = Limits::depth(self.depth);
        let mut rng = seeded(1996);
        for plies in [0, 3, 6, 10] {
            let position = after_random_moves(&start, plies, &mut rng);
            let one_thread_report =
                engine(1, ParallelMode::SharedTable, Deepening::On).run(&position, &limits);
            for parallel in [ParallelMode::SharedTable, ParallelMode::RootSplit] {
                for deepening in [Deepening::On, Deepening::Off] {
                    let two_thread_report = engine(2, parallel, deepening).run(&position, &limits);
                    let context =
                        format!("{}, {plies} plies, {parallel:?}, {deepening:?}", self.name);
                    assert_eq!(two_thread_report.score, one_thread_report.score, "{context}");
                }
            }
        }
    }
}

/// Without a table, threads that split the root play the move of a single thread, even among
/// equals: training runs are reproducible on any number of threads.
#[test]
fn a_split_root_plays_the_move_of_one_thread() {
    for (game, depth) in [("tictactoe", 4), ("connect4", 5), ("mnk:6x6,k=4", 3)] {
        registry::start(game)
            .map(|state| typed!(state, |start| SameMove { depth }.visit(Clone::clone(start))))
            .unwrap();
    }
}

struct SameMove {
    depth: u32,
}

impl SameMove {
    fn visit<P: Playable>(self, start: P) {
        let engine = |threads, win_detection| {
            let options = EngineOptions {
                threads,
                win_detection,
                parallel: ParallelMode::RootSplit,
                ordering: MoveOrdering::Game,
                ..EngineOptions::plain()
            };
            // Only forced results differ: almost every move has equals.
            Engine::new(ZeroEvaluator, options)
        };
        let mut rng = seeded(77);
        for round in 0..40 {
            let position = after_random_moves(&start, round % 8, &mut rng);
            for win_detection in [false, true] {
                let limits = Limits::depth(self.depth);
                let one_thread_report = engine(1, win_detection).run(&position, &limits);
                let three_thread_report = engine(3, win_detection).run(&position, &limits);
                assert_eq!(
                    (three_thread_report.best, three_thread_report.score),
                    (one_thread_report.best, one_thread_report.score)
                );
            }
        }
    }
}
