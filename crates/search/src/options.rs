//! The options of the [`Engine`](crate::Engine). None changes the value found at a given depth,
//! unless its field documents otherwise.

use tesuji_games::{ForcingMoves, Playable, Position, Symmetries};

use crate::ordering::MoveOrdering;
use crate::transposition::{DepthMatch, TableSize};

/// The options of an engine.
#[derive(Clone)]
pub struct EngineOptions<P: Position> {
    /// The size of the transposition table; `None` for no table.
    pub table: Option<TableSize>,
    /// The table entries to use. [`DepthMatch::SameOrDeeper`] changes values.
    pub depth_match: DepthMatch,
    /// The symmetries under which positions share a table entry. `None`: each position has its own
    /// entry. The evaluator must value all images of a position equally.
    pub symmetries: Option<Symmetries<P>>,
    /// The move ordering.
    pub ordering: MoveOrdering,
    /// Check for an immediate win before searching moves, and prune lines that could at best win
    /// later (or lose sooner) than one already found.
    pub win_detection: bool,
    /// Search forcing moves beyond the horizon. Changes values: leaves become quiet positions.
    pub quiescence: Option<ForcingMoves<P>>,
    /// The maximum depth of quiescence search.
    pub quiescence_depth: u32,
    /// The windows for moves after the first.
    pub window: WindowMode,
    /// The half width of the aspiration window around the score of the previous iteration.
    pub aspiration: Option<i32>,
    /// Whether to search depth 1, then 2, and so on, or the full depth at once.
    pub deepening: Deepening,
    /// The maximum number of threads, including the calling one.
    pub threads: usize,
    /// How the threads share the work.
    pub parallel: ParallelMode,
}

/// The search windows for moves after the first in a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WindowMode {
    /// Each move gets the remaining window of the node.
    AlphaBeta,
    /// A null-window search must first show that the move beats the best so far (principal
    /// variation search; Marsland and Campbell, 1982).
    PrincipalVariation,
}

/// Whether a search uses iterative deepening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deepening {
    /// Search the full depth at once.
    Off,
    /// Deepen ply by ply: each iteration orders the next, and there is always a completed one to
    /// fall back on.
    On,
}

/// How several threads share the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParallelMode {
    /// The threads split the moves of the root.
    RootSplit,
    /// The threads search the same tree and share the table; without a table they split the root.
    SharedTable,
}

impl<P: Position> EngineOptions<P> {
    /// Plain alpha-beta to the requested depth.
    pub fn plain() -> Self {
        EngineOptions {
            table: None,
            depth_match: DepthMatch::Same,
            symmetries: None,
            ordering: MoveOrdering::Off,
            win_detection: false,
            quiescence: None,
            quiescence_depth: 16,
            window: WindowMode::AlphaBeta,
            aspiration: None,
            deepening: Deepening::Off,
            threads: 1,
            parallel: ParallelMode::SharedTable,
        }
    }

    /// All options that keep the value of plain minimax at the same depth.
    pub fn exact() -> Self {
        EngineOptions {
            table: Some(TableSize::megabytes(64)),
            ordering: MoveOrdering::Full,
            win_detection: true,
            window: WindowMode::PrincipalVariation,
            deepening: Deepening::On,
            ..EngineOptions::plain()
        }
    }
}

impl<P: Playable> EngineOptions<P> {
    /// The strongest play: [`exact`](Self::exact) plus deeper table entries and, if the game
    /// declares forcing moves, quiescence.
    pub fn strongest() -> Self {
        EngineOptions {
            depth_match: DepthMatch::SameOrDeeper,
            quiescence: P::tactics(),
            ..EngineOptions::exact()
        }
    }
}
