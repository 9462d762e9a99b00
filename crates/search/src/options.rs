//! Everything that can be switched on the [`Engine`](crate::Engine). None of it changes the value found
//! at a given depth, except where a field says so.

use tesuji_games::{ForcingMoves, Playable, Position};

use crate::ordering::Ordering;
use crate::transposition::{DepthMatch, TableSize};

/// How an engine searches.
#[derive(Clone)]
pub struct EngineOptions<P: Position> {
    /// The size of the transposition table, if there is to be one.
    pub table: Option<TableSize>,
    /// Which entries of the table count. [`DepthMatch::SameOrDeeper`] changes values.
    pub depth_match: DepthMatch,
    /// Which moves come first.
    pub ordering: Ordering,
    /// Ask the game for a move that wins at once before trying any, and give up lines that could at best
    /// win later (or lose sooner) than one already found.
    pub win_detection: bool,
    /// Search on beyond the horizon while there are forcing moves. Changes values: leaves are settled
    /// positions.
    pub quiescence: Option<ForcingMoves<P>>,
    /// How far forcing moves are followed at most.
    pub quiescence_depth: u32,
    /// The windows of moves after the first.
    pub window: Window,
    /// The half width of the first window around the score of the iteration before.
    pub aspiration: Option<i32>,
    /// Depth 1, then 2, and so on; otherwise the wanted depth at once.
    pub deepening: Deepening,
    /// How many threads may search, this one included.
    pub threads: usize,
    /// What they do.
    pub parallel: Parallel,
}

/// The windows of moves after the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Window {
    /// Each move gets what is left of the node's window.
    AlphaBeta,
    /// Each move must first prove with an empty window that it beats the best so far (Marsland and
    /// Campbell, 1982).
    PrincipalVariation,
}

/// How the wanted depth is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deepening {
    /// At once.
    Off,
    /// Ply by ply: each iteration orders the next, and there is always a finished one to fall back on.
    On,
}

/// What several threads do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parallel {
    /// They share out the moves of the root.
    RootSplit,
    /// They search the same tree and share the table; without a table they split the root.
    SharedTable,
}

impl<P: Position> EngineOptions<P> {
    /// Nothing but alpha-beta to the wanted depth.
    pub fn plain() -> Self {
        EngineOptions {
            table: None,
            depth_match: DepthMatch::Same,
            ordering: Ordering::Off,
            win_detection: false,
            quiescence: None,
            quiescence_depth: 16,
            window: Window::AlphaBeta,
            aspiration: None,
            deepening: Deepening::Off,
            threads: 1,
            parallel: Parallel::SharedTable,
        }
    }

    /// Everything that keeps the value of plain minimax at the same depth.
    pub fn exact() -> Self {
        EngineOptions {
            table: Some(TableSize::megabytes(64)),
            ordering: Ordering::Full,
            win_detection: true,
            window: Window::PrincipalVariation,
            deepening: Deepening::On,
            ..EngineOptions::plain()
        }
    }
}

impl<P: Playable> EngineOptions<P> {
    /// What plays best: [`exact`](Self::exact), deeper table entries, and quiescence where the game has
    /// forcing moves.
    pub fn strongest() -> Self {
        EngineOptions {
            depth_match: DepthMatch::SameOrDeeper,
            quiescence: P::tactics(),
            ..EngineOptions::exact()
        }
    }
}
