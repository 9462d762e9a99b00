//! Table 3-3: one pattern of five cells, placed on 5×5 in eight forms at four places each. The
//! boards are here as printed, and each is searched among ours.

use tesuji_games::RowGrid;
use tesuji_learn::forest::{Pattern, PatternWindow, Placement, Spread};
use tesuji_play::report::svg::{INK, PALE, SvgDrawing, TextAnchor};

use crate::report::{ComparisonRow, ComparisonTable, Findings};
use crate::run::{ReproduceError, ReproductionRun};

/// One form of the pattern, as printed.
struct PrintedForm {
    name: &'static str,
    /// The form in its window.
    source: &'static str,
    /// The form at the four places.
    places: [&'static str; 4],
}

/// The cells of the example's pattern, the window, and the board.
const CELLS: [u16; 5] = [2, 3, 9, 11, 12];
const WINDOW: PatternWindow = PatternWindow { side: 4 };
const BOARD: usize = 5;
const PLACES: usize = 4;

/// From the text of the thesis. Of the first three forms only a copy by character recognition is
/// available, in which two boards have lost cells.
const PRINTED: [PrintedForm; 8] = [
    PrintedForm {
        name: "original",
        source: "--XX ---- -X-X X---",
        places: [
            "--XX- ----- X-X-X ----- ----",
            "----- --XX- ----- -X-X- X----",
            "---XX ----- --X-X -X--- -----",
            "----- ---XX ----- -X-X- ----",
        ],
    },
    PrintedForm {
        name: "mirrored horizontally",
        source: "X--- -X-X ---- --XX",
        places: [
            "X---- -X-X- ----- --XX- -----",
            "----- X---- -X-X- ----- --XX-",
            "-X--- --X-X ----- ---XX -----",
            "----- -X--- --X-X ----- ---XX",
        ],
    },
    PrintedForm {
        name: "mirrored vertically",
        source: "XX-- ---- X-X- ---X",
        places: [
            "XX--- ----- X-X-- ---X- -----",
            "----- XX--- ----- X-X-- ---X-",
            "-XX-- ----- -X-X- ----X -----",
            "----- -XX-- ----- -X-X- ----X",
        ],
    },
    PrintedForm {
        name: "mirrored horizontally and vertically",
        source: "---X X-X- ---- XX--",
        places: [
            "---X- X-X-- ----- XX--- -----",
            "----- ---X- X-X-- ----- XX---",
            "----X -X-X- ----- -XX-- -----",
            "----- ----X -X-X- ----- -XX--",
        ],
    },
    PrintedForm {
        name: "transposed",
        source: "---X --X- X--- X-X-",
        places: [
            "---X- X-X-- ----- XX--- -----",
            "----- ---X- X-X-- ----- XX---",
            "----X -X-X- ----- -XX-- -----",
            "----- ----X -X-X- ----- -XX--",
        ],
    },
    PrintedForm {
        name: "transposed and mirrored horizontally",
        source: "X-X- X--- --X- ---X",
        places: [
            "X-X-- X---- --X-- ---X- -----",
            "----- X-X-- X---- --X-- ---X-",
            "-X-X- -X--- ---X- ----X -----",
            "----- -X-X- -X--- ---X- ----X",
        ],
    },
    PrintedForm {
        name: "transposed and mirrored vertically",
        source: "X--- -X-- ---X -X-X",
        places: [
            "X---- -X--- ---X- -X-X- -----",
            "----- X---- -X--- ---X- -X-X-",
            "-X--- --X-- ----X --X-X -----",
            "----- -X--- --X-- ----X --X-X",
        ],
    },
    PrintedForm {
        name: "transposed, mirrored horizontally and vertically",
        source: "-X-X ---X -X-- X---",
        places: [
            "-X-X- ---X- -X--- X---- -----",
            "----- -X-X- ---X- -X--- X----",
            "--X-X ----X --X-- -X--- -----",
            "----- --X-X ----X --X-- -X---",
        ],
    },
];

/// Runs the experiment.
pub(super) fn run(_: &ReproductionRun<'_>) -> Result<Findings, ReproduceError> {
    let pattern = Pattern::new(WINDOW, CELLS.to_vec())
        .map_err(|error| ReproduceError::Other(error.to_string()))?;
    let ours = OurPlacements::of(&pattern);
    let printed = PRINTED.iter().map(|printed| printed.source);
    let forms = printed.zip(&ours.forms).filter(|(printed, form)| cells(printed) == **form);
    let all: Vec<ComparisonRow> = vec![
        ComparisonRow::count("forms", 8, ours.forms.len() as u64),
        ComparisonRow::count("forms that are as printed in their window", 8, forms.count() as u64),
        ComparisonRow::count("placements on the board", 32, ours.boards.len() as u64),
    ];
    let each = PRINTED.iter().enumerate().map(|(form, printed)| ours.row(form, printed));
    let tables = vec![
        ComparisonTable::new("One pattern on the board", all),
        ComparisonTable::new("Printed boards that are among ours, by form", each.collect()),
    ];
    Ok(Findings::of_all(tables).with_svg(ours.picture()))
}

/// Our placements of the pattern.
struct OurPlacements {
    /// In the window, form by form.
    forms: Vec<Vec<bool>>,
    /// On the board, form by form.
    boards: Vec<Vec<bool>>,
}

/// How a printed board compares with ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BoardMatch {
    /// It is ours, of this form.
    Form(usize),
    /// One empty cell is missing; otherwise it is ours, of this form.
    MissingCell(usize),
    /// It is none of ours.
    Unknown {
        /// Number of cells.
        cells: usize,
        /// Number of marked cells.
        marks: usize,
    },
}

