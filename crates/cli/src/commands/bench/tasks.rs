//! The tasks of `tesuji bench`, each on one thread unless its text says otherwise.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;
use tesuji_games::random::seeded;
use tesuji_games::rules::checkers::Checkers;
use tesuji_games::rules::chess::Chess;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::rules::othello::Othello;
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Playable, random_playout};
use tesuji_play::quantity::grouped;
use tesuji_search::{
    Deepening, Engine, EngineOptions, Evaluator, GameHeuristic, Limits, MoveOrdering, Search, Uct,
    UctOptions, UctThreads, WindowMode, ZeroEvaluator,
};

use super::peers::{PeerFigure, Peers};
use super::{arena, in_rounds, with_peers};
use crate::prelude::*;

/// A benchmark.
#[derive(Serialize)]
pub(crate) struct Task {
    /// `group/name`.
    pub(crate) id: String,
    /// What is measured, in one line.
    #[serde(rename = "what")]
    pub(crate) about: String,
    /// The unit of the figure.
    unit: &'static str,
    /// OpenSpiel's name of the game, if OpenSpiel can do this task.
    #[serde(skip)]
    pub(crate) openspiel: Option<&'static str>,
    /// Measures once.
    #[serde(skip)]
    measure: fn() -> f64,
}

/// Units. Of a rate, more is better.
const GAMES: &str = "games/s";
const SIMULATIONS: &str = "simulations/s";
const MILLISECONDS: &str = "ms";
const MICROSECONDS: &str = "µs";
/// The time of two threads divided by the time of one.
const SHARE: &str = "of one thread's time";

impl Task {
    fn new(id: &str, about: &str, unit: &'static str, measure: fn() -> f64) -> Task {
        Task { id: id.to_string(), about: about.to_string(), unit, openspiel: None, measure }
    }

    fn is_rate(&self) -> bool {
        self.unit.ends_with("/s")
    }

    /// The better of two figures.
    fn better(&self, a: f64, b: f64) -> f64 {
        if self.is_rate() { a.max(b) } else { a.min(b) }
    }

    fn text(&self, figure: f64) -> String {
        match self.unit {
            _ if self.is_rate() => grouped(figure.max(0.0) as u128),
            SHARE => format!("{figure:.2}x"),
            _ => format!("{figure:.2}"),
        }
    }
}

/// The id of a game, its name, OpenSpiel's name, and a benchmark of random games.
type Playouts = (&'static str, &'static str, &'static str, fn() -> f64);

/// All tasks.
pub(crate) fn tasks() -> Vec<Task> {
    let mnk = || {
        MnkRules::new(15, 15, 5).map_or(f64::NAN, |rules| playouts(Mnk::<LineBoard>::new(rules)))
    };
    let games: [Playouts; 6] = [
        ("tictactoe", "tic-tac-toe", "tic_tac_toe", || playouts(TicTacToe::new())),
        ("connect4", "Connect Four, 7x6", "connect_four", || playouts(Connect4::new())),
        ("mnk", "(15,15,5)", "gomoku(size=15,connect=5)", mnk),
        ("othello", "Othello, 8x8", "othello", || playouts(Othello::<8>::new())),
        ("checkers", "checkers", "checkers", || playouts(Checkers::new())),
        ("chess", "chess", "chess", || playouts(Chess::new())),
    ];
    let playouts = games.map(|(name, game, openspiel, measure)| Task {
        openspiel: Some(openspiel),
        ..Task::new(&format!("playouts/{name}"), &format!("random games of {game}"), GAMES, measure)
    });
    let others = [
        Task {
            openspiel: Some("connect_four"),
            ..Task::new(
                "uct/1-thread",
                "UCT with random rollouts from the empty Connect Four board",
                SIMULATIONS,
                || uct(UctThreads::One),
            )
        },
        Task::new("uct/2-threads", "the same with two threads in one tree", SIMULATIONS, || {
            uct(UctThreads::Tree(2))
        }),
        Task::new(
            "alphabeta/depth-12",
            "alpha-beta without table or estimate, empty Connect Four board, depth 12",
            MILLISECONDS,
            || milliseconds(|| search(&without_table(), ZeroEvaluator, 12)),
        ),
        Task::new(
            "deepening/depth-14",
            "iterative deepening with table and heuristic, empty Connect Four board, depth 14",
            MILLISECONDS,
            || milliseconds(|| search(&EngineOptions::exact(), GameHeuristic, 14)),
        ),
        Task::new(
            "threads/connect4",
            "two threads on one table, Connect Four, depth 16",
            SHARE,
            || two_threads(Connect4::new(), 16),
        ),
        Task::new("threads/othello", "two threads on one table, Othello, depth 13", SHARE, || {
            two_threads(Othello::<8>::new(), 13)
        }),
        Task::new(
            "arena/stored-games",
            "tic-tac-toe between random players, every game stored in a SQLite file",
            GAMES,
            arena::stored_games,
        ),
        Task::new(
            "arena/overhead",
            "overhead of a move in a match between random players, Connect Four",
            MICROSECONDS,
            arena::overhead,
        ),
        Task::new(
            "arena/pool",
            "ratings with error bars of 20 players with 10,000 games each",
            MILLISECONDS,
            arena::pool,
        ),
    ];
    playouts.into_iter().chain(others).collect()
}

/// The best figures of all rounds of a task.
#[derive(Serialize)]
pub(crate) struct TaskResult<'a> {
    #[serde(flatten)]
    task: &'a Task,
    figure: f64,
    peers: Vec<PeerFigure>,
}

