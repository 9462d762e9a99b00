//! A network: its layers, its parameters, and its forward and backward passes.

use std::ops::Range;

use tesuji_games::random::{Rng, seeded, unit};

use super::convolution::Convolution;
use super::{Input, Layer, Shape, dense};

/// Layers and their parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    input: Shape,
    stages: Vec<Stage>,
    parameters: Vec<f32>,
    origin: String,
}

/// A layer with its shapes and the ranges of its parameters.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stage {
    pub(super) layer: Layer,
    pub(super) input: Shape,
    pub(super) output: Shape,
    pub(super) weights: Range<usize>,
    pub(super) biases: Range<usize>,
    convolution: Option<Convolution>,
}

/// Why layers or parameters are invalid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidNetwork(String);

impl Network {
    /// The maximum number of layers.
    pub const MAX_LAYERS: usize = 32;
    /// The maximum number of parameters.
    pub const MAX_PARAMETERS: usize = 1 << 22;
    /// The maximum number of activations between two layers.
    pub const MAX_ACTIVATIONS: usize = 1 << 20;
    const MAX_SIDE: usize = 1 << 10;
    const MAX_CHANNELS: usize = 1 << 16;

    /// A network with random weights and zero biases.
    pub fn new(input: Shape, layers: &[Layer], seed: u64) -> Result<Network, InvalidNetwork> {
        let stages = stages(input, layers)?;
        let mut parameters = vec![0.0; parameter_count(&stages)];
        let mut rng = seeded(seed);
        for stage in &stages {
            let range = stage.layer.init_range(stage.input);
            for weight in &mut parameters[stage.weights.clone()] {
                *weight = (range * (2.0 * unit(&mut rng) - 1.0)) as f32;
            }
        }
        Ok(Network { input, stages, parameters, origin: String::new() })
    }

    /// A network with these parameters.
    pub fn with_parameters(
        input: Shape,
        layers: &[Layer],
        parameters: Vec<f32>,
    ) -> Result<Network, InvalidNetwork> {
        let stages = stages(input, layers)?;
        let (found, expected) = (parameters.len(), parameter_count(&stages));
        if found != expected {
            return Err(InvalidNetwork(format!("{found} parameters; expected {expected}")));
        }
        if let Some(index) = parameters.iter().position(|number| !number.is_finite()) {
            return Err(InvalidNetwork(format!(
                "parameter {index} is not finite; expected finite numbers"
            )));
        }
        Ok(Network { input, stages, parameters, origin: String::new() })
    }

    /// Sets the text on the network's origin.
    pub fn with_origin(self, origin: impl Into<String>) -> Network {
        Network { origin: origin.into(), ..self }
    }

    /// How the network was made.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The shape of the input.
    pub fn input(&self) -> Shape {
        self.input
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.stages.last().map_or(0, |stage| stage.output.size())
    }

    /// The layers in order.
    pub fn layers(&self) -> Vec<Layer> {
        self.stages.iter().map(|stage| stage.layer).collect()
    }

    /// Weights and biases, layer by layer.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// Mutable weights and biases, layer by layer.
    pub fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    pub(super) fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Buffers for this network.
    pub fn scratch(&self) -> Scratch {
        Scratch::new(self.stages.iter().map(|stage| stage.output.size()))
    }

    /// Computes the output. Allocates nothing.
    pub fn predict<'s>(&self, input: Input<'_>, scratch: &'s mut Scratch) -> &'s [f32] {
        self.forward(input, scratch, None);
        scratch.output()
    }

    /// The forward pass. Dropout needs a generator; without one it is the identity.
    pub(super) fn forward(
        &self,
        input: Input<'_>,
        scratch: &mut Scratch,
        mut dropout: Option<&mut Rng>,
    ) {
        debug_assert!(input.fits(self.input.size()), "an input of {:?}", self.input);
        for (n, stage) in self.stages.iter().enumerate() {
            let (before, here) = scratch.activations.split_at_mut(n);
            let (activations, dropout_masks) = (&mut here[0][..], &mut scratch.dropout_masks[n]);
            let input = before.last().map_or(input, |activations| Input::Dense(activations));
            let Layer::Dropout { rate } = stage.layer else {
                stage.forward(&self.parameters, input, activations);
                continue;
            };
            activations.fill(0.0);
            input.for_each(|index, number| activations[index] += number);
            let Some(rng) = &mut dropout else { continue };
            for (activation, factor) in activations.iter_mut().zip(dropout_masks) {
                *factor = if unit(rng) < f64::from(rate) { 0.0 } else { 1.0 / (1.0 - rate) };
                *activation *= *factor;
            }
        }
    }

