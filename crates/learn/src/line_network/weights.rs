//! The numbers of a line network, in the order of its file.

use std::ops::Range;

use tesuji_games::random::{Rng, derived, seeded, unit};

use super::shape::{CENTERS, FIELDS, HALVES, HalfLine, REACH};
use crate::network::NetworkError;

/// Channels of a half-line.
pub const HIDDEN: usize = 64;
/// Channels of a cell.
pub const WIDTH: usize = 32;
/// Channels that are kept of a board: of each number of a cell the sum and the greatest.
pub const POOLED: usize = 2 * WIDTH;
/// Units of the value's two layers.
pub const UNITS: usize = 32;
/// What a cell counts in sums over the board. Not one by the number of cells: a threat is worth no less on a larger board.
pub const POOL_SHARE: f32 = 1.0 / 64.0;
/// No number is further from 0: then nothing that is reckoned from them overflows.
pub const MAX_WEIGHT: f32 = 100.0;

/// Names the parts of a network in the order of its file, with rows and columns: from each number of a row to all of a
/// column.
macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident: $shape:expr,)*) => {
        /// A matrix or row of the network.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Part {
            $($(#[$doc])* $part,)*
        }

        impl Part {
            /// In the order of the file.
            pub const ALL: [Part; [$(Part::$part),*].len()] = [$(Part::$part),*];

            /// Rows and columns.
            pub const fn shape(self) -> [usize; 2] {
                match self {
                    $(Part::$part => $shape,)*
                }
            }
        }
    };
}

parts! {
    /// A row for each half-line, by what lies in the middle.
    Halves: [CENTERS * HALVES, HIDDEN],
    /// From what a line brings to what a cell has.
    Mix: [HIDDEN, WIDTH],
    /// Added to what a cell has.
    MixBias: [1, WIDTH],
    /// Of the cell itself, of its four neighbors along rows and columns, of the four along diagonals.
    Neighbors: [3, WIDTH],
    /// Added to these.
    NeighborsBias: [1, WIDTH],
    /// The value's first layer,
    Value1: [POOLED, UNITS],
    /// and what is added to it.
    Value1Bias: [1, UNITS],
    /// The value's second layer,
    Value2: [UNITS, UNITS],
    /// and what is added to it.
    Value2Bias: [1, UNITS],
    /// The value's last layer,
    Value3: [UNITS, 1],
    /// and what is added to it.
    Value3Bias: [1, 1],
    /// What the numbers of a cell promise,
    Policy: [1, WIDTH],
    /// and what each unit of the value's second layer adds to that.
    PolicyByUnit: [UNITS, WIDTH],
}

impl Part {
    /// How many numbers.
    pub const fn size(self) -> usize {
        self.shape()[0] * self.shape()[1]
    }

    /// Where its numbers lie among all.
    pub fn range(self) -> Range<usize> {
        STARTS[self as usize]..STARTS[self as usize] + self.size()
    }
}

/// Where each part begins.
const STARTS: [usize; Part::ALL.len()] = {
    let mut starts = [0; Part::ALL.len()];
    let mut n = 1;
    while n < Part::ALL.len() {
        starts[n] = starts[n - 1] + Part::ALL[n - 1].size();
        n += 1;
    }
    starts
};

/// See the top of this file.
#[derive(Clone, PartialEq, Debug)]
pub struct LineWeights {
    numbers: Vec<f32>,
    origin: String,
}

impl LineWeights {
    /// How many numbers there are.
    pub const fn count() -> usize {
        let last = Part::ALL.len() - 1;
        STARTS[last] + Part::ALL[last].size()
    }

    /// The network with these numbers.
    pub fn new(numbers: Vec<f32>) -> Result<LineWeights, NetworkError> {
        let (found, expected) = (numbers.len(), LineWeights::count());
        if found != expected {
            let why = format!("a line network has {expected} numbers, not {found}");
            return Err(NetworkError::File(why));
        }
        match numbers.iter().position(|number| number.is_nan() || number.abs() > MAX_WEIGHT) {
            Some(place) => Err(NetworkError::File(format!(
                "number {place} of the line network is {}; expected -{MAX_WEIGHT} to {MAX_WEIGHT}",
                numbers[place]
            ))),
            None => Ok(LineWeights { numbers, origin: String::new() }),
        }
    }

