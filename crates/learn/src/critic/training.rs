//! The learner `critic`: games against itself, learned by temporal differences. A step is a block of games.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tesuji_play::Roster;
use tesuji_queue::QueueError;
use tesuji_search::Registry;
use tesuji_train::{Chart, Env, Learner, LearnerKind, Record, TrainError, Unit, pack, unpack};

use super::Critic;
use super::learning::{Checkpoint, Tally, TemporalLearning};
use super::players::{Ground, Players};
use super::self_play::Played;
use super::settings::CriticSettings;
use crate::network::{Diverged, Network};

/// The learner by name.
pub const KIND: LearnerKind = LearnerKind {
    step: Unit { one: "block", many: "blocks" },
    noun: "critic",
    extension: "net",
    player: Some("critic:file="),
    players: &["critic", "critic-mcts", "uct"],
    charts: CHARTS,
    main: ("error", "error of the chances learned from"),
    free: &[
        "threads",
        "learning.games",
        "learning.largest",
        "learning.rate",
        "learning.rate_end",
        "learning.schedule",
    ],
    renamed: &[("measure.block", "learning.block")],
    example: "learner = \"critic\"\ngame = \"gomoku\"",
    ..LearnerKind::new::<CriticLearner>(
        "critic",
        "a small network over counts of patterns, by temporal differences",
    )
};

const CHARTS: &[Chart] = &[
    Chart {
        file: "error",
        title: "Error of the chances learned from",
        unit: "mean error",
        curves: &[("error", "error")],
    },
    Chart {
        file: "results",
        title: "Results of the games",
        unit: "share",
        curves: &[("first", "won by the first side"), ("drawn", "drawn")],
    },
    Chart {
        file: "length",
        title: "Length of the games",
        unit: "stones",
        curves: &[("stones", "stones")],
    },
    Chart { file: "rate", title: "Learning rate", unit: "rate", curves: &[("rate", "rate")] },
    Chart {
        file: "speed",
        title: "Games per second",
        unit: "games per second",
        curves: &[("games_per_second", "games per second")],
    },
];

/// What is written down about a block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockMetrics {
    /// Games since the beginning of the run.
    pub games: u64,
    /// The mean absolute error of the chances learned from.
    pub error: f64,
    /// The mean length of the games, in stones.
    pub stones: f64,
    /// The share of games that the first side won,
    pub first: f64,
    /// and of drawn ones.
    pub drawn: f64,
    /// The learning rate at the end of the block.
    pub rate: f64,
    /// Positions learned from for each second of learning alone.
    pub samples_per_second: f64,
    /// Games for each second of the block.
    pub games_per_second: f64,
}

impl BlockMetrics {
    fn line(&self) -> String {
        format!(
            "{} games, error {:.3}, {:.1} stones, {:.1} % won by the first side, {:.1} % drawn; \
             {:.0} games/s",
            self.games,
            self.error,
            self.stones,
            100.0 * self.first,
            100.0 * self.drawn,
            self.games_per_second,
        )
    }
}

/// See the top of this file.
pub struct CriticLearner {
    settings: CriticSettings,
    ground: Ground,
    learning: TemporalLearning,
}

impl Learner for CriticLearner {
    type Settings = CriticSettings;

    fn check(settings: &CriticSettings, _: &Registry, _: Roster) -> Result<(), TrainError> {
        checked_ground(settings).map(drop)
    }

    fn begin(settings: &CriticSettings, _: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let learning = TemporalLearning::new(settings).map_err(TrainError::failed)?;
        let ground = checked_ground(settings)?;
        Ok(Some(CriticLearner { settings: settings.clone(), ground, learning }))
    }

