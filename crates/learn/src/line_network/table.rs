//! A line network ready to be asked: what each line brings to the cell in its middle, as whole numbers in a table. Sums
//! of whole numbers do not depend on the order of stones.

use std::sync::{Arc, OnceLock};

use super::shape::{CENTRES, HALVES, PAIRS, place};
use super::weights::{HIDDEN, LineWeights, Part, WIDTH};
use crate::shipped::GOMOKU_LINES;

/// The numbers of a cell, in steps.
pub(super) type Sums = [i16; WIDTH];

/// Four lines and what is added to them must fit.
const MOST_OF_LINE: f32 = 7000.0;
const MOST_OF_BIAS: f32 = 4000.0;

/// See the top of this file. The table has 12.8 MB and is made in a moment.
#[derive(Clone, Debug)]
pub struct LineNetwork {
    weights: LineWeights,
    /// By the place of the line.
    lines: Box<[Sums]>,
    bias: Sums,
    /// What 1 in the table is worth.
    step: f32,
}

impl LineNetwork {
    /// Tabulates a network.
    pub fn new(weights: LineWeights) -> LineNetwork {
        let mut lines = vec![[0.0; WIDTH]; PAIRS * CENTRES].into_boxed_slice();
        for_each_line(|halves, centre| {
            lines[place(halves, centre)] = of_line(&weights, halves, centre);
        });
        let bias: &[f32; WIDTH] = weights.row(Part::MixBias, 0);
        let most = |row: &[f32; WIDTH]| row.iter().fold(0.0f32, |most, it| most.max(it.abs()));
        let step = lines.iter().map(most).fold(0.0, f32::max) / MOST_OF_LINE;
        let step = step.max(most(bias) / MOST_OF_BIAS).max(f32::MIN_POSITIVE);
        let in_steps = |row: &[f32; WIDTH]| row.map(|number| (number / step).round() as i16);
        let bias = in_steps(bias);
        LineNetwork { lines: lines.iter().map(in_steps).collect(), bias, step, weights }
    }

    /// The network that comes with the program, for freestyle Gomoku; made ready once.
    pub fn shipped() -> Arc<LineNetwork> {
        static SHIPPED: OnceLock<Arc<LineNetwork>> = OnceLock::new();
        let read = || LineWeights::from_bytes(GOMOKU_LINES).expect("what is shipped can be read");
        SHIPPED.get_or_init(|| Arc::new(LineNetwork::new(read()))).clone()
    }

    /// The numbers that were learned.
    pub fn weights(&self) -> &LineWeights {
        &self.weights
    }

    #[inline]
    pub(super) fn line(&self, halves: [u16; 2], centre: u16) -> &Sums {
        &self.lines[place(halves, centre)]
    }

    /// What every cell begins with.
    pub(super) fn bias(&self) -> &Sums {
        &self.bias
    }

    pub(super) fn step(&self) -> f32 {
        self.step
    }
}

fn for_each_line(mut each: impl FnMut([u16; 2], u16)) {
    for high in 0..HALVES as u16 {
        for low in 0..=high {
            (0..CENTRES as u16).for_each(|centre| each([low, high], centre));
        }
    }
}

/// What a line brings to the cell in its middle.
pub(super) fn of_line(weights: &LineWeights, halves: [u16; 2], centre: u16) -> [f32; WIDTH] {
    let row = |half: u16| -> &[f32; HIDDEN] {
        weights.row(Part::Halves, usize::from(centre) * HALVES + usize::from(half))
    };
    let (near, far) = (row(halves[0]), row(halves[1]));
    let (mix, _) = weights.part(Part::Mix).as_chunks::<WIDTH>();
    let mut brought = [0.0; WIDTH];
    for ((near, far), mix) in near.iter().zip(far).zip(mix) {
        let unit = (near + far).max(0.0);
        brought.iter_mut().zip(mix).for_each(|(sum, weight)| *sum += unit * weight);
    }
    brought
}
