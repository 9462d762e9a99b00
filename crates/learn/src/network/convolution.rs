//! A convolution with stride 1. Its weights lie by input channel, row of the window, column of the window from right to
//! left, filter. So what one number adds to a row of the output is one contiguous piece of the weights and one of the
//! output: the window is laid over the output around the number, mirrored.

use super::rows::{add_scaled, dot};
use super::{Input, Padding, Shape};

/// Where things lie.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Convolution {
    pub(super) input: Shape,
    pub(super) output: Shape,
    pub(super) window: [usize; 2],
    pub(super) padding: Padding,
}

/// Pieces of the weights and of the output that one number connects, of the same length.
struct Piece {
    weights: usize,
    output: usize,
    length: usize,
}

impl Convolution {
    /// Calls `each` with the pieces that belong to an input.
    #[inline]
    fn for_each_piece(&self, index: usize, mut each: impl FnMut(Piece)) {
        let Shape { columns, channels: filters, .. } = self.output;
        let [window_rows, window_columns] = self.window;
        let (cell, channel) = (index / self.input.channels, index % self.input.channels);
        let (row, column) = (cell / self.input.columns, cell % self.input.columns);
        let [above, left] = match self.padding {
            Padding::Valid => [0, 0],
            Padding::Same => [(window_rows - 1) / 2, (window_columns - 1) / 2],
        };
        // The output in column `o` sees this number in its window's column `column + left - o`.
        let rightmost = column + left;
        let first = rightmost.saturating_sub(window_columns - 1);
        let end = columns.min(rightmost + 1);
        if first >= end {
            return;
        }
        let skipped = (first + window_columns - 1) - rightmost;
        let length = (end - first) * filters;
        let lowest = row + above;
        for output_row in lowest.saturating_sub(window_rows - 1)..self.output.rows.min(lowest + 1) {
            let window_row = lowest - output_row;
            let weights = (channel * window_rows + window_row) * window_columns + skipped;
            let output = (output_row * columns + first) * filters;
            each(Piece { weights: weights * filters, output, length });
        }
    }

    /// Adds what the inputs bring to the sums of the units.
    pub(super) fn forward(&self, weights: &[f32], input: Input<'_>, sums: &mut [f32]) {
        input.for_each(|index, number| {
            self.for_each_piece(index, |piece| {
                let sums = &mut sums[piece.output..][..piece.length];
                add_scaled(sums, number, &weights[piece.weights..][..piece.length]);
            });
        });
    }

    /// Adds to the slopes of the weights, given those of the sums.
    pub(super) fn weight_slopes(&self, input: Input<'_>, slopes: &[f32], gradient: &mut [f32]) {
        input.for_each(|index, number| {
            self.for_each_piece(index, |piece| {
                let gradient = &mut gradient[piece.weights..][..piece.length];
                add_scaled(gradient, number, &slopes[piece.output..][..piece.length]);
            });
        });
    }

    /// The slopes of the inputs, given those of the sums.
    pub(super) fn input_slopes(&self, weights: &[f32], slopes: &[f32], inputs: &mut [f32]) {
        for (index, input) in inputs.iter_mut().enumerate() {
            let mut sum = 0.0;
            self.for_each_piece(index, |piece| {
                let slopes = &slopes[piece.output..][..piece.length];
                sum += dot(&weights[piece.weights..][..piece.length], slopes);
            });
            *input = sum;
        }
    }
}
