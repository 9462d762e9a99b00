//! The cells that block a threat. A search that must answer a threatened four tries only these
//! cells and its own fours.

use tesuji_games::Side;

use crate::board::Board;
use crate::cell::{Cell, CellSet};
use crate::class::{ClassTable, MoveClass};
use crate::line_table::LineTable;
use crate::lines::Direction;
use crate::pattern::{OTHER, OWN, empty_cells, with_stone};

/// The cells where a stone of the opponent leaves `attacker` neither a five nor an unstoppable four
/// on `cell`, including `cell` itself. A move that becomes doubtful for black in renju counts as
/// blocked.
pub fn blocking_cells(board: &Board, attacker: Side, cell: Cell) -> CellSet {
    blocking_cells_while(board, attacker, cell, |class| {
        !matches!(class, MoveClass::OpenFour | MoveClass::Five)
    })
}

/// The cells where a stone of the opponent leaves `attacker` no five on `cell`, including `cell`
/// itself.
pub fn five_blocking_cells(board: &Board, attacker: Side, cell: Cell) -> CellSet {
    blocking_cells_while(board, attacker, cell, |class| class != MoveClass::Five)
}

/// The cell itself and the cells where a stone of the opponent makes its class harmless.
fn blocking_cells_while(
    board: &Board,
    attacker: Side,
    cell: Cell,
    is_harmless: impl Fn(MoveClass) -> bool,
) -> CellSet {
    let (lines, rule) = (board.lines(), board.rule());
    let (table, classes) = (LineTable::of(rule), ClassTable::of(rule.of_side(attacker)));
    let stone = if attacker == Side::First { OTHER } else { OWN };
    let mut cells = CellSet::from_iter([cell]);
    for direction in Direction::ALL {
        let key = lines.key(direction, cell);
        // A stone shares only one line with the cell, so one of the four patterns changes.
        let shift = 4 * direction as u32;
        let others = board.code(attacker, cell) & !(15 << shift);
        for number in empty_cells(key, rule.reach(5)) {
            let pattern = table.pattern(attacker, with_stone(key, number, stone));
            if is_harmless(classes.class(others | (pattern as u16) << shift)) {
                cells.toggle(lines.cell_in_key(direction, cell, number));
            }
        }
    }
    cells
}