impl OurPlacements {
    fn of(pattern: &Pattern) -> OurPlacements {
        let laid = |side: usize| -> Vec<Vec<bool>> {
            let grid = RowGrid { columns: side, rows: side, k: BOARD, gravity: false };
            let placements = Spread::default().placements(pattern, &grid);
            placements.iter().map(|placement| marked(placement, side * side)).collect()
        };
        OurPlacements { forms: laid(WINDOW.side), boards: laid(BOARD) }
    }

    fn find(&self, printed: &str) -> BoardMatch {
        let printed = cells(printed);
        let missing = (BOARD * BOARD).saturating_sub(printed.len());
        let place = self.boards.iter().position(|board| is_torn_from(&printed, board));
        match (place.map(|place| place / PLACES), missing) {
            (Some(form), 0) => BoardMatch::Form(form),
            (Some(form), 1) => BoardMatch::MissingCell(form),
            _ => BoardMatch::Unknown {
                cells: printed.len(),
                marks: printed.iter().filter(|cell| **cell).count(),
            },
        }
    }

    /// Counts the printed boards of a form that are ours, and explains the others.
    fn row(&self, form: usize, printed: &PrintedForm) -> ComparisonRow {
        let found = printed.places.map(|board| self.find(board));
        let of_form = |found: &&BoardMatch| matches!(found, BoardMatch::Form(f) | BoardMatch::MissingCell(f) if *f == form);
        let right = found.iter().filter(of_form).count() as u64;
        let row = ComparisonRow::count(printed.name, PLACES as u64, right);
        let torn = found.iter().filter(|found| matches!(found, BoardMatch::MissingCell(_))).count();
        let row = row.explain_difference(&misprint(form, &found));
        match torn {
            0 => row,
            _ => row.with_note(&format!("{torn} of ours has lost an empty cell in that copy")),
        }
    }

