//! Self-play games of the engine as a job.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::RowRule;
use tesuji_gomoku::engine::weights::{EngineWeights, WeightTables};
use tesuji_queue::{
    CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload, ReceivedPayload,
};

use super::self_play::NodeLimitedEngine;
use super::settings::EngineSelfPlaySettings;
use crate::line_network::games::play_out;

/// The name of the job kind of self-play games.
const GAMES: &str = "gomoku-games";
const WEIGHTS: &str = "numbers";

/// The settings of a round. The payload of a job contains these and the engine's weights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct RoundSettings {
    rule: String,
    pub(super) games: EngineSelfPlaySettings,
    pub(super) seed: u64,
    /// Whether a game with a proved win is played to its end.
    to_the_end: bool,
}

/// The games of one round; an item is the number of a game.
pub(crate) struct SelfPlayRound {
    pub(super) settings: RoundSettings,
    pub(super) rule: RowRule,
    /// The players' weights; `None` for those shipped with the program.
    weights: Option<EngineWeights>,
    /// Their tables, by which exploratory moves are sampled.
    pub(super) tables: Arc<WeightTables>,
}

impl SelfPlayRound {
    /// Games that end when a win is proved, with these parameters.
    pub(crate) fn new(
        rule: RowRule,
        games: &EngineSelfPlaySettings,
        seed: u64,
        weights: &EngineWeights,
    ) -> SelfPlayRound {
        let (games, weights) = (games.clone(), Some(weights.clone()));
        let settings = RoundSettings { rule: rule.to_string(), games, seed, to_the_end: false };
        SelfPlayRound::of(settings, rule, weights)
    }

    /// Games that are played to their end, with the parameters shipped with the program.
    pub(crate) fn to_the_end(
        rule: RowRule,
        games: &EngineSelfPlaySettings,
        seed: u64,
    ) -> SelfPlayRound {
        let games = games.clone();
        let settings = RoundSettings { rule: rule.to_string(), games, seed, to_the_end: true };
        SelfPlayRound::of(settings, rule, None)
    }

    fn of(settings: RoundSettings, rule: RowRule, weights: Option<EngineWeights>) -> SelfPlayRound {
        let own = weights.as_ref().map(|weights| Arc::new(WeightTables::new(weights)));
        SelfPlayRound {
            settings,
            rule,
            weights,
            tables: own.unwrap_or_else(|| WeightTables::shipped(rule)),
        }
    }

    fn output(&self, engine: &mut NodeLimitedEngine, game: u64) -> Result<Output, JobError> {
        let mut played = self.play(engine, game).map_err(JobError::new)?;
        if self.settings.to_the_end {
            played = play_out(&played, self.rule, engine).map_err(JobError::new)?;
        }
        Ok(Output::default().with_note(&played))
    }
}

impl JobSpec for SelfPlayRound {
    fn payload(&self) -> Result<Payload, JobError> {
        let text = serde_json::to_string(&self.settings).map_err(JobError::new)?;
        let payload = Payload::new(GAMES, text);
        let files = self.weights.iter();
        Ok(files.fold(payload, |payload, weights| payload.with_file(WEIGHTS, weights.to_bytes(""))))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let engine = NodeLimitedEngine::new(self.tables.clone(), self.settings.games.nodes);
        let mut engine = engine.with_cancel(cancel);
        Ok(Box::new(move |game: u64| {
            let played = self.output(&mut engine, game);
            // An aborted search has no valid result.
            if cancel.is_canceled() { Ok(None) } else { played.map(Some) }
        }))
    }
}

/// The job kinds of a training run.
pub(crate) fn job_kinds() -> [JobKind; 1] {
    [JobKind::new(GAMES, open_games)]
}

fn open_games(payload: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let settings: RoundSettings = serde_json::from_str(&payload.text).map_err(JobError::new)?;
    let rule: RowRule = settings.rule.parse().map_err(JobError::new)?;
    let weights = match payload.files.contains_key(WEIGHTS) {
        true => Some(EngineWeights::from_bytes(&payload.read(WEIGHTS)?).map_err(JobError::new)?),
        false => None,
    };
    Ok(Box::new(SelfPlayRound::of(settings, rule, weights)))
}
