//! The windows of a board: every six cells in a row. They depend on the board size alone, so the
//! boards of a game share them.

use crate::cell::{CELL_NUMBERS, Cell, LONGEST_SIDE};
use crate::lines::Direction;
use tesuji_games::bits::for_each_bit;

/// The length of a winning row.
pub const SIX: usize = 6;

/// The most windows through a cell: six in each direction.
const MAX_THROUGH: usize = 4 * SIX;
/// The words of a window set of the largest board.
const WORDS: usize = (2 * LONGEST_SIDE * (LONGEST_SIDE - 5)
    + 2 * (LONGEST_SIDE - 5) * (LONGEST_SIDE - 5))
    .div_ceil(64);

/// Marks that no window begins at a cell.
const NONE: u16 = u16::MAX;

/// The windows of one board size.
#[derive(Debug)]
pub struct Windows {
    cells: Vec<[Cell; SIX]>,
    through: Vec<Through>,
    /// The window that begins at a cell in each direction.
    starting: Vec<[u16; 4]>,
}

#[derive(Clone, Copy, Debug)]
struct Through {
    windows: [u16; MAX_THROUGH],
    len: u8,
}

impl Windows {
    /// Computes the windows of a board size.
    pub fn of(width: usize, height: usize) -> Windows {
        let nothing = Through { windows: [0; MAX_THROUGH], len: 0 };
        let mut windows = Windows {
            cells: Vec::new(),
            through: vec![nothing; CELL_NUMBERS],
            starting: vec![[NONE; 4]; CELL_NUMBERS],
        };
        for direction in Direction::ALL {
            for row in 0..height {
                for column in 0..width {
                    windows.add((width, height), direction, Cell::new(column, row));
                }
            }
        }
        windows
    }

    /// Adds the window that begins at a cell, if it fits on the board.
    fn add(&mut self, (width, height): (usize, usize), direction: Direction, first: Cell) {
        let (across, up) = match direction {
            Direction::Row => (1, 0),
            Direction::Column => (0, 1),
            Direction::Rising => (1, 1),
            Direction::Falling => (-1, 1),
        };
        let last = SIX as isize - 1;
        let column = first.column() as isize + last * across;
        let row = first.row() as isize + last * up;
        if column < 0 || column >= width as isize || row >= height as isize {
            return;
        }
        let number = self.cells.len() as u16;
        let cell = |n: usize| first.number() as i32 + n as i32 * direction.step();
        let cells = std::array::from_fn(|n| Cell::from_number(cell(n) as usize));
        for cell in cells {
            let through = &mut self.through[cell.number()];
            through.windows[usize::from(through.len)] = number;
            through.len += 1;
        }
        self.starting[first.number()][direction as usize] = number;
        self.cells.push(cells);
    }

    /// The number of windows.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether the board is too small for six in a row.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cells of a window, in order.
    #[inline]
    pub fn cells(&self, window: u16) -> &[Cell; SIX] {
        &self.cells[usize::from(window)]
    }

    /// The windows that contain a cell.
    #[inline]
    pub fn through(&self, cell: Cell) -> &[u16] {
        let through = &self.through[cell.number()];
        &through.windows[..usize::from(through.len)]
    }

    /// Calls `each` with every window that contains both of two different cells.
    #[inline]
    pub fn for_each_through_both(&self, a: Cell, b: Cell, mut each: impl FnMut(u16)) {
        let (first, last) = if a < b { (a, b) } else { (b, a) };
        let Some((direction, distance)) = line_through(first, last) else { return };
        for back in 0..SIX - distance {
            let start = first.number() as i32 - back as i32 * direction.step();
            let Some(starting) = usize::try_from(start).ok().and_then(|n| self.starting.get(n))
            else {
                return;
            };
            let window = starting[direction as usize];
            if window != NONE {
                each(window);
            }
        }
    }
}

/// The direction and distance of two cells on one line less than six apart. `first` has the lower
/// number.
#[inline]
fn line_through(first: Cell, last: Cell) -> Option<(Direction, usize)> {
    let across = last.column() as isize - first.column() as isize;
    let up = last.row() - first.row();
    let direction = match (across, up) {
        (_, 0) => Direction::Row,
        (0, _) => Direction::Column,
        _ if across == up as isize => Direction::Rising,
        _ if across == -(up as isize) => Direction::Falling,
        _ => return None,
    };
    let distance = up.max(across.unsigned_abs());
    (distance < SIX).then_some((direction, distance))
}

/// A set of windows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowSet {
    words: [u64; WORDS],
}

impl WindowSet {
    /// No windows.
    pub const NONE: WindowSet = WindowSet { words: [0; WORDS] };

    /// Adds a window that is not in the set, or removes one that is.
    #[inline]
    pub(crate) fn toggle(&mut self, window: u16) {
        self.words[usize::from(window >> 6) % WORDS] ^= 1 << (window & 63);
    }

    /// Whether a window is in the set.
    pub fn contains(&self, window: u16) -> bool {
        self.words.get(usize::from(window >> 6)).is_some_and(|word| word >> (window & 63) & 1 == 1)
    }

    /// Calls `each` with every window, in order.
    #[inline]
    pub fn for_each(&self, mut each: impl FnMut(u16)) {
        for (n, &word) in self.words.iter().enumerate() {
            for_each_bit(word, |bit| each((n as u32 * 64 + bit) as u16));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_windows_is_known() {
        // 924 on 19x19: 2 · 19 · 14 along rows and columns, 2 · 14 · 14 along diagonals.
        for (size, count) in
            [((19, 19), 924), ((6, 6), 14), ((6, 1), 1), ((5, 5), 0), ((22, 22), 1326)]
        {
            assert_eq!(Windows::of(size.0, size.1).len(), count, "{size:?}");
        }
    }

    #[test]
    fn windows_through_two_cells_are_those_that_contain_both() {
        for (width, height) in [(19, 19), (22, 22), (6, 9), (7, 1)] {
            let windows = Windows::of(width, height);
            let cells: Vec<_> =
                (0..width * height).map(|n| Cell::new(n % width, n / width)).collect();
            for &a in cells.iter().step_by(5) {
                for &b in cells.iter().filter(|&&b| b != a) {
                    let mut found = Vec::new();
                    windows.for_each_through_both(a, b, |window| found.push(window));
                    found.sort_unstable();
                    let both =
                        |w: &u16| windows.cells(*w).contains(&a) && windows.cells(*w).contains(&b);
                    let wanted: Vec<u16> = (0..windows.len() as u16).filter(both).collect();
                    assert_eq!(found, wanted, "{a} {b} on {width}x{height}");
                }
            }
        }
    }
}
