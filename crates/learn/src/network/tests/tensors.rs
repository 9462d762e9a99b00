//! Another implementation computes the same outputs from the tensors alone.

use super::*;
use crate::safetensors::{Tensor, TensorData};

/// The numbers of a tensor, if there is one with this name.
fn named<'t>(tensors: &'t [Tensor<'_>], name: &str) -> Option<&'t [f32]> {
    let found = tensors.iter().find(|tensor| tensor.name == name)?;
    assert_eq!(found.count(), found.shape.iter().product::<usize>(), "{name}");
    match &found.numbers {
        TensorData::F32(numbers) => Some(numbers),
        TensorData::I16(_) => panic!("{name}"),
    }
}

/// The outputs of a network, computed from its tensors alone.
fn by_tensors(network: &Network, input: &[f32]) -> Vec<f32> {
    let tensors = network.tensors();
    let (mut shape, mut numbers) = (network.input(), input.to_vec());
    for (n, layer) in network.layers().iter().enumerate() {
        let Some(weights) = named(&tensors, &format!("layers.{n}.weight")) else { continue };
        let output = layer.output(shape).unwrap();
        let mut sums = match *layer {
            Layer::Convolution { window, padding, .. } => {
                convolved(weights, window, padding, (shape, output), &numbers)
            }
            _ => weights.chunks_exact(numbers.len()).map(|row| dot(row, &numbers)).collect(),
        };
        if let Some(biases) = named(&tensors, &format!("layers.{n}.bias")) {
            sums.iter_mut().zip(biases.iter().cycle()).for_each(|(sum, bias)| *sum += bias);
        }
        layer.activation().apply(&mut sums);
        (shape, numbers) = (output, sums);
    }
    numbers
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// A cross-correlation with weights by filter, channel, row, column.
fn convolved(
    weights: &[f32],
    [rows, columns]: [usize; 2],
    padding: Padding,
    (from, to): (Shape, Shape),
    numbers: &[f32],
) -> Vec<f32> {
    let before = |side: usize| if padding == Padding::Same { (side - 1) / 2 } else { 0 };
    let value_at = |row: usize, column: usize, channel| {
        let row = row.checked_sub(before(rows)).filter(|row| *row < from.rows);
        let column = column.checked_sub(before(columns)).filter(|it| *it < from.columns);
        row.zip(column).map_or(0.0, |(row, column)| numbers[from.index(row, column, channel)])
    };
    let mut sums = vec![0.0; to.size()];
    for (at, sum) in sums.iter_mut().enumerate() {
        let (cell, filter) = (at / to.channels, at % to.channels);
        let (row, column) = (cell / to.columns, cell % to.columns);
        let size = from.channels * rows * columns;
        for (place, weight) in weights[filter * size..][..size].iter().enumerate() {
            let (channel, window) = (place / (rows * columns), place % (rows * columns));
            *sum += weight * value_at(row + window / columns, column + window % columns, channel);
        }
    }
    sums
}

#[test]
fn tensors_determine_the_outputs() {
    let mut rng = seeded(8);
    for (n, mut network) in sample_networks().into_iter().enumerate() {
        let all = random_numbers(&mut rng, network.parameters().len());
        network.parameters_mut().copy_from_slice(&all);
        let input = random_numbers(&mut rng, network.input().size());
        let mut scratch = network.scratch();
        let activations = network.predict(Input::Dense(&input), &mut scratch).to_vec();
        let again = by_tensors(&network, &input);
        assert_eq!(activations.len(), again.len());
        for (activation, again) in activations.iter().zip(&again) {
            assert!((activation - again).abs() < 1e-4, "{n}: {activation} {again}");
        }
        let count: usize = network.tensors().iter().map(Tensor::count).sum();
        assert_eq!(count, network.parameters().len());
    }
}
