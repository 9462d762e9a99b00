//! What a position is worth to the side to move: the sum over the empty cells of what each would be to either
//! side, and what the threats on the board mean together.
//!
//! The sums change only where a stone changes what cells say, so they are kept from stone to stone; the slow way,
//! [`sums_of`], is what tests compare with.

use tesuji_games::Side;

use super::weights::WeightTables;
use crate::board::Board;
use crate::cell::Cell;
use crate::class::MoveClass;

/// For each side, the sum of what the empty cells are worth to it.
pub type Sums = [i32; 2];

/// The sums, cell by cell.
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

/// The sums after the last stone, given those before it.
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

/// The estimate for the side to move.
#[inline]
pub fn estimate(weights: &WeightTables, board: &Board, sums: Sums) -> i32 {
    let own = board.to_move();
    sums[own.index()] - sums[(!own).index()] + weights.threats(own, threats(board))
}

/// Which threats there are, as bits: for the side to move whether it can make an unstoppable four, a four and an open
/// three, a four, two threes or an open three and more, an open three; for the other side the same after whether it
/// can make five.
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
    fn kept_sums_are_those_of_all_cells() {
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
