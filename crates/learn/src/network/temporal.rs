//! Learning by temporal differences (Sutton, 1988), one position after another: what a network says of a position is
//! moved towards what it says of the next one, and what it activations of earlier ones follows, the less the longer ago
//! they were. For that every parameter has a trace: e ← γλ·e + ∇v, w ← w + α·δ·e.
//!
//! Once the buffers are there, nothing is allocated.

use super::dense::add_scaled;
use super::{Input, Network, NetworkError, Scratch};

/// A network with one answer that learns from one position after another.
#[derive(Clone, Debug)]
pub struct TdLambda {
    network: Network,
    scratch: Scratch,
    /// By parameter: how much it had to do with the last answers.
    traces: Vec<f32>,
    /// What is left of a trace one position later: γλ.
    decay: f32,
}

/// What learning has come to when it leads nowhere.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum Diverged {
    /// A parameter, counted from 0, is no number any more.
    #[error("parameter {0} is {1}")]
    NotFinite(usize, f32),
    /// A parameter, counted from 0, is further from 0 than a bound.
    #[error("parameter {0} has grown to {1}, and the most is {2}")]
    TooLarge(usize, f32, f32),
    /// Whatever it is asked, the network says 0 or 1: it has no grads to learn by.
    #[error("every answer is 0 or 1, so that nothing more is learned")]
    Saturated,
    /// The errors grow instead of shrinking: the least that their mean was, and what it is now.
    #[error("the mean error has grown from {0:.3} to {1:.3}")]
    Errors(f64, f64),
}

impl TdLambda {
    /// Begins with this network, which must have one answer. `decay` is γλ: 0 blames only the last position, 1 all.
    pub fn new(network: Network, decay: f32) -> Result<TdLambda, NetworkError> {
        if network.outputs() != 1 {
            let what = format!("it has {} answers, and one is learned", network.outputs());
            return Err(NetworkError::Incompatible(what));
        }
        let traces = vec![0.0; network.parameters().len()];
        Ok(TdLambda { scratch: network.scratch(), traces, network, decay })
    }

    /// The network so far.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Forgets what came before: a new game, or a move that was not meant.
    pub fn reset_traces(&mut self) {
        self.traces.fill(0.0);
    }

    /// What the network says now. Changes nothing.
    pub fn value(&mut self, input: Input<'_>) -> f32 {
        self.network.predict(input, &mut self.scratch)[0]
    }

    /// The same, and the traces are those of after this position.
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

    /// Moves every parameter by so much of its trace: the rate times the error.
    pub fn update(&mut self, step: f32) {
        add_scaled(self.network.parameters_mut(), step, &self.traces);
    }

    /// Whether all parameters are numbers between bounds.
    pub fn check(&self, most: f32) -> Result<(), Diverged> {
        let parameters = self.network.parameters();
        // What is no number lies between no bounds.
        let within = |number: &f32| (-most..=most).contains(number);
        let Some(place) = parameters.iter().position(|number| !within(number)) else {
            return Ok(());
        };
        match parameters[place] {
            number if number.is_finite() => Err(Diverged::TooLarge(place, number, most)),
            number => Err(Diverged::NotFinite(place, number)),
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
        let mut number = |place| (below(rng, 3) == 0).then(|| (place, 2.0 * unit(rng) as f32));
        (0..length).map(|_| (0..INPUTS).filter_map(&mut number).collect()).collect()
    }

    fn grads(network: &Network, input: &Sparse) -> (f32, Vec<f32>) {
        let (mut scratch, mut grads) = (network.scratch(), vec![0.0; network.parameters().len()]);
        let value = network.predict(Input::Sparse(input), &mut scratch)[0];
        network.backward(Input::Sparse(input), &[1.0], &mut scratch, &mut grads);
        (value, grads)
    }

    /// Learns from a game with the outcome 1; gives the change of the parameters, divided by the rate.
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

    /// The forward view: each position is moved towards its λ-return, with the parameters of before the game.
    fn changes_by_returns(start: &Network, game: &[Sparse], lambda: f32) -> Vec<f32> {
        let mut changes = vec![0.0; start.parameters().len()];
        for (n, input) in game.iter().enumerate() {
            let (value, grads) = grads(start, input);
            // The mean of the values 1, 2, … positions later, each worth λ times the one before; all that is left
            // of the weight goes to the outcome.
            let (mut goal, mut weight) = (0.0, 1.0);
            for later in &game[n + 1..] {
                goal += weight * (1.0 - lambda) * self::grads(start, later).0;
                weight *= lambda;
            }
            goal += weight;
            changes.iter_mut().zip(grads).for_each(|(change, it)| *change += (goal - value) * it);
        }
        changes
    }

    #[test]
    fn traces_do_what_returns_do() {
        let mut rng = seeded(1);
        for lambda in [0.0, 0.3, 0.7, 1.0] {
            let (start, game) = (network(2), game(&mut rng, 9));
            let expected = changes_by_returns(&start, &game, lambda);
            let largest = expected.iter().fold(0.0f32, |most, it| most.max(it.abs()));
            assert!(largest > 0.05, "{largest}");
            // So small a rate changes no value on the way.
            for (found, expected) in changes(&start, &game, lambda, 1e-3).iter().zip(&expected) {
                assert!((found - expected).abs() < 2e-3, "{lambda}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn a_new_game_owes_nothing_to_the_last_one() {
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
    fn chances_of_a_walk_are_learned() {
        // A walk between two ends, one of which is the win: the chances lie on a straight line (Sutton, 1988).
        let layers = [Layer::dense(1, Activation::Sigmoid).without_biases()];
        let start = Network::new(Shape::flat(5), &layers, 1).unwrap();
        for decay in [0.0, 0.8] {
            let (mut learner, mut rng) = (TdLambda::new(start.clone(), decay).unwrap(), seeded(3));
            for round in 0..4000u32 {
                learner.reset_traces();
                let (mut place, rate) = (2, 0.5 / (1.0 + round as f32 / 400.0));
                while (0..5).contains(&place) {
                    let value = learner.observe(Input::OneHot(&[place as u32]));
                    place += if below(&mut rng, 2) == 0 { 1 } else { -1 };
                    let next = match place {
                        -1 => 0.0,
                        5 => 1.0,
                        place => learner.value(Input::OneHot(&[place as u32])),
                    };
                    learner.update(rate * (next - value));
                }
            }
            for place in 0..5u32 {
                let value = learner.value(Input::OneHot(&[place]));
                let expected = (place + 1) as f32 / 6.0;
                assert!((value - expected).abs() < 0.06, "{decay}, {place}: {value}");
            }
        }
    }

    #[test]
    fn what_leads_nowhere_is_noticed() {
        let mut learner = TdLambda::new(network(4), 0.0).unwrap();
        assert_eq!(learner.check(10.0), Ok(()));
        learner.observe(Input::OneHot(&[1, 2]));
        learner.update(1e4);
        assert!(matches!(learner.check(10.0), Err(Diverged::TooLarge { .. })));
        learner.update(f32::INFINITY);
        assert!(matches!(learner.check(10.0), Err(Diverged::NotFinite { .. })));
        let layers = [Layer::dense(2, Activation::Sigmoid)];
        let two = Network::new(Shape::flat(5), &layers, 1).unwrap();
        assert!(TdLambda::new(two, 0.0).unwrap_err().to_string().contains("it has 2 answers"));
    }
}
