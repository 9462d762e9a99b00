//! A board for a line network, updated incrementally: for each side, the half-lines around every
//! cell and the sum of its four line outputs. A stone affects at most 41 cells.

use std::sync::Arc;

use tesuji_games::{RowPosition, Side};

use super::shape::{DIRECTIONS, EMPTY, EMPTY_HALF, OTHER, OWN, POWERS, REACH};
use super::table::{LineNetwork, Sums};

/// The longest side of a board.
pub const LONGEST_SIDE: usize = 20;

/// The board is too large or has no cells.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "board {columns}x{rows}: not supported by line networks; expected sides of 1 to {LONGEST_SIDE}"
)]
pub struct UnsupportedBoard {
    columns: usize,
    rows: usize,
}

/// See the top of this file.
#[derive(Clone, Debug)]
pub struct NetworkBoard {
    pub(super) network: Arc<LineNetwork>,
    geometry: Arc<BoardGeometry>,
    /// The stones by cell.
    stones: Vec<Option<Side>>,
    /// By cell: how many stones are on its lines, including the cell itself.
    stones_in_view: Vec<u8>,
    /// The features from the point of view of each side.
    features: [SideFeatures; 2],
}

/// The neighborhoods of cells: the same for all boards of a size.
#[derive(Debug)]
struct BoardGeometry {
    columns: usize,
    rows: usize,
    /// By cell and direction: the number of cells before the edge, at most five, backward and
    /// forward.
    room: Vec<[[u8; 2]; 4]>,
}

/// The features from the point of view of one side.
#[derive(Clone, Debug)]
struct SideFeatures {
    /// By cell and direction.
    halves: Vec<[[u16; 2]; 4]>,
    /// The digit of each cell.
    centers: Vec<u16>,
    sums: Vec<Sums>,
}

impl BoardGeometry {
    fn new(columns: usize, rows: usize) -> BoardGeometry {
        let room = |cell: usize, (right, down): (isize, isize)| {
            let inside = |steps: &usize| {
                let steps = *steps as isize;
                (cell % columns).checked_add_signed(right * steps).is_some_and(|x| x < columns)
                    && (cell / columns).checked_add_signed(down * steps).is_some_and(|y| y < rows)
            };
            (1..=REACH).take_while(inside).count() as u8
        };
        let both = |cell: usize, (right, down): (isize, isize)| {
            [room(cell, (-right, -down)), room(cell, (right, down))]
        };
        let room = (0..columns * rows).map(|cell| DIRECTIONS.map(|step| both(cell, step)));
        BoardGeometry { columns, rows, room: room.collect() }
    }

    /// Calls `each` with every other cell whose lines contain a cell: the observer, the direction,
    /// the index of its half-line, and the weight of the cell's digit there.
    #[inline]
    fn for_each_observer(&self, cell: usize, mut each: impl FnMut(usize, usize, usize, u16)) {
        for (direction, room) in self.room[cell].iter().enumerate() {
            let (right, down) = DIRECTIONS[direction];
            let step = right + down * self.columns as isize;
            // A cell behind has this one in its forward half-line.
            for (half, step) in [(1, -step), (0, step)] {
                let cells = usize::from(room[1 - half]);
                for (n, power) in POWERS[..cells].iter().enumerate() {
                    let observer = cell.wrapping_add_signed(step * (n as isize + 1));
                    each(observer, direction, half, *power);
                }
            }
        }
    }
}

impl NetworkBoard {
    /// An empty board.
    pub fn new(
        network: Arc<LineNetwork>,
        columns: usize,
        rows: usize,
    ) -> Result<Self, UnsupportedBoard> {
        let sides = 1..=LONGEST_SIDE;
        if !sides.contains(&columns) || !sides.contains(&rows) {
            return Err(UnsupportedBoard { columns, rows });
        }
        let geometry = BoardGeometry::new(columns, rows);
        let features = SideFeatures::empty(&network, &geometry);
        Ok(NetworkBoard {
            stones: vec![None; columns * rows],
            stones_in_view: vec![0; columns * rows],
            features: [features.clone(), features],
            geometry: Arc::new(geometry),
            network,
        })
    }

