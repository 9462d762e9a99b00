//! Trains a critic on games by temporal differences, position by position, on the game as played
//! and with the sides swapped.

use std::sync::Arc;

use tesuji_games::Side;
use tesuji_train::{TrainError, pack, unpack};

use super::encoding::{push_inputs, sides_swapped};
use super::self_play::{RecordedGame, RecordedPosition};
use super::settings::{
    CriticLearnerSettings, ExploratoryMoves, SideAugmentation, TdTarget, TrainedPositions,
};
use super::{Critic, CriticError, Urgency};
use crate::blocks::BlockStats;
use crate::network::{Diverged, Input, Network, TdLambda};

/// A critic in training.
pub(super) struct TdTrainer {
    settings: CriticLearnerSettings,
    temporal: TdLambda,
    /// Games trained on so far.
    pub(super) games: u64,
    /// The mean of the weights after each of the last `averaged` batches.
    average: Vec<f32>,
    averaged: u64,
    /// Snapshots of earlier weights, the oldest first.
    earlier: Vec<Vec<f32>>,
    /// The lowest mean error of a block so far.
    best_error: f64,
    /// The sum of v·(1 − v) over the positions of a batch: how uncertain the critic was.
    uncertainty: f64,
    inputs: Vec<(u32, f32)>,
}

/// The contents of a checkpoint: games, batches in the average, best error, weights, their average,
/// snapshots.
type CheckpointData = (u64, u64, f64, Vec<f32>, Vec<f32>, Vec<Vec<f32>>);

/// Whether training uses a game as played or with the sides swapped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Orientation {
    AsPlayed,
    Swapped,
}

/// Training has diverged if the mean error exceeds this and `ERROR_GROWTH` times the best one:
/// predicting ½ everywhere is no worse.
const LARGE_ERROR: f64 = 0.35;
const ERROR_GROWTH: f64 = 3.0;
/// In a batch with a lower mean uncertainty, the gradient vanishes.
const MIN_UNCERTAINTY: f64 = 1e-4;

impl TdTrainer {
    /// A critic with random weights.
    pub(super) fn new(settings: &CriticLearnerSettings) -> Result<Self, CriticError> {
        TdTrainer::with_network(settings, Critic::random_init(settings.seed))
    }

    fn with_network(
        settings: &CriticLearnerSettings,
        network: Network,
    ) -> Result<Self, CriticError> {
        let learning = &settings.learning;
        // The target `reply` propagates no error to earlier positions.
        let decay = match learning.target {
            TdTarget::Next => learning.lambda * learning.discount,
            TdTarget::Reply => 0.0,
        };
        Ok(TdTrainer {
            settings: settings.clone(),
            average: vec![0.0; network.parameters().len()],
            temporal: TdLambda::new(network, decay as f32)?,
            games: 0,
            averaged: 0,
            earlier: Vec::new(),
            best_error: f64::INFINITY,
            uncertainty: 0.0,
            inputs: Vec::new(),
        })
    }

    /// Restores a checkpoint.
    pub(super) fn restored(
        settings: &CriticLearnerSettings,
        saved: &[u8],
    ) -> Result<Self, TrainError> {
        let (games, averaged, best_error, parameters, average, earlier): CheckpointData =
            unpack(saved)?;
        let checked = earlier.iter().chain([&average]).try_for_each(|it| network(it).map(drop));
        let network =
            checked.and_then(|()| network(&parameters)).map_err(TrainError::checkpoint)?;
        let trainer = TdTrainer::with_network(settings, network);
        let trainer = trainer.map_err(TrainError::checkpoint)?;
        Ok(TdTrainer { games, averaged, best_error, average, earlier, ..trainer })
    }

    pub(super) fn checkpoint(&self) -> Vec<u8> {
        let TdTrainer { games, averaged, best_error, average, earlier, .. } = self;
        let parameters = self.temporal.network().parameters();
        pack(&(games, averaged, best_error, parameters, average, earlier))
    }

    /// The current critic.
    pub(super) fn critic(&self) -> Result<Arc<Critic>, CriticError> {
        Critic::new(self.temporal.network().clone()).map(Arc::new)
    }

    /// Critics with earlier weights.
    pub(super) fn earlier(&self) -> Result<Vec<Arc<Critic>>, CriticError> {
        self.earlier.iter().map(|weights| Ok(Arc::new(Critic::new(network(weights)?)?))).collect()
    }

    /// The network to save: with averaged weights, if there are any yet.
    pub(super) fn final_network(&self) -> Result<Network, CriticError> {
        match self.averaged {
            0 => Ok(self.temporal.network().clone()),
            _ => network(&self.average),
        }
    }

