//! Gradients of the loss by hand-written backpropagation: the forward pass of an [`Inference`],
//! then the backward pass. Each distinct line is computed once, and activations that the backward
//! pass does not need are not stored.

use super::batch::{Batch, BatchPosition};
use super::inference::{Channels, Inference, Neighborhood, add_scaled};
use super::table::line_forward;
use super::weights::{HIDDEN, LineWeights, POOL_SHARE, POOLED, Part, UNITS, WIDTH};
use crate::network::dot;

/// Losses summed over positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// The number of positions.
    pub positions: usize,
    /// The number of positions with a best move.
    pub moves: usize,
    /// The cross entropy of the value.
    pub value: f64,
    /// The cross entropy of the policy.
    pub policy: f64,
    /// The number of positions whose best move has the highest policy.
    pub found: usize,
}

impl Losses {
    /// Adds other losses.
    pub fn add(&mut self, other: &Losses) {
        self.positions += other.positions;
        self.moves += other.moves;
        self.value += other.value;
        self.policy += other.policy;
        self.found += other.found;
    }
}

/// Buffers of the forward and backward passes.
#[derive(Debug, Default)]
pub struct Backprop {
    inference: Inference,
    /// By line: the hidden units.
    hidden: Vec<[f32; HIDDEN]>,
    /// By line: its output.
    line_outputs: Vec<Channels>,
    /// By line: the gradient of its output.
    line_grads: Vec<Channels>,
    /// By cell, with a border: the gradients of the neighborhoods.
    grads: Vec<Channels>,
    /// By cell: the policy.
    policy: Vec<f32>,
}

impl Backprop {
    /// The losses of a network.
    pub fn losses(&mut self, weights: &LineWeights, batch: &Batch) -> Losses {
        self.forward_lines(weights, batch);
        let mut losses = Losses::default();
        for position in &batch.positions {
            losses.add(&self.forward(weights, position));
        }
        losses
    }

    /// Computes the losses, and the gradient of the mean of value loss plus policy loss in the
    /// order of [`LineWeights::parameters`].
    pub fn gradient(
        &mut self,
        weights: &LineWeights,
        batch: &Batch,
        gradient: &mut Vec<f32>,
    ) -> Losses {
        gradient.clear();
        gradient.resize(LineWeights::count(), 0.0);
        self.forward_lines(weights, batch);
        self.line_grads.clear();
        self.line_grads.resize(batch.lines.len(), [0.0; WIDTH]);
        let (mut losses, share) = (Losses::default(), 1.0 / batch.positions.len().max(1) as f32);
        for position in &batch.positions {
            losses.add(&self.forward(weights, position));
            let pooled = self.backward_heads(weights, position, share, gradient);
            self.backward_pooling(position, &pooled);
            self.backward_cells(weights, position, gradient);
        }
        self.backward_lines(weights, batch, gradient);
        losses
    }

    fn forward_lines(&mut self, weights: &LineWeights, batch: &Batch) {
        self.hidden.clear();
        self.line_outputs.clear();
        for line in &batch.lines {
            let (hidden, line_outputs) = line_forward(weights, line.map(|row| row as usize));
            self.hidden.push(hidden);
            self.line_outputs.push(line_outputs);
        }
    }

    fn forward(&mut self, weights: &LineWeights, position: &BatchPosition) -> Losses {
        let (columns, cells) = (position.columns, position.lines.len());
        self.inference.resize_for(columns, cells / columns);
        let bias: &Channels = weights.row(Part::LineOutputBias, 0);
        for (cell, lines) in position.lines.iter().enumerate() {
            let mut sum = *bias;
            lines.iter().for_each(|&line| add(&mut sum, &self.line_outputs[line as usize]));
            self.inference.cells[bordered_index(cell, columns)] = sum.map(|number| number.max(0.0));
        }
        self.inference.forward(weights, columns, |cell| position.sees[cell]);
        self.position_losses(position)
    }

