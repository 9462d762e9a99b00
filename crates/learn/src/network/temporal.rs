//! Temporal differences (Sutton, 1988), online: the output for a position moves towards the output
//! for the next one, and those for earlier positions follow with exponentially decaying weights.
//! Each parameter has an eligibility trace: e ← γλ·e + ∇v, w ← w + α·δ·e.
//!
//! Only the first position allocates memory.

use super::dense::add_scaled;
use super::{Input, Network, NetworkError, Scratch};

/// A network with one output that learns by TD(λ).
#[derive(Clone, Debug)]
pub struct TdLambda {
    network: Network,
    scratch: Scratch,
    /// The eligibility traces, by parameter.
    traces: Vec<f32>,
    /// The decay of traces from one position to the next: γλ.
    decay: f32,
}

/// How training diverged.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum Diverged {
    /// A parameter, counted from 0, is not finite.
    #[error("parameter {0} is {1}")]
    NotFinite(usize, f32),
    /// A parameter, counted from 0, exceeds the limit.
    #[error("parameter {0} is {1}, beyond the limit {2}")]
    TooLarge(usize, f32, f32),
    /// The network outputs only 0 or 1: there is no gradient.
    #[error("every output is 0 or 1, so there is no gradient")]
    Saturated,
    /// The mean error grows: its lowest value so far, and the current one.
    #[error("the mean error grew from {0:.3} to {1:.3}")]
    Errors(f64, f64),
}

impl TdLambda {
    /// Starts with this network, which must have one output. `decay` is γλ: with 0 only the last
    /// position is updated.
    pub fn new(network: Network, decay: f32) -> Result<TdLambda, NetworkError> {
        if network.outputs() != 1 {
            let what = format!("{} outputs; expected 1", network.outputs());
            return Err(NetworkError::Incompatible(what));
        }
        let traces = vec![0.0; network.parameters().len()];
        Ok(TdLambda { scratch: network.scratch(), traces, network, decay })
    }

    /// The current network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Resets the traces: for a new game, or after an exploratory move.
    pub fn reset_traces(&mut self) {
        self.traces.fill(0.0);
    }

    /// The output for a position, without learning.
    pub fn value(&mut self, input: Input<'_>) -> f32 {
        self.network.predict(input, &mut self.scratch)[0]
    }

    /// Computes the output for a position and updates the traces.
    pub fn observe(&mut self, input: Input<'_>) -> f32 {
        if self.decay == 0.0 {
            self.traces.fill(0.0);
        } else {
            self.traces.iter_mut().for_each(|trace| *trace *= self.decay);
        }
        let value = self.value(input);
        self.network.backward(input, &[1.0], &mut self.scratch, &mut self.traces);
        value
    }

    /// Moves every parameter along its trace; `step` is the learning rate times the error.
    pub fn update(&mut self, step: f32) {
        add_scaled(self.network.parameters_mut(), step, &self.traces);
    }

