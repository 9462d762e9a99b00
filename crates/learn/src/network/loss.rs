//! Loss functions.

use serde::{Deserialize, Serialize};

use super::Activation;

/// The loss to minimize. Both are means over the outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// -(t ln y + (1 - t) ln(1 - y)), for outputs between 0 and 1. Outputs closer than 10⁻⁷ to 0 or
    /// 1 count as that close.
    BinaryCrossEntropy,
    /// (y - t)².
    MeanSquaredError,
}

/// The minimum distance of outputs from 0 and 1 in logarithms.
const CLOSEST: f32 = 1e-7;

impl Loss {
    /// The loss of an output.
    pub fn of(self, output: &[f32], target: &[f32]) -> f32 {
        let one = |(&y, &t): (&f32, &f32)| match self {
            Loss::MeanSquaredError => (y - t) * (y - t),
            Loss::BinaryCrossEntropy => {
                let y = y.clamp(CLOSEST, 1.0 - CLOSEST);
                -(t * y.ln() + (1.0 - t) * (1.0 - y).ln())
            }
        };
        output.iter().zip(target).map(one).sum::<f32>() / output.len() as f32
    }

    /// The gradient by the sums of the last layer, whose units have this activation. For cross
    /// entropy after a sigmoid the derivatives cancel, so that a saturated wrong unit still has a
    /// gradient.
    pub(super) fn gradient(
        self,
        activation: Activation,
        output: &[f32],
        target: &[f32],
        grads: &mut [f32],
    ) {
        let cancels = self == Loss::BinaryCrossEntropy && activation == Activation::Sigmoid;
        let share = 1.0 / output.len() as f32;
        for ((grad, &y), &t) in grads.iter_mut().zip(output).zip(target) {
            *grad = share
                * match self {
                    Loss::MeanSquaredError => 2.0 * (y - t),
                    Loss::BinaryCrossEntropy if cancels => y - t,
                    Loss::BinaryCrossEntropy => {
                        let y = y.clamp(CLOSEST, 1.0 - CLOSEST);
                        (y - t) / (y * (1.0 - y))
                    }
                };
        }
        if !cancels {
            activation.backward(output, grads);
        }
    }
}