    /// The backward pass, after the forward pass with the same input: given the gradient of a
    /// quantity by the output, adds its gradient by the parameters to `gradient`. Temporal
    /// differences pass `grads` = 1, the gradient of the output.
    pub fn backward(
        &self,
        input: Input<'_>,
        grads: &[f32],
        scratch: &mut Scratch,
        gradient: &mut [f32],
    ) {
        scratch.allocate_gradients();
        let last = self.stages.len() - 1;
        let (activations, last_grads) = (&scratch.activations[last], &mut scratch.grads[last]);
        last_grads.copy_from_slice(grads);
        self.stages[last].layer.activation().backward(activations, last_grads);
        self.backward_from_sums(input, scratch, gradient);
    }

    /// Continues the backward pass from the gradient by the sums of the last layer in `scratch`.
    pub(super) fn backward_from_sums(
        &self,
        input: Input<'_>,
        scratch: &mut Scratch,
        gradient: &mut [f32],
    ) {
        let Scratch { activations, grads, dropout_masks } = scratch;
        for (n, stage) in self.stages.iter().enumerate().rev() {
            let (before, here) = grads.split_at_mut(n);
            let grads = &mut here[0][..];
            if !dropout_masks[n].is_empty() {
                grads.iter_mut().zip(&dropout_masks[n]).for_each(|(grad, factor)| *grad *= factor);
            }
            let input =
                activations[..n].last().map_or(input, |activations| Input::Dense(activations));
            stage.parameter_gradient(input, grads, gradient);
            let Some(before) = before.last_mut() else { continue };
            stage.input_gradient(&self.parameters, grads, before);
            self.stages[n - 1].layer.activation().backward(&activations[n - 1], before);
        }
    }
}

impl Stage {
    fn forward(&self, parameters: &[f32], input: Input<'_>, activations: &mut [f32]) {
        let (weights, biases) =
            (&parameters[self.weights.clone()], &parameters[self.biases.clone()]);
        match biases.len() {
            0 => activations.fill(0.0),
            units => {
                activations.chunks_exact_mut(units).for_each(|unit| unit.copy_from_slice(biases))
            }
        }
        match &self.convolution {
            Some(convolution) => convolution.forward(weights, input, activations),
            None => dense::forward(weights, input, activations),
        }
        self.layer.activation().apply(activations);
    }

    fn parameter_gradient(&self, input: Input<'_>, grads: &[f32], gradient: &mut [f32]) {
        if self.weights.is_empty() {
            return;
        }
        let biases = &mut gradient[self.biases.clone()];
        for grads in grads.chunks_exact(biases.len().max(1)) {
            biases.iter_mut().zip(grads).for_each(|(bias, grad)| *bias += grad);
        }
        let weights = &mut gradient[self.weights.clone()];
        match &self.convolution {
            Some(convolution) => convolution.weight_gradient(input, grads, weights),
            None => dense::weight_gradient(input, grads, weights),
        }
    }

    fn input_gradient(&self, parameters: &[f32], grads: &[f32], inputs: &mut [f32]) {
        let weights = &parameters[self.weights.clone()];
        match (&self.convolution, self.layer) {
            (Some(convolution), _) => convolution.input_gradient(weights, grads, inputs),
            (None, Layer::Dropout { .. }) => inputs.copy_from_slice(grads),
            (None, _) => dense::input_gradient(weights, grads, inputs),
        }
    }
}

/// Buffers for one input. Created by [`Network::scratch`].
#[derive(Clone, Debug)]
pub struct Scratch {
    /// The activations of each layer.
    pub(super) activations: Vec<Vec<f32>>,
    /// The gradient of the loss by the activations. Empty until training.
    pub(super) grads: Vec<Vec<f32>>,
    /// The factors of dropout. Empty for other layers, or until training.
    pub(super) dropout_masks: Vec<Vec<f32>>,
}

