//! Inference: from the sums of the cells to value and policy. An [`Inference`] owns the buffers, so
//! that an evaluation does not allocate.

use tesuji_games::Side;

use super::board::NetworkBoard;
use super::table::Sums;
use super::weights::{LineWeights, POOL_SHARE, Part, UNITS, WIDTH};
use crate::network::dot;

/// The activations of a cell.
pub(super) type Channels = [f32; WIDTH];

/// See the top of this file.
#[derive(Clone, Debug, Default)]
pub struct Inference {
    /// By cell, with a border of one cell that stays 0.
    pub(super) cells: Vec<Channels>,
    /// By cell: the activations after the 3x3 neighborhoods.
    pub(super) neighborhoods: Vec<Channels>,
    /// By channel: the sum over the board and the maximum.
    pub(super) pooled: [Channels; 2],
    /// The value's hidden layers.
    pub(super) first: [f32; UNITS],
    pub(super) second: [f32; UNITS],
    /// The logit of the value: 0 where both sides are equally likely to win.
    pub(super) last: f32,
    /// The weights of the policy at this position.
    pub(super) policy_weights: Channels,
}

impl Inference {
    /// Evaluates a board for the side to move and returns the chance that it wins.
    pub fn evaluate(&mut self, board: &NetworkBoard, to_move: Side) -> f32 {
        let (network, columns) = (&board.network, board.columns());
        self.resize_for(columns, board.rows());
        self.load_sums(board.sums(to_move), columns, network.step);
        self.forward(network.weights(), columns, |cell| board.sees(cell));
        self.chance()
    }

    /// The chance that the side to move wins, on the last evaluated board.
    pub fn chance(&self) -> f32 {
        1.0 / (1.0 + (-self.last).exp())
    }

    /// The policy logit of a move to a cell, on the last evaluated board. The policy is the softmax
    /// of these logits.
    #[inline]
    pub fn policy_logit(&self, cell: usize) -> f32 {
        dot(&self.neighborhoods[cell], &self.policy_weights)
    }

    /// Resizes the buffers for a board and clears the border.
    pub(super) fn resize_for(&mut self, columns: usize, rows: usize) {
        let across = columns + 2;
        self.cells.resize(across * (rows + 2), [0.0; WIDTH]);
        self.neighborhoods.resize(columns * rows, [0.0; WIDTH]);
        let (inner, last) = self.cells.split_at_mut(across * (rows + 1));
        inner[..across].fill([0.0; WIDTH]);
        last.fill([0.0; WIDTH]);
        for row in inner[across..].chunks_exact_mut(across) {
            (row[0], row[across - 1]) = ([0.0; WIDTH], [0.0; WIDTH]);
        }
    }

    fn load_sums(&mut self, sums: &[Sums], columns: usize, step: f32) {
        let across = columns + 2;
        let rows = self.cells[across..].chunks_exact_mut(across);
        for (sums, row) in sums.chunks_exact(columns).zip(rows) {
            // Flattened: in a loop over cells and channels the compiler vectorizes across cells,
            // channel by channel.
            let numbers = row[1..=columns].as_flattened_mut();
            for (number, &sum) in numbers.iter_mut().zip(sums.as_flattened()) {
                *number = f32::from(sum.max(0)) * step;
            }
        }
    }

    /// Computes the outputs from the activations of the cells. Only cells with a stone on their
    /// lines are pooled.
    pub(super) fn forward(
        &mut self,
        weights: &LineWeights,
        columns: usize,
        sees: impl Fn(usize) -> bool,
    ) {
        self.sum_neighborhoods(weights, columns);
        let (mut sums, mut max) = ([0.0; WIDTH], [0.0; WIDTH]);
        for (_, numbers) in self.neighborhoods.iter().enumerate().filter(|it| sees(it.0)) {
            for n in 0..WIDTH {
                sums[n] += numbers[n];
                max[n] = numbers[n].max(max[n]);
            }
        }
        self.pooled = [sums.map(|sum| POOL_SHARE * sum), max];
        self.first = layer(weights, Part::Value1, Part::Value1Bias, self.pooled.as_flattened());
        self.second = layer(weights, Part::Value2, Part::Value2Bias, &self.first);
        let last: &[f32; UNITS] = weights.row(Part::Value3, 0);
        self.last = weights.part(Part::Value3Bias)[0] + dot(&self.second, last);
        self.policy_weights = *weights.row(Part::Policy, 0);
        for (n, unit) in self.second.into_iter().enumerate() {
            add_scaled(&mut self.policy_weights, unit, weights.row(Part::PolicyByUnit, n));
        }
    }

    fn sum_neighborhoods(&mut self, weights: &LineWeights, columns: usize) {
        let across = columns + 2;
        let row = |n| -> &Channels { weights.row(Part::Neighbors, n) };
        let (own, adjacent, diagonal) = (row(0), row(1), row(2));
        let bias: &Channels = weights.row(Part::NeighborsBias, 0);
        for (y, row) in self.neighborhoods.chunks_exact_mut(columns).enumerate() {
            for (x, numbers) in row.iter_mut().enumerate() {
                let around = Neighborhood::new(&self.cells[y * across + x..], across);
                for n in 0..WIDTH {
                    let (here, sides, corners) = around.sums(n);
                    let sum = bias[n] + own[n] * here + adjacent[n] * sides + diagonal[n] * corners;
                    numbers[n] = sum.max(0.0);
                }
            }
        }
    }
}

/// A cell and its neighbors.
pub(super) struct Neighborhood<'a> {
    here: &'a Channels,
    sides: [&'a Channels; 4],
    corners: [&'a Channels; 4],
}

impl<'a> Neighborhood<'a> {
    /// On a board with a border; `cells` begins at the upper left neighbor.
    #[inline]
    pub(super) fn new(cells: &'a [Channels], across: usize) -> Neighborhood<'a> {
        let three = |row: usize| -> &'a [Channels; 3] {
            cells[row * across..].first_chunk().expect("the board has a border")
        };
        let ([a, b, c], [d, here, e], [f, g, h]) = (three(0), three(1), three(2));
        Neighborhood { here, sides: [b, d, e, g], corners: [a, c, f, h] }
    }

    /// A channel of the cell, and its sums over the four orthogonal and the four diagonal
    /// neighbors.
    #[inline(always)]
    pub(super) fn sums(&self, n: usize) -> (f32, f32, f32) {
        let sum = |[a, b, c, d]: &[&Channels; 4]| (a[n] + b[n]) + (c[n] + d[n]);
        (self.here[n], sum(&self.sides), sum(&self.corners))
    }
}

/// A layer with ReLU.
fn layer<const N: usize>(weights: &LineWeights, part: Part, bias: Part, input: &[f32]) -> [f32; N] {
    let mut sums = *weights.row::<N>(bias, 0);
    for (n, &number) in input.iter().enumerate() {
        add_scaled(&mut sums, number, weights.row(part, n));
    }
    sums.map(|sum| sum.max(0.0))
}

#[inline]
pub(super) fn add_scaled<const N: usize>(sums: &mut [f32; N], number: f32, row: &[f32; N]) {
    sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += number * weight);
}
