//! Measures how often the flat bandit wins level 1 with a network.

use serde::{Deserialize, Serialize};
use tesuji_games::random::{derived, seeded};
use tesuji_games::rules::gem_island::{GemIsland, GemSettings, GemStatus};
use tesuji_queue::{
    CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload, ReceivedPayload,
};
use tesuji_search::{FlatUcb, FlatUcbOptions, Limits};

use super::settings::GemMeasureSettings;
use super::{NetworkValue, ValueKind};
use crate::network::{Network, NetworkError};

/// The name of the job kind of measurement games.
const MEASURE: &str = "gem-measure";
const NETWORK: &str = "network";

/// A network to measure; an item is the number of a game.
pub(super) struct WinRateJob {
    payload: WinRatePayload,
    value: NetworkValue,
}

/// The payload for other machines, in addition to the network.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct WinRatePayload {
    pub(super) kind: ValueKind,
    pub(super) seed: u64,
    pub(super) measure: GemMeasureSettings,
}

impl WinRateJob {
    pub(super) fn new(
        payload: WinRatePayload,
        network: Network,
    ) -> Result<WinRateJob, NetworkError> {
        let value = NetworkValue::new(network, payload.kind)?;
        Ok(WinRateJob { payload, value })
    }

    /// Whether a game is won; `None` when stopped.
    fn game(&self, game: u64, cancel: &CancelToken) -> Option<bool> {
        let WinRatePayload { seed, measure, .. } = &self.payload;
        let mut rng = seeded(derived(*seed, [u64::MAX, game]));
        let options = FlatUcbOptions {
            simulations: measure.sims,
            depth: Some(measure.depth),
            seed: derived(*seed, [u64::MAX, game, 1]),
            ..FlatUcbOptions::default()
        };
        let limits = Limits { stop: Some(cancel.flag()), ..Limits::nodes(measure.sims) };
        let mut search = FlatUcb::with_value(options, self.value.clone());
        let start = GemSettings::level(1).and_then(|level| GemIsland::generate(level, &mut rng));
        let Some(mut state) = start else { return Some(false) };
        while state.status() == GemStatus::Running {
            cancel.heartbeat();
            let arms = search.rank_actions::<GemIsland>(&state.view(), &limits);
            if cancel.is_canceled() {
                return None;
            }
            let Some(best) = arms.first() else { break };
            state.play(best.action, &mut rng, &mut ());
        }
        Some(state.status() == GemStatus::Won)
    }
}

impl JobSpec for WinRateJob {
    fn payload(&self) -> Result<Payload, JobError> {
        let text = serde_json::to_string(&self.payload).map_err(JobError::new)?;
        Ok(Payload::new(MEASURE, text).with_file(NETWORK, self.value.network.to_bytes()))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        Ok(Box::new(|game: u64| {
            Ok(self.game(game, cancel).map(|won| Output::default().with_note(&won)))
        }))
    }
}

/// The job kind of measurement games.
pub(super) fn job_kind() -> JobKind {
    JobKind::new(MEASURE, open)
}

fn open(payload: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let network = Network::from_bytes(&payload.read(NETWORK)?).map_err(JobError::new)?;
    let payload: WinRatePayload = serde_json::from_str(&payload.text).map_err(JobError::new)?;
    Ok(Box::new(WinRateJob::new(payload, network).map_err(JobError::new)?))
}