    /// A network that knows nothing: numbers by chance. A half-line is the sum of its cells at first.
    pub fn random_init(seed: u64) -> LineWeights {
        let mut numbers = Vec::with_capacity(LineWeights::count());
        for (n, part) in Part::ALL.into_iter().enumerate() {
            let mut rng = seeded(derived(seed, [n as u64]));
            match part {
                Part::Halves => {
                    let mut rows = vec![0.0; part.size()];
                    add_cells(&random_cells(&mut rng), &mut rows);
                    numbers.extend(rows);
                }
                _ => numbers.extend((0..part.size()).map(|_| part.random_value(&mut rng))),
            }
        }
        LineWeights { numbers, origin: String::new() }
    }

    /// The same, with a word on how they were made.
    pub fn with_origin(self, origin: String) -> LineWeights {
        LineWeights { origin, ..self }
    }

    /// How they were made.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// All numbers.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// The numbers of a part, row by row.
    pub fn part(&self, part: Part) -> &[f32] {
        &self.numbers[part.range()]
    }

    /// Other numbers, as many as before, while learning: whether they are sensible is asked later.
    pub(super) fn set(&mut self, numbers: &[f32]) {
        self.numbers.copy_from_slice(numbers);
    }

    /// A row of a part with so many columns.
    pub(super) fn row<const COLUMNS: usize>(&self, part: Part, row: usize) -> &[f32; COLUMNS] {
        self.part(part).as_chunks().0.get(row).expect("the part has such a row")
    }
}

impl Part {
    /// As wide as keeps sums of the next layer in bounds (He et al., 2015); what is added begins at 0.
    fn random_value(self, rng: &mut Rng) -> f32 {
        let width = match self {
            Part::MixBias | Part::NeighborsBias => return 0.0,
            Part::Value1Bias | Part::Value2Bias | Part::Value3Bias => return 0.0,
            // Four directions are added up.
            Part::Mix => 0.5 * (6.0 / HIDDEN as f64).sqrt(),
            Part::Neighbors => 0.5,
            Part::PolicyByUnit => 0.1 * (6.0 / UNITS as f64).sqrt(),
            _ => (6.0 / self.shape()[0].max(WIDTH) as f64).sqrt(),
        };
        (width * (2.0 * unit(rng) - 1.0)) as f32
    }
}

/// Cells of half-lines, by distance and by what lies there.
pub(super) const CELLS: usize = REACH * FIELDS;

/// For each cell of a half-line, a row for every center, side by side.
pub(super) fn random_cells(rng: &mut Rng) -> Vec<f32> {
    (0..CELLS * CENTERS * HIDDEN).map(|_| unit(rng) as f32 - 0.5).collect()
}

/// Adds to rows of half-lines what their cells bring.
pub(super) fn add_cells(cells: &[f32], rows: &mut [f32]) {
    for (n, row) in rows.chunks_exact_mut(HIDDEN).enumerate() {
        cells_of_row(n).for_each(|cell| add_row(row, &cells[cell]));
    }
}

/// The slopes of cells from those of rows of half-lines.
pub(super) fn gather_cell_gradient(rows: &[f32], cells: &mut [f32]) {
    for (n, row) in rows.chunks_exact(HIDDEN).enumerate() {
        cells_of_row(n).for_each(|cell| add_row(&mut cells[cell], row));
    }
}

fn add_row(sums: &mut [f32], row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
}

/// Where the numbers of the cells lie that a row of [`Part::Halves`] has.
fn cells_of_row(row: usize) -> impl Iterator<Item = Range<usize>> {
    let (center, half) = (row / HALVES, HalfLine::numbered(row % HALVES));
    (0..REACH).map(move |distance| {
        let cell = (distance * FIELDS + half.fields[distance]) * CENTERS + center;
        cell * HIDDEN..(cell + 1) * HIDDEN
    })
}
