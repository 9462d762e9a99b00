//! The network as it is described, from the stones alone: what the fast way and the training are tested against.

use super::shape::{DIRECTIONS, Half, REACH};
use super::table::of_line;
use super::weights::{LineWeights, POOL_SHARE, Part, UNITS, WIDTH};

/// What a network thinks of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Opinion {
    /// The chance that the side to move wins.
    pub chance: f32,
    /// How promising each cell is.
    pub promises: Vec<f32>,
}

/// Looks at a board of so many columns; stones are given row by row: 0 empty, 1 of the side to move, 2 of the other side.
pub fn look(weights: &LineWeights, columns: usize, stones: &[u8]) -> Opinion {
    let sight = Sight { columns, stones };
    let cells: Vec<Vec<f32>> = (0..stones.len()).map(|cell| sight.numbers(weights, cell)).collect();
    let neighbourhoods: Vec<Vec<f32>> =
        (0..stones.len()).map(|cell| sight.neighbourhood(weights, &cells, cell)).collect();
    let seeing: Vec<&Vec<f32>> = (0..stones.len())
        .filter(|&cell| sight.sees_a_stone(cell))
        .map(|cell| &neighbourhoods[cell])
        .collect();
    let sums = (0..WIDTH).map(|n| POOL_SHARE * seeing.iter().map(|it| it[n]).sum::<f32>());
    let most = (0..WIDTH).map(|n| seeing.iter().map(|it| it[n]).fold(0.0, f32::max));
    let pooled: Vec<f32> = sums.chain(most).collect();
    let first = relu(layer(weights, Part::Value1, Part::Value1Bias, &pooled));
    let second = relu(layer(weights, Part::Value2, Part::Value2Bias, &first));
    let last = layer(weights, Part::Value3, Part::Value3Bias, &second)[0];
    let promise = layer(weights, Part::PromiseByUnit, Part::Promise, &second);
    let promises =
        neighbourhoods.iter().map(|it| it.iter().zip(&promise).map(|(a, b)| a * b).sum());
    Opinion { chance: 1.0 / (1.0 + (-last).exp()), promises: promises.collect() }
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

struct Sight<'a> {
    columns: usize,
    stones: &'a [u8],
}

impl Sight<'_> {
    fn away(&self, cell: usize, (right, down): (isize, isize)) -> Option<usize> {
        let (columns, rows) = (self.columns, self.stones.len() / self.columns);
        let x = (cell % columns).checked_add_signed(right).filter(|&x| x < columns)?;
        let y = (cell / columns).checked_add_signed(down).filter(|&y| y < rows)?;
        Some(y * columns + x)
    }

    /// The half-lines on both sides of a cell, by direction.
    fn halves(&self, cell: usize) -> [[Half; 2]; 4] {
        let half = |right: isize, down: isize| {
            let at = |n: isize| self.away(cell, (right * n, down * n));
            let field = |n: usize| at(n as isize + 1).map_or(3, |cell| self.stones[cell].into());
            Half { fields: std::array::from_fn(field) }
        };
        DIRECTIONS.map(|(right, down)| [half(-right, -down), half(right, down)])
    }

    fn numbers(&self, weights: &LineWeights, cell: usize) -> Vec<f32> {
        let mut numbers = weights.part(Part::MixBias).to_vec();
        for halves in self.halves(cell) {
            let halves = halves.map(|half| half.number() as u16);
            let line = of_line(weights, halves, self.stones[cell].into());
            numbers.iter_mut().zip(line).for_each(|(number, brought)| *number += brought);
        }
        relu(numbers)
    }

    fn neighbourhood(&self, weights: &LineWeights, cells: &[Vec<f32>], cell: usize) -> Vec<f32> {
        let (matrix, mut sums) =
            (weights.part(Part::Neighbours), weights.part(Part::NeighboursBias).to_vec());
        for down in -1..=1isize {
            for right in -1..=1isize {
                let Some(near) = self.away(cell, (right, down)) else { continue };
                let kind = (right.abs() + down.abs()) as usize;
                for n in 0..WIDTH {
                    sums[n] += matrix[kind * WIDTH + n] * cells[near][n];
                }
            }
        }
        relu(sums)
    }

    fn sees_a_stone(&self, cell: usize) -> bool {
        let is_stone = |half: &Half| half.fields.iter().any(|field| [1, 2].contains(field));
        self.stones[cell] > 0 || self.halves(cell).as_flattened().iter().any(is_stone)
    }
}

const _: () = assert!(REACH == 5 && UNITS == WIDTH);
