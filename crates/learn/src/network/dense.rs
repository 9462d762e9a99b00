//! A dense layer, and the two loops that all layers use. Its weights are ordered by input: the
//! weights from one input to all units are contiguous. Products and sums are not fused, so every
//! machine computes the same bits.

use super::Input;

/// Adds the weighted inputs to the sums of the units.
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

/// Adds the gradient of the weights, given that of the sums.
pub(super) fn weight_gradient(input: Input<'_>, grads: &[f32], gradient: &mut [f32]) {
    let units = grads.len();
    input.for_each(|index, number| {
        add_scaled(&mut gradient[index * units..][..units], number, grads);
    });
}

/// Computes the gradient of the inputs, given that of the sums.
pub(super) fn input_gradient(weights: &[f32], grads: &[f32], inputs: &mut [f32]) {
    for (input, weights) in inputs.iter_mut().zip(weights.chunks_exact(grads.len())) {
        *input = dot(weights, grads);
    }
}

/// Adds `factor` times `row` to `sums`.
#[inline]
pub(super) fn add_scaled(sums: &mut [f32], factor: f32, row: &[f32]) {
    for (sum, &number) in sums.iter_mut().zip(row) {
        *sum += factor * number;
    }
}

/// The dot product, in eight lanes so that the compiler vectorizes it.
#[inline]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a_whole, a_rest), (b_whole, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut lanes = [0.0f32; 8];
    for (a, b) in a_whole.iter().zip(b_whole) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(lane, (a, b))| *lane += a * b);
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}
