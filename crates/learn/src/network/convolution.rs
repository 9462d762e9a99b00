//! A convolution with stride 1. Its weights are ordered by input channel, row of the window, column
//! of the window from right to left, filter. So the contribution of one number to a row of the
//! output is one contiguous range of the weights and one of the output: the mirrored window,
//! centered on the number.

use std::ops::Range;

use super::dense::{add_scaled, dot};
use super::{Input, Padding, Shape};

/// Index ranges, computed once: divisions would cost as much as the sums.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Convolution {
    channels: u32,
    window: [usize; 2],
    /// Columns of the output, and filters.
    output: [usize; 2],
    /// By cell of the input.
    output_ranges: Vec<OutputRange>,
}

/// The part of the output whose windows contain a cell.
#[derive(Clone, PartialEq, Debug)]
struct OutputRange {
    rows: Range<usize>,
    /// The row of the output whose window has the cell in its first row.
    lowest: usize,
    /// The first column of the output whose window contains the cell, the number of such columns,
    /// and the column of the mirrored window for the first one.
    column: usize,
    columns: usize,
    skipped: usize,
}

impl Convolution {
    pub(super) fn new(input: Shape, output: Shape, window: [usize; 2], padding: Padding) -> Self {
        let [above, left] = match padding {
            Padding::Valid => [0, 0],
            Padding::Same => window.map(|side| (side - 1) / 2),
        };
        let output_range = |row: usize, column: usize| {
            // The window of output column `o` has this cell in column `column + left - o`.
            let (lowest, rightmost) = (row + above, column + left);
            let first = rightmost.saturating_sub(window[1] - 1);
            OutputRange {
                rows: lowest.saturating_sub(window[0] - 1)..output.rows.min(lowest + 1),
                lowest,
                column: first,
                columns: output.columns.min(rightmost + 1).saturating_sub(first),
                skipped: first + window[1] - 1 - rightmost,
            }
        };
        let cells = (0..input.rows).flat_map(|row| (0..input.columns).map(move |c| (row, c)));
        Convolution {
            channels: input.channels as u32,
            window,
            output: [output.columns, output.channels],
            output_ranges: cells.map(|(row, column)| output_range(row, column)).collect(),
        }
    }

    /// Calls `each` with the ranges of weights and outputs, of equal length, that an input
    /// contributes to.
    #[inline]
    fn for_each_range(&self, index: usize, mut each: impl FnMut(Range<usize>, Range<usize>)) {
        let (cell, channel) = (index as u32 / self.channels, index as u32 % self.channels);
        let ([window_rows, window_columns], [columns, filters]) = (self.window, self.output);
        let output_range = &self.output_ranges[cell as usize];
        let length = output_range.columns * filters;
        for row in output_range.rows.clone() {
            let window_row = channel as usize * window_rows + output_range.lowest - row;
            let weight = (window_row * window_columns + output_range.skipped) * filters;
            let output = (row * columns + output_range.column) * filters;
            each(weight..weight + length, output..output + length);
        }
    }

    /// Adds the weighted inputs to the sums of the units.
    pub(super) fn forward(&self, weights: &[f32], input: Input<'_>, sums: &mut [f32]) {
        input.for_each(|index, number| {
            self.for_each_range(index, |weight, output| {
                add_scaled(&mut sums[output], number, &weights[weight]);
            });
        });
    }

    /// Adds the gradient of the weights, given that of the sums.
    pub(super) fn weight_gradient(&self, input: Input<'_>, grads: &[f32], gradient: &mut [f32]) {
        input.for_each(|index, number| {
            self.for_each_range(index, |weight, output| {
                add_scaled(&mut gradient[weight], number, &grads[output]);
            });
        });
    }

    /// Computes the gradient of the inputs, given that of the sums.
    pub(super) fn input_gradient(&self, weights: &[f32], grads: &[f32], inputs: &mut [f32]) {
        for (index, input) in inputs.iter_mut().enumerate() {
            let mut sum = 0.0;
            self.for_each_range(index, |weight, output| {
                sum += dot(&weights[weight], &grads[output]);
            });
            *input = sum;
        }
    }
}