    /// Places and removes stones until the board equals a position on a board of the same size.
    pub fn sync_with(&mut self, position: &impl RowPosition) {
        for cell in 0..self.stones.len() {
            let (old, new) = (self.stones[cell], position.stone_at(cell));
            if old != new {
                old.is_some().then(|| self.remove(cell));
                new.into_iter().for_each(|side| self.put(cell, side));
            }
        }
    }

    /// Columns.
    pub fn columns(&self) -> usize {
        self.geometry.columns
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.geometry.rows
    }

    /// The owner of the stone on a cell.
    #[inline]
    pub fn stone_at(&self, cell: usize) -> Option<Side> {
        self.stones[cell]
    }

    /// Puts a stone on an empty cell.
    pub fn put(&mut self, cell: usize, side: Side) {
        self.stones[cell] = Some(side);
        self.change(cell, side, true);
    }

    /// Removes the stone of a cell.
    pub fn remove(&mut self, cell: usize) {
        if let Some(side) = self.stones[cell].take() {
            self.change(cell, side, false);
        }
    }

    fn change(&mut self, cell: usize, side: Side, is_put: bool) {
        let by = if is_put { 1 } else { -1 };
        let in_view = &mut self.stones_in_view;
        in_view[cell] = in_view[cell].wrapping_add_signed(by);
        self.geometry.for_each_observer(cell, |observer, _, _, _| {
            in_view[observer] = in_view[observer].wrapping_add_signed(by);
        });
        for viewer in Side::ALL {
            let digit = if viewer == side { OWN } else { OTHER };
            let (center, by) = if is_put { (digit, digit) } else { (EMPTY, digit.wrapping_neg()) };
            let features = &mut self.features[viewer.index()];
            features.change_center(&self.network, cell, center);
            self.geometry.for_each_observer(cell, |observer, direction, half, power| {
                features.change_half(
                    &self.network,
                    observer,
                    direction,
                    half,
                    by.wrapping_mul(power),
                );
            });
        }
    }

    /// The sums of line outputs by cell, from the point of view of a side.
    #[inline]
    pub(super) fn sums(&self, viewer: Side) -> &[Sums] {
        &self.features[viewer.index()].sums
    }

    /// Whether a stone is on one of the cell's lines: other cells are not pooled.
    #[inline]
    pub(super) fn sees(&self, cell: usize) -> bool {
        self.stones_in_view[cell] > 0
    }
}

impl SideFeatures {
    fn empty(network: &LineNetwork, geometry: &BoardGeometry) -> SideFeatures {
        let half = |room: [u8; 2]| room.map(|cells| EMPTY_HALF[usize::from(cells)]);
        let halves: Vec<[[u16; 2]; 4]> = geometry.room.iter().map(|room| room.map(half)).collect();
        let sum = |lines: &[[u16; 2]; 4]| {
            let mut sum = network.bias;
            lines.iter().for_each(|&halves| add(&mut sum, network.line(halves, EMPTY)));
            sum
        };
        let sums = halves.iter().map(sum).collect();
        SideFeatures { centers: vec![EMPTY; halves.len()], halves, sums }
    }

    fn change_center(&mut self, network: &LineNetwork, cell: usize, center: u16) {
        let old = std::mem::replace(&mut self.centers[cell], center);
        let sum = &mut self.sums[cell];
        for &halves in &self.halves[cell] {
            replace_line(sum, network.line(halves, old), network.line(halves, center));
        }
    }

    #[inline]
    fn change_half(
        &mut self,
        network: &LineNetwork,
        cell: usize,
        direction: usize,
        half: usize,
        by: u16,
    ) {
        let (center, halves) = (self.centers[cell], &mut self.halves[cell][direction]);
        let old = *halves;
        halves[half] = old[half].wrapping_add(by);
        replace_line(
            &mut self.sums[cell],
            network.line(old, center),
            network.line(*halves, center),
        );
    }
}

#[inline]
fn add(sum: &mut Sums, line: &Sums) {
    sum.iter_mut().zip(line).for_each(|(sum, output)| *sum += output);
}

/// Subtracts a line and adds another. Intermediate sums may wrap around; the result is in range.
#[inline]
fn replace_line(sum: &mut Sums, old: &Sums, new: &Sums) {
    for ((sum, old), new) in sum.iter_mut().zip(old).zip(new) {
        *sum = sum.wrapping_sub(*old).wrapping_add(*new);
    }
}
