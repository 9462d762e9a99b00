//! Training by mini-batches. A batch is split into micro-batches of a fixed size whose gradients
//! are added in a fixed order, and each example has its own generator for dropout, so the result
//! does not depend on the number of threads.

use tesuji_games::random::{derived, seeded};

use super::dense::add_scaled;
use super::{Example, Layer, Loss, Network, Optimizer, OptimizerState, Scratch, TrainerState};

/// Examples whose gradients are added together.
const MICRO_BATCH: usize = 8;

/// A network in training.
#[derive(Debug)]
pub struct Trainer {
    network: Network,
    loss: Loss,
    optimizer: Optimizer,
    state: OptimizerState,
    seed: u64,
    threads: usize,
    micro_batches: Vec<MicroBatch>,
    gradient: Vec<f32>,
}

/// Buffers for a part of a batch.
#[derive(Debug)]
struct MicroBatch {
    scratch: Scratch,
    gradient: Vec<f32>,
    loss: f32,
}

impl Trainer {
    /// Starts with this network. The seed determines dropout.
    pub fn new(network: Network, loss: Loss, optimizer: Optimizer, seed: u64) -> Trainer {
        let parameters = network.parameters().len();
        Trainer {
            state: optimizer.state(parameters),
            gradient: vec![0.0; parameters],
            micro_batches: Vec::new(),
            threads: 1,
            network,
            loss,
            optimizer,
            seed,
        }
    }

    /// Uses this many threads.
    pub fn with_threads(self, threads: usize) -> Trainer {
        Trainer { threads: threads.max(1), ..self }
    }

    /// The current network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The state to save in a checkpoint.
    pub fn state(&self) -> TrainerState {
        let parameters = self.network.parameters().to_vec();
        TrainerState { parameters, optimizer: self.state.clone() }
    }

    /// Restores a saved state; returns `false` and changes nothing if it belongs to another
    /// network.
    pub fn restore(&mut self, saved: TrainerState) -> bool {
        let finite = saved.parameters.iter().all(|number| number.is_finite());
        let fits = finite && saved.fits(&self.state());
        if fits {
            self.network.parameters_mut().copy_from_slice(&saved.parameters);
            self.state = saved.optimizer;
        }
        fits
    }

    /// Trains on a batch; returns its mean loss before the step, without the L2 penalty. `scale`
    /// multiplies the learning rate.
    pub fn step(&mut self, batch: &[Example<'_>], scale: f32) -> f32 {
        if batch.is_empty() {
            return 0.0;
        }
        let loss = self.compute_gradient(batch);
        self.add_penalties();
        let parameters = self.network.parameters_mut();
        self.optimizer.step(scale, parameters, &self.gradient, &mut self.state);
        loss
    }

    /// The gradient of the last batch, with penalties.
    pub fn gradient(&self) -> &[f32] {
        &self.gradient
    }

    /// The L2 penalty.
    pub fn penalty(&self) -> f32 {
        let penalty_of = |stage: &super::structure::Stage| {
            let weights = &self.network.parameters()[stage.weights.clone()];
            stage.layer.l2() * weights.iter().map(|weight| weight * weight).sum::<f32>()
        };
        self.network.stages().iter().map(penalty_of).sum()
    }

    fn compute_gradient(&mut self, batch: &[Example<'_>]) -> f32 {
        let count = batch.len().div_ceil(MICRO_BATCH);
        while self.micro_batches.len() < count {
            self.micro_batches.push(MicroBatch::new(&self.network));
        }
        let (network, loss) = (&self.network, self.loss);
        let seed = derived(self.seed, [self.state.steps]);
        let micro_batches = &mut self.micro_batches[..count];
        let learn = |first: usize, micro_batches: &mut [MicroBatch]| {
            for (n, micro_batch) in (first..).zip(micro_batches) {
                let examples = &batch[n * MICRO_BATCH..batch.len().min((n + 1) * MICRO_BATCH)];
                micro_batch.learn(network, loss, |m| derived(seed, [n as u64, m]), examples);
            }
        };
        match self.threads.min(count) {
            1 => learn(0, micro_batches),
            threads => std::thread::scope(|scope| {
                let (learn, each) = (&learn, count.div_ceil(threads));
                for (n, micro_batches) in micro_batches.chunks_mut(each).enumerate() {
                    scope.spawn(move || learn(n * each, micro_batches));
                }
            }),
        }
        let share = 1.0 / batch.len() as f32;
        self.gradient.fill(0.0);
        for micro_batch in &self.micro_batches[..count] {
            add_scaled(&mut self.gradient, share, &micro_batch.gradient);
        }
        self.micro_batches[..count].iter().map(|micro_batch| micro_batch.loss).sum::<f32>() * share
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

impl MicroBatch {
    fn new(network: &Network) -> MicroBatch {
        let mut scratch = network.scratch();
        scratch.allocate_gradients();
        for (mask, stage) in scratch.dropout_masks.iter_mut().zip(network.stages()) {
            if matches!(stage.layer, Layer::Dropout { .. }) {
                mask.resize(stage.output.size(), 1.0);
            }
        }
        MicroBatch { scratch, gradient: vec![0.0; network.parameters().len()], loss: 0.0 }
    }

    /// Adds gradients and losses of examples; `seed` gives the seed of each example's generator.
    fn learn(
        &mut self,
        network: &Network,
        loss: Loss,
        seed: impl Fn(u64) -> u64,
        examples: &[Example<'_>],
    ) {
        let MicroBatch { scratch, gradient, .. } = self;
        let last = network.stages().len() - 1;
        let activation = network.stages()[last].layer.activation();
        gradient.fill(0.0);
        self.loss = 0.0;
        for (n, example) in examples.iter().enumerate() {
            network.forward(example.input, scratch, Some(&mut seeded(seed(n as u64))));
            self.loss += loss.of(scratch.output(), example.target);
            let Scratch { activations, grads, .. } = scratch;
            loss.gradient(activation, &activations[last], example.target, &mut grads[last]);
            network.backward_from_sums(example.input, scratch, gradient);
        }
    }
}
