//! The two loops that everything comes down to. Products are not fused with sums, so every machine gets the same bits.

/// Adds `factor` times `row` to `sums`.
#[inline]
pub(super) fn add_scaled(sums: &mut [f32], factor: f32, row: &[f32]) {
    for (sum, &number) in sums.iter_mut().zip(row) {
        *sum += factor * number;
    }
}

/// The sum of products, in eight lanes so that it can be done in wide registers.
#[inline]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 8;
    let (a_whole, a_rest) = a.as_chunks::<LANES>();
    let (b_whole, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [0.0f32; LANES];
    for (a, b) in a_whole.iter().zip(b_whole) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}
