//! The weights that learning begins with.

use tesuji_games::random::{Rng, unit};

use super::{Activation, Layer, Shape};

/// Draws the weights of a layer uniformly from a range that keeps signals from fading or growing: after He et al.
/// (2015) before ReLU, after Glorot and Bengio (2010) otherwise.
pub(super) fn draw(layer: &Layer, input: Shape, weights: &mut [f32], rng: &mut Rng) {
    let (inputs, outputs) = layer.fans(input);
    let range = match layer.activation() {
        Activation::Relu => (6.0 / inputs as f64).sqrt(),
        Activation::Identity | Activation::Sigmoid => (6.0 / (inputs + outputs) as f64).sqrt(),
    };
    weights.iter_mut().for_each(|weight| *weight = (range * (2.0 * unit(rng) - 1.0)) as f32);
}
