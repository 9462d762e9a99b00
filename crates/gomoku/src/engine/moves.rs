//! Move generation and ordering.
//!
//! Threats restrict the moves. Against a threatened five, only its blocking cells are generated;
//! against a threatened unstoppable four, only its blocking cells and own fours. Any other move
//! loses.

use tesuji_games::{RowRule, Side};

use super::weights::WeightTables;
use crate::board::Board;
use crate::cell::{Cell, CellSet};
use crate::class::MoveClass;
use crate::defense::{blocking_cells, five_blocking_cells};
use crate::vcf::is_legal_four;

/// The strongest threat of the opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpponentThreat {
    /// No threat that must be answered.
    None,
    /// A threatened unstoppable four.
    OpenFour,
    /// A threatened five.
    Five,
}

impl OpponentThreat {
    /// The threat that the side to move faces.
    #[inline]
    pub(crate) fn facing(board: &Board) -> OpponentThreat {
        let other = !board.to_move();
        if board.count(other, MoveClass::Five) > 0 {
            OpponentThreat::Five
        } else if board.count(other, MoveClass::OpenFour) > 0 {
            OpponentThreat::OpenFour
        } else {
            OpponentThreat::None
        }
    }
}

/// A move and its rank in the move order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedMove {
    pub(crate) cell: Cell,
    /// The score by the weights.
    pub(crate) move_score: i32,
    /// The score plus the search statistics.
    pub(crate) rank: i32,
}

/// Whether `side` has a move that makes a four.
#[inline]
pub(crate) fn has_fours(board: &Board, side: Side) -> bool {
    const FOURS: [MoveClass; 5] = [
        MoveClass::FourThree,
        MoveClass::FourPlus,
        MoveClass::Four,
        MoveClass::OpenFour,
        MoveClass::Doubtful,
    ];
    FOURS.iter().any(|&class| board.count(side, class) > 0)
}

/// Whether a stone of `side` on this cell makes a four.
#[inline]
pub(crate) fn is_four(board: &Board, side: Side, cell: Cell) -> bool {
    match board.class(side, cell) {
        MoveClass::Four | MoveClass::FourPlus | MoveClass::FourThree | MoveClass::OpenFour => true,
        MoveClass::Doubtful => is_legal_four(board, side, cell),
        _ => false,
    }
}

/// Generates and scores the moves allowed by the threat. They may include black's forbidden moves
/// in renju.
pub(crate) fn push_moves(
    board: &Board,
    weights: &WeightTables,
    threat: OpponentThreat,
    moves: &mut Vec<RankedMove>,
) {
    let cells = allowed_cells(board, threat);
    let side = board.to_move();
    cells.for_each(|cell| {
        let move_score = weights.move_score(side, board.code(side, cell), board.code(!side, cell));
        moves.push(RankedMove { cell, move_score, rank: move_score });
    });
}

/// The cells of the moves allowed by the threat; any other move loses.
pub(crate) fn allowed_cells(board: &Board, threat: OpponentThreat) -> CellSet {
    match threat {
        OpponentThreat::None => board.candidates(),
        OpponentThreat::OpenFour => fours(board).or(&open_fours_blocking_cells(board)),
        OpponentThreat::Five => fives_blocking_cells(board),
    }
}

/// The cells where the side to move makes a four.
pub(crate) fn fours(board: &Board) -> CellSet {
    let side = board.to_move();
    let sure = [MoveClass::Four, MoveClass::FourPlus, MoveClass::FourThree, MoveClass::OpenFour];
    let mut cells =
        sure.iter().fold(CellSet::NONE, |cells, &class| cells.or(board.cells(side, class)));
    if board.count(side, MoveClass::Doubtful) > 0 {
        board.cells(side, MoveClass::Doubtful).for_each(|cell| {
            if is_legal_four(board, side, cell) {
                cells.toggle(cell);
            }
        });
    }
    cells
}

/// The cells that block all unstoppable fours of the opponent.
fn open_fours_blocking_cells(board: &Board) -> CellSet {
    let other = !board.to_move();
    intersection(board.cells(other, MoveClass::OpenFour), |cell| blocking_cells(board, other, cell))
}

/// The cells that leave the opponent no five.
pub(crate) fn fives_blocking_cells(board: &Board) -> CellSet {
    let other = !board.to_move();
    let fives = board.cells(other, MoveClass::Five);
    // Only in caro does a stone elsewhere block a five, so one stone may block several.
    match (board.rule(), board.count(other, MoveClass::Five)) {
        (RowRule::Caro, _) => intersection(fives, |cell| five_blocking_cells(board, other, cell)),
        (_, 1) => *fives,
        _ => CellSet::NONE,
    }
}

/// The intersection of the sets of all cells.
fn intersection(cells: &CellSet, set_of: impl Fn(Cell) -> CellSet) -> CellSet {
    let mut left: Option<CellSet> = None;
    cells.for_each(|cell| {
        let set = set_of(cell);
        left = Some(left.map_or(set, |left| left.and(&set)));
    });
    left.unwrap_or(CellSet::NONE)
}

/// Swaps the best of `moves[next..]` into the place `next` (selection sort).
#[inline]
pub(crate) fn pick(moves: &mut [RankedMove], next: usize) -> RankedMove {
    let mut best = next;
    for n in next + 1..moves.len() {
        if moves[n].rank > moves[best].rank {
            best = n;
        }
    }
    moves.swap(next, best);
    moves[next]
}
