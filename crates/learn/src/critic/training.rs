//! The learner `critic`: self-play and temporal differences. A step is a block of games.

use std::time::{Duration, Instant};

use tesuji_play::Roster;
use tesuji_queue::{JobError, QueueError};
use tesuji_search::Registry;
use tesuji_train::{Chart, Env, Learner, LearnerKind, StepMetrics, StepNoun, TrainError};

use super::job::SelfPlayJob;
use super::learning::TdTrainer;
use super::opponents::is_freestyle_gomoku;
use super::self_play::RecordedGame;
use super::settings::CriticLearnerSettings;
use crate::blocks::{BlockStats, RESULTS_CHART, SPEED_CHART};
use crate::network::Diverged;

/// The learner by name.
pub const KIND: LearnerKind = LearnerKind {
    step: StepNoun { singular: "block", plural: "blocks" },
    noun: "critic",
    extension: "net",
    player: Some("critic:file="),
    players: &["critic", "critic-mcts", "critic-puct"],
    charts: CHARTS,
    main_metric: ("error", "error of the trained estimates"),
    resumable: &[
        "threads",
        "learning.games",
        "learning.largest",
        "learning.rate",
        "learning.rate_end",
        "learning.schedule",
    ],
    renamed_keys: &[("measure.block", "learning.block")],
    example: "learner = \"critic\"\ngame = \"gomoku\"",
    ..LearnerKind::new::<CriticLearner>(
        "critic",
        "a small network over pattern counts, by temporal differences",
    )
};

const CHARTS: &[Chart] = &[
    Chart {
        file: "error",
        title: "Error of the trained estimates",
        unit: "mean error",
        series: &[("error", "error")],
    },
    RESULTS_CHART,
    Chart {
        file: "length",
        title: "Length of games",
        unit: "stones",
        series: &[("stones", "stones")],
    },
    Chart { file: "rate", title: "Learning rate", unit: "rate", series: &[("rate", "rate")] },
    SPEED_CHART,
];

/// See the top of this file.
pub struct CriticLearner {
    job: SelfPlayJob,
    learning: TdTrainer,
}

impl Learner for CriticLearner {
    type Settings = CriticLearnerSettings;

    fn check(settings: &CriticLearnerSettings, _: &Registry, _: Roster) -> Result<(), TrainError> {
        let learning = TdTrainer::new(settings).map_err(TrainError::failed)?;
        CriticLearner::new(settings, learning).map(drop)
    }

    fn begin(settings: &CriticLearnerSettings, _: &Env<'_>) -> Result<Option<Self>, TrainError> {
        let learning = TdTrainer::new(settings).map_err(TrainError::failed)?;
        CriticLearner::new(settings, learning).map(Some)
    }

    fn restore(
        settings: &CriticLearnerSettings,
        _: &Env<'_>,
        _: u64,
        checkpoint: &[u8],
    ) -> Result<Self, TrainError> {
        CriticLearner::new(settings, TdTrainer::restored(settings, checkpoint)?)
    }

    fn step(&mut self, env: &Env<'_>) -> Result<Option<StepMetrics>, TrainError> {
        let learning = &self.job.settings.learning;
        let (start, block, total) = (self.learning.games, learning.block, learning.games);
        let end = ((start / block + 1) * block).min(total);
        let rate = learning.rate_at(end);
        let (started, mut time) = (Instant::now(), Duration::ZERO);
        let mut stats = BlockStats::default();
        while self.learning.games < end {
            if env.is_stopped() {
                return Ok(None);
            }
            let Some(learned) = self.batch(env, end, start, &mut stats)? else { return Ok(None) };
            time += learned;
            env.progress("game", self.learning.games - start, end - start);
        }
        let checked = self.learning.check_errors(&stats);
        checked.map_err(|what| self.diverged(&what, start))?;
        let samples_per_second = stats.positions as f64 / time.as_secs_f64().max(1e-9);
        let more = [("rate", rate), ("samples_per_second", samples_per_second)];
        Ok(Some(stats.record(end, "stones", &more, started)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.learning.checkpoint()
    }

    fn model(&self) -> Result<Vec<u8>, TrainError> {
        let CriticLearnerSettings { game, seed, learning, .. } = &self.job.settings;
        let origin = format!(
            "critic of {game}: {} games, seed {seed}, rate {} to {}, lambda {}",
            self.learning.games, learning.rate, learning.rate_end, learning.lambda,
        );
        let learned = self.learning.final_network().map_err(TrainError::failed)?;
        Ok(learned.with_origin(origin).to_bytes())
    }
}

impl CriticLearner {
    fn new(settings: &CriticLearnerSettings, learning: TdTrainer) -> Result<Self, TrainError> {
        let critic = learning.critic().map_err(TrainError::failed)?;
        let job = SelfPlayJob::new(settings.clone(), critic).map_err(TrainError::settings)?;
        if settings.opponents.alphabeta > 0.0 && !is_freestyle_gomoku(&job.start) {
            return Err(TrainError::settings(format!(
                "`opponents.alphabeta`: not supported by game '{}'; expected 0, or five in a row with one \
                 stone a turn on a board up to 20x20",
                settings.game
            )));
        }
        Ok(CriticLearner { job, learning })
    }

    /// Plays a batch of games with the current weights and trains on them. Returns the time of
    /// training, or `None` when stopped before the last game.
    fn batch(
        &mut self,
        env: &Env<'_>,
        end: u64,
        start: u64,
        stats: &mut BlockStats,
    ) -> Result<Option<Duration>, TrainError> {
        let first = self.learning.games;
        let CriticLearnerSettings { learning, opponents, .. } = &self.job.settings;
        let numbers: Vec<u64> = (first..end.min(first + learning.batch)).collect();
        if opponents.earlier > 0.0 {
            self.job.earlier = self.learning.earlier().map_err(TrainError::failed)?;
        }
        self.job.critic = self.learning.critic().map_err(TrainError::failed)?;
        let Some(notes) = env.notes(&first.to_string(), &numbers, &self.job)? else {
            return Ok(None);
        };
        let games: Result<Vec<RecordedGame>, JobError> =
            notes.into_iter().map(RecordedGame::of).collect();
        let games = games.map_err(QueueError::from)?;
        let started = Instant::now();
        self.learning.learn(&games, stats).map_err(|what| self.diverged(&what, start))?;
        Ok(Some(started.elapsed()))
    }

    fn diverged(&self, what: &Diverged, start: u64) -> TrainError {
        let games = self.learning.games;
        let rate = self.job.settings.learning.rate_at(games);
        TrainError::failed(format!(
            "training: diverged after {games} games: {what}; expected a lower `learning.rate` (now \
             {rate:.4}); continue from the checkpoint of {start} games with --resume"
        ))
    }
}
