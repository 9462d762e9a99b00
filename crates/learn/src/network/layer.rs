//! The kinds of layers, and activation functions.

use serde::{Deserialize, Serialize};

use super::Shape;

/// A layer.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Layer {
    /// Every unit is connected to every input.
    Dense {
        /// The number of units.
        outputs: usize,
        /// The activation function.
        activation: Activation,
        /// Factor of the L2 penalty: the loss of a batch grows by this times the sum of the squared
        /// weights.
        l2: f32,
        /// Whether the units have biases.
        #[serde(default = "with_biases", skip_serializing_if = "Clone::clone")]
        biases: bool,
    },
    /// Every unit is connected to a window of the board; the units of a filter share their weights.
    Convolution {
        /// The number of filters.
        filters: usize,
        /// Rows and columns of the window.
        window: [usize; 2],
        /// The padding at the edge.
        padding: Padding,
        /// The activation function.
        activation: Activation,
        /// Factor of the L2 penalty: the loss of a batch grows by this times the sum of the squared
        /// weights.
        l2: f32,
    },
    /// In training, sets each number to 0 with this probability and scales the others up
    /// (Srivastava et al., 2014); otherwise the identity.
    Dropout {
        /// The probability, below 1.
        rate: f32,
    },
}

/// The default for files without the field.
fn with_biases() -> bool {
    true
}

/// The padding of a convolution at the edge of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Padding {
    /// None: only windows that lie entirely on the board.
    Valid,
    /// Zeros, with a window around every cell. An even window reaches further to the lower right.
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

    /// This layer with an L2 penalty.
    pub fn with_l2(mut self, penalty: f32) -> Layer {
        if let Layer::Dense { l2, .. } | Layer::Convolution { l2, .. } = &mut self {
            *l2 = penalty;
        }
        self
    }

    /// The factor of the L2 penalty.
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

    /// The shape of the output; `None` if the window does not fit on the board.
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

    /// The number of weights and of biases, given the shape of the input.
    pub(super) fn parameters(&self, input: Shape) -> (usize, usize) {
        let (inputs, _) = self.fan_in_out(input);
        match *self {
            Layer::Dense { outputs, biases, .. } => {
                (inputs * outputs, if biases { outputs } else { 0 })
            }
            Layer::Convolution { filters, .. } => (inputs * filters, filters),
            Layer::Dropout { .. } => (0, 0),
        }
    }

    /// Fan-in and fan-out: the inputs of a unit, and the units of an input.
    fn fan_in_out(&self, input: Shape) -> (usize, usize) {
        match *self {
            Layer::Dense { outputs, .. } => (input.size(), outputs),
            Layer::Convolution { filters, window: [rows, columns], .. } => {
                (input.channels * rows * columns, filters * rows * columns)
            }
            Layer::Dropout { .. } => (1, 1),
        }
    }

    /// The range of the uniform distribution of initial weights: after He et al. (2015) before
    /// ReLU, after Glorot and Bengio (2010) otherwise.
    pub(super) fn init_range(&self, input: Shape) -> f64 {
        let (inputs, outputs) = self.fan_in_out(input);
        match self.activation() {
            Activation::Relu => (6.0 / inputs as f64).sqrt(),
            Activation::Identity | Activation::Sigmoid => (6.0 / (inputs + outputs) as f64).sqrt(),
        }
    }
}

/// The activation function of a unit, applied to its sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// The sum itself.
    Identity,
    /// The sum, or 0 if it is negative.
    Relu,
    /// 1 / (1 + e⁻ˢ).
    Sigmoid,
}

impl Activation {
    /// Replaces sums by activations.
    pub(super) fn apply(self, sums: &mut [f32]) {
        match self {
            Activation::Identity => {}
            Activation::Relu => sums.iter_mut().for_each(|sum| *sum = sum.max(0.0)),
            Activation::Sigmoid => {
                sums.iter_mut().for_each(|sum| *sum = 1.0 / (1.0 + (-*sum).exp()));
            }
        }
    }

    /// Converts the gradient of the activations to that of the sums.
    pub(super) fn backward(self, activations: &[f32], grads: &mut [f32]) {
        let pairs = grads.iter_mut().zip(activations);
        match self {
            Activation::Identity => {}
            Activation::Relu => pairs.for_each(|(grad, &activation)| {
                *grad = if activation > 0.0 { *grad } else { 0.0 };
            }),
            Activation::Sigmoid => {
                pairs.for_each(|(grad, &activation)| *grad *= activation * (1.0 - activation))
            }
        }
    }
}
