//! Table 3-3: one pattern of five cells, laid on 5×5 in eight forms at four places each. The printed boards stand here as
//! they were printed, and each is looked for among ours.

use tesuji_games::Grid;
use tesuji_learn::forest::{Pattern, Placement, Spread, PatternWindow};
use tesuji_play::report::svg::{Anchor, Drawing, INK, PALE};

use crate::report::{Findings, Row, Table};
use crate::run::{ReproduceError, Run};

/// One form of the pattern, as printed.
struct Printed {
    name: &'static str,
    /// In its window.
    source: &'static str,
    /// At the four places.
    places: [&'static str; 4],
}

/// The cells that the example's tree asks about, in a window of this side, and the board.
const CELLS: [u16; 5] = [2, 3, 9, 11, 12];
const WINDOW: PatternWindow = PatternWindow { side: 4 };
const BOARD: usize = 5;
const PLACES: usize = 4;

/// From the text of the thesis's pages; of the first three forms only a copy made by character recognition is at hand, in
/// which two boards have lost cells.
const PRINTED: [Printed; 8] = [
    Printed {
        name: "original",
        source: "--XX ---- -X-X X---",
        places: [
            "--XX- ----- X-X-X ----- ----",
            "----- --XX- ----- -X-X- X----",
            "---XX ----- --X-X -X--- -----",
            "----- ---XX ----- -X-X- ----",
        ],
    },
    Printed {
        name: "mirrored horizontally",
        source: "X--- -X-X ---- --XX",
        places: [
            "X---- -X-X- ----- --XX- -----",
            "----- X---- -X-X- ----- --XX-",
            "-X--- --X-X ----- ---XX -----",
            "----- -X--- --X-X ----- ---XX",
        ],
    },
    Printed {
        name: "mirrored vertically",
        source: "XX-- ---- X-X- ---X",
        places: [
            "XX--- ----- X-X-- ---X- -----",
            "----- XX--- ----- X-X-- ---X-",
            "-XX-- ----- -X-X- ----X -----",
            "----- -XX-- ----- -X-X- ----X",
        ],
    },
    Printed {
        name: "mirrored horizontally and vertically",
        source: "---X X-X- ---- XX--",
        places: [
            "---X- X-X-- ----- XX--- -----",
            "----- ---X- X-X-- ----- XX---",
            "----X -X-X- ----- -XX-- -----",
            "----- ----X -X-X- ----- -XX--",
        ],
    },
    Printed {
        name: "transposed",
        source: "---X --X- X--- X-X-",
        places: [
            "---X- X-X-- ----- XX--- -----",
            "----- ---X- X-X-- ----- XX---",
            "----X -X-X- ----- -XX-- -----",
            "----- ----X -X-X- ----- -XX--",
        ],
    },
    Printed {
        name: "transposed and mirrored horizontally",
        source: "X-X- X--- --X- ---X",
        places: [
            "X-X-- X---- --X-- ---X- -----",
            "----- X-X-- X---- --X-- ---X-",
            "-X-X- -X--- ---X- ----X -----",
            "----- -X-X- -X--- ---X- ----X",
        ],
    },
    Printed {
        name: "transposed and mirrored vertically",
        source: "X--- -X-- ---X -X-X",
        places: [
            "X---- -X--- ---X- -X-X- -----",
            "----- X---- -X--- ---X- -X-X-",
            "-X--- --X-- ----X --X-X -----",
            "----- -X--- --X-- ----X --X-X",
        ],
    },
    Printed {
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

/// Looks for every printed board.
pub(super) fn run(_: &Run<'_>) -> Result<Findings, ReproduceError> {
    let pattern = Pattern::new(WINDOW, CELLS.to_vec())
        .map_err(|error| ReproduceError::Other(error.to_string()))?;
    let ours = Ours::of(&pattern);
    let printed = PRINTED.iter().map(|printed| printed.source);
    let forms = printed.zip(&ours.forms).filter(|(printed, form)| cells(printed) == **form);
    let all: Vec<Row> = vec![
        Row::count("forms", 8, ours.forms.len() as u64),
        Row::count("forms that are as printed in their window", 8, forms.count() as u64),
        Row::count("trees on the board", 32, ours.boards.len() as u64),
    ];
    let each = PRINTED.iter().enumerate().map(|(form, printed)| ours.row(form, printed));
    let tables = vec![
        Table::new("One pattern on the board", all),
        Table::new("Printed boards that are among ours, by form", each.collect()),
    ];
    Ok(Findings::of_all(tables).drawn(ours.picture()))
}

/// Where our forests lay the pattern.
struct Ours {
    /// In the window, form by form.
    forms: Vec<Vec<bool>>,
    /// On the board, form by form.
    boards: Vec<Vec<bool>>,
}

/// What a printed board turns out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// One of ours, of this form.
    Form(usize),
    /// A cell is missing; with an empty one put in, it is one of ours of this form.
    Torn(usize),
    /// None of ours.
    Unknown {
        /// How many cells it has.
        cells: usize,
        /// How many of them are marked.
        marks: usize,
    },
}

impl Ours {
    fn of(pattern: &Pattern) -> Ours {
        let laid = |side: usize| -> Vec<Vec<bool>> {
            let grid = Grid { columns: side, rows: side, k: BOARD, gravity: false };
            let placements = Spread::default().placements(pattern, &grid);
            placements.iter().map(|placement| marked(placement, side * side)).collect()
        };
        Ours { forms: laid(WINDOW.side), boards: laid(BOARD) }
    }

    fn find(&self, printed: &str) -> Found {
        let printed = cells(printed);
        let missing = (BOARD * BOARD).saturating_sub(printed.len());
        let place = self.boards.iter().position(|board| is_torn_from(&printed, board));
        match (place.map(|place| place / PLACES), missing) {
            (Some(form), 0) => Found::Form(form),
            (Some(form), 1) => Found::Torn(form),
            _ => Found::Unknown {
                cells: printed.len(),
                marks: printed.iter().filter(|cell| **cell).count(),
            },
        }
    }

    /// How many of the boards printed for a form are ours of that form, and what the others are.
    fn row(&self, form: usize, printed: &Printed) -> Row {
        let found = printed.places.map(|board| self.find(board));
        let of_form =
            |found: &&Found| matches!(found, Found::Form(f) | Found::Torn(f) if *f == form);
        let right = found.iter().filter(of_form).count() as u64;
        let row = Row::count(printed.name, PLACES as u64, right);
        let torn = found.iter().filter(|found| matches!(found, Found::Torn(_))).count();
        let row = row.explained(&misprint(form, &found));
        match torn {
            0 => row,
            _ => row.noting(&format!("{torn} that is ours has lost an empty cell in that copy")),
        }
    }

    /// The boards of a form in a row, beside the name of the form.
    fn picture(&self) -> String {
        const CELL: f64 = 14.0;
        const SIDE: f64 = CELL * BOARD as f64;
        const LEFT: f64 = 380.0;
        const ROW: f64 = SIDE + 16.0;
        let title = "Table 3-3: one pattern, eight forms, four places";
        let (width, height) = (LEFT + 4.0 * (SIDE + 16.0), 40.0 + 8.0 * ROW);
        let mut drawing = Drawing::new(width, height, title);
        drawing.text(16.0, 24.0, Anchor::Start, INK, title);
        for (form, boards) in self.boards.chunks(PLACES).enumerate() {
            let top = 40.0 + ROW * form as f64;
            let name = PRINTED.get(form).map_or("", |printed| printed.name);
            drawing.text(LEFT - 16.0, top + SIDE / 2.0 + 4.0, Anchor::End, INK, name);
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
        drawing.finished()
    }
}

/// What is wrong with the boards that are not of their form.
fn misprint(form: usize, found: &[Found; PLACES]) -> String {
    let of_others = found.iter().filter(|found| matches!(found, Found::Form(f) if *f != form));
    let count = of_others.clone().count();
    if let Some(Found::Form(other)) = of_others.clone().next() {
        let name = PRINTED.get(*other).map_or("another form", |printed| printed.name);
        return format!("a misprint, {count} of the boards printed here are those of “{name}”");
    }
    let unknown = found.iter().find_map(|found| match found {
        Found::Unknown { cells, marks } => Some((*cells, *marks)),
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

/// A board as it is printed; gaps between its rows mean nothing.
fn cells(printed: &str) -> Vec<bool> {
    printed.chars().filter(|c| *c != ' ').map(|c| c == 'X').collect()
}

/// Whether the printed cells are those of the board, or what is left of it when some empty ones are lost.
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

    fn ours() -> Ours {
        Ours::of(&Pattern::new(WINDOW, CELLS.to_vec()).unwrap())
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
        assert_eq!(ours.find(PRINTED[0].places[1]), Found::Form(0));
        assert_eq!(ours.find(PRINTED[0].places[0]), Found::Torn(0));
        let unknown = |cells, marks| Found::Unknown { cells, marks };
        assert_eq!(ours.find(PRINTED[0].places[3]), unknown(24, 4));
        assert_eq!(ours.find(&"-".repeat(25)), unknown(25, 0));
        assert_eq!(ours.find("XXXXX"), unknown(5, 5));
    }
}