/// Measures tasks; in each round, ours first and then the peers.
pub(crate) fn run<'a>(
    tasks: &'a [Task],
    peers: &Peers,
    rounds: u16,
) -> Result<Vec<TaskResult<'a>>, Failure> {
    let measure = |task: &Task| Ok(((task.measure)(), peers.measure(task)));
    let measured = in_rounds(tasks, rounds, |task| &task.id, measure)?;
    Ok(tasks.iter().zip(measured).map(|(task, rounds)| TaskResult::new(task, rounds)).collect())
}

impl TaskResult<'_> {
    fn new(task: &Task, rounds: Vec<(f64, Vec<PeerFigure>)>) -> TaskResult<'_> {
        // `max` and `min` prefer any number to NaN.
        let mut figure = f64::NAN;
        let mut peers: Vec<PeerFigure> = Vec::new();
        for (ours, theirs) in rounds {
            figure = task.better(figure, ours);
            for new in theirs {
                match peers.iter_mut().find(|best| best.peer == new.peer) {
                    Some(best) => best.figure = task.better(best.figure, new.figure),
                    None => peers.push(new),
                }
            }
        }
        for PeerFigure { figure: theirs, we_are_times_as_fast, .. } in &mut peers {
            *we_are_times_as_fast =
                if task.is_rate() { figure / *theirs } else { *theirs / figure };
        }
        TaskResult { task, figure, peers }
    }
}

pub(crate) fn print(rows: &[TaskResult<'_>], peers: &Peers) -> Result<(), Failure> {
    let cells = rows.iter().flat_map(|row| {
        let task = row.task;
        let ours = vec![task.id.clone(), task.text(row.figure), task.unit.to_string()];
        let peers = row.peers.iter().map(|peer| {
            let ratio = format!("{:.1}x", peer.we_are_times_as_fast);
            [peer.peer.clone(), task.text(peer.figure), ratio]
        });
        with_peers(ours, peers)
    });
    print_titled(&["task", "tesuji", "", "peer", "peer's figure", "ratio"], cells)?;
    peers.print_missing()
}

/// The time in which a rate is measured.
const WINDOW: Duration = Duration::from_millis(700);

fn playouts<P: Playable>(start: P) -> f64 {
    const BATCH: u64 = 100;
    let mut rng = seeded(1);
    let started = Instant::now();
    let mut games = 0;
    while started.elapsed() < WINDOW {
        for _ in 0..BATCH {
            black_box(random_playout(&mut start.clone(), &mut rng));
        }
        games += BATCH;
    }
    games as f64 / started.elapsed().as_secs_f64()
}

fn uct(threads: UctThreads) -> f64 {
    let options = UctOptions { threads, reuse: false, ..UctOptions::default() };
    let mut search = Uct::<Connect4>::new(options);
    let limits = Limits::nodes(200_000);
    // The first search allocates memory; the peers are measured over many searches, too.
    search.run(&Connect4::new(), &limits);
    let started = Instant::now();
    let mut simulations = 0;
    while started.elapsed() < WINDOW {
        simulations += black_box(search.run(&Connect4::new(), &limits)).nodes;
    }
    simulations as f64 / started.elapsed().as_secs_f64()
}

/// Alpha-beta with the game's move order and win detection, without a table.
fn without_table() -> EngineOptions<Connect4> {
    EngineOptions {
        table: None,
        ordering: MoveOrdering::Game,
        window: WindowMode::AlphaBeta,
        deepening: Deepening::Off,
        ..EngineOptions::exact()
    }
}

fn search(options: &EngineOptions<Connect4>, evaluator: impl Evaluator<Connect4>, depth: u32) {
    let mut engine = Engine::new(evaluator, options.clone());
    black_box(engine.run(&Connect4::new(), &Limits::depth(depth)));
}

/// The shortest time of three runs.
fn milliseconds(mut work: impl FnMut()) -> f64 {
    let times = (0..3).map(|_| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64() * 1000.0
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The time of two threads to a fixed depth divided by that of one, each with an empty table.
fn two_threads<P: Playable>(start: P, depth: u32) -> f64 {
    let run = |threads| {
        let options = EngineOptions { threads, ..EngineOptions::<P>::exact() };
        let mut engine = Engine::new(GameHeuristic, options);
        // The table is allocated before the clock starts: that takes equally long for both.
        let started = Instant::now();
        black_box(engine.run(&start, &Limits::depth(depth)));
        started.elapsed().as_secs_f64()
    };
    let (mut one, mut two) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        one = one.min(run(1));
        two = two.min(run(2));
    }
    two / one
}
