//! What a game teaches: temporal differences over its positions, in the order in which they came, as it was played and
//! with the sides exchanged.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::{Outcome, Side};

use super::code::{exchanged, push_inputs};
use super::self_play::{Played, Seen};
use super::settings::{CriticSettings, LearningSettings, Positions, Sides, Strays, Target};
use super::{Critic, CriticError, Urgency};
use crate::network::{Diverged, Input, Network, Temporal};

/// What happened in some games.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Tally {
    pub(super) games: u64,
    pub(super) stones: u64,
    pub(super) first: u64,
    pub(super) drawn: u64,
    /// Positions that were learned from,
    pub(super) samples: u64,
    /// the sum of their absolute errors,
    pub(super) error: f64,
    /// and of v·(1 − v): how far from certain the critic was.
    pub(super) doubt: f64,
}

impl Tally {
    pub(super) fn mean_error(&self) -> f64 {
        self.error / (self.samples as f64).max(1.0)
    }
}

/// A critic that learns.
pub(super) struct TemporalLearning {
    settings: LearningSettings,
    /// An earlier self is kept after every so many games, and so many of them.
    keeping: (u64, usize),
    temporal: Temporal,
    games: u64,
    /// The mean of the weights after each of so many batches.
    average: Vec<f32>,
    averaged: u64,
    /// Weights of earlier selves, the oldest first.
    earlier: Vec<Vec<f32>>,
    /// The least mean error of a block so far.
    least_error: f64,
    inputs: Vec<(u32, f32)>,
}

/// What is kept to go on learning as if nothing had happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    games: u64,
    averaged: u64,
    least_error: f64,
    parameters: Vec<f32>,
    average: Vec<f32>,
    earlier: Vec<Vec<f32>>,
}

/// Which way round a game is learned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Played,
    Exchanged,
}

/// A mean error above this, and so many times the least one, leads nowhere: knowing nothing is no worse than ½.
const LARGE_ERROR: f64 = 0.35;
const ERROR_GROWTH: f64 = 3.0;
/// With less doubt than this in the mean of a batch, nothing more can be learned.
const LEAST_DOUBT: f64 = 1e-4;

impl TemporalLearning {
    /// One that knows nothing.
    pub(super) fn new(settings: &CriticSettings) -> Result<Self, CriticError> {
        TemporalLearning::with_network(settings, Critic::untaught(settings.seed))
    }

    fn with_network(settings: &CriticSettings, network: Network) -> Result<Self, CriticError> {
        let learning = settings.learning.clone();
        // Replies are goals by themselves: there is no error that earlier positions are to be blamed for.
        let decay = match learning.target {
            Target::Next => learning.lambda * learning.discount,
            Target::Reply => 0.0,
        };
        Ok(TemporalLearning {
            keeping: (settings.opponents.every, settings.opponents.most),
            average: vec![0.0; network.parameters().len()],
            temporal: Temporal::new(network, decay as f32)?,
            settings: learning,
            games: 0,
            averaged: 0,
            earlier: Vec::new(),
            least_error: f64::INFINITY,
            inputs: Vec::new(),
        })
    }

