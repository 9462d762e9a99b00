//! A dense layer. Its weights lie by input: the weights from one input to all units together.

use super::Input;
use super::rows::{add_scaled, dot};

/// Adds what the inputs bring to the sums of the units.
pub(super) fn forward(weights: &[f32], input: Input<'_>, sums: &mut [f32]) {
    let units = sums.len();
    if let (1, Input::Dense(numbers)) = (units, input) {
        sums[0] += dot(numbers, weights);
        return;
    }
    input.for_each(|index, number| {
        add_scaled(sums, number, &weights[index * units..][..units]);
    });
}

/// Adds to the slopes of the weights, given those of the sums.
pub(super) fn weight_slopes(input: Input<'_>, slopes: &[f32], gradient: &mut [f32]) {
    let units = slopes.len();
    input.for_each(|index, number| {
        add_scaled(&mut gradient[index * units..][..units], number, slopes);
    });
}

/// The slopes of the inputs, given those of the sums.
pub(super) fn input_slopes(weights: &[f32], slopes: &[f32], inputs: &mut [f32]) {
    for (input, weights) in inputs.iter_mut().zip(weights.chunks_exact(slopes.len())) {
        *input = dot(weights, slopes);
    }
}