    fn restore(
        settings: &CriticSettings,
        _: &Env<'_>,
        _: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        let saved: Checkpoint = unpack(checkpoint)?;
        let learning =
            TemporalLearning::restored(settings, saved).map_err(TrainError::checkpoint)?;
        let ground = checked_ground(settings)?;
        Ok(CriticLearner { settings: settings.clone(), ground, learning })
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<Record>, TrainError> {
        let learning = &self.settings.learning;
        let (kept, block, of) = (self.learning.games(), learning.block, learning.games);
        let end = ((kept / block + 1) * block).min(of);
        let (started, mut time) = (Instant::now(), Duration::ZERO);
        let mut tally = Tally::default();
        while self.learning.games() < end {
            if env.is_stopped() {
                return Ok(None);
            }
            let Some(learned) = self.batch(env, end, kept, &mut tally)? else { return Ok(None) };
            time += learned;
            env.progress("game", self.learning.games() - kept, end - kept);
        }
        let checked = self.learning.check_errors(&tally);
        checked.map_err(|what| self.diverged(&what, kept))?;
        let played = (tally.games as f64).max(1.0);
        let metrics = BlockMetrics {
            games: end,
            error: tally.mean_error(),
            stones: tally.stones as f64 / played,
            first: tally.first as f64 / played,
            drawn: tally.drawn as f64 / played,
            rate: self.settings.learning.rate_at(end),
            samples_per_second: tally.samples as f64 / time.as_secs_f64().max(1e-9),
            games_per_second: tally.games as f64 / started.elapsed().as_secs_f64().max(1e-9),
        };
        Ok(Some(Record::new(&metrics, metrics.line())))
    }

    fn checkpoint(&self) -> Vec<u8> {
        pack(&self.learning.checkpoint())
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        Ok(self.network()?.to_bytes())
    }
}

fn checked_ground(settings: &CriticSettings) -> Result<Ground, TrainError> {
    let ground = Ground::of(&settings.game).map_err(TrainError::settings)?;
    if settings.opponents.alphabeta > 0.0 && !ground.is_free_five() {
        return Err(TrainError::settings(format!(
            "`opponents.alphabeta` is for five in a row with one stone a turn on boards up to 20x20, and {} is \
             another game; write opponents.alphabeta = 0",
            settings.game
        )));
    }
    Ok(ground)
}

impl CriticLearner {
    /// Plays some games with the weights as they are, and learns from them; says how long the learning took. `None` when
    /// it was stopped before the last game.
    fn batch(
        &mut self,
        env: &Env<'_>,
        end: u64,
        kept: u64,
        tally: &mut Tally,
    ) -> Result<Option<Duration>, TrainError> {
        let first = self.learning.games();
        let numbers: Vec<u64> = (first..end.min(first + self.settings.learning.batch)).collect();
        let earlier = match self.settings.opponents.earlier > 0.0 {
            true => self.learning.earlier().map_err(TrainError::failed)?,
            false => Vec::new(),
        };
        let critic = self.learning.critic().map_err(TrainError::failed)?;
        let table = self.ground.games(self.players(critic, earlier));
        let mut games: Vec<Option<Played>> = numbers.iter().map(|_| None).collect();
        env.perform(&first.to_string(), &numbers, &table, &mut |finished| {
            games[(finished.unit - first) as usize] = Some(Played::of(&finished.product)?);
            Ok::<(), QueueError>(())
        })?;
        let games: Option<Vec<Played>> = games.into_iter().collect();
        let Some(games) = games else { return Ok(None) };
        let started = Instant::now();
        self.learning.learn(&games, tally).map_err(|what| self.diverged(&what, kept))?;
        Ok(Some(started.elapsed()))
    }

    fn players(&self, critic: Arc<Critic>, earlier: Vec<Arc<Critic>>) -> Players {
        Players { settings: self.settings.clone(), critic, earlier }
    }

    fn diverged(&self, what: &Diverged, kept: u64) -> TrainError {
        let games = self.learning.games();
        let rate = self.settings.learning.rate_at(games);
        TrainError::failed(format!(
            "learning diverged after {games} games: {what}; the checkpoint of {kept} games is kept: lower \
             `learning.rate` (now {rate:.4}) and continue with --resume"
        ))
    }

    fn network(&self) -> Result<Network, TrainError> {
        let CriticSettings { game, seed, learning, .. } = &self.settings;
        let made = format!(
            "critic of {game}: {} games, seed {seed}, rate {} to {}, lambda {}",
            self.learning.games(),
            learning.rate,
            learning.rate_end,
            learning.lambda,
        );
        Ok(self.learning.learned().map_err(TrainError::failed)?.with_origin(made))
    }
}