    /// Draws the boards of each form in a row, next to its name.
    fn picture(&self) -> String {
        const CELL: f64 = 14.0;
        const SIDE: f64 = CELL * BOARD as f64;
        const LEFT: f64 = 380.0;
        const ROW: f64 = SIDE + 16.0;
        let title = "Table 3-3: one pattern, eight forms, four places";
        let (width, height) = (LEFT + 4.0 * (SIDE + 16.0), 40.0 + 8.0 * ROW);
        let mut drawing = SvgDrawing::new(width, height, title);
        drawing.text(16.0, 24.0, TextAnchor::Start, INK, title);
        for (form, boards) in self.boards.chunks(PLACES).enumerate() {
            let top = 40.0 + ROW * form as f64;
            let name = PRINTED.get(form).map_or("", |printed| printed.name);
            drawing.text(LEFT - 16.0, top + SIDE / 2.0 + 4.0, TextAnchor::End, INK, name);
            for (place, board) in boards.iter().enumerate() {
                let left = LEFT + (SIDE + 16.0) * place as f64;
                for (cell, stone) in board.iter().enumerate() {
                    let (column, row) = ((cell % BOARD) as f64, (cell / BOARD) as f64);
                    let fill = if *stone { INK } else { PALE };
                    let corner = [left + CELL * column, top + CELL * row];
                    drawing.rectangle([corner[0], corner[1], CELL - 1.0, CELL - 1.0], fill);
                }
            }
        }
        drawing.finish()
    }
}

/// Explains the boards that are not of their form.
fn misprint(form: usize, found: &[BoardMatch; PLACES]) -> String {
    let of_others = found.iter().filter(|found| matches!(found, BoardMatch::Form(f) if *f != form));
    let count = of_others.clone().count();
    if let Some(BoardMatch::Form(other)) = of_others.clone().next() {
        let name = PRINTED.get(*other).map_or("another form", |printed| printed.name);
        return format!("a misprint, {count} of the boards printed here are those of “{name}”");
    }
    let unknown = found.iter().find_map(|found| match found {
        BoardMatch::Unknown { cells, marks } => Some((*cells, *marks)),
        _ => None,
    });
    match unknown {
        Some((cells, marks)) => format!(
            "the copy at hand has {cells} cells and {marks} marks of one, instead of {} and {}",
            BOARD * BOARD,
            CELLS.len()
        ),
        None => String::new(),
    }
}

fn marked(placement: &Placement, count: usize) -> Vec<bool> {
    (0..count).map(|cell| placement.contains(&(cell as u16))).collect()
}

/// Reads a printed board; gaps between its rows are ignored.
fn cells(printed: &str) -> Vec<bool> {
    printed.chars().filter(|c| *c != ' ').map(|c| c == 'X').collect()
}

/// Whether the printed cells are those of the board, possibly without some empty ones.
fn is_torn_from(printed: &[bool], board: &[bool]) -> bool {
    let mut rest = printed.iter().peekable();
    for cell in board {
        if rest.peek() == Some(&cell) {
            rest.next();
        } else if *cell {
            return false;
        }
    }
    rest.peek().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours() -> OurPlacements {
        OurPlacements::of(&Pattern::new(WINDOW, CELLS.to_vec()).unwrap())
    }

    #[test]
    fn printed_boards_are_found_and_misprints_explained() {
        let ours = ours();
        assert_eq!((ours.forms.len(), ours.boards.len()), (8, 32));
        for (form, printed) in PRINTED.iter().enumerate() {
            let row = ours.row(form, printed);
            let right = match printed.name {
                "original" => 3.0,
                "transposed" => 0.0,
                _ => 4.0,
            };
            assert_eq!(row.ours.value, Some(right), "{}: {}", row.what, row.why);
            assert_eq!(cells(printed.source), ours.forms[form], "{}", printed.name);
        }
        assert!(ours.row(4, &PRINTED[4]).why.contains("“mirrored horizontally and vertically”"));
    }

    #[test]
    fn lost_cells_are_found_out() {
        let ours = ours();
        assert_eq!(ours.find(PRINTED[0].places[1]), BoardMatch::Form(0));
        assert_eq!(ours.find(PRINTED[0].places[0]), BoardMatch::MissingCell(0));
        let unknown = |cells, marks| BoardMatch::Unknown { cells, marks };
        assert_eq!(ours.find(PRINTED[0].places[3]), unknown(24, 4));
        assert_eq!(ours.find(&"-".repeat(25)), unknown(25, 0));
        assert_eq!(ours.find("XXXXX"), unknown(5, 5));
    }
}
