//! The parameters of a network as tensors in PyTorch's layout: a dense layer as `[outputs,
//! inputs]`, a convolution as `[filters, channels, rows, columns]`.

use super::{Layer, Network};
use crate::safetensors::Tensor;

impl Network {
    /// `layers.N.weight` and `layers.N.bias` of each layer that has them, N counted from 0 over all
    /// layers. The inputs of a dense layer are ordered by cell, with the channels of a cell
    /// contiguous.
    pub fn tensors(&self) -> Vec<Tensor<'_>> {
        let mut tensors = Vec::new();
        for (n, stage) in self.stages().iter().enumerate() {
            let weights = &self.parameters()[stage.weights.clone()];
            let biases = &self.parameters()[stage.biases.clone()];
            let name = format!("layers.{n}.weight");
            match stage.layer {
                Layer::Dropout { .. } => continue,
                Layer::Dense { outputs, .. } => {
                    let shape = [stage.input.size(), outputs];
                    tensors.push(Tensor::transposed(name, shape, weights));
                }
                Layer::Convolution { filters, window: [rows, columns], .. } => {
                    let shape = [filters, stage.input.channels, rows, columns];
                    tensors.push(Tensor::f32(name, &shape, unmirrored(weights, shape)));
                }
            }
            if !biases.is_empty() {
                tensors.push(Tensor::f32(format!("layers.{n}.bias"), &[biases.len()], biases));
            }
        }
        tensors
    }
}

/// Kernels are stored by channel, row, column from right to left, filter.
fn unmirrored(weights: &[f32], [filters, channels, rows, columns]: [usize; 4]) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(weights.len());
    for filter in 0..filters {
        for row in 0..channels * rows {
            let index = |column: usize| ((row + 1) * columns - 1 - column) * filters + filter;
            numbers.extend((0..columns).map(|column| weights[index(column)]));
        }
    }
    numbers
}
