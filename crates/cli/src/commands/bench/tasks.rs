//! What can be measured, each on one thread unless it says otherwise.

use std::hint::black_box;
use std::time::{Duration, Instant};

use tesuji_games::random::seeded;
use tesuji_games::rules::checkers::Checkers;
use tesuji_games::rules::chess::Chess;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, Rules};
use tesuji_games::rules::othello::Othello;
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Playable, random_playout};
use tesuji_search::{
    Deepening, Engine, EngineOptions, Evaluator, GameHeuristic, Limits, Ordering, Search, Threads,
    Uct, UctOptions, Window, Zero,
};

use super::arena;

/// One measurement.
pub(crate) struct Task {
    /// `group/name`.
    pub(crate) id: &'static str,
    /// One line.
    pub(crate) what: &'static str,
    /// What the figure means.
    pub(crate) unit: Unit,
    /// OpenSpiel's name of the game, where it has a peer for this task.
    pub(crate) openspiel: Option<&'static str>,
    /// Does it once.
    pub(crate) measure: fn() -> f64,
}

/// What a figure means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    GamesPerSecond,
    SimulationsPerSecond,
    Milliseconds,
    Microseconds,
    /// The time of two threads, divided by that of one.
    ShareOfOneThread,
}

impl Unit {
    /// Whether more is better.
    pub(crate) fn is_rate(self) -> bool {
        matches!(self, Unit::GamesPerSecond | Unit::SimulationsPerSecond)
    }

    /// As printed beside the figure.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::GamesPerSecond => "games/s",
            Unit::SimulationsPerSecond => "simulations/s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "µs",
            Unit::ShareOfOneThread => "of one thread's time",
        }
    }

    /// The figure itself.
    pub(crate) fn text(self, figure: f64) -> String {
        match self {
            Unit::GamesPerSecond | Unit::SimulationsPerSecond => {
                tesuji_play::quantity::grouped(figure.max(0.0) as u128)
            }
            Unit::Milliseconds | Unit::Microseconds => format!("{figure:.2}"),
            Unit::ShareOfOneThread => format!("{figure:.2}x"),
        }
    }
}

/// All of them.
pub(crate) const TASKS: &[Task] = &[
    Task {
        id: "playouts/tictactoe",
        what: "random games of tic-tac-toe",
        unit: Unit::GamesPerSecond,
        openspiel: Some("tic_tac_toe"),
        measure: || playouts(TicTacToe::new()),
    },
    Task {
        id: "playouts/connect4",
        what: "random games of Connect Four, 7x6",
        unit: Unit::GamesPerSecond,
        openspiel: Some("connect_four"),
        measure: || playouts(Connect4::new()),
    },
    Task {
        id: "playouts/mnk",
        what: "random games of (15,15,5)",
        unit: Unit::GamesPerSecond,
        openspiel: Some("gomoku(size=15,connect=5)"),
        measure: || {
            Rules::new(15, 15, 5).map_or(f64::NAN, |rules| playouts(Mnk::<LineBoard>::new(rules)))
        },
    },
    Task {
        id: "playouts/othello",
        what: "random games of Othello, 8x8",
        unit: Unit::GamesPerSecond,
        openspiel: Some("othello"),
        measure: || playouts(Othello::<8>::new()),
    },
    Task {
        id: "playouts/checkers",
        what: "random games of checkers",
        unit: Unit::GamesPerSecond,
        openspiel: Some("checkers"),
        measure: || playouts(Checkers::new()),
    },
    Task {
        id: "playouts/chess",
        what: "random games of chess",
        unit: Unit::GamesPerSecond,
        openspiel: Some("chess"),
        measure: || playouts(Chess::new()),
    },
    Task {
        id: "uct/1-thread",
        what: "UCT with random rollouts from the empty Connect Four board",
        unit: Unit::SimulationsPerSecond,
        openspiel: Some("connect_four"),
        measure: || uct(Threads::One),
    },
    Task {
        id: "uct/2-threads",
        what: "the same with two threads in one tree",
        unit: Unit::SimulationsPerSecond,
        openspiel: None,
        measure: || uct(Threads::Tree(2)),
    },
    Task {
        id: "alphabeta/depth-12",
        what: "alpha-beta without table or estimate, empty Connect Four board, depth 12",
        unit: Unit::Milliseconds,
        openspiel: None,
        measure: || milliseconds(|| search(&without_table(), Zero, 12)),
    },
    Task {
        id: "deepening/depth-14",
        what: "iterative deepening with table and heuristic, empty Connect Four board, depth 14",
        unit: Unit::Milliseconds,
        openspiel: None,
        measure: || milliseconds(|| search(&EngineOptions::exact(), GameHeuristic, 14)),
    },
    Task {
        id: "threads/connect4",
        what: "two threads on one table, Connect Four, depth 16",
        unit: Unit::ShareOfOneThread,
        openspiel: None,
        measure: || two_threads(Connect4::new(), 16),
    },
    Task {
        id: "threads/othello",
        what: "two threads on one table, Othello, depth 13",
        unit: Unit::ShareOfOneThread,
        openspiel: None,
        measure: || two_threads(Othello::<8>::new(), 13),
    },
    Task {
        id: "arena/stored-games",
        what: "tic-tac-toe between random players, every game kept in a SQLite file",
        unit: Unit::GamesPerSecond,
        openspiel: None,
        measure: arena::stored_games,
    },
    Task {
        id: "arena/overhead",
        what: "a move of a match between random players, Connect Four: what is not thinking",
        unit: Unit::Microseconds,
        openspiel: None,
        measure: arena::overhead,
    },
    Task {
        id: "arena/pool",
        what: "ratings with error bars of 20 players with 10,000 games each",
        unit: Unit::Milliseconds,
        openspiel: None,
        measure: arena::pool,
    },
];

/// How long a rate is measured.
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

fn uct(threads: Threads) -> f64 {
    let options = UctOptions { threads, reuse: false, ..UctOptions::default() };
    let mut search = Uct::<Connect4>::new(options);
    let limits = Limits::nodes(200_000);
    // The first search asks the system for memory; the peers, too, are measured over many.
    search.run(&Connect4::new(), &limits);
    let started = Instant::now();
    let mut simulations = 0;
    while started.elapsed() < WINDOW {
        simulations += black_box(search.run(&Connect4::new(), &limits)).nodes;
    }
    simulations as f64 / started.elapsed().as_secs_f64()
}

/// Alpha-beta with the game's move order and win detection, nothing remembered.
fn without_table() -> EngineOptions<Connect4> {
    EngineOptions {
        table: None,
        ordering: Ordering::Game,
        window: Window::AlphaBeta,
        deepening: Deepening::Off,
        ..EngineOptions::exact()
    }
}

fn search(options: &EngineOptions<Connect4>, evaluator: impl Evaluator<Connect4>, depth: u32) {
    let mut engine = Engine::new(evaluator, options.clone());
    black_box(engine.run(&Connect4::new(), &Limits::depth(depth)));
}

/// The shortest of a few runs.
fn milliseconds(mut work: impl FnMut()) -> f64 {
    let times = (0..3).map(|_| {
        let started = Instant::now();
        work();
        started.elapsed().as_secs_f64() * 1000.0
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The time of two threads to a fixed depth, divided by that of one, each from an empty table.
fn two_threads<P: Playable>(start: P, depth: u32) -> f64 {
    let run = |threads| {
        let options = EngineOptions { threads, ..EngineOptions::<P>::exact() };
        let mut engine = Engine::new(GameHeuristic, options);
        // The table is made before the clock starts: that takes as long for one thread as for two.
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
