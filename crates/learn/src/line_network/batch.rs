//! Batches of training positions. Distinct lines are numbered, and their outputs are computed once:
//! of 57,600 lines in 64 positions, 3,000 are distinct.

use super::dataset::PositionExample;
use super::shape::{CENTERS, DIRECTIONS, EMPTY_HALF, HALVES, PAIRS, POWERS, REACH, line_index};

/// A position of a batch.
#[derive(Clone, PartialEq, Debug)]
pub struct BatchPosition {
    /// Columns of the board.
    pub columns: usize,
    /// By cell: the numbers of its four lines.
    pub lines: Vec<[u32; 4]>,
    /// By cell: whether a stone is on one of its lines.
    pub sees: Vec<bool>,
    /// By cell: whether it is empty.
    pub empty: Vec<bool>,
    /// The value target: the winning chance of the side to move.
    pub chance: f32,
    /// The policy target, if there is one.
    pub best: Option<u16>,
}

/// See the top of this file.
#[derive(Debug, Default)]
pub struct Batch {
    /// The distinct lines, as the rows of their two half-lines.
    pub lines: Vec<[u32; 2]>,
    /// The positions.
    pub positions: Vec<BatchPosition>,
    /// By line index: the generation, and the line's number in the batch of that generation.
    numbers: Vec<(u32, u32)>,
    generation: u32,
}

impl Batch {
    /// Replaces the positions.
    pub fn fill<'a>(&mut self, examples: impl IntoIterator<Item = &'a PositionExample>) {
        self.lines.clear();
        self.positions.clear();
        self.numbers.resize(PAIRS * CENTERS, (0, 0));
        self.generation += 1;
        for example in examples {
            let position = self.position(example);
            self.positions.push(position);
        }
    }

    fn position(&mut self, example: &PositionExample) -> BatchPosition {
        let cells = example.stones.len();
        let (mut lines, mut sees) = (Vec::with_capacity(cells), Vec::with_capacity(cells));
        for cell in 0..cells {
            let center = u16::from(example.stones[cell]);
            let mut sees_stone = center != 0;
            lines.push(DIRECTIONS.map(|(right, down)| {
                let (back, sees_back) = half(example, cell, (-right, -down));
                let (ahead, sees_ahead) = half(example, cell, (right, down));
                sees_stone |= sees_back || sees_ahead;
                self.number([back, ahead], center)
            }));
            sees.push(sees_stone);
        }
        let empty = example.stones.iter().map(|&stone| stone == 0).collect();
        let &PositionExample { columns, chance, best, .. } = example;
        BatchPosition { columns, lines, sees, empty, chance, best }
    }

    fn number(&mut self, halves: [u16; 2], center: u16) -> u32 {
        let (generation, number) = &mut self.numbers[line_index(halves, center)];
        if *generation != self.generation {
            (*generation, *number) = (self.generation, self.lines.len() as u32);
            let row = |half: u16| u32::from(center) * HALVES as u32 + u32::from(half);
            self.lines.push([halves[0].min(halves[1]), halves[0].max(halves[1])].map(row));
        }
        *number
    }
}

/// The number of the half-line next to a cell in a direction, and whether it has a stone.
fn half(example: &PositionExample, cell: usize, (right, down): (isize, isize)) -> (u16, bool) {
    let (columns, rows) = (example.columns, example.stones.len() / example.columns);
    let (mut x, mut y, mut digits) = (cell % columns, cell / columns, 0);
    for (n, power) in POWERS.iter().enumerate() {
        (x, y) = (x.wrapping_add_signed(right), y.wrapping_add_signed(down));
        if x >= columns || y >= rows {
            return (EMPTY_HALF[n] + digits, digits != 0);
        }
        digits += power * u16::from(example.stones[y * columns + x]);
    }
    (EMPTY_HALF[REACH] + digits, digits != 0)
}
