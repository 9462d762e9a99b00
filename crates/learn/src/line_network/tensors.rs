//! The gradients of [`backprop`](super::backprop) by a tensor library with automatic
//! differentiation (burn, backend `flex`). They verify the hand-written ones, and would allow
//! training on other devices.

use std::collections::BTreeMap;

use burn_tensor::activation::{log_softmax, relu};
use burn_tensor::{Device, Int, Tensor, TensorData};

use super::backprop::Losses;
use super::batch::{Batch, BatchPosition};
use super::weights::{LineWeights, POOL_SHARE, Part, WIDTH};

/// Its negative masks the logits of occupied cells: it exceeds any real logit.
const MASKED_LOGIT: f32 = 1e9;

/// Equivalent to [`Backprop::gradient`](super::backprop::Backprop::gradient).
pub(super) fn gradient(weights: &LineWeights, batch: &Batch, gradient: &mut Vec<f32>) -> Losses {
    gradient.clear();
    gradient.resize(LineWeights::count(), 0.0);
    let (mut losses, share) = (Losses::default(), 1.0 / batch.positions.len().max(1) as f32);
    // Positions on boards of one size form one tensor.
    let mut boards: BTreeMap<_, Vec<&BatchPosition>> = BTreeMap::new();
    for position in &batch.positions {
        boards.entry((position.columns, position.lines.len())).or_default().push(position);
    }
    for positions in boards.into_values() {
        let pass = ForwardPass::new(weights, batch, &positions);
        let (loss, found) = pass.losses(share);
        losses.add(&found);
        let mut grads = loss.backward();
        for part in Part::ALL {
            let found = pass.parts[part as usize].grad_remove(&mut grads);
            let numbers = found.map(|grads| numbers(grads)).unwrap_or_default();
            let sums = &mut gradient[part.range()];
            sums.iter_mut().zip(numbers).for_each(|(sum, grad)| *sum += grad);
        }
    }
    losses
}

fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap_or_default()
}

struct ForwardPass<'a> {
    device: Device,
    /// The parts of the network as tensors that require gradients.
    parts: [Tensor<2>; Part::ALL.len()],
    batch: &'a Batch,
    positions: &'a [&'a BatchPosition],
}

