//! Self-play games of the engine as a job.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::RowRule;
use tesuji_gomoku::engine::weights::{EngineWeights, WeightTables};
use tesuji_queue::{
    CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload, ReceivedPayload,
};

use super::self_play::NodeLimitedEngine;
use super::settings::GameSettings;
use crate::line_network::games::play_out;

/// The name of the task of self-play games.
const GAMES: &str = "gomoku-games";
const NUMBERS: &str = "numbers";

/// The settings of all games; other machines get these and the engine's parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct RoundSettings {
    rule: String,
    pub(super) games: GameSettings,
    pub(super) seed: u64,
    /// Whether a game with a proved win is played to its end.
    to_the_end: bool,
}

/// The games of one round; an item is the number of a game.
pub(crate) struct SelfPlayRound {
    pub(super) settings: RoundSettings,
    pub(super) rule: RowRule,
    /// `None` for the parameters shipped with the program.
    numbers: Option<EngineWeights>,
    /// The weights that exploratory moves are drawn by.
    pub(super) weights: Arc<WeightTables>,
}

impl SelfPlayRound {
    /// Games that end when a win is proved, with these parameters.
    pub(crate) fn new(
        rule: RowRule,
        games: &GameSettings,
        seed: u64,
        numbers: &EngineWeights,
    ) -> SelfPlayRound {
        let (games, numbers) = (games.clone(), Some(numbers.clone()));
        let settings = RoundSettings { rule: rule.to_string(), games, seed, to_the_end: false };
        SelfPlayRound::of(settings, rule, numbers)
    }

    /// Games that are played to their end, with the parameters shipped with the program.
    pub(crate) fn to_the_end(rule: RowRule, games: &GameSettings, seed: u64) -> SelfPlayRound {
        let games = games.clone();
        let settings = RoundSettings { rule: rule.to_string(), games, seed, to_the_end: true };
        SelfPlayRound::of(settings, rule, None)
    }

    fn of(settings: RoundSettings, rule: RowRule, numbers: Option<EngineWeights>) -> SelfPlayRound {
        let own = numbers.as_ref().map(|numbers| Arc::new(WeightTables::new(numbers)));
        SelfPlayRound {
            settings,
            rule,
            numbers,
            weights: own.unwrap_or_else(|| WeightTables::shipped(rule)),
        }
    }

    fn product(&self, engine: &mut NodeLimitedEngine, game: u64) -> Result<Output, JobError> {
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
        let brief = Payload::new(GAMES, text);
        let files = self.numbers.iter();
        Ok(files.fold(brief, |brief, numbers| brief.with_file(NUMBERS, numbers.to_bytes(""))))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        let engine = NodeLimitedEngine::new(self.weights.clone(), self.settings.games.nodes);
        let mut engine = engine.with_cancel(cancel);
        Ok(Box::new(move |game: u64| {
            let played = self.product(&mut engine, game);
            // An aborted search has no valid result.
            if cancel.is_canceled() { Ok(None) } else { played.map(Some) }
        }))
    }
}

/// The tasks that other machines can run for a training run.
pub(crate) fn tasks() -> [JobKind; 1] {
    [JobKind::new(GAMES, open_games)]
}

fn open_games(parcel: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let settings: RoundSettings = serde_json::from_str(&parcel.text).map_err(JobError::new)?;
    let rule: RowRule = settings.rule.parse().map_err(JobError::new)?;
    let numbers = match parcel.files.contains_key(NUMBERS) {
        true => Some(EngineWeights::from_bytes(&parcel.read(NUMBERS)?).map_err(JobError::new)?),
        false => None,
    };
    Ok(Box::new(SelfPlayRound::of(settings, rule, numbers)))
}