    /// Computes the losses of a position and stores its policy.
    fn position_losses(&mut self, position: &BatchPosition) -> Losses {
        let Backprop { inference, policy, .. } = self;
        policy.clear();
        policy.extend(position.empty.iter().enumerate().map(|(cell, &is_empty)| match is_empty {
            true => inference.policy_logit(cell),
            false => f32::NEG_INFINITY,
        }));
        let max = policy.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        policy.iter_mut().for_each(|logit| *logit = (*logit - max).exp());
        let sum: f32 = policy.iter().sum();
        policy.iter_mut().for_each(|logit| *logit /= sum);
        let last = inference.last;
        // ln(1 + eˣ) without overflow.
        let value = last.max(0.0) + (-last.abs()).exp().ln_1p() - position.chance * last;
        let mut losses = Losses { positions: 1, value: value.into(), ..Losses::default() };
        if let Some(best) = position.best.map(usize::from) {
            losses.moves = 1;
            losses.policy = f64::from(-policy[best].max(f32::MIN_POSITIVE).ln());
            losses.found = usize::from(policy.iter().all(|&other| other <= policy[best]));
        }
        losses
    }

    /// Propagates the losses to the pooled activations, and through the policy to the
    /// neighborhoods.
    fn backward_heads(
        &mut self,
        weights: &LineWeights,
        position: &BatchPosition,
        share: f32,
        gradient: &mut [f32],
    ) -> [f32; POOLED] {
        let policy_grads = self.backward_policy(position, share);
        let inference = &self.inference;
        let last = share * (inference.chance() - position.chance);
        row_of::<1>(gradient, Part::Value3Bias, 0)[0] += last;
        add_scaled(row_of(gradient, Part::Value3, 0), last, &inference.second);
        add(row_of(gradient, Part::Policy, 0), &policy_grads);
        let mut second: [f32; UNITS] = weights.row::<UNITS>(Part::Value3, 0).map(|w| w * last);
        for (n, (grad, output)) in second.iter_mut().zip(&inference.second).enumerate() {
            add_scaled(row_of(gradient, Part::PolicyByUnit, n), *output, &policy_grads);
            *grad += dot(weights.row::<WIDTH>(Part::PolicyByUnit, n), &policy_grads);
        }
        let parts = (Part::Value2, Part::Value2Bias);
        let first =
            backward_layer(weights, parts, &inference.first, &inference.second, second, gradient);
        let (parts, pooled) = ((Part::Value1, Part::Value1Bias), inference.pooled.as_flattened());
        backward_layer(weights, parts, pooled, &inference.first, first, gradient)
    }

    /// Initializes the gradients of the neighborhoods; returns that of the policy weights.
    fn backward_policy(&mut self, position: &BatchPosition, share: f32) -> Channels {
        let (columns, cells) = (position.columns, position.lines.len());
        let across = columns + 2;
        self.grads.clear();
        self.grads.resize(across * (cells / columns + 2), [0.0; WIDTH]);
        let mut policy_grads = [0.0; WIDTH];
        let Some(best) = position.best.map(usize::from) else { return policy_grads };
        for cell in (0..cells).filter(|&cell| position.empty[cell]) {
            let target = f32::from(u8::from(cell == best));
            let grad = share * (self.policy[cell] - target);
            add_scaled(&mut policy_grads, grad, &self.inference.neighborhoods[cell]);
            let grads = &mut self.grads[bordered_index(cell, columns)];
            add_scaled(grads, grad, &self.inference.policy_weights);
        }
        policy_grads
    }

    /// Adds the gradients of the neighborhoods that come from the value, and applies the ReLU.
    fn backward_pooling(&mut self, position: &BatchPosition, pooled: &[f32; POOLED]) {
        let (sums, maxima) = pooled.split_at(WIDTH);
        let max_values = &self.inference.pooled[1];
        let mut assigned = [false; WIDTH];
        for (cell, numbers) in self.inference.neighborhoods.iter().enumerate() {
            let grads = &mut self.grads[bordered_index(cell, position.columns)];
            if position.sees[cell] {
                for n in 0..WIDTH {
                    grads[n] += POOL_SHARE * sums[n];
                    if !assigned[n] && numbers[n] == max_values[n] {
                        assigned[n] = true;
                        grads[n] += maxima[n];
                    }
                }
            }
            relu_backward(grads, numbers);
        }
    }