impl<'a> ForwardPass<'a> {
    fn new(
        weights: &LineWeights,
        batch: &'a Batch,
        positions: &'a [&'a BatchPosition],
    ) -> ForwardPass<'a> {
        let device = Device::flex().autodiff();
        let leaf = |part: Part| {
            let data = TensorData::new(weights.part(part).to_vec(), part.shape());
            Tensor::<2>::from_data(data, &device).require_grad()
        };
        ForwardPass { parts: Part::ALL.map(leaf), device, batch, positions }
    }

    fn part(&self, part: Part) -> Tensor<2> {
        self.parts[part as usize].clone()
    }

    /// The loss to minimize, and its parts.
    fn losses(&self, share: f32) -> (Tensor<1>, Losses) {
        let count = self.positions.len();
        let neighborhoods = self.neighborhoods();
        let (value, policy_weights) = self.heads(self.pooled(&neighborhoods));
        let (cells, target) = (self.cells(), self.flat(|position| position.chance));
        let logits = neighborhoods.matmul(policy_weights).reshape([count, cells]);
        let empty =
            self.by_cell(|position, cell| if position.empty[cell] { 0.0 } else { -MASKED_LOGIT });
        let policy = log_softmax(logits + empty, 1);
        let best = |position: &BatchPosition| i32::from(position.best.unwrap_or(0));
        let best = self.integers(self.positions.iter().map(|position| best(position)).collect());
        let chosen = policy.clone().gather(1, best.reshape([count, 1])).reshape([count]);
        let counted = self.flat(|position| if position.best.is_some() { 1.0 } else { 0.0 });
        let of_value =
            relu(value.clone()) - value.clone() * target + (value.abs().neg().exp() + 1.0).log();
        let of_policy = chosen.neg() * counted;
        let sum = |tensor: &Tensor<1>| numbers(tensor.clone().sum()).iter().sum::<f32>();
        let losses = Losses {
            positions: count,
            moves: self.positions.iter().filter(|position| position.best.is_some()).count(),
            value: sum(&of_value).into(),
            policy: sum(&of_policy).into(),
            found: self.found(&numbers(policy)),
        };
        ((of_value + of_policy).sum() * share, losses)
    }

    fn cells(&self) -> usize {
        self.positions[0].lines.len()
    }

    fn integers(&self, numbers: Vec<i32>) -> Tensor<1, Int> {
        let count = numbers.len();
        Tensor::from_data(TensorData::new(numbers, [count]), &self.device)
    }

    fn flat(&self, number: impl Fn(&BatchPosition) -> f32) -> Tensor<1> {
        let numbers: Vec<f32> = self.positions.iter().map(|position| number(position)).collect();
        let count = numbers.len();
        Tensor::from_data(TensorData::new(numbers, [count]), &self.device)
    }

    fn by_cell(&self, number: impl Fn(&BatchPosition, usize) -> f32) -> Tensor<2> {
        let shape = [self.positions.len(), self.cells()];
        let of = |position: &&BatchPosition| {
            (0..shape[1]).map(|cell| number(position, cell)).collect::<Vec<_>>()
        };
        let numbers: Vec<f32> = self.positions.iter().flat_map(of).collect();
        Tensor::from_data(TensorData::new(numbers, shape), &self.device)
    }

    /// The outputs of lines.
    fn lines(&self) -> Tensor<2> {
        let half = |n: usize| {
            let rows = self.batch.lines.iter().map(|line| line[n] as i32).collect();
            self.part(Part::Halves).select(0, self.integers(rows))
        };
        relu(half(0) + half(1)).matmul(self.part(Part::LineOutput))
    }

    /// By position, cell and channel.
    fn neighborhoods(&self) -> Tensor<3> {
        let (count, cells, columns) =
            (self.positions.len(), self.cells(), self.positions[0].columns);
        let rows = cells / columns;
        let lines = self.positions.iter().flat_map(|position| position.lines.as_flattened());
        let lines = self.lines().select(0, self.integers(lines.map(|&line| line as i32).collect()));
        let sums = lines.reshape([count * cells, 4, WIDTH]).sum_dim(1);
        let sums = sums.reshape([count * cells, WIDTH]) + self.part(Part::LineOutputBias);
        let own = relu(sums).reshape([count, rows, columns, WIDTH]);
        let padded = own.clone().pad([(0, 0), (1, 1), (1, 1), (0, 0)], 0.0);
        let at = |y: usize, x: usize| {
            padded.clone().slice([0..count, y..y + rows, x..x + columns, 0..WIDTH])
        };
        let adjacent = (at(0, 1) + at(2, 1)) + (at(1, 0) + at(1, 2));
        let diagonal = (at(0, 0) + at(0, 2)) + (at(2, 0) + at(2, 2));
        let weights = |n: usize| {
            let row = self.part(Part::Neighbors).slice([n..n + 1, 0..WIDTH]);
            row.reshape([1, 1, 1, WIDTH])
        };
        let bias = self.part(Part::NeighborsBias).reshape([1, 1, 1, WIDTH]);
        let sums = own * weights(0) + adjacent * weights(1) + diagonal * weights(2) + bias;
        relu(sums).reshape([count, cells, WIDTH])
    }

    /// The sum and the maximum over the cells with a stone on their lines.
    fn pooled(&self, neighborhoods: &Tensor<3>) -> Tensor<2> {
        let (count, cells) = (self.positions.len(), self.cells());
        let sees = self.by_cell(|position, cell| if position.sees[cell] { 1.0 } else { 0.0 });
        let visible = neighborhoods.clone() * sees.reshape([count, cells, 1]);
        let sums = visible.clone().sum_dim(1).reshape([count, WIDTH]) * POOL_SHARE;
        Tensor::cat(vec![sums, visible.max_dim(1).reshape([count, WIDTH])], 1)
    }

    /// The value's logit, and the policy weights.
    fn heads(&self, pooled: Tensor<2>) -> (Tensor<1>, Tensor<3>) {
        let (count, part) = (self.positions.len(), |part| self.part(part));
        let first = relu(pooled.matmul(part(Part::Value1)) + part(Part::Value1Bias));
        let second = relu(first.matmul(part(Part::Value2)) + part(Part::Value2Bias));
        let value = second.clone().matmul(part(Part::Value3)) + part(Part::Value3Bias);
        let policy_weights = second.matmul(part(Part::PolicyByUnit)) + part(Part::Policy);
        (value.reshape([count]), policy_weights.reshape([count, WIDTH, 1]))
    }

    fn found(&self, policy: &[f32]) -> usize {
        let is_found = |(position, policy): &(&&BatchPosition, &[f32])| {
            let best = position.best.map(|best| policy[usize::from(best)]);
            best.is_some_and(|best| policy.iter().all(|&other| other <= best))
        };
        self.positions.iter().zip(policy.chunks(self.cells())).filter(is_found).count()
    }
}
