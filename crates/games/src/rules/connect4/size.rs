//! The size of a board, and what follows from it alone: how columns are written, the picture, the
//! lines of four. Both versions of Connect Four share this room.

use crate::notation::NotationError;
use crate::{Cell, Diagram, Side, Spec, SpecError};

/// Columns and rows of a board; together at most [`Size::MOST_BITS`] bits of a bitboard.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Size {
    width: u8,
    height: u8,
}

/// A column and a row, both counted from 0; row 0 is at the bottom.
pub type Place = (usize, usize);

/// One character a column. Boards with more than 35 columns are at most two rows high and hardly
/// played, but every size that fits the bits has a notation.
const COLUMN_NAMES: &str = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγ";

impl Size {
    /// The usual board.
    pub const STANDARD: Size = Size { width: 7, height: 6 };

    /// A bitboard spends one bit more than its height on each column.
    pub const MOST_BITS: usize = 128;

    /// A size that has at least one cell and fits the bits.
    pub const fn new(width: usize, height: usize) -> Option<Size> {
        let most = Self::MOST_BITS;
        if width == 0 || height == 0 || width > most || height > most {
            return None;
        }
        let size = Size { width: width as u8, height: height as u8 };
        if size.bits() <= most { Some(size) } else { None }
    }

    /// The size that a spec asks for: `connect4:9x7`; the usual one when it names none.
    pub fn take(spec: &mut Spec) -> Result<Size, SpecError> {
        let Some(numbers) = spec.size()? else { return Ok(Self::STANDARD) };
        let size = match numbers[..] {
            [width, height] => Size::new(width, height),
            _ => None,
        };
        size.ok_or_else(|| {
            let text = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
            let expected =
                "WIDTHxHEIGHT from 1x1 up with WIDTH*(HEIGHT+1) at most 128, such as 7x6";
            spec.bad_value("size", &text, expected)
        })
    }

    /// How many columns.
    #[inline]
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// How many rows.
    #[inline]
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// How many cells.
    #[inline]
    pub const fn cells(self) -> usize {
        self.width() * self.height()
    }

    /// How many bits a bitboard of this size takes.
    #[inline]
    pub const fn bits(self) -> usize {
        self.width() * (self.height() + 1)
    }

    /// Every line of four as its places in a row, generated: 69 on the usual board.
    pub fn lines_of_four(self) -> Vec<[Place; 4]> {
        let mut lines = Vec::new();
        for column in 0..self.width() {
            for row in 0..self.height() {
                for direction in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    lines.extend(self.line_from((column, row), direction));
                }
            }
        }
        lines
    }

    fn line_from(self, (column, row): Place, (right, up): (isize, isize)) -> Option<[Place; 4]> {
        let mut line = [(column, row); 4];
        for (n, place) in line.iter_mut().enumerate() {
            let (c, r) = (column as isize + right * n as isize, row as isize + up * n as isize);
            *place = (usize::try_from(c).ok()?, usize::try_from(r).ok()?);
        }
        let (column, row) = line[3];
        (column < self.width() && row < self.height()).then_some(line)
    }

    /// The nearer to the centre column, the larger; 0 is the middle of an odd width.
    #[inline]
    pub const fn nearness_to_centre(self, column: usize) -> i32 {
        -(2 * column as i32 - (self.width as i32 - 1)).abs()
    }

    /// A column as text: `1` for column 0, `a` for column 9.
    pub fn column_text(self, column: usize) -> String {
        COLUMN_NAMES.chars().nth(column).map_or_else(String::new, String::from)
    }

    /// Reads a column from the front of `text`.
    pub fn read_column(self, text: &str) -> Result<(usize, &str), NotationError> {
        let mut characters = text.chars();
        characters
            .next()
            .and_then(|name| COLUMN_NAMES.chars().take(self.width()).position(|c| c == name))
            .map(|column| (column, characters.as_str()))
            .ok_or_else(|| {
                let last = self.column_text(self.width() - 1);
                NotationError::malformed(text, format!("a column from 1 to {last}, such as 1"))
            })
    }

    /// The board with its columns written as in the notation and its rows numbered from the bottom.
    pub fn diagram(self, side_at: impl Fn(Place) -> Option<Side>) -> Diagram {
        let (width, height) = (self.width(), self.height());
        Diagram {
            columns: (0..width).map(|column| self.column_text(column)).collect(),
            ..Diagram::lettered(width, height, |column, row| Cell::mark(side_at((column, row))))
        }
    }

    /// The place of a cell in the [`diagram`](Self::diagram).
    pub fn diagram_index(self, (column, row): Place) -> usize {
        Diagram::index(self.width(), self.height(), column, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_many_as_geometry_says() {
        let count = |width, height| Size::new(width, height).unwrap().lines_of_four().len();
        assert_eq!(count(7, 6), 69);
        assert_eq!(count(4, 4), 10);
        assert_eq!(count(7, 7), 88);
        assert_eq!(count(3, 3), 0);
        assert_eq!(count(1, 127), 124);
    }

    #[test]
    fn every_column_has_a_name_of_its_own() {
        let widest = Size::new(64, 1).unwrap();
        for column in 0..64 {
            let text = widest.column_text(column) + "rest";
            assert_eq!(widest.read_column(&text), Ok((column, "rest")));
        }
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        for (width, height) in
            [(0, 0), (0, 6), (7, 0), (8, 16), (1, 128), (1_000_000, 1_000_000), (2, usize::MAX)]
        {
            assert_eq!(Size::new(width, height), None, "{width}x{height}");
        }
        assert!(Size::new(8, 15).is_some() && Size::new(64, 1).is_some());
    }
}
