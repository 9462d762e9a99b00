//! What becomes of the sum that reaches a unit.

use serde::{Deserialize, Serialize};

/// What a unit says, given the sum of what reaches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// The sum.
    Identity,
    /// The sum, or 0 when it is below.
    Relu,
    /// 1 / (1 + e⁻ˢ).
    Sigmoid,
}

impl Activation {
    /// Turns sums into what the units say.
    pub(super) fn apply(self, sums: &mut [f32]) {
        match self {
            Activation::Identity => {}
            Activation::Relu => sums.iter_mut().for_each(|sum| *sum = sum.max(0.0)),
            Activation::Sigmoid => sums.iter_mut().for_each(|sum| *sum = sigmoid(*sum)),
        }
    }

    /// Turns slopes by what the units said into slopes by their sums.
    pub(super) fn chain(self, said: &[f32], slopes: &mut [f32]) {
        let pairs = slopes.iter_mut().zip(said);
        match self {
            Activation::Identity => {}
            Activation::Relu => pairs.for_each(|(slope, &said)| {
                *slope = if said > 0.0 { *slope } else { 0.0 };
            }),
            Activation::Sigmoid => pairs.for_each(|(slope, &said)| *slope *= said * (1.0 - said)),
        }
    }
}

fn sigmoid(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}