    /// Propagates the gradients of the neighborhoods to the lines.
    fn backward_cells(
        &mut self,
        weights: &LineWeights,
        position: &BatchPosition,
        gradient: &mut [f32],
    ) {
        let (columns, across) = (position.columns, position.columns + 2);
        let row = |n| -> &Channels { weights.row(Part::Neighbors, n) };
        let (own, adjacent, diagonal) = (row(0), row(1), row(2));
        let mut sums = [[0.0; WIDTH]; 5];
        for (y, lines) in position.lines.chunks_exact(columns).enumerate() {
            for (x, lines) in lines.iter().enumerate() {
                let corner = y * across + x;
                let grads = Neighborhood::new(&self.grads[corner..], across);
                let values = Neighborhood::new(&self.inference.cells[corner..], across);
                let mut cell = [0.0; WIDTH];
                for n in 0..WIDTH {
                    let (here, sides, corners) = grads.sums(n);
                    let (value, values_adjacent, values_diagonal) = values.sums(n);
                    sums[0][n] += here * value;
                    sums[1][n] += here * values_adjacent;
                    sums[2][n] += here * values_diagonal;
                    sums[3][n] += here;
                    let grad = own[n] * here + adjacent[n] * sides + diagonal[n] * corners;
                    cell[n] = if value > 0.0 { grad } else { 0.0 };
                    sums[4][n] += cell[n];
                }
                lines.iter().for_each(|&it| add(&mut self.line_grads[it as usize], &cell));
            }
        }
        (0..3).for_each(|n| add(row_of(gradient, Part::Neighbors, n), &sums[n]));
        add(row_of(gradient, Part::NeighborsBias, 0), &sums[3]);
        add(row_of(gradient, Part::LineOutputBias, 0), &sums[4]);
    }

    fn backward_lines(&mut self, weights: &LineWeights, batch: &Batch, gradient: &mut [f32]) {
        let (output_row, _) = weights.part(Part::LineOutput).as_chunks::<WIDTH>();
        let lines = batch.lines.iter().zip(&self.hidden).zip(&self.line_grads);
        for ((line, hidden), grads) in lines {
            let mut units = [0.0; HIDDEN];
            for (n, output_row) in output_row.iter().enumerate() {
                if hidden[n] > 0.0 {
                    units[n] = dot(output_row, grads);
                    add_scaled(row_of(gradient, Part::LineOutput, n), hidden[n], grads);
                }
            }
            line.iter().for_each(|&row| add(row_of(gradient, Part::Halves, row as usize), &units));
        }
    }
}

/// A row of a part of the gradient.
fn row_of<const COLUMNS: usize>(
    gradient: &mut [f32],
    part: Part,
    row: usize,
) -> &mut [f32; COLUMNS] {
    &mut gradient[part.range()].as_chunks_mut().0[row]
}

/// The backward pass of a layer with ReLU: returns the gradient of its input.
fn backward_layer<const N: usize>(
    weights: &LineWeights,
    (part, bias): (Part, Part),
    input: &[f32],
    output: &[f32; UNITS],
    mut grads: [f32; UNITS],
    gradient: &mut [f32],
) -> [f32; N] {
    relu_backward(&mut grads, output);
    add(row_of(gradient, bias, 0), &grads);
    std::array::from_fn(|n| {
        add_scaled(row_of(gradient, part, n), input[n], &grads);
        dot(weights.row::<UNITS>(part, n), &grads)
    })
}

fn relu_backward(grads: &mut [f32; WIDTH], output: &[f32; WIDTH]) {
    for (grad, output) in grads.iter_mut().zip(output) {
        *grad = if *output > 0.0 { *grad } else { 0.0 };
    }
}

/// The index of a cell on a board with a border.
fn bordered_index(cell: usize, columns: usize) -> usize {
    (cell / columns + 1) * (columns + 2) + cell % columns + 1
}

#[inline]
fn add<const N: usize>(sums: &mut [f32; N], others: &[f32; N]) {
    sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
}
