//! The size of a board, its notation, its diagram and its lines of four, for both implementations
//! of Connect Four.

use crate::notation::NotationError;
use crate::{Diagram, DiagramCell, Side, Spec, SpecError};

/// Columns and rows of a board that fits into [`Connect4Size::MAX_BITS`] bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Connect4Size {
    width: u8,
    height: u8,
}

/// A column and a row, both counted from 0; row 0 is at the bottom.
pub type ColumnRow = (usize, usize);

/// One character per column. Boards with more than 35 columns are at most two rows high, but every
/// valid size has a notation.
const COLUMN_NAMES: &str = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZαβγ";

impl Connect4Size {
    /// The standard board.
    pub const STANDARD: Connect4Size = Connect4Size { width: 7, height: 6 };

    /// The maximum number of bits. A bitboard uses one bit more than its height for each column.
    pub const MAX_BITS: usize = 128;

    /// A size with at least one cell that fits into the bits.
    pub const fn new(width: usize, height: usize) -> Option<Connect4Size> {
        let most = Self::MAX_BITS;
        if width == 0 || height == 0 || width > most || height > most {
            return None;
        }
        let size = Connect4Size { width: width as u8, height: height as u8 };
        if size.bits() <= most { Some(size) } else { None }
    }

    /// Takes the size from a spec such as `connect4:9x7`; the standard size if it has none.
    pub fn take(spec: &mut Spec) -> Result<Connect4Size, SpecError> {
        let Some(numbers) = spec.size()? else { return Ok(Self::STANDARD) };
        let size = match numbers[..] {
            [width, height] => Connect4Size::new(width, height),
            _ => None,
        };
        size.ok_or_else(|| {
            let text = numbers.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
            let expected =
                "WIDTHxHEIGHT of at least 1x1 with WIDTH*(HEIGHT+1) at most 128, such as 7x6";
            spec.bad_value("size", &text, expected)
        })
    }

    /// The number of columns.
    #[inline]
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// The number of rows.
    #[inline]
    pub const fn height(self) -> usize {
        self.height as usize
    }

    /// The number of cells.
    #[inline]
    pub const fn cells(self) -> usize {
        self.width() * self.height()
    }

    /// The number of bits of a bitboard of this size.
    #[inline]
    pub const fn bits(self) -> usize {
        self.width() * (self.height() + 1)
    }

    /// All lines of four, each as its cells in order: 69 on the standard board.
    pub fn lines_of_four(self) -> Vec<[ColumnRow; 4]> {
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

    fn line_from(
        self,
        (column, row): ColumnRow,
        (right, up): (isize, isize),
    ) -> Option<[ColumnRow; 4]> {
        let mut line = [(column, row); 4];
        for (n, place) in line.iter_mut().enumerate() {
            let (c, r) = (column as isize + right * n as isize, row as isize + up * n as isize);
            *place = (usize::try_from(c).ok()?, usize::try_from(r).ok()?);
        }
        let (column, row) = line[3];
        (column < self.width() && row < self.height()).then_some(line)
    }

    /// Larger for columns nearer to the center; 0 for the center column of an odd width.
    #[inline]
    pub const fn nearness_to_center(self, column: usize) -> i32 {
        -(2 * column as i32 - (self.width as i32 - 1)).abs()
    }

    /// The columns by [`nearness_to_center`](Self::nearness_to_center): `rank` 0 is the most central
    /// one; of two columns that are equally near, the left one comes first.
    #[inline]
    pub const fn column_by_nearness(self, rank: usize) -> usize {
        let (center, distance) = ((self.width() - 1) / 2, rank.div_ceil(2));
        if rank % 2 == self.width() % 2 { center - distance } else { center + distance }
    }

    /// The text of a column: `1` for column 0, `a` for column 9.
    pub fn column_text(self, column: usize) -> String {
        COLUMN_NAMES.chars().nth(column).map_or_else(String::new, String::from)
    }

    /// Reads a column from the start of `text`.
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

    /// The diagram of the board, with columns labeled as in the notation and rows numbered from the
    /// bottom.
    pub fn diagram(self, side_at: impl Fn(ColumnRow) -> Option<Side>) -> Diagram {
        let (width, height) = (self.width(), self.height());
        Diagram {
            columns: (0..width).map(|column| self.column_text(column)).collect(),
            ..Diagram::lettered(width, height, |column, row| {
                DiagramCell::mark(side_at((column, row)))
            })
        }
    }

    /// The index of a cell in the [`diagram`](Self::diagram).
    pub fn diagram_index(self, (column, row): ColumnRow) -> usize {
        Diagram::index(self.width(), self.height(), column, row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_many_as_geometry_says() {
        let count = |width, height| Connect4Size::new(width, height).unwrap().lines_of_four().len();
        assert_eq!(count(7, 6), 69);
        assert_eq!(count(4, 4), 10);
        assert_eq!(count(7, 7), 88);
        assert_eq!(count(3, 3), 0);
        assert_eq!(count(1, 127), 124);
    }

    #[test]
    fn every_column_has_a_name_of_its_own() {
        let widest = Connect4Size::new(64, 1).unwrap();
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
            assert_eq!(Connect4Size::new(width, height), None, "{width}x{height}");
        }
        assert!(Connect4Size::new(8, 15).is_some() && Connect4Size::new(64, 1).is_some());
    }
}
