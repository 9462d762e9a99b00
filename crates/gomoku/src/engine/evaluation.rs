//! The evaluation of a position for the side to move: the sum of the values of all empty cells for
//! either side, plus the value of the combination of threats on the board.
//!
//! A move changes the sums only through the cells whose patterns it changes, so they are updated
//! incrementally. Tests compare them with [`sums_of`].

use tesuji_games::Side;

use super::weights::WeightTables;
use crate::board::Board;
use crate::cell::Cell;
use crate::class::MoveClass;

/// For each side, the sum of the values of the empty cells.
pub type Sums = [i32; 2];

/// Computes the sums from all cells.
pub fn sums_of(weights: &WeightTables, board: &Board) -> Sums {
    let mut sums = [0; 2];
    for row in 0..board.height() {
        for column in 0..board.width() {
            let cell = Cell::new(column, row);
            for side in Side::ALL {
                sums[side.index()] += weights.worth(side, board.code(side, cell));
            }
        }
    }
    sums
}

/// Updates the sums after the last move.
#[inline]
pub fn sums_after(weights: &WeightTables, board: &Board, before: Sums) -> Sums {
    let mut sums = before;
    for change in board.last_changes() {
        for side in Side::ALL {
            sums[side.index()] += weights.worth(side, board.code(side, change.cell))
                - weights.worth(side, change.codes[side.index()]);
        }
    }
    sums
}

/// The evaluation for the side to move.
#[inline]
pub fn estimate(weights: &WeightTables, board: &Board, sums: Sums) -> i32 {
    let own = board.to_move();
    sums[own.index()] - sums[(!own).index()] + weights.threats(own, threats(board))
}

/// The threats as bits. For the side to move: an unstoppable four, a four with an open three, a
/// four, two threes or an open three with more, an open three. For the opponent: a five, then the
/// same.
#[inline]
pub fn threats(board: &Board) -> usize {
    let (own, other) = (board.to_move(), !board.to_move());
    let five = usize::from(board.count(other, MoveClass::Five) > 0);
    side_threats(board, own) | five << 5 | side_threats(board, other) << 6
}

#[inline]
fn side_threats(board: &Board, side: Side) -> usize {
    let any = |classes: &[MoveClass]| {
        usize::from(classes.iter().any(|&class| board.count(side, class) > 0))
    };
    any(&[MoveClass::OpenFour])
        | any(&[MoveClass::FourThree]) << 1
        | any(&[MoveClass::FourPlus, MoveClass::Four]) << 2
        | any(&[MoveClass::ThreeThree, MoveClass::OpenThreePlus]) << 3
        | any(&[MoveClass::OpenThree]) << 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::RowRule;
    use tesuji_games::random::{below, seeded};

    #[test]
    fn incremental_sums_equal_full_sums() {
        let mut rng = seeded(4);
        for rule in RowRule::ALL {
            let weights = WeightTables::shipped(rule);
            let mut board = Board::new(rule, 15, 15).unwrap();
            let mut sums = sums_of(&weights, &board);
            for _ in 0..150 {
                let cell = Cell::new(below(&mut rng, 15) as usize, below(&mut rng, 15) as usize);
                if board.is_empty_cell(cell) {
                    board.play(cell);
                    sums = sums_after(&weights, &board, sums);
                    assert_eq!(sums, sums_of(&weights, &board), "{rule:?} after {cell}");
                }
            }
        }
    }
}
