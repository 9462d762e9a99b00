//! Where black may not play in renju: more than five in a row, two fours, or two threes that are real. Five is
//! allowed, whatever else it makes.
//!
//! A three is real if a further stone can make it an open four there and then, on a cell that is not itself
//! forbidden and where it makes no five. That question goes back and forth, each time with one more stone on the
//! board, so it ends. Nearly always the [`MoveClass`] answers without it.

use tesuji_games::Side;

use crate::cell::Cell;
use crate::class::MoveClass;
use crate::line_table::LineTable;
use crate::lines::{Direction, LineBitboards};
use crate::pattern::{LinePattern, OWN, empty_cells, with_stone};

/// Whether black may not play on this empty cell; the rule is renju.
pub fn is_forbidden(lines: &LineBitboards, cell: Cell) -> bool {
    is_forbidden_now(&mut lines.clone(), cell)
}

/// The same on lines that are changed and changed back meanwhile.
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

/// Whether the three through a stone that lies on the board can become an open four on a cell where black may
/// play. A five in another line is not an open four: so say the rules, and the referee of Gomocup.
fn is_real_three(lines: &mut LineBitboards, direction: Direction, stone: Cell) -> bool {
    // The key leaves the stone itself out, and the table takes it to be there.
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
