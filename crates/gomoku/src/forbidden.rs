//! The forbidden moves of black in renju: overlines, double fours and double threes with real
//! threes. A five is allowed whatever else it creates.
//!
//! A three is real if a further stone can turn it into an open four immediately, on a cell that is
//! not forbidden and where it makes no five. The definition is recursive and ends because each step
//! adds a stone. The [`MoveClass`] nearly always decides without it.

use tesuji_games::Side;

use crate::cell::Cell;
use crate::class::MoveClass;
use crate::line_table::LineTable;
use crate::lines::{Direction, LineBitboards};
use crate::pattern::{LinePattern, OWN, empty_cells, with_stone};

/// Whether an empty cell is forbidden to black; the rule must be renju.
pub fn is_forbidden(lines: &LineBitboards, cell: Cell) -> bool {
    is_forbidden_now(&mut lines.clone(), cell)
}

/// Same as [`is_forbidden`] on lines that it modifies and restores.
fn is_forbidden_now(lines: &mut LineBitboards, cell: Cell) -> bool {
    match lines.class(Side::First, cell) {
        MoveClass::Forbidden => true,
        MoveClass::Doubtful => has_two_real_threes(lines, cell),
        _ => false,
    }
}

fn has_two_real_threes(lines: &mut LineBitboards, cell: Cell) -> bool {
    let threes = Direction::ALL.map(|d| lines.pattern(d, Side::First, cell).is_open_three());
    lines.toggle_stone(Side::First, cell);
    let mut real = 0;
    for direction in Direction::ALL {
        if real < 2 && threes[direction as usize] && is_real_three(lines, direction, cell) {
            real += 1;
        }
    }
    lines.toggle_stone(Side::First, cell);
    real == 2
}

/// Whether the three through a stone on the board can become an open four on a cell where black may
/// play. A five in another line is not an open four, by the rules and by the referee of Gomocup.
fn is_real_three(lines: &mut LineBitboards, direction: Direction, stone: Cell) -> bool {
    // The key excludes the stone itself, and the table assumes it.
    let key = lines.key(direction, stone);
    let table = LineTable::of(lines.rule());
    empty_cells(key, lines.rule().reach(5)).any(|number| {
        let makes_open_four =
            table.pattern(Side::First, with_stone(key, number, OWN)) == LinePattern::OpenFour;
        makes_open_four && {
            let further = lines.cell_in_key(direction, stone, number);
            lines.class(Side::First, further) != MoveClass::Five
                && !is_forbidden_now(lines, further)
        }
    })
}
