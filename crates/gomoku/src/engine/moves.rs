//! Which moves a position leaves to the side to move, and in which order they are tried.
//!
//! Threats decide first. Whoever can be answered with five must stop that; whoever can be answered with a four that
//! cannot be stopped must take it away, or make fours. No other move needs to be looked at.

use tesuji_games::{RowRule, Side};

use super::weights::WeightTables;
use crate::board::Board;
use crate::cell::{Cell, CellSet};
use crate::class::MoveClass;
use crate::defense::{blocking_cells, five_blocking_cells};
use crate::vcf::is_legal_four;

/// What the other side threatens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpponentThreat {
    /// Nothing that must be answered.
    None,
    /// An unstoppable four.
    OpenFour,
    /// Five.
    Five,
}

impl OpponentThreat {
    /// On the side to move.
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

/// A move and how early it is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedMove {
    pub(crate) cell: Cell,
    /// How promising the tables find it.
    pub(crate) move_score: i32,
    /// The promise and what the search has learnt.
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

/// Adds the moves that pressure leaves, with their promise. Black's forbidden moves in renju may be among them.
pub(crate) fn push_moves(
    board: &Board,
    weights: &WeightTables,
    threat: OpponentThreat,
    moves: &mut Vec<RankedMove>,
) {
    let cells = answers(board, threat);
    let side = board.to_move();
    cells.for_each(|cell| {
        let move_score = weights.move_score(side, board.code(side, cell), board.code(!side, cell));
        moves.push(RankedMove { cell, move_score, rank: move_score });
    });
}

/// The cells that pressure leaves: any other answer loses.
pub(crate) fn answers(board: &Board, threat: OpponentThreat) -> CellSet {
    match threat {
        OpponentThreat::None => board.candidates(),
        OpponentThreat::OpenFour => fours(board).or(&open_fours_blocking_cells(board)),
        OpponentThreat::Five => fives_blocking_cells(board),
    }
}

/// Where the side to move makes a four.
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

/// Where one stone takes all unstoppable fours away that the other side could make.
fn open_fours_blocking_cells(board: &Board) -> CellSet {
    let other = !board.to_move();
    in_all(board.cells(other, MoveClass::OpenFour), |cell| blocking_cells(board, other, cell))
}

/// Where one stone leaves the other side no five.
pub(crate) fn fives_blocking_cells(board: &Board) -> CellSet {
    let other = !board.to_move();
    let fives = board.cells(other, MoveClass::Five);
    // Only in caro does a stone elsewhere stop a five, so that one stone may stop several.
    match (board.rule(), board.count(other, MoveClass::Five)) {
        (RowRule::Open, _) => in_all(fives, |cell| five_blocking_cells(board, other, cell)),
        (_, 1) => *fives,
        _ => CellSet::NONE,
    }
}

/// What is in the set of every one of the cells.
fn in_all(cells: &CellSet, set_of: impl Fn(Cell) -> CellSet) -> CellSet {
    let mut left: Option<CellSet> = None;
    cells.for_each(|cell| {
        let set = set_of(cell);
        left = Some(left.map_or(set, |left| left.and(&set)));
    });
    left.unwrap_or(CellSet::NONE)
}

/// Brings the best of `moves[next..]` to the place `next`.
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
