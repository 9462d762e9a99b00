//! A line network prepared for inference: the output of each line, quantized to integers, in a
//! table. Sums of integers do not depend on the order of stones.

use std::sync::{Arc, OnceLock};

use super::inference::add_scaled;
use super::shape::{CENTERS, HALVES, PAIRS, line_index};
use super::weights::{HIDDEN, LineWeights, Part, WIDTH};
use crate::shipped::GOMOKU_LINES;

/// The quantized activations of a cell.
pub(super) type Sums = [i16; WIDTH];

/// Bounds such that four lines and the bias fit into 16 bits.
const MAX_LINE_VALUE: f32 = 7000.0;
const MAX_BIAS_VALUE: f32 = 4000.0;

/// See the top of this file. The table has 12.8 MB.
#[derive(Clone, Debug)]
pub struct LineNetwork {
    weights: LineWeights,
    /// By line index.
    lines: Box<[Sums]>,
    /// The bias of every cell.
    pub(super) bias: Sums,
    /// The quantization step.
    pub(super) step: f32,
}

impl LineNetwork {
    /// Tabulates a network.
    pub fn new(weights: LineWeights) -> LineNetwork {
        let mut lines = vec![[0.0; WIDTH]; PAIRS * CENTERS].into_boxed_slice();
        for (high, low) in
            (0..HALVES as u16).flat_map(|high| (0..=high).map(move |low| (high, low)))
        {
            for center in 0..CENTERS as u16 {
                lines[line_index([low, high], center)] = line_output(&weights, [low, high], center);
            }
        }
        let bias: &[f32; WIDTH] = weights.row(Part::LineOutputBias, 0);
        let max_abs = |row: &[f32; WIDTH]| row.iter().fold(0.0f32, |most, it| most.max(it.abs()));
        let step = lines.iter().map(max_abs).fold(0.0, f32::max) / MAX_LINE_VALUE;
        let step = step.max(max_abs(bias) / MAX_BIAS_VALUE).max(f32::MIN_POSITIVE);
        let quantized = |row: &[f32; WIDTH]| row.map(|number| (number / step).round() as i16);
        let bias = quantized(bias);
        LineNetwork { lines: lines.iter().map(quantized).collect(), bias, step, weights }
    }

    /// The network shipped with the program, for freestyle Gomoku; loaded once.
    pub fn shipped() -> Arc<LineNetwork> {
        static SHIPPED: OnceLock<Arc<LineNetwork>> = OnceLock::new();
        let read = || LineWeights::from_bytes(GOMOKU_LINES).expect("the shipped network is valid");
        SHIPPED.get_or_init(|| Arc::new(LineNetwork::new(read()))).clone()
    }

    /// The learned parameters.
    pub fn weights(&self) -> &LineWeights {
        &self.weights
    }

    #[inline]
    pub(super) fn line(&self, halves: [u16; 2], center: u16) -> &Sums {
        &self.lines[line_index(halves, center)]
    }
}

/// The output of a line.
pub(super) fn line_output(weights: &LineWeights, halves: [u16; 2], center: u16) -> [f32; WIDTH] {
    line_forward(weights, halves.map(|half| usize::from(center) * HALVES + usize::from(half))).1
}

/// The hidden units and the output of a line with these rows.
pub(super) fn line_forward(
    weights: &LineWeights,
    rows: [usize; 2],
) -> ([f32; HIDDEN], [f32; WIDTH]) {
    let [near, far] = rows.map(|row| weights.row::<HIDDEN>(Part::Halves, row));
    let hidden: [f32; HIDDEN] = std::array::from_fn(|n| (near[n] + far[n]).max(0.0));
    let (output_row, _) = weights.part(Part::LineOutput).as_chunks::<WIDTH>();
    let mut output = [0.0; WIDTH];
    hidden
        .iter()
        .zip(output_row)
        .for_each(|(&unit, output_row)| add_scaled(&mut output, unit, output_row));
    (hidden, output)
}
