//! The lines and symmetries of a board of tic-tac-toe in several dimensions. Created once for each
//! size and shared by all positions.

use std::sync::OnceLock;

use crate::bits::zobrist;

/// The maximum number of cells.
pub const MAX_CELLS: usize = 256;
const DIMENSIONS: std::ops::RangeInclusive<usize> = 2..=4;
/// The maximum side, in two dimensions.
const MAX_SIDE: usize = 16;

/// The data that all positions on boards of one size share.
#[derive(Debug)]
pub struct NdGeometry {
    pub(super) side: usize,
    pub(super) dimensions: usize,
    pub(super) cells: usize,
    pub(super) lines: Vec<Vec<u8>>,
    /// The lines through each cell, concatenated, and the start of each cell's part.
    lines_by_cell: Vec<u16>,
    starts: Vec<u16>,
    pub(super) symmetries: Vec<Vec<u8>>,
    /// The keys of a mark (numbered `2 * cell + side`) in all images of the board.
    pub(super) image_keys: Vec<Vec<u64>>,
    /// The value of a line in which only one side has marks, by the number of marks.
    pub(super) value: [i32; MAX_SIDE + 1],
}

impl NdGeometry {
    /// The board with sides of this length; `None` if it would have more than 256 cells, a side
    /// below 2, or other than 2 to 4 dimensions. Created once for each size.
    pub fn get(side: usize, dimensions: usize) -> Option<&'static NdGeometry> {
        static ALL: [OnceLock<NdGeometry>; 3 * MAX_SIDE] =
            [const { OnceLock::new() }; 3 * MAX_SIDE];
        let possible = DIMENSIONS.contains(&dimensions)
            && (2..=MAX_SIDE).contains(&side)
            && side.pow(dimensions as u32) <= MAX_CELLS;
        let slot = possible.then(|| (dimensions - 2) * MAX_SIDE + side - 1)?;
        Some(ALL[slot].get_or_init(|| NdGeometry::new(side, dimensions)))
    }

    fn new(side: usize, dimensions: usize) -> NdGeometry {
        let cells = side.pow(dimensions as u32);
        let lines = all_lines(side, dimensions);
        let (mut lines_by_cell, mut starts) = (Vec::new(), vec![0]);
        for cell in 0..cells {
            let through = (0..lines.len()).filter(|&line| lines[line].contains(&(cell as u8)));
            lines_by_cell.extend(through.map(|line| line as u16));
            starts.push(lines_by_cell.len() as u16);
        }
        let symmetries = all_symmetries(side, dimensions);
        let key_in = |image: &Vec<u8>, mark: usize| mark_key(image[mark / 2], mark % 2);
        let image_keys = (0..2 * cells)
            .map(|mark| symmetries.iter().map(|image| key_in(image, mark)).collect())
            .collect();
        let value = line_values(side);
        NdGeometry {
            side,
            dimensions,
            cells,
            lines,
            lines_by_cell,
            starts,
            symmetries,
            image_keys,
            value,
        }
    }

    /// The cells of each winning line. A cell is the number whose digits in base `side` are its
    /// coordinates, lowest digit first.
    pub fn lines(&self) -> &[Vec<u8>] {
        &self.lines
    }

    /// The numbers of the lines through a cell.
    #[inline]
    pub fn lines_through(&self, cell: u8) -> &[u16] {
        let cell = usize::from(cell);
        &self.lines_by_cell[usize::from(self.starts[cell])..usize::from(self.starts[cell + 1])]
    }

    /// The symmetries of the board; each maps a cell to its image.
    pub fn symmetries(&self) -> &[Vec<u8>] {
        &self.symmetries
    }

    /// Column, row, layer and row of layers; 0 for missing dimensions.
    pub(super) fn coordinates(&self, cell: u8) -> [usize; 4] {
        let mut at = [0; 4];
        for (axis, digit) in digits(usize::from(cell), self.side, self.dimensions).enumerate() {
            at[axis] = digit;
        }
        at
    }
}

/// The value grows eightfold with every mark; in long lines only with the last seven marks.
fn line_values(side: usize) -> [i32; MAX_SIDE + 1] {
    let mut values = [0; MAX_SIDE + 1];
    for (marks, value) in values.iter_mut().enumerate().skip(1) {
        let exponent = marks.saturating_sub(side.saturating_sub(7).max(1));
        *value = 8_i32.pow(exponent.min(7) as u32);
    }
    values
}

#[inline]
pub(super) fn mark_key(cell: u8, side: usize) -> u64 {
    zobrist(u64::from(cell) << 1 | side as u64)
}

fn digits(number: usize, base: usize, count: usize) -> impl Iterator<Item = usize> + use<> {
    (0..count as u32).map(move |place| number / base.pow(place) % base)
}

pub(super) fn from_digits(digits: impl DoubleEndedIterator<Item = usize>, base: usize) -> usize {
    digits.rev().fold(0, |number, digit| number * base + digit)
}

/// Along a line each coordinate is constant, rises from 0 or falls to 0. That makes (side + 2)^d −
/// side^d directed lines, two for each line.
fn all_lines(side: usize, dimensions: usize) -> Vec<Vec<u8>> {
    let (rising, falling) = (side, side + 1);
    let mut lines = Vec::new();
    for code in 0..(side + 2).pow(dimensions as u32) {
        let courses: Vec<usize> = digits(code, side + 2, dimensions).collect();
        // Keeps the direction in which the first changing coordinate rises, and skips codes without
        // a changing coordinate.
        if courses.iter().find(|&&course| course >= side) != Some(&rising) {
            continue;
        }
        let cell = |step: usize| {
            let at = |&course: &usize| match course {
                c if c == rising => step,
                c if c == falling => side - 1 - step,
                fixed => fixed,
            };
            from_digits(courses.iter().map(at), side) as u8
        };
        lines.push((0..side).map(cell).collect());
    }
    lines
}

/// Every permutation of the axes with every set of reflected axes. For Qubic also the exchange of
/// inner and outer layers along all axes at once, which preserves its lines as well (Silver, 1967).
fn all_symmetries(side: usize, dimensions: usize) -> Vec<Vec<u8>> {
    let plain: Vec<usize> = (0..side).collect();
    let exchanges = match (side, dimensions) {
        (4, 3) => vec![plain, vec![0, 2, 1, 3], vec![1, 0, 3, 2], vec![1, 3, 0, 2]],
        _ => vec![plain],
    };
    let orders = (0..dimensions.pow(dimensions as u32))
        .map(|code| digits(code, dimensions, dimensions).collect::<Vec<_>>())
        .filter(|order| (0..dimensions).all(|axis| order.contains(&axis)));
    let mut symmetries = Vec::new();
    for order in orders {
        for mirrored in 0..1_usize << dimensions {
            for exchange in &exchanges {
                let image = |cell: usize| {
                    let at: Vec<usize> = digits(cell, side, dimensions).collect();
                    let moved = order.iter().enumerate().map(|(axis, &from)| {
                        let place = exchange[at[from]];
                        if mirrored >> axis & 1 != 0 { side - 1 - place } else { place }
                    });
                    from_digits(moved, side) as u8
                };
                symmetries.push((0..side.pow(dimensions as u32)).map(image).collect());
            }
        }
    }
    symmetries
}
