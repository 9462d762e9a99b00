//! Learning by mini-batches. A batch is cut into pieces of a fixed size whose slopes are added up in a fixed order, and
//! dropout draws from a generator of each example's own: so the number of threads does not change the result.

use tesuji_games::random::{derived, seeded};

use super::dense::add_scaled;
use super::{Example, Layer, Loss, Network, Optimizer, OptimizerState, Scratch, TrainerState};

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

    /// What must be kept to go on later.
    pub fn state(&self) -> TrainerState {
        let parameters = self.network.parameters().to_vec();
        TrainerState { parameters, optimizer: self.state.clone() }
    }

    /// Goes on from what was kept; `false`, and nothing changes, when it belongs to another network.
    pub fn restore(&mut self, kept: TrainerState) -> bool {
        let finite = kept.parameters.iter().all(|number| number.is_finite());
        let fits = finite && kept.fits(&self.state());
        if fits {
            self.network.parameters_mut().copy_from_slice(&kept.parameters);
            self.state = kept.optimizer;
        }
        fits
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
        let (network, loss) = (&self.network, self.loss);
        let seed = derived(self.seed, [self.state.steps]);
        let pieces = &mut self.pieces[..count];
        let learn = |first: usize, pieces: &mut [Piece]| {
            for (n, piece) in (first..).zip(pieces) {
                let examples = &batch[n * PIECE..batch.len().min((n + 1) * PIECE)];
                piece.learn(network, loss, |m| derived(seed, [n as u64, m]), examples);
            }
        };
        match self.threads.min(count) {
            1 => learn(0, pieces),
            threads => std::thread::scope(|scope| {
                let (learn, each) = (&learn, count.div_ceil(threads));
                for (n, pieces) in pieces.chunks_mut(each).enumerate() {
                    scope.spawn(move || learn(n * each, pieces));
                }
            }),
        }
        let share = 1.0 / batch.len() as f32;
        self.gradient.fill(0.0);
        for piece in &self.pieces[..count] {
            add_scaled(&mut self.gradient, share, &piece.gradient);
        }
        self.pieces[..count].iter().map(|piece| piece.loss).sum::<f32>() * share
    }

    fn add_penalties(&mut self) {
        for stage in self.network.stages() {
            let (l2, weights) = (stage.layer.l2(), stage.weights.clone());
            if l2 > 0.0 {
                let parameters = &self.network.parameters()[weights.clone()];
                add_scaled(&mut self.gradient[weights], 2.0 * l2, parameters);
            }
        }
    }
}

impl Piece {
    fn new(network: &Network) -> Piece {
        let mut scratch = network.scratch();
        scratch.with_slopes();
        for (kept, stage) in scratch.kept.iter_mut().zip(network.stages()) {
            if matches!(stage.layer, Layer::Dropout { .. }) {
                kept.resize(stage.output.size(), 1.0);
            }
        }
        Piece { scratch, gradient: vec![0.0; network.parameters().len()], loss: 0.0 }
    }

    /// Adds up slopes and loss of examples; `seed` says which chance each of them has.
    fn learn(
        &mut self,
        network: &Network,
        loss: Loss,
        seed: impl Fn(u64) -> u64,
        examples: &[Example<'_>],
    ) {
        let Piece { scratch, gradient, .. } = self;
        let last = network.stages().len() - 1;
        let activation = network.stages()[last].layer.activation();
        gradient.fill(0.0);
        self.loss = 0.0;
        for (n, example) in examples.iter().enumerate() {
            network.forward(example.input, scratch, Some(&mut seeded(seed(n as u64))));
            self.loss += loss.of(scratch.answer(), example.target);
            let Scratch { said, slopes, .. } = scratch;
            loss.slopes(activation, &said[last], example.target, &mut slopes[last]);
            network.backward_from_sums(example.input, scratch, gradient);
        }
    }
}
