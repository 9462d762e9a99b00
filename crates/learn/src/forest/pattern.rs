//! A pattern: the few cells of a window that one tree may test, in a fixed order.

use serde::{Deserialize, Serialize};

use super::{CellContent, PatternWindow};

/// Distinct cells of a [`PatternWindow`], numbered row by row from its top left. The order matters:
/// cell j is digit j of the index into the tree's table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Pattern {
    window: PatternWindow,
    cells: Vec<u16>,
}

impl Pattern {
    /// The maximum number of cells; a table has 3 to the power of this many entries.
    pub const MAX_CELLS: usize = 12;

    /// Creates a pattern of these cells.
    pub fn new(window: PatternWindow, cells: Vec<u16>) -> Result<Pattern, PatternError> {
        let invalid = |why: String| Err(PatternError(why));
        let (side, count) = (window.side, cells.len());
        let (most_side, most) = (PatternWindow::MAX_SIDE, Pattern::MAX_CELLS);
        if !(1..=most_side).contains(&side) {
            return invalid(format!("a window of side {side}; expected 1 to {most_side}"));
        }
        if !(1..=most).contains(&count) {
            return invalid(format!("a pattern of {count} cells; expected 1 to {most}"));
        }
        let last = window.cells() - 1;
        for (place, &cell) in cells.iter().enumerate() {
            if usize::from(cell) > last {
                return invalid(format!(
                    "attribute index {cell} lies outside the {side}x{side} window; expected 0 to \
                     {last}"
                ));
            }
            if cells[..place].contains(&cell) {
                return invalid(format!("attribute index {cell} occurs twice in one pattern"));
            }
        }
        Ok(Pattern { window, cells })
    }

    /// The window of the cells.
    pub fn window(&self) -> PatternWindow {
        self.window
    }

    /// The cells, in their order.
    pub fn cells(&self) -> &[u16] {
        &self.cells
    }

    /// The number of cells, at least one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// The column and row of each cell within the window.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.cells.iter().map(|&cell| {
            let cell = usize::from(cell);
            (cell % self.window.side, cell / self.window.side)
        })
    }

    /// The table index of a content: digit j is cell j.
    pub fn index(&self, contents: impl Fn(usize) -> CellContent) -> usize {
        let digits = self.cells.iter().rev().map(|&cell| contents(usize::from(cell)) as usize);
        digits.fold(0, |index, digit| index * 3 + digit)
    }
}

/// A pattern from a file, before validation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    window: PatternWindow,
    cells: Vec<u16>,
}

impl TryFrom<Written> for Pattern {
    type Error = PatternError;

    fn try_from(written: Written) -> Result<Pattern, PatternError> {
        Pattern::new(written.window, written.cells)
    }
}

/// Why cells are not a valid pattern.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_checked() {
        let make = |cells: &[u16]| Pattern::new(PatternWindow { side: 3 }, cells.to_vec());
        assert!(make(&[8, 0, 4]).is_ok());
        let error_of = |cells: &[u16]| make(cells).unwrap_err().to_string();
        assert_eq!(error_of(&[]), "a pattern of 0 cells; expected 1 to 12");
        assert_eq!(error_of(&[1, 2, 1]), "attribute index 1 occurs twice in one pattern");
        assert_eq!(
            error_of(&[9]),
            "attribute index 9 lies outside the 3x3 window; expected 0 to 8"
        );
    }

    #[test]
    fn patterns_are_checked_when_they_are_read() {
        let pattern = Pattern::new(PatternWindow { side: 3 }, vec![8, 0, 4]).unwrap();
        let text = serde_json::to_string(&pattern).unwrap();
        assert_eq!(text, r#"{"window":3,"cells":[8,0,4]}"#);
        assert_eq!(serde_json::from_str::<Pattern>(&text).unwrap(), pattern);
        for wrong in ["[9]", "[1,1]", "[]", "[-1]"] {
            let text = format!(r#"{{"window":3,"cells":{wrong}}}"#);
            assert!(serde_json::from_str::<Pattern>(&text).is_err(), "{text}");
        }
        let huge = format!(r#"{{"window":{},"cells":[1]}}"#, u64::MAX);
        assert!(serde_json::from_str::<Pattern>(&huge).is_err());
    }

    #[test]
    fn the_first_cell_is_the_lowest_digit() {
        let pattern = Pattern::new(PatternWindow { side: 3 }, vec![5, 1, 0]).unwrap();
        let content = |cell| {
            [CellContent::Theirs, CellContent::Mine, CellContent::Empty]
                [if cell < 2 { cell } else { 2 }]
        };
        assert_eq!(pattern.index(content), 3 + 2 * 9);
    }
}
