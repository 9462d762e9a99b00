//! Lines through a cell: five cells to each side, each empty, own, the opponent's, or beyond the
//! edge.
//!
//! A half-line is encoded as a number: stones are ternary digits, the nearest cell the lowest;
//! half-lines cut short by the edge are numbered after all longer ones. So a stone changes the
//! number by its digit times a power of three, independent of the edge.

/// Cells to each side of a line's center.
pub const REACH: usize = 5;

/// Steps of columns and rows along the lines through a cell.
pub(super) const DIRECTIONS: [(isize, isize); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// States of a cell: empty, own, the opponent's, or (only beyond the edge) wall.
pub const FIELDS: usize = 4;

/// States of the center cell.
pub const CENTERS: usize = 3;

/// Half-lines: 3⁵ + 3⁴ + … + 1.
pub const HALVES: usize = 364;

/// The digit of an empty cell.
pub(super) const EMPTY: u16 = 0;
/// The digit of an own stone.
pub(super) const OWN: u16 = 1;
/// The digit of an opponent's stone.
pub(super) const OTHER: u16 = 2;

/// The weight of a digit, by distance minus one.
pub(super) const POWERS: [u16; REACH] = [1, 3, 9, 27, 81];

/// The number of an empty half-line, by the number of cells before the edge.
pub(super) const EMPTY_HALF: [u16; REACH + 1] = [363, 360, 351, 324, 243, 0];

/// Unordered pairs of half-lines.
pub(super) const PAIRS: usize = HALVES * (HALVES + 1) / 2;

/// A half-line, cell by cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HalfLine {
    /// From the nearest to the farthest: 0 empty, 1 own, 2 the opponent's, 3 beyond the edge.
    pub fields: [usize; REACH],
}

impl HalfLine {
    /// The half-line with this number, which must be below [`HALVES`].
    pub fn numbered(number: usize) -> HalfLine {
        let cells = (0..=REACH).find(|&cells| number >= usize::from(EMPTY_HALF[cells]));
        let cells = cells.unwrap_or(REACH);
        let digits = number - usize::from(EMPTY_HALF[cells]);
        let field = |n: usize| digits / usize::from(POWERS[n]) % 3;
        let fields = std::array::from_fn(|n| if n < cells { field(n) } else { 3 });
        HalfLine { fields }
    }

    /// Its number. Cells beyond the edge are walls.
    pub fn number(&self) -> usize {
        let cells = self.fields.iter().take_while(|&&field| field < 3).count();
        let digits = self.fields[..cells].iter().zip(POWERS);
        usize::from(EMPTY_HALF[cells])
            + digits.map(|(&field, power)| field * usize::from(power)).sum::<usize>()
    }
}

/// The index of a line in tables; equal for mirrored lines.
#[inline]
pub(super) fn line_index(halves: [u16; 2], center: u16) -> usize {
    let [near, far] = halves.map(usize::from);
    let (low, high) = if near < far { (near, far) } else { (far, near) };
    (high * (high + 1) / 2 + low) * CENTERS + usize::from(center)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn half_line_numbers_round_trip() {
        let all: Vec<HalfLine> = (0..HALVES).map(HalfLine::numbered).collect();
        all.iter().enumerate().for_each(|(n, half)| assert_eq!(half.number(), n));
        let walls = |half: &HalfLine| half.fields.iter().filter(|&&field| field == 3).count();
        let counts: Vec<usize> =
            (0..=REACH).map(|n| all.iter().filter(|half| walls(half) == n).count()).collect();
        assert_eq!(counts, [243, 81, 27, 9, 3, 1]);
        assert_eq!(HalfLine { fields: [1, 2, 0, 0, 0] }.number(), 7);
        assert_eq!(HalfLine { fields: [2, 0, 0, 0, 3] }.number(), 245);
    }

    #[test]
    fn only_mirrored_lines_share_an_index() {
        let mut indices = HashSet::new();
        for near in 0..HALVES as u16 {
            for far in 0..=near {
                for center in 0..CENTERS as u16 {
                    let at = line_index([near, far], center);
                    assert_eq!(at, line_index([far, near], center));
                    assert!(at < PAIRS * CENTERS && indices.insert(at));
                }
            }
        }
        assert_eq!(indices.len(), PAIRS * CENTERS);
    }
}
