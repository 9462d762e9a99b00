//! Which moves a position leaves to the side to move, and in which order they are tried.
//!
//! Threats decide first. Whoever can be answered with five must stop that; whoever can be answered with a four that
//! cannot be stopped must take it away, or make fours. No other move needs to be looked at.

use tesuji_games::{RowRule, Side};

use super::weights::Weights;
use crate::board::Board;
use crate::cell::{Cell, CellSet};
use crate::class::Class;
use crate::defence::{stops, stops_of_five};
use crate::vcf::is_legal_four;

/// What the other side threatens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pressure {
    /// Nothing that must be answered.
    None,
    /// An unstoppable four.
    OpenFour,
    /// Five.
    Five,
}

impl Pressure {
    /// On the side to move.
    #[inline]
    pub(crate) fn on(board: &Board) -> Pressure {
        let other = !board.to_move();
        if board.count(other, Class::Five) > 0 {
            Pressure::Five
        } else if board.count(other, Class::OpenFour) > 0 {
            Pressure::OpenFour
        } else {
            Pressure::None
        }
    }
}

/// A move and how early it is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    pub(crate) cell: Cell,
    /// How promising the tables find it.
    pub(crate) promise: i32,
    /// The promise and what the search has learnt.
    pub(crate) rank: i32,
}

/// Whether `side` has a move that makes a four.
#[inline]
pub(crate) fn has_fours(board: &Board, side: Side) -> bool {
    const FOURS: [Class; 5] =
        [Class::FourThree, Class::FourPlus, Class::Four, Class::OpenFour, Class::Doubtful];
    FOURS.iter().any(|&class| board.count(side, class) > 0)
}

/// Whether a stone of `side` on this cell makes a four.
#[inline]
pub(crate) fn is_four(board: &Board, side: Side, cell: Cell) -> bool {
    match board.class(side, cell) {
        Class::Four | Class::FourPlus | Class::FourThree | Class::OpenFour => true,
        Class::Doubtful => is_legal_four(board, side, cell),
        _ => false,
    }
}

/// Adds the moves that pressure leaves, with their promise. Black's forbidden moves in renju may be among them.
pub(crate) fn push_moves(
    board: &Board,
    weights: &Weights,
    pressure: Pressure,
    moves: &mut Vec<Ranked>,
) {
    let cells = answers(board, pressure);
    let side = board.to_move();
    cells.for_each(|cell| {
        let promise = weights.promise(side, board.code(side, cell), board.code(!side, cell));
        moves.push(Ranked { cell, promise, rank: promise });
    });
}

/// The cells that pressure leaves: any other answer loses.
pub(crate) fn answers(board: &Board, pressure: Pressure) -> CellSet {
    match pressure {
        Pressure::None => board.candidates(),
        Pressure::OpenFour => fours(board).or(&stops_of_open_fours(board)),
        Pressure::Five => stops_of_fives(board),
    }
}

/// Where the side to move makes a four.
pub(crate) fn fours(board: &Board) -> CellSet {
    let side = board.to_move();
    let sure = [Class::Four, Class::FourPlus, Class::FourThree, Class::OpenFour];
    let mut cells =
        sure.iter().fold(CellSet::NONE, |cells, &class| cells.or(board.cells(side, class)));
    if board.count(side, Class::Doubtful) > 0 {
        board.cells(side, Class::Doubtful).for_each(|cell| {
            if is_legal_four(board, side, cell) {
                cells.toggle(cell);
            }
        });
    }
    cells
}

/// Where one stone takes all unstoppable fours away that the other side could make.
fn stops_of_open_fours(board: &Board) -> CellSet {
    let other = !board.to_move();
    in_all(board.cells(other, Class::OpenFour), |cell| stops(board, other, cell))
}

/// Where one stone leaves the other side no five.
pub(crate) fn stops_of_fives(board: &Board) -> CellSet {
    let other = !board.to_move();
    let fives = board.cells(other, Class::Five);
    // Only in caro does a stone elsewhere stop a five, so that one stone may stop several.
    match (board.rule(), board.count(other, Class::Five)) {
        (RowRule::Caro, _) => in_all(fives, |cell| stops_of_five(board, other, cell)),
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
pub(crate) fn pick(moves: &mut [Ranked], next: usize) -> Ranked {
    let mut best = next;
    for n in next + 1..moves.len() {
        if moves[n].rank > moves[best].rank {
            best = n;
        }
    }
    moves.swap(next, best);
    moves[next]
}
