//! The network 81-32-1 with sigmoid units and no biases, as in the report:
//!
//! h = Σ x·w₁, g = 1 / (1 + e⁻ʰ), p = Σ w₂·g, v = 1 / (1 + e⁻ᵖ)
//!
//! v is the chance that the first side wins.
//!
//! The first layer is precomputed by count, so evaluating the position after a stone costs 32
//! additions for each count that changes, and 33 sigmoids.

use tesuji_games::Side;

use super::encoding::{INPUTS, INPUTS_PER_COUNT, TO_MOVE_INPUT, thermometer};
use super::line_cache::{FIELDS, differences};
use super::pattern_board::{CriticPatternCounts, LineChange, PatternBoard};
use crate::network::{Activation, Layer, Network, NetworkError, Shape};

/// Hidden units.
pub const UNITS: usize = 32;

/// One value per hidden unit.
pub(super) type HiddenVec = [f32; UNITS];

/// Counts below this have a precomputed row; higher ones are extrapolated.
const TABULATED: usize = 8;

/// A trained critic.
#[derive(Clone, Debug)]
pub struct Critic {
    network: Network,
    /// By field and count.
    rows: Vec<[HiddenVec; TABULATED]>,
    /// By field: the contribution of each unit of a count above three, before halving.
    beyond_three: Vec<HiddenVec>,
    turn: HiddenVec,
    second: HiddenVec,
}

/// Why a network is not a critic.
#[derive(Debug, thiserror::Error)]
pub enum CriticError {
    /// Its layers differ.
    #[error(
        "not a critic: wrong layers; expected {INPUTS} inputs, {UNITS} units and 1 unit, all sigmoid without biases"
    )]
    Form,
    /// The file is not a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Critic {
    /// The layers.
    pub fn layers() -> [Layer; 2] {
        let layer = |units| Layer::dense(units, Activation::Sigmoid).without_biases();
        [layer(UNITS), layer(1)]
    }

    /// The shape of the input.
    pub fn input() -> Shape {
        Shape::flat(INPUTS)
    }

    /// A network with random weights.
    pub fn random_init(seed: u64) -> Network {
        Network::new(Critic::input(), &Critic::layers(), seed)
            .expect("the layers of a critic are valid")
    }

    /// Makes a critic of a network with these layers.
    pub fn new(network: Network) -> Result<Critic, CriticError> {
        if network.input() != Critic::input() || network.layers() != Critic::layers() {
            return Err(CriticError::Form);
        }
        let (first, second) = network.parameters().split_at(INPUTS * UNITS);
        let row =
            |input: usize| -> HiddenVec { std::array::from_fn(|unit| first[input * UNITS + unit]) };
        let rows = (0..FIELDS)
            .map(|field| std::array::from_fn(|count| contribution(count as u16, field, row)));
        Ok(Critic {
            rows: rows.collect(),
            beyond_three: (0..FIELDS)
                .map(|field| row(field * INPUTS_PER_COUNT + INPUTS_PER_COUNT - 1))
                .collect(),
            turn: row(TO_MOVE_INPUT),
            second: std::array::from_fn(|unit| second[unit]),
            network,
        })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The chance that the first side wins.
    pub fn value(&self, counts: &CriticPatternCounts, to_move: Side) -> f32 {
        self.forward(&self.sums(counts), to_move)
    }

    /// The chance that the first side wins after a stone on an empty cell, if `next` is to move
    /// then. `sums` belong to the current counts of `pattern_board`.
    #[inline]
    pub(super) fn value_after(
        &self,
        sums: &HiddenVec,
        pattern_board: &PatternBoard,
        change: &LineChange,
        next: Side,
    ) -> f32 {
        let mut sums = *sums;
        differences(change.before, change.after, |field, before, after| {
            let old = pattern_board.counts().0[field];
            self.update_sums(&mut sums, field, old, old + after - before);
        });
        self.forward(&sums, next)
    }

    /// The counts' contribution to the hidden units.
    pub(super) fn sums(&self, counts: &CriticPatternCounts) -> HiddenVec {
        let mut sums = [0.0; UNITS];
        for (field, &count) in counts.0.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.update_sums(&mut sums, field, 0, count);
        }
        sums
    }

    /// Replaces the count of a field.
    #[inline]
    fn update_sums(&self, sums: &mut HiddenVec, field: usize, old: u16, new: u16) {
        let rows = &self.rows[field];
        let last = TABULATED as u16 - 1;
        let (from, to) = (&rows[usize::from(old.min(last))], &rows[usize::from(new.min(last))]);
        for unit in 0..UNITS {
            sums[unit] += to[unit] - from[unit];
        }
        if old > last || new > last {
            let more = f32::from(new.max(last)) - f32::from(old.max(last));
            for (sum, row) in sums.iter_mut().zip(&self.beyond_three[field]) {
                *sum += more / 2.0 * row;
            }
        }
    }

    #[inline]
    fn forward(&self, sums: &HiddenVec, to_move: Side) -> f32 {
        let turn = if to_move == Side::First { 1.0 } else { 0.0 };
        let mut outputs = [0.0; UNITS];
        for unit in 0..UNITS {
            outputs[unit] = sigmoid(sums[unit] + turn * self.turn[unit]) * self.second[unit];
        }
        sigmoid(lane_sum(&outputs))
    }
}

/// The contribution of a count.
fn contribution(count: u16, field: usize, row: impl Fn(usize) -> HiddenVec) -> HiddenVec {
    let mut sum = [0.0; UNITS];
    for (step, number) in thermometer(count).into_iter().enumerate() {
        let row = row(field * INPUTS_PER_COUNT + step);
        sum.iter_mut().zip(row).for_each(|(sum, weight)| *sum += number * weight);
    }
    sum
}

/// Sums in eight lanes, which is four times as fast as a sequential sum.
#[inline]
fn lane_sum(numbers: &HiddenVec) -> f32 {
    let mut lanes = [0.0; 8];
    for chunk in numbers.chunks_exact(8) {
        lanes.iter_mut().zip(chunk).for_each(|(lane, number)| *lane += number);
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// 1 / (1 + e⁻ˢ) to six digits, without a call, so that the compiler vectorizes it: e⁻ˢ is the
/// product of a power of two with an integer exponent, written into the bits of the number, and one
/// with a small exponent, approximated by a polynomial.
#[inline]
pub(super) fn sigmoid(sum: f32) -> f32 {
    /// Adding this leaves the integer part of a small number in the lowest bits.
    const ROUNDING: f32 = 12_582_912.0;
    let exponent = sum.clamp(-80.0, 80.0) * -std::f32::consts::LOG2_E;
    let shifted = exponent + ROUNDING;
    let rest = exponent - (shifted - ROUNDING);
    let integer = (shifted.to_bits() as i32).wrapping_sub(ROUNDING.to_bits() as i32);
    let small = 1.0
        + rest
            * (std::f32::consts::LN_2
                + rest
                    * (0.240_226_5
                        + rest * (0.055_504_11 + rest * (0.009_618_13 + rest * 0.001_333_36))));
    let power = f32::from_bits(((127 + integer) as u32) << 23);
    1.0 / (1.0 + power * small)
}
