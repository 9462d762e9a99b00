//! The examples of one block of games, which are played, on this or other machines, or read from
//! logs. Every game has its own seed and a fixed position among the examples, so neither threads
//! nor interruptions change the training data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{below, derived, seeded};
use tesuji_games::rules::gem_island::GemSettings;
use tesuji_queue::{
    CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload, ReceivedPayload,
};

use super::logged::{LoggedGame, read_logs};
use super::players::AgentFactory;
use super::settings::{GemDataSource, GemLearnerSettings, GemNetworkKind};
use super::{outcome, planes, utility};
use crate::network::Examples;
use tesuji_train::{TrainError, threads};

/// Games per chunk of work.
const CHUNK: u64 = 32;

/// The name of the job kind of self-play games.
const GAMES: &str = "gem-games";

/// The source of the examples of all blocks.
pub(super) struct ExampleSource {
    pub(super) settings: GemLearnerSettings,
    boards: Vec<GemSettings>,
    players: Vec<AgentFactory>,
    /// The states and results of logged games; empty unless they are the source.
    logged: Vec<LoggedGame>,
    /// The errors of skipped logs.
    pub(super) damaged: Vec<String>,
}

impl ExampleSource {
    /// Reads the logs if they are the source.
    pub(super) fn new(settings: GemLearnerSettings) -> Result<ExampleSource, TrainError> {
        let (boards, players) = (settings.boards(), settings.players()?);
        let (logged, damaged) = match settings.data {
            GemDataSource::Logs => read_logs(&settings.logs)?,
            GemDataSource::Games => (Vec::new(), Vec::new()),
        };
        Ok(ExampleSource { settings, boards, players, logged, damaged })
    }

    pub(super) fn outputs(&self) -> usize {
        match self.settings.learner {
            GemNetworkKind::Outcome => 1,
            GemNetworkKind::Utility => utility::HORIZON,
        }
    }

    /// Whether logs, which are on this machine, are the source.
    pub(super) fn has_logs(&self) -> bool {
        !self.logged.is_empty()
    }

    /// The chunks of a block.
    pub(super) fn chunks(&self) -> Vec<u64> {
        (0..self.settings.games.block.div_ceil(CHUNK)).collect()
    }

    /// All examples of a block from logs.
    pub(super) fn logged_block(&self, block: u64, threads: usize) -> Examples {
        let cancel = CancelToken::default();
        let chunks =
            threads::map(threads, &self.chunks(), |&chunk| self.chunk(block, chunk, &cancel));
        self.concatenated(chunks.into_iter().flatten())
    }

    /// The examples of chunks, concatenated.
    pub(super) fn concatenated(&self, chunks: impl IntoIterator<Item = Examples>) -> Examples {
        let mut all = Examples::new(self.outputs());
        chunks.into_iter().for_each(|examples| all.append(&examples));
        all
    }

    /// The numbers of a chunk's games.
    fn games_of(&self, chunk: u64) -> std::ops::Range<u64> {
        CHUNK * chunk..self.settings.games.block.min(CHUNK * (chunk + 1))
    }

    /// The examples of a chunk; `None` when stopped.
    fn chunk(&self, block: u64, chunk: u64, cancel: &CancelToken) -> Option<Examples> {
        let mut examples = Examples::new(self.outputs());
        for game in self.games_of(chunk) {
            if cancel.is_canceled() {
                return None;
            }
            cancel.heartbeat();
            self.game(derived(self.settings.seed, [block, game]), &mut examples);
        }
        Some(examples)
    }

    fn game(&self, seed: u64, examples: &mut Examples) {
        let mut rng = seeded(derived(seed, [10]));
        if !self.logged.is_empty() {
            let game = &self.logged[below(&mut rng, self.logged.len() as u32) as usize];
            let state = &game.states[below(&mut rng, game.states.len() as u32) as usize];
            for _ in 0..self.settings.games.permutations {
                let kinds = planes::draw_permutation(&mut rng);
                let indices = planes::encode_snapshot(state, &kinds);
                examples.push(indices.map(|index| (index, 1.0)), &[f32::from(u8::from(game.won))]);
            }
            return;
        }
        let board = self.boards[below(&mut rng, self.boards.len() as u32) as usize];
        match self.settings.learner {
            GemNetworkKind::Utility => utility::examples(board, seed, examples),
            GemNetworkKind::Outcome => {
                let player = &self.players[below(&mut rng, self.players.len() as u32) as usize];
                outcome::examples(board, player, &self.settings.games, seed, examples);
            }
        }
    }
}

/// A block of games to play; an item is a chunk of it.
pub(super) struct GameBlock {
    pub(super) source: Arc<ExampleSource>,
    /// Counted from 0.
    pub(super) number: u64,
}

/// The payload for other machines.
#[derive(Serialize, Deserialize)]
struct BlockPayload {
    settings: GemLearnerSettings,
    block: u64,
}

impl JobSpec for GameBlock {
    fn payload(&self) -> Result<Payload, JobError> {
        let payload =
            BlockPayload { settings: self.source.settings.for_remote(), block: self.number };
        Ok(Payload::new(GAMES, serde_json::to_string(&payload).map_err(JobError::new)?))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        Ok(Box::new(|chunk: u64| {
            let examples = self.source.chunk(self.number, chunk, cancel);
            Ok(examples.map(|examples| Output::default().with_note(&examples.packed())))
        }))
    }

    fn games(&self, chunk: u64) -> u64 {
        let games = self.source.games_of(chunk);
        games.end.saturating_sub(games.start)
    }
}

/// The job kind of self-play games.
pub(super) fn job_kind() -> JobKind {
    JobKind::new(GAMES, open)
}

fn open(payload: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let BlockPayload { settings, block } =
        serde_json::from_str(&payload.text).map_err(JobError::new)?;
    let source = Arc::new(ExampleSource::new(settings).map_err(JobError::new)?);
    Ok(Box::new(GameBlock { source, number: block }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results are sent over the network, so examples should be small.
    #[test]
    fn notes_are_small() {
        for (learner, limit) in [(GemNetworkKind::Outcome, 100), (GemNetworkKind::Utility, 240)] {
            let settings = GemLearnerSettings { learner, ..GemLearnerSettings::default() };
            let source = ExampleSource::new(settings).unwrap();
            let examples = source.chunk(0, 0, &CancelToken::default()).unwrap();
            let text = examples.packed();
            assert_eq!(Examples::unpacked(&text).unwrap(), examples);
            let size = text.len() / examples.len();
            assert!(size <= limit, "{size} bytes for each of {} examples", examples.len());
        }
    }
}
