//! A reference implementation from the stones alone, against which inference and training are
//! tested.

use super::shape::{DIRECTIONS, HalfLine, REACH};
use super::table::line_output;
use super::weights::{LineWeights, POOL_SHARE, Part, UNITS, WIDTH};

/// The outputs for a position.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionOutput {
    /// The chance that the side to move wins.
    pub chance: f32,
    /// The policy logit of each cell.
    pub policy_logits: Vec<f32>,
}

/// Evaluates a board with this many columns; stones by row: 0 empty, 1 of the side to move, 2 of
/// the opponent.
pub fn evaluate(weights: &LineWeights, columns: usize, stones: &[u8]) -> PositionOutput {
    let board = ReferenceBoard { columns, stones };
    let cells: Vec<Vec<f32>> = (0..stones.len()).map(|cell| board.numbers(weights, cell)).collect();
    let neighborhoods: Vec<Vec<f32>> =
        (0..stones.len()).map(|cell| board.neighborhood(weights, &cells, cell)).collect();
    let pooled_cells: Vec<&Vec<f32>> = (0..stones.len())
        .filter(|&cell| board.sees_a_stone(cell))
        .map(|cell| &neighborhoods[cell])
        .collect();
    let sums = (0..WIDTH).map(|n| POOL_SHARE * pooled_cells.iter().map(|it| it[n]).sum::<f32>());
    let max = (0..WIDTH).map(|n| pooled_cells.iter().map(|it| it[n]).fold(0.0, f32::max));
    let pooled: Vec<f32> = sums.chain(max).collect();
    let first = relu(layer(weights, Part::Value1, Part::Value1Bias, &pooled));
    let second = relu(layer(weights, Part::Value2, Part::Value2Bias, &first));
    let last = layer(weights, Part::Value3, Part::Value3Bias, &second)[0];
    let policy_weights = layer(weights, Part::PolicyByUnit, Part::Policy, &second);
    let policy_logits =
        neighborhoods.iter().map(|it| it.iter().zip(&policy_weights).map(|(a, b)| a * b).sum());
    PositionOutput { chance: 1.0 / (1.0 + (-last).exp()), policy_logits: policy_logits.collect() }
}

fn relu(numbers: Vec<f32>) -> Vec<f32> {
    numbers.into_iter().map(|number| number.max(0.0)).collect()
}

fn layer(weights: &LineWeights, part: Part, bias: Part, input: &[f32]) -> Vec<f32> {
    let [_, columns] = part.shape();
    let (matrix, bias) = (weights.part(part), weights.part(bias));
    let sum = |n: usize| {
        let products = input.iter().enumerate().map(|(m, number)| number * matrix[m * columns + n]);
        bias[n] + products.sum::<f32>()
    };
    (0..columns).map(sum).collect()
}

struct ReferenceBoard<'a> {
    columns: usize,
    stones: &'a [u8],
}

impl ReferenceBoard<'_> {
    fn offset_cell(&self, cell: usize, (right, down): (isize, isize)) -> Option<usize> {
        let (columns, rows) = (self.columns, self.stones.len() / self.columns);
        let x = (cell % columns).checked_add_signed(right).filter(|&x| x < columns)?;
        let y = (cell / columns).checked_add_signed(down).filter(|&y| y < rows)?;
        Some(y * columns + x)
    }

    /// The half-lines on both sides of a cell, by direction.
    fn halves(&self, cell: usize) -> [[HalfLine; 2]; 4] {
        let half = |right: isize, down: isize| {
            let at = |n: isize| self.offset_cell(cell, (right * n, down * n));
            let field = |n: usize| at(n as isize + 1).map_or(3, |cell| self.stones[cell].into());
            HalfLine { fields: std::array::from_fn(field) }
        };
        DIRECTIONS.map(|(right, down)| [half(-right, -down), half(right, down)])
    }

    fn numbers(&self, weights: &LineWeights, cell: usize) -> Vec<f32> {
        let mut numbers = weights.part(Part::LineOutputBias).to_vec();
        for halves in self.halves(cell) {
            let halves = halves.map(|half| half.number() as u16);
            let line = line_output(weights, halves, self.stones[cell].into());
            numbers.iter_mut().zip(line).for_each(|(number, output)| *number += output);
        }
        relu(numbers)
    }

    fn neighborhood(&self, weights: &LineWeights, cells: &[Vec<f32>], cell: usize) -> Vec<f32> {
        let (matrix, mut sums) =
            (weights.part(Part::Neighbors), weights.part(Part::NeighborsBias).to_vec());
        for down in -1..=1isize {
            for right in -1..=1isize {
                let Some(neighbor) = self.offset_cell(cell, (right, down)) else { continue };
                let kind = (right.abs() + down.abs()) as usize;
                for n in 0..WIDTH {
                    sums[n] += matrix[kind * WIDTH + n] * cells[neighbor][n];
                }
            }
        }
        relu(sums)
    }

    fn sees_a_stone(&self, cell: usize) -> bool {
        let is_stone = |half: &HalfLine| half.fields.iter().any(|field| [1, 2].contains(field));
        self.stones[cell] > 0 || self.halves(cell).as_flattened().iter().any(is_stone)
    }
}

const _: () = assert!(REACH == 5 && UNITS == WIDTH);
