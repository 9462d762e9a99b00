//! The parameters of a line network, in the order of its file.

use std::ops::Range;

use tesuji_games::random::{Rng, derived, seeded, unit};

use super::shape::{CENTERS, FIELDS, HALVES, HalfLine, REACH};
use crate::network::NetworkError;

/// Numbers in a row of a half-line.
pub const HIDDEN: usize = 64;
/// Channels of a cell.
pub const WIDTH: usize = 32;
/// Pooled activations: the sum and the maximum of each channel.
pub const POOLED: usize = 2 * WIDTH;
/// Units of the value's two layers.
pub const UNITS: usize = 32;
/// The weight of a cell in sums over the board. It is not 1 / cells, since the value of a threat
/// does not depend on the size of the board.
pub const POOL_SHARE: f32 = 1.0 / 64.0;
/// The largest absolute value of a parameter, which keeps inference from overflowing.
pub const MAX_WEIGHT: f32 = 100.0;

/// Declares the parts of a network in the order of its file, with rows (inputs) and columns
/// (outputs).
macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident: $shape:expr,)*) => {
        /// A matrix or vector of the network's parameters.
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
    /// A row for each half-line, by center.
    Halves: [CENTERS * HALVES, HIDDEN],
    /// Linear layer from lines to cells.
    LineOutput: [HIDDEN, WIDTH],
    /// Its bias.
    LineOutputBias: [1, WIDTH],
    /// Weights by channel of the cell itself, its four orthogonal and its four diagonal neighbors.
    Neighbors: [3, WIDTH],
    /// Their bias.
    NeighborsBias: [1, WIDTH],
    /// The value's first layer.
    Value1: [POOLED, UNITS],
    /// Its bias.
    Value1Bias: [1, UNITS],
    /// The value's second layer.
    Value2: [UNITS, UNITS],
    /// Its bias.
    Value2Bias: [1, UNITS],
    /// The value's last layer.
    Value3: [UNITS, 1],
    /// Its bias.
    Value3Bias: [1, 1],
    /// The policy's weights for the channels of a cell.
    Policy: [1, WIDTH],
    /// The addition of each unit of the value's second layer to these weights.
    PolicyByUnit: [UNITS, WIDTH],
}

impl Part {
    /// The number of parameters.
    pub const fn size(self) -> usize {
        self.shape()[0] * self.shape()[1]
    }

    /// The range of its parameters among all.
    pub fn range(self) -> Range<usize> {
        STARTS[self as usize]..STARTS[self as usize] + self.size()
    }
}

/// The start of each part.
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
    /// The number of parameters.
    pub const fn count() -> usize {
        let last = Part::ALL.len() - 1;
        STARTS[last] + Part::ALL[last].size()
    }

    /// A network with these parameters.
    pub fn new(numbers: Vec<f32>) -> Result<LineWeights, NetworkError> {
        let (found, expected) = (numbers.len(), LineWeights::count());
        if found != expected {
            let why = format!("line network with {found} parameters; expected {expected}");
            return Err(NetworkError::File(why));
        }
        match numbers.iter().position(|number| number.is_nan() || number.abs() > MAX_WEIGHT) {
            Some(index) => Err(NetworkError::File(format!(
                "parameter {index} of the line network is {}; expected -{MAX_WEIGHT} to {MAX_WEIGHT}",
                numbers[index]
            ))),
            None => Ok(LineWeights { numbers, origin: String::new() }),
        }
    }

    /// A network with random weights, whose half-lines are sums of random cells.
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

    /// The same with a text on its origin.
    pub fn with_origin(self, origin: String) -> LineWeights {
        LineWeights { origin, ..self }
    }

    /// How the network was made.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// All parameters.
    pub fn parameters(&self) -> &[f32] {
        &self.numbers
    }

    /// The parameters of a part, row by row.
    pub fn part(&self, part: Part) -> &[f32] {
        &self.numbers[part.range()]
    }

    /// Replaces all parameters during training, unchecked.
    pub(super) fn set(&mut self, numbers: &[f32]) {
        self.numbers.copy_from_slice(numbers);
    }

    /// A row of a part with this many columns.
    pub(super) fn row<const COLUMNS: usize>(&self, part: Part, row: usize) -> &[f32; COLUMNS] {
        self.part(part).as_chunks().0.get(row).expect("the part has this row")
    }
}

impl Part {
    /// Draws from a range that keeps the sums of the next layer bounded (He et al., 2015); biases
    /// start at 0.
    fn random_value(self, rng: &mut Rng) -> f32 {
        let width = match self {
            Part::LineOutputBias | Part::NeighborsBias => return 0.0,
            Part::Value1Bias | Part::Value2Bias | Part::Value3Bias => return 0.0,
            // Four directions are added.
            Part::LineOutput => 0.5 * (6.0 / HIDDEN as f64).sqrt(),
            Part::Neighbors => 0.5,
            Part::PolicyByUnit => 0.1 * (6.0 / UNITS as f64).sqrt(),
            _ => (6.0 / self.shape()[0].max(WIDTH) as f64).sqrt(),
        };
        (width * (2.0 * unit(rng) - 1.0)) as f32
    }
}

/// Cells of half-lines, by distance and state.
pub(super) const CELLS: usize = REACH * FIELDS;

/// For each cell of a half-line, a row for every center, contiguous.
pub(super) fn random_cells(rng: &mut Rng) -> Vec<f32> {
    (0..CELLS * CENTERS * HIDDEN).map(|_| unit(rng) as f32 - 0.5).collect()
}

/// Adds the terms of the cells to the rows of half-lines.
pub(super) fn add_cells(cells: &[f32], rows: &mut [f32]) {
    for (n, row) in rows.chunks_exact_mut(HIDDEN).enumerate() {
        cells_of_row(n).for_each(|cell| add_row(row, &cells[cell]));
    }
}

/// The gradient of cells from that of rows of half-lines.
pub(super) fn gather_cell_gradient(rows: &[f32], cells: &mut [f32]) {
    for (n, row) in rows.chunks_exact(HIDDEN).enumerate() {
        cells_of_row(n).for_each(|cell| add_row(&mut cells[cell], row));
    }
}

fn add_row(sums: &mut [f32], row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
}

/// The ranges of the cell terms that belong to a row of [`Part::Halves`].
fn cells_of_row(row: usize) -> impl Iterator<Item = Range<usize>> {
    let (center, half) = (row / HALVES, HalfLine::numbered(row % HALVES));
    (0..REACH).map(move |distance| {
        let cell = (distance * FIELDS + half.fields[distance]) * CENTERS + center;
        cell * HIDDEN..(cell + 1) * HIDDEN
    })
}
