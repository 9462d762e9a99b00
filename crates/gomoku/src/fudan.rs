//! The Gomoku agents of Shao Yanjun and Shao Yi (report, Fudan University, 2021): the final
//! alpha-beta agent with its ten feature patterns ([`FudanAlphaBeta`]), the first, naive agent
//! ([`FudanNaive`]) and the flat Monte Carlo agent ([`FudanMcts`]).
//!
//! They have their own plain [`FudanBoard`], because they count patterns on whole lines, as regular
//! expressions do, which a competition engine does not need.
//!
//! ```
//! use tesuji_gomoku::fudan::{
//!     FudanAgent, FudanAlphaBeta, FudanAlphaBetaOptions, FudanBoard, FudanCell,
//! };
//! use tesuji_search::Limits;
//!
//! let mut board = FudanBoard::new(15, 15)?;
//! board.play(FudanCell::row_column(7, 7))?;
//! let mut agent = FudanAlphaBeta::new(FudanAlphaBetaOptions::default());
//! assert!(agent.choose(&board, &Limits::default()).is_some());
//! # Ok::<(), tesuji_gomoku::fudan::FudanBoardError>(())
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
    FUDAN_PATTERNS, FudanPattern, LineShape, MAX_SHAPE_CELLS, MAX_SHAPES, PatternCategory,
    PatternCounts, PatternSet, count_matches,
};

use tesuji_games::random;
use tesuji_search::Limits;

/// An agent of the report.
pub trait FudanAgent {
    /// Chooses a move for the side to move and values it; `None` only if no cell is empty. There is
    /// an answer under any limits: at worst the move with the best static value.
    fn consider(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanChoice>;

    /// Chooses a move without its value.
    fn choose(&mut self, board: &FudanBoard, limits: &Limits) -> Option<FudanCell> {
        self.consider(board, limits).map(|choice| choice.cell)
    }

    /// Clears the cache. The next choice is that of a new agent.
    fn forget(&mut self) {}
}

/// A move and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FudanChoice {
    /// The move.
    pub cell: FudanCell,
    /// The value for the side that plays it, in tenths of the agent's unit: values of patterns, or
    /// playouts won minus playouts lost in a thousand.
    pub points: Points,
    /// The depth of the search.
    pub depth: u32,
    /// The number of positions searched (playouts for Monte Carlo).
    pub nodes: u64,
    /// Whether a limit ended the search early.
    pub cut_short: bool,
}

impl FudanChoice {
    /// A move without a value.
    fn without_search(cell: FudanCell) -> FudanChoice {
        FudanChoice { cell, points: 0, depth: 0, nodes: 0, cut_short: false }
    }
}

/// A uniformly random empty cell: the move of the published programs whenever their search has no
/// answer (in particular on the empty board).
fn any_empty_cell(board: &FudanBoard, seed: u64) -> Option<FudanCell> {
    let empty: Vec<FudanCell> = board.cells().filter(|&cell| board.is_empty(cell)).collect();
    let mut rng = random::seeded(random::derived(seed, [board.key()]));
    random::choose(&mut rng, &empty).copied()
}

/// The empty cell nearest to the middle of the board.
fn central_cell(board: &FudanBoard) -> Option<FudanCell> {
    let (middle_row, middle_column) = (board.rows() as i32 / 2, board.columns() as i32 / 2);
    board.cells().filter(|&cell| board.is_empty(cell)).min_by_key(|cell| {
        let (down, right) = (cell.row as i32 - middle_row, cell.column as i32 - middle_column);
        down * down + right * right
    })
}

#[cfg(test)]
mod tests;
