//! The Gomoku agents of Shao Yanjun and Shao Yi (report, Fudan University, 2021), as players that any match
//! can use: the final alpha-beta agent with its ten feature patterns ([`FudanAlphaBeta`]), the first naive one
//! ([`FudanNaive`]) and the flat Monte Carlo one ([`FudanMcts`]).
//!
//! They keep their own plain [`FudanBoard`], because what they count (patterns on whole lines, as regular
//! expressions would) is not what a competition engine wants to keep.
//!
//! ```
//! use tesuji_gomoku::report::{AlphaBeta, Board, Cell, Options, ReportAgent};
//! use tesuji_search::Limits;
//!
//! let mut board = Board::new(15, 15)?;
//! board.play(Cell::row_column(7, 7))?;
//! let mut agent = AlphaBeta::new(Options::default());
//! assert!(agent.choose(&board, &Limits::default()).is_some());
//! # Ok::<(), tesuji_gomoku::report::BoardError>(())
//! ```

mod alphabeta;
mod board;
mod count_cache;
mod evaluation;
mod limit_meter;
mod lines;
mod mcts;
mod move_generation;
mod naive;
mod parameters;
mod patterns;

pub use alphabeta::{FudanAlphaBeta, FudanAlphaBetaOptions};
pub use board::{
    CandidateReach, FudanBoard, FudanBoardError, FudanCell, FudanSquare, LONGEST_SIDE,
};
pub use evaluation::{EarlyExit, FudanEvaluation, Points, TENTHS};
pub use mcts::{FudanMcts, FudanMctsOptions, PlayoutStage};
pub use naive::{FudanNaive, FudanNaiveOptions};
pub use parameters::{FudanParameters, ParameterSet, ThreatRule};
pub use patterns::{
    FUDAN_PATTERNS, FudanPattern, MAX_SHAPE_CELLS, MAX_SHAPES, PatternCategory, PatternCounts,
    PatternSet, PatternShape, count_matches,
};

use tesuji_games::random;
use tesuji_search::Limits;

/// An agent of the report.
pub trait FudanAgent {
    /// A move for the side to move, and what the agent thinks of it; `None` only where no cell is empty. Whatever
    /// the limits are, there is an answer: at worst the one that looks best without search.
    fn consider(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanChoice>;

    /// The move alone.
    fn choose(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanCell> {
        self.consider(board, limits).map(|choice| choice.cell)
    }

    /// Forgets what was remembered of the match so far. The next choice is that of a new agent.
    fn forget(&mut self) {}
}

/// A move and what an agent thinks of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FudanChoice {
    /// The move.
    pub cell: FudanCell,
    /// Its worth to the side that plays it, in tenths of what the agent counts in: values of patterns, or playouts won
    /// less playouts lost in a thousand.
    pub points: Points,
    /// How deep the search went that found it.
    pub depth: u32,
    /// Positions explored in all (playouts, for Monte Carlo).
    pub nodes: u64,
    /// Whether a limit ended the search before it had looked at everything.
    pub cut_short: bool,
}

impl FudanChoice {
    /// A move of which nothing is known.
    fn without_search(cell: FudanCell) -> FudanChoice {
        FudanChoice { cell, points: 0, depth: 0, nodes: 0, cut_short: false }
    }
}

/// Any empty cell, each as likely as any other: what the published programs play whenever their search has no
/// answer (in particular on the empty board).
fn any_empty_cell(board: &FudanBoard, seed: u64) -> Option<FudanCell> {
    let empty: Vec<FudanCell> = board.cells().filter(|&cell| board.is_empty(cell)).collect();
    let mut rng = random::seeded(random::derived(seed, [board.key()]));
    random::choose(&mut rng, &empty).copied()
}

/// The empty cell next to the middle of the board.
fn central_cell(board: &FudanBoard) -> Option<FudanCell> {
    let (middle_row, middle_column) = (board.rows() as i32 / 2, board.columns() as i32 / 2);
    board.cells().filter(|&cell| board.is_empty(cell)).min_by_key(|cell| {
        let (down, right) = (cell.row as i32 - middle_row, cell.column as i32 - middle_column);
        down * down + right * right
    })
}

#[cfg(test)]
mod tests;
