//! Verifies a victory by continuous fours move by move.

use tesuji_games::{RowRule, Side};

use crate::board::{Board, BoardError};
use crate::cell::Cell;
use crate::class::MoveClass;

/// Why a line is not a victory by continuous fours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VcfLineError {
    /// A move is illegal.
    #[error("move {ply} ({cell}): illegal: {reason}")]
    Illegal {
        /// The number of the move, from 1.
        ply: usize,
        /// The cell.
        cell: Cell,
        /// The reason.
        reason: BoardError,
    },
    /// A move of the attacker does not threaten five, or allows the defender a five.
    #[error("move {ply} ({cell}): does not force a reply; expected a four")]
    NotForcing {
        /// The number of the move, from 1.
        ply: usize,
        /// The cell.
        cell: Cell,
    },
    /// A reply does not block the five.
    #[error("move {ply} ({cell}): does not block the five; expected a blocking move")]
    NotBlocking {
        /// The number of the move, from 1.
        ply: usize,
        /// The cell.
        cell: Cell,
    },
    /// The line ends before the attacker has won.
    #[error("line: ends before the win; expected a five or an unanswerable four")]
    TooShort,
}

/// Plays a line of [`VcfOutcome::Win`](super::VcfOutcome::Win) on a copy of the board and checks
/// every move. In caro, where a four may have several replies, only the replies of the line are
/// checked.
pub fn verify(board: &Board, attacker: Side, line: &[Cell]) -> Result<(), VcfLineError> {
    let mut board = board.clone();
    if board.to_move() != attacker {
        board.pass();
    }
    for (&cell, ply) in line.iter().zip(1..) {
        if board.to_move() != attacker && !is_block(&board, cell) {
            return Err(VcfLineError::NotBlocking { ply, cell });
        }
        board.try_play(cell).map_err(|reason| VcfLineError::Illegal { ply, cell, reason })?;
        let (threats, counter) = (fives(&board, attacker), fives(&board, !attacker));
        if board.winner().is_none() && board.to_move() != attacker && (threats == 0 || counter > 0)
        {
            return Err(VcfLineError::NotForcing { ply, cell });
        }
    }
    let cannot_be_stopped = || {
        let stop = board.cells(attacker, MoveClass::Five).first();
        board.to_move() != attacker && stop.is_some_and(|cell| board.is_forbidden(!attacker, cell))
    };
    match board.winner() {
        Some(side) if side == attacker => Ok(()),
        None if cannot_be_stopped() => Ok(()),
        _ => Err(VcfLineError::TooShort),
    }
}

fn fives(board: &Board, side: Side) -> usize {
    board.count(side, MoveClass::Five)
}

/// Whether the move blocks the five, or no single move can.
fn is_block(board: &Board, cell: Cell) -> bool {
    let threatened = board.cells(!board.to_move(), MoveClass::Five);
    board.rule() == RowRule::Caro || threatened.len() > 1 || threatened.contains(cell)
}
