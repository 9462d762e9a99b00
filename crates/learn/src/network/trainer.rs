//! Learning by mini-batches. A batch is cut into pieces of a fixed size whose slopes are added up in a fixed order, and
//! dropout draws from a generator of each example's own: so the number of threads does not change the result.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{derived, seeded};

use super::{Activation, Example, Loss, Network, Optimizer, OptimizerState, Scratch};

/// Examples whose slopes are added up together.
const PIECE: usize = 8;

/// A network that learns.
#[derive(Debug)]
pub struct Trainer {
    network: Network,
    loss: Loss,
    optimizer: Optimizer,
    state: OptimizerState,
    seed: u64,
    threads: usize,
    pieces: Vec<Piece>,
    gradient: Vec<f32>,
}

/// What is kept to go on learning as if nothing had happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrainerState {
    /// The parameters of the network so far.
    pub parameters: Vec<f32>,
    /// What the optimizer remembers.
    pub optimizer: OptimizerState,
}

/// Room for a part of a batch.
#[derive(Debug)]
struct Piece {
    scratch: Scratch,
    gradient: Vec<f32>,
    loss: f32,
}

impl Trainer {
    /// Begins with this network. The seed decides what dropout leaves out.
    pub fn new(network: Network, loss: Loss, optimizer: Optimizer, seed: u64) -> Trainer {
        let parameters = network.parameters().len();
        Trainer {
            state: optimizer.state(parameters),
            gradient: vec![0.0; parameters],
            pieces: Vec::new(),
            threads: 1,
            network,
            loss,
            optimizer,
            seed,
        }
    }

    /// Works on so many threads.
    pub fn with_threads(self, threads: usize) -> Trainer {
        Trainer { threads: threads.max(1), ..self }
    }

    /// The network so far.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network, learned.
    pub fn into_network(self) -> Network {
        self.network
    }

    /// What must be kept to go on later.
    pub fn state(&self) -> TrainerState {
        let parameters = self.network.parameters().to_vec();
        TrainerState { parameters, optimizer: self.state.clone() }
    }

    /// Goes on from what was kept; `false`, and nothing changes, when it belongs to another network.
    pub fn restore(&mut self, kept: TrainerState) -> bool {
        let lengths = |state: &OptimizerState| (state.first.len(), state.second.len());
        if lengths(&kept.optimizer) != lengths(&self.state) {
            return false;
        }
        let (input, layers) = (self.network.input(), self.network.layers());
        let Ok(network) = Network::with_parameters(input, &layers, kept.parameters) else {
            return false;
        };
        (self.network, self.state) = (network, kept.optimizer);
        true
    }

    /// Learns from a batch; returns its mean loss before that, without the penalty for large weights. `scale` makes
    /// the step smaller or larger than the optimizer's rate.
    pub fn step(&mut self, batch: &[Example<'_>], scale: f32) -> f32 {
        if batch.is_empty() {
            return 0.0;
        }
        let loss = self.find_slopes(batch);
        self.add_penalties();
        let parameters = self.network.parameters_mut();
        self.optimizer.step(scale, parameters, &self.gradient, &mut self.state);
        loss
    }

    /// The slopes of the last batch: by parameter, penalties included.
    pub fn gradient(&self) -> &[f32] {
        &self.gradient
    }

    /// The penalty for large weights.
    pub fn penalty(&self) -> f32 {
        let of = |stage: &super::structure::Stage| {
            let weights = &self.network.parameters()[stage.weights.clone()];
            stage.layer.l2() * weights.iter().map(|weight| weight * weight).sum::<f32>()
        };
        self.network.stages().iter().map(of).sum()
    }

    fn find_slopes(&mut self, batch: &[Example<'_>]) -> f32 {
        let count = batch.len().div_ceil(PIECE);
        while self.pieces.len() < count {
            self.pieces.push(Piece::new(&self.network));
        }
        let work = Work {
            network: &self.network,
            loss: self.loss,
            seed: derived(self.seed, [self.state.steps]),
        };
        let pieces = self.pieces[..count].iter_mut().zip(batch.chunks(PIECE)).enumerate();
        if self.threads == 1 || count == 1 {
            pieces.for_each(|(n, (piece, examples))| work.on(n, piece, examples));
        } else {
            let queue = Mutex::new(pieces);
            std::thread::scope(|scope| {
                for _ in 0..self.threads.min(count) {
                    scope.spawn(|| {
                        loop {
                            let next = queue.lock().map(|mut queue| queue.next());
                            let Ok(Some((n, (piece, examples)))) = next else { break };
                            work.on(n, piece, examples);
                        }
                    });
                }
            });
        }
        self.add_up(count, batch.len())
    }

    fn add_up(&mut self, pieces: usize, examples: usize) -> f32 {
        let share = 1.0 / examples as f32;
        self.gradient.fill(0.0);
        for piece in &self.pieces[..pieces] {
            super::rows::add_scaled(&mut self.gradient, share, &piece.gradient);
        }
        self.pieces[..pieces].iter().map(|piece| piece.loss).sum::<f32>() * share
    }

    fn add_penalties(&mut self) {
        for stage in self.network.stages() {
            let (l2, weights) = (stage.layer.l2(), stage.weights.clone());
            if l2 > 0.0 {
                let parameters = &self.network.parameters()[weights.clone()];
                super::rows::add_scaled(&mut self.gradient[weights], 2.0 * l2, parameters);
            }
        }
    }
}

impl Piece {
    fn new(network: &Network) -> Piece {
        let mut scratch = network.scratch();
        scratch.with_slopes();
        for (kept, stage) in scratch.kept.iter_mut().zip(network.stages()) {
            if matches!(stage.layer, super::Layer::Dropout { .. }) {
                kept.resize(stage.output.size(), 1.0);
            }
        }
        Piece { scratch, gradient: vec![0.0; network.parameters().len()], loss: 0.0 }
    }
}

/// What is done with each piece.
struct Work<'a> {
    network: &'a Network,
    loss: Loss,
    seed: u64,
}

impl Work<'_> {
    fn on(&self, n: usize, piece: &mut Piece, examples: &[Example<'_>]) {
        piece.gradient.fill(0.0);
        piece.loss = 0.0;
        for (m, example) in examples.iter().enumerate() {
            let mut rng = seeded(derived(self.seed, [n as u64, m as u64]));
            self.network.forward_learning(example.input, &mut piece.scratch, &mut rng);
            piece.loss += self.loss.of(piece.scratch.answer(), example.target);
            self.set_slopes(example.target, &mut piece.scratch);
            self.network.backward_from_sums(example.input, &mut piece.scratch, &mut piece.gradient);
        }
    }

    /// The slopes of the loss by the sums of the last layer.
    fn set_slopes(&self, target: &[f32], scratch: &mut Scratch) {
        let activation =
            self.network.stages().last().map_or(Activation::Identity, |it| it.layer.activation());
        let (Some(answer), Some(slopes)) = (scratch.said.last(), scratch.slopes.last_mut()) else {
            return;
        };
        let short_cut = activation == Activation::Sigmoid
            && self.loss.slopes_before_sigmoid(answer, target, slopes);
        if !short_cut {
            self.loss.slopes(answer, target, slopes);
            activation.chain(answer, slopes);
        }
    }
}
