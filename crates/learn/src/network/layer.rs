//! The kinds of layers, and what becomes of the sum that reaches a unit.

use serde::{Deserialize, Serialize};

use super::Shape;

/// What a layer does.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Layer {
    /// Every unit sees every number.
    Dense {
        /// How many units there are.
        outputs: usize,
        /// What they say.
        activation: Activation,
        /// The loss of a batch grows by this times the sum of the squared weights.
        l2: f32,
        /// Whether each unit has a number that is added whatever it sees.
        #[serde(default = "with_biases", skip_serializing_if = "Clone::clone")]
        biases: bool,
    },
    /// Every unit sees a window of the board, and those of one filter all have the same weights.
    Convolution {
        /// How many filters there are.
        filters: usize,
        /// The window's rows and columns.
        window: [usize; 2],
        /// What happens at the edge.
        padding: Padding,
        /// What the units say.
        activation: Activation,
        /// The loss of a batch grows by this times the sum of the squared weights.
        l2: f32,
    },
    /// While learning, each number is left out with this chance and the others grow to make up for it (Srivastava et
    /// al., 2014); otherwise nothing happens.
    Dropout {
        /// The chance, below 1.
        rate: f32,
    },
}

/// What layers in files have that say nothing of it.
fn with_biases() -> bool {
    true
}

/// What a convolution does at the edge of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Padding {
    /// Only windows that lie wholly on the board.
    Valid,
    /// A window around every cell; beyond the edge there are zeros. An even window reaches further to the lower right.
    Same,
}

impl Layer {
    /// A dense layer.
    pub fn dense(outputs: usize, activation: Activation) -> Layer {
        Layer::Dense { outputs, activation, l2: 0.0, biases: true }
    }

    /// A convolution with a square window.
    pub fn convolution(
        filters: usize,
        side: usize,
        padding: Padding,
        activation: Activation,
    ) -> Layer {
        Layer::Convolution { filters, window: [side, side], padding, activation, l2: 0.0 }
    }

    /// This layer, if dense, without biases.
    pub fn without_biases(mut self) -> Layer {
        if let Layer::Dense { biases, .. } = &mut self {
            *biases = false;
        }
        self
    }

    /// This layer with a penalty for large weights.
    pub fn with_l2(mut self, penalty: f32) -> Layer {
        if let Layer::Dense { l2, .. } | Layer::Convolution { l2, .. } = &mut self {
            *l2 = penalty;
        }
        self
    }

    /// The penalty for large weights.
    pub(super) fn l2(&self) -> f32 {
        match *self {
            Layer::Dense { l2, .. } | Layer::Convolution { l2, .. } => l2,
            Layer::Dropout { .. } => 0.0,
        }
    }

    pub(super) fn activation(&self) -> Activation {
        match *self {
            Layer::Dense { activation, .. } | Layer::Convolution { activation, .. } => activation,
            Layer::Dropout { .. } => Activation::Identity,
        }
    }

    /// What comes out of it; `None` when a window does not fit on the board.
    pub(super) fn output(&self, input: Shape) -> Option<Shape> {
        match *self {
            Layer::Dense { outputs, .. } => Some(Shape::flat(outputs)),
            Layer::Convolution { filters, padding: Padding::Same, .. } => {
                Some(Shape::new(input.rows, input.columns, filters))
            }
            Layer::Convolution { filters, window: [rows, columns], .. } => {
                let rows = (input.rows + 1).checked_sub(rows).filter(|rows| *rows > 0)?;
                let columns = (input.columns + 1).checked_sub(columns).filter(|n| *n > 0)?;
                Some(Shape::new(rows, columns, filters))
            }
            Layer::Dropout { .. } => Some(input),
        }
    }

    /// How many weights and biases it has, given what goes into it.
    pub(super) fn parameters(&self, input: Shape) -> (usize, usize) {
        let (inputs, _) = self.fans(input);
        match *self {
            Layer::Dense { outputs, biases, .. } => {
                (inputs * outputs, if biases { outputs } else { 0 })
            }
            Layer::Convolution { filters, .. } => (inputs * filters, filters),
            Layer::Dropout { .. } => (0, 0),
        }
    }

    /// How many numbers reach a unit, and how many units a number reaches.
    fn fans(&self, input: Shape) -> (usize, usize) {
        match *self {
            Layer::Dense { outputs, .. } => (input.size(), outputs),
            Layer::Convolution { filters, window: [rows, columns], .. } => {
                (input.channels * rows * columns, filters * rows * columns)
            }
            Layer::Dropout { .. } => (1, 1),
        }
    }

    /// The first weights are drawn uniformly from a range that keeps signals from fading or growing: after He et al.
    /// (2015) before ReLU, after Glorot and Bengio (2010) otherwise.
    pub(super) fn init_range(&self, input: Shape) -> f64 {
        let (inputs, outputs) = self.fans(input);
        match self.activation() {
            Activation::Relu => (6.0 / inputs as f64).sqrt(),
            Activation::Identity | Activation::Sigmoid => (6.0 / (inputs + outputs) as f64).sqrt(),
        }
    }
}

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
            Activation::Sigmoid => {
                sums.iter_mut().for_each(|sum| *sum = 1.0 / (1.0 + (-*sum).exp()));
            }
        }
    }

    /// Turns grads by what the units activations into grads by their sums.
    pub(super) fn backward(self, activations: &[f32], grads: &mut [f32]) {
        let pairs = grads.iter_mut().zip(activations);
        match self {
            Activation::Identity => {}
            Activation::Relu => pairs.for_each(|(grad, &activations)| {
                *grad = if activations > 0.0 { *grad } else { 0.0 };
            }),
            Activation::Sigmoid => {
                pairs.for_each(|(grad, &activations)| *grad *= activations * (1.0 - activations))
            }
        }
    }
}