impl Scratch {
    fn new(sizes: impl Iterator<Item = usize>) -> Scratch {
        let activations: Vec<Vec<f32>> = sizes.map(|size| vec![0.0; size]).collect();
        let empty = vec![Vec::new(); activations.len()];
        Scratch { grads: empty.clone(), dropout_masks: empty, activations }
    }

    /// The activations of the last layer.
    pub fn output(&self) -> &[f32] {
        self.activations.last().map_or(&[], Vec::as_slice)
    }

    /// Allocates the gradients.
    pub(super) fn allocate_gradients(&mut self) {
        for (grads, activations) in self.grads.iter_mut().zip(&self.activations) {
            grads.resize(activations.len(), 0.0);
        }
    }
}

fn parameter_count(stages: &[Stage]) -> usize {
    stages.last().map_or(0, |stage| stage.biases.end)
}

/// Computes the shapes and parameter ranges of the layers; checks that they fit together and that
/// no size is too large.
fn stages(input: Shape, layers: &[Layer]) -> Result<Vec<Stage>, InvalidNetwork> {
    if layers.is_empty() || layers.len() > Network::MAX_LAYERS {
        let (layers, max) = (layers.len(), Network::MAX_LAYERS);
        let why = format!("{layers} layers; expected 1 to {max}");
        return Err(InvalidNetwork(why));
    }
    check_shape(0, input)?;
    let mut stages: Vec<Stage> = Vec::with_capacity(layers.len());
    for (n, &layer) in layers.iter().enumerate() {
        let input = stages.last().map_or(input, |stage| stage.output);
        check_layer(n + 1, &layer)?;
        let output = layer.output(input).ok_or_else(|| {
            InvalidNetwork(format!(
                "layer {}: window larger than the input; expected a smaller one",
                n + 1
            ))
        })?;
        check_shape(n + 1, output)?;
        let (weights, biases) = layer.parameters(input);
        let start = parameter_count(&stages);
        let (weights, biases) = (start..start + weights, start + weights..start + weights + biases);
        check_size(n + 1, "the number of parameters", biases.end.max(1), Network::MAX_PARAMETERS)?;
        let convolution = match layer {
            Layer::Convolution { window, padding, .. } => {
                Some(Convolution::new(input, output, window, padding))
            }
            Layer::Dense { .. } | Layer::Dropout { .. } => None,
        };
        stages.push(Stage { layer, input, output, weights, biases, convolution });
    }
    Ok(stages)
}

fn check_size(layer: usize, what: &str, size: usize, max: usize) -> Result<(), InvalidNetwork> {
    match (1..=max).contains(&size) {
        true => Ok(()),
        false => {
            Err(InvalidNetwork(format!("layer {layer}: {what} is {size}; expected 1 to {max}")))
        }
    }
}

/// Products of sizes that pass this check do not overflow.
fn check_shape(layer: usize, shape: Shape) -> Result<(), InvalidNetwork> {
    check_size(layer, "the number of rows", shape.rows, Network::MAX_SIDE)?;
    check_size(layer, "the number of columns", shape.columns, Network::MAX_SIDE)?;
    check_size(layer, "the number of channels", shape.channels, Network::MAX_CHANNELS)?;
    check_size(layer, "the size", shape.size(), Network::MAX_ACTIVATIONS)
}

fn check_layer(layer: usize, it: &Layer) -> Result<(), InvalidNetwork> {
    match *it {
        Layer::Dense { outputs, .. } => {
            check_size(layer, "the number of outputs", outputs, Network::MAX_CHANNELS)?;
        }
        Layer::Convolution { filters, window: [rows, columns], .. } => {
            check_size(layer, "the number of filters", filters, Network::MAX_CHANNELS)?;
            check_size(layer, "the window's rows", rows, Network::MAX_SIDE)?;
            check_size(layer, "the window's columns", columns, Network::MAX_SIDE)?;
        }
        Layer::Dropout { rate } if !(0.0..1.0).contains(&rate) => {
            let expected = "0 or more and less than 1";
            return Err(InvalidNetwork(format!(
                "layer {layer}: rate is {rate}; expected {expected}"
            )));
        }
        Layer::Dropout { .. } => {}
    }
    match it.l2() {
        l2 if (0.0..=1e6).contains(&l2) => Ok(()),
        l2 => Err(InvalidNetwork(format!("layer {layer}: l2 is {l2}; expected 0 to 1000000"))),
    }
}