    /// Trains on games that were played with the same weights.
    pub(super) fn learn(
        &mut self,
        batch: &[RecordedGame],
        stats: &mut BlockStats,
    ) -> Result<(), Diverged> {
        let (positions, opponents) = (stats.positions, &self.settings.opponents);
        let (every, max) = (opponents.every, opponents.most);
        self.uncertainty = 0.0;
        for game in batch {
            self.train_on_game(game, stats);
            self.games += 1;
            if self.games.is_multiple_of(every) {
                let oldest = usize::from(self.earlier.len() >= max);
                self.earlier.drain(..oldest);
                self.earlier.push(self.temporal.network().parameters().to_vec());
            }
        }
        let learning = &self.settings.learning;
        self.temporal.check(learning.largest as f32)?;
        if self.uncertainty < MIN_UNCERTAINTY * (stats.positions - positions) as f64 {
            return Err(Diverged::Saturated);
        }
        if learning.average > 0.0 && self.games >= learning.averages_from() {
            self.averaged += 1;
            let share = 1.0 / self.averaged as f32;
            let weights = self.temporal.network().parameters();
            let pairs = self.average.iter_mut().zip(weights);
            pairs.for_each(|(mean, weight)| *mean += share * (weight - *mean));
        }
        Ok(())
    }

    /// Checks that the mean error of a block has not grown.
    pub(super) fn check_errors(&mut self, block: &BlockStats) -> Result<(), Diverged> {
        let (now, before) = (block.mean_error(), self.best_error);
        if now > LARGE_ERROR && now > ERROR_GROWTH * before {
            return Err(Diverged::Errors(before, now));
        }
        self.best_error = before.min(now);
        Ok(())
    }

    fn train_on_game(&mut self, game: &RecordedGame, stats: &mut BlockStats) {
        stats.add(game.outcome, game.stones);
        let learning = &self.settings.learning;
        let (rate, both) =
            (learning.rate_at(self.games) as f32, learning.sides == SideAugmentation::Both);
        let quiet_only = learning.positions == TrainedPositions::Quiet;
        let is_used = |it: &&RecordedPosition| !quiet_only || it.urgency == Urgency::Quiet;
        let positions: Vec<&RecordedPosition> = game.positions.iter().filter(is_used).collect();
        let result = game.outcome.points(Side::First) as f32;
        self.train_on_positions(&positions, result, Orientation::AsPlayed, rate, stats);
        if both {
            self.train_on_positions(&positions, result, Orientation::Swapped, rate, stats);
        }
    }

    fn train_on_positions(
        &mut self,
        positions: &[&RecordedPosition],
        result: f32,
        orientation: Orientation,
        rate: f32,
        stats: &mut BlockStats,
    ) {
        let learning = &self.settings.learning;
        self.temporal.reset_traces();
        for (n, it) in positions.iter().enumerate() {
            orientation.inputs(it, &mut self.inputs);
            let value = self.temporal.observe(Input::Sparse(&self.inputs));
            let cut = it.explored && learning.exploratory_moves == ExploratoryMoves::Cut;
            // Discounting shifts a chance towards ½.
            let discounted = |chance| 0.5 + learning.discount as f32 * (chance - 0.5);
            let target = match (learning.target, positions.get(n + 1)) {
                (TdTarget::Reply, _) => {
                    let share = if cut { 0.0 } else { learning.result as f32 };
                    orientation.chance((1.0 - share) * discounted(it.best) + share * result)
                }
                (TdTarget::Next, None) => orientation.chance(result),
                (TdTarget::Next, Some(_)) if cut => orientation.chance(discounted(it.best)),
                (TdTarget::Next, Some(next)) => {
                    orientation.inputs(next, &mut self.inputs);
                    discounted(self.temporal.value(Input::Sparse(&self.inputs)))
                }
            };
            self.temporal.update(rate * (target - value));
            stats.positions += 1;
            stats.error += f64::from((target - value).abs());
            self.uncertainty += f64::from(value * (1.0 - value));
            if cut {
                self.temporal.reset_traces();
            }
        }
    }
}

impl Orientation {
    fn inputs(self, position: &RecordedPosition, inputs: &mut Vec<(u32, f32)>) {
        match self {
            Orientation::AsPlayed => push_inputs(&position.counts, position.to_move, inputs),
            Orientation::Swapped => {
                push_inputs(&sides_swapped(&position.counts), !position.to_move, inputs)
            }
        }
    }

    /// The first side's chance in this orientation.
    fn chance(self, chance: f32) -> f32 {
        match self {
            Orientation::AsPlayed => chance,
            Orientation::Swapped => 1.0 - chance,
        }
    }
}

fn network(weights: &[f32]) -> Result<Network, CriticError> {
    Network::with_parameters(Critic::input(), &Critic::layers(), weights.to_vec())
        .map_err(|error| crate::network::NetworkError::from(error).into())
}