    /// Checks that all parameters are finite and within the limit.
    pub fn check(&self, limit: f32) -> Result<(), Diverged> {
        let parameters = self.network.parameters();
        // NaN is outside every range.
        let within = |number: &f32| (-limit..=limit).contains(number);
        let Some(index) = parameters.iter().position(|number| !within(number)) else {
            return Ok(());
        };
        match parameters[index] {
            number if number.is_finite() => Err(Diverged::TooLarge(index, number, limit)),
            number => Err(Diverged::NotFinite(index, number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Layer, Shape};
    use tesuji_games::random::{Rng, below, seeded, unit};

    const INPUTS: u32 = 12;

    fn network(seed: u64) -> Network {
        let layer = |units| Layer::dense(units, Activation::Sigmoid).without_biases();
        Network::new(Shape::flat(INPUTS as usize), &[layer(5), layer(1)], seed).unwrap()
    }

    type Sparse = Vec<(u32, f32)>;

    fn game(rng: &mut Rng, length: usize) -> Vec<Sparse> {
        let mut number = |index| (below(rng, 3) == 0).then(|| (index, 2.0 * unit(rng) as f32));
        (0..length).map(|_| (0..INPUTS).filter_map(&mut number).collect()).collect()
    }

    fn grads(network: &Network, input: &Sparse) -> (f32, Vec<f32>) {
        let (mut scratch, mut grads) = (network.scratch(), vec![0.0; network.parameters().len()]);
        let value = network.predict(Input::Sparse(input), &mut scratch)[0];
        network.backward(Input::Sparse(input), &[1.0], &mut scratch, &mut grads);
        (value, grads)
    }

    /// Trains on a game with outcome 1; returns the changes of the parameters, divided by the
    /// rate.
    fn changes(start: &Network, game: &[Sparse], decay: f32, rate: f32) -> Vec<f32> {
        let mut learner = TdLambda::new(start.clone(), decay).unwrap();
        learner.reset_traces();
        for (n, input) in game.iter().enumerate() {
            let value = learner.observe(Input::Sparse(input));
            let next = game.get(n + 1).map_or(1.0, |next| learner.value(Input::Sparse(next)));
            learner.update(rate * (next - value));
        }
        let pairs = learner.network().parameters().iter().zip(start.parameters());
        pairs.map(|(now, before)| (now - before) / rate).collect()
    }

    /// The forward view: each position moves towards its λ-return, computed with the parameters
    /// before the game.
    fn changes_by_returns(start: &Network, game: &[Sparse], lambda: f32) -> Vec<f32> {
        let mut changes = vec![0.0; start.parameters().len()];
        for (n, input) in game.iter().enumerate() {
            let (value, grads) = grads(start, input);
            // The mean of the values 1, 2, … positions later, each weighted by λ times the weight
            // of the previous one; the outcome gets the remaining weight.
            let (mut target, mut weight) = (0.0, 1.0);
            for later in &game[n + 1..] {
                target += weight * (1.0 - lambda) * self::grads(start, later).0;
                weight *= lambda;
            }
            target += weight;
            changes.iter_mut().zip(grads).for_each(|(change, it)| *change += (target - value) * it);
        }
        changes
    }

    #[test]
    fn traces_equal_lambda_returns() {
        let mut rng = seeded(1);
        for lambda in [0.0, 0.3, 0.7, 1.0] {
            let (start, game) = (network(2), game(&mut rng, 9));
            let expected = changes_by_returns(&start, &game, lambda);
            let largest = expected.iter().fold(0.0f32, |most, it| most.max(it.abs()));
            assert!(largest > 0.05, "{largest}");
            // With such a small rate the values do not change during the game.
            for (found, expected) in changes(&start, &game, lambda, 1e-3).iter().zip(&expected) {
                assert!((found - expected).abs() < 2e-3, "{lambda}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn resetting_traces_separates_games() {
        let mut rng = seeded(2);
        let games = [game(&mut rng, 5), game(&mut rng, 5)];
        let mut learner = TdLambda::new(network(3), 0.9).unwrap();
        games[0].iter().for_each(|input| {
            learner.observe(Input::Sparse(input));
        });
        learner.reset_traces();
        let value = learner.observe(Input::Sparse(&games[1][0]));
        assert_eq!((value, learner.traces.clone()), grads(&network(3), &games[1][0]));
    }

    #[test]
    fn random_walk_values_are_learned() {
        // A random walk between two ends, one of which wins: the chances lie on a straight line
        // (Sutton, 1988).
        let layers = [Layer::dense(1, Activation::Sigmoid).without_biases()];
        let start = Network::new(Shape::flat(5), &layers, 1).unwrap();
        for decay in [0.0, 0.8] {
            let (mut learner, mut rng) = (TdLambda::new(start.clone(), decay).unwrap(), seeded(3));
            for round in 0..4000u32 {
                learner.reset_traces();
                let (mut index, rate) = (2, 0.5 / (1.0 + round as f32 / 400.0));
                while (0..5).contains(&index) {
                    let value = learner.observe(Input::OneHot(&[index as u32]));
                    index += if below(&mut rng, 2) == 0 { 1 } else { -1 };
                    let next = match index {
                        -1 => 0.0,
                        5 => 1.0,
                        index => learner.value(Input::OneHot(&[index as u32])),
                    };
                    learner.update(rate * (next - value));
                }
            }
            for index in 0..5u32 {
                let value = learner.value(Input::OneHot(&[index]));
                let expected = (index + 1) as f32 / 6.0;
                assert!((value - expected).abs() < 0.06, "{decay}, {index}: {value}");
            }
        }
    }

    #[test]
    fn divergence_is_detected() {
        let mut learner = TdLambda::new(network(4), 0.0).unwrap();
        assert_eq!(learner.check(10.0), Ok(()));
        learner.observe(Input::OneHot(&[1, 2]));
        learner.update(1e4);
        assert!(matches!(learner.check(10.0), Err(Diverged::TooLarge { .. })));
        learner.update(f32::INFINITY);
        assert!(matches!(learner.check(10.0), Err(Diverged::NotFinite { .. })));
        let layers = [Layer::dense(2, Activation::Sigmoid)];
        let two = Network::new(Shape::flat(5), &layers, 1).unwrap();
        assert!(TdLambda::new(two, 0.0).unwrap_err().to_string().contains("2 outputs"));
    }
}