    /// From a checkpoint.
    pub(super) fn restored(
        settings: &CriticSettings,
        saved: Checkpoint,
    ) -> Result<Self, CriticError> {
        for weights in saved.earlier.iter().chain([&saved.average]) {
            network(weights)?;
        }
        let network = network(&saved.parameters)?;
        let mut learner = TemporalLearning::with_network(settings, network)?;
        learner.games = saved.games;
        (learner.average, learner.averaged) = (saved.average, saved.averaged);
        (learner.earlier, learner.least_error) = (saved.earlier, saved.least_error);
        Ok(learner)
    }

    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            games: self.games,
            averaged: self.averaged,
            least_error: self.least_error,
            parameters: self.temporal.network().parameters().to_vec(),
            average: self.average.clone(),
            earlier: self.earlier.clone(),
        }
    }

    /// Games that were learned from.
    pub(super) fn games(&self) -> u64 {
        self.games
    }

    /// The critic as it is now.
    pub(super) fn critic(&self) -> Result<Arc<Critic>, CriticError> {
        Critic::new(self.temporal.network().clone()).map(Arc::new)
    }

    /// Its earlier selves.
    pub(super) fn earlier(&self) -> Result<Vec<Arc<Critic>>, CriticError> {
        self.earlier.iter().map(|weights| Ok(Arc::new(Critic::new(network(weights)?)?))).collect()
    }

    /// What has been learned: the mean of the last weights once there is one.
    pub(super) fn learned(&self) -> Result<Network, CriticError> {
        match self.averaged {
            0 => Ok(self.temporal.network().clone()),
            _ => network(&self.average),
        }
    }

    /// Learns from games that were played with the same weights.
    pub(super) fn learn(&mut self, batch: &[Played], tally: &mut Tally) -> Result<(), Diverged> {
        let before = *tally;
        for game in batch {
            self.study(game, tally);
            self.games += 1;
            if self.games.is_multiple_of(self.keeping.0) {
                self.keep();
            }
        }
        self.temporal.check(self.settings.largest as f32)?;
        if tally.doubt - before.doubt < LEAST_DOUBT * (tally.samples - before.samples) as f64 {
            return Err(Diverged::Saturated);
        }
        if self.settings.average > 0.0 && self.games >= self.settings.averages_from() {
            self.averaged += 1;
            let share = 1.0 / self.averaged as f32;
            let weights = self.temporal.network().parameters();
            let pairs = self.average.iter_mut().zip(weights);
            pairs.for_each(|(mean, weight)| *mean += share * (weight - *mean));
        }
        Ok(())
    }

    /// Whether the errors of a block are what they should be.
    pub(super) fn check_errors(&mut self, block: &Tally) -> Result<(), Diverged> {
        let (now, before) = (block.mean_error(), self.least_error);
        if now > LARGE_ERROR && now > ERROR_GROWTH * before {
            return Err(Diverged::Errors(before, now));
        }
        self.least_error = before.min(now);
        Ok(())
    }

    fn keep(&mut self) {
        if self.earlier.len() >= self.keeping.1 {
            self.earlier.remove(0);
        }
        self.earlier.push(self.temporal.network().parameters().to_vec());
    }

    fn study(&mut self, game: &Played, tally: &mut Tally) {
        tally.games += 1;
        tally.stones += game.stones;
        tally.first += u64::from(game.outcome == Outcome::Win(Side::First));
        tally.drawn += u64::from(game.outcome == Outcome::Draw);
        let counts = |it: &&Seen| match self.settings.positions {
            Positions::All => true,
            Positions::Quiet => it.urgency == Urgency::Quiet,
        };
        let seen: Vec<&Seen> = game.seen.iter().filter(counts).collect();
        let rate = self.settings.rate_at(self.games) as f32;
        for view in [View::Played, View::Exchanged] {
            if view == View::Played || self.settings.sides == Sides::Both {
                self.study_one_way(&seen, game.result(), view, rate, tally);
            }
        }
    }

    fn study_one_way(
        &mut self,
        seen: &[&Seen],
        result: f32,
        view: View,
        rate: f32,
        tally: &mut Tally,
    ) {
        self.temporal.begin();
        for (n, it) in seen.iter().enumerate() {
            view.inputs(it, &mut self.inputs);
            let value = self.temporal.visit(Input::Sparse(&self.inputs));
            let cut = it.strayed && self.settings.strays == Strays::Cut;
            // A chance is discounted towards an even one.
            let discounted = |chance| 0.5 + self.settings.discount as f32 * (chance - 0.5);
            let goal = match (self.settings.target, seen.get(n + 1)) {
                (Target::Reply, _) => {
                    let share = if cut { 0.0 } else { self.settings.result as f32 };
                    view.chance((1.0 - share) * discounted(it.best) + share * result)
                }
                (Target::Next, None) => view.chance(result),
                (Target::Next, Some(_)) if cut => view.chance(discounted(it.best)),
                (Target::Next, Some(next)) => {
                    view.inputs(next, &mut self.inputs);
                    discounted(self.temporal.value(Input::Sparse(&self.inputs)))
                }
            };
            self.temporal.correct(rate * (goal - value));
            tally.samples += 1;
            tally.error += f64::from((goal - value).abs());
            tally.doubt += f64::from(value * (1.0 - value));
            if cut {
                self.temporal.begin();
            }
        }
    }
}

impl View {
    fn inputs(self, seen: &Seen, inputs: &mut Vec<(u32, f32)>) {
        match self {
            View::Played => push_inputs(&seen.counts, seen.to_move, inputs),
            View::Exchanged => push_inputs(&exchanged(&seen.counts), !seen.to_move, inputs),
        }
    }

    /// The first side's chance, seen this way.
    fn chance(self, chance: f32) -> f32 {
        match self {
            View::Played => chance,
            View::Exchanged => 1.0 - chance,
        }
    }
}

fn network(weights: &[f32]) -> Result<Network, CriticError> {
    Network::with_parameters(Critic::input(), &Critic::layers(), weights.to_vec())
        .map_err(|error| crate::network::NetworkError::from(error).into())
}
