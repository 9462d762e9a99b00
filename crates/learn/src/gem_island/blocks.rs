//! The examples of one block of games, which are played, on this or other machines, or read from
//! logs. Every game has its own seed and a fixed position among the examples, so neither threads
//! nor interruptions change the training data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::log::{GemLog, LoggedTurn};
use tesuji_games::rules::gem_island::{GemGrid, GemSettings, GemView};
use tesuji_queue::{
    CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload, ReceivedPayload,
};

use super::logged::GemLogs;
use super::players::{AgentFactory, PlayedGame};
use super::policy::PlayedSwap;
use super::settings::{GemDataSource, GemLearnerSettings, GemNetworkKind, GemSelfPlaySettings};
use super::utility::search_label;
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
    /// The logs, if they are the source.
    pub(super) logs: Option<GemLogs>,
    /// The grids of the levels.
    grids: Vec<Arc<GemGrid<u128>>>,
}

impl ExampleSource {
    /// Reads the logs if they are the source.
    pub(super) fn new(settings: GemLearnerSettings) -> Result<ExampleSource, TrainError> {
        let (boards, players) = (settings.boards(), settings.players()?);
        let logs = match settings.data {
            GemDataSource::Logs => Some(GemLogs::read(&settings.logs)?.for_networks()?),
            GemDataSource::Games => None,
        };
        let levels = (1..=3).filter_map(GemSettings::level);
        let grids = levels.filter_map(|level| Some(Arc::new(GemGrid::new(level)?))).collect();
        Ok(ExampleSource { settings, boards, players, logs, grids })
    }

    pub(super) fn outputs(&self) -> usize {
        if self.settings.is_utility_of_moves() { utility::HORIZON } else { 1 }
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

    /// Adds the examples of one game.
    fn game(&self, seed: u64, examples: &mut Examples) {
        let mut rng = seeded(derived(seed, [10]));
        if let Some(logs) = &self.logs {
            return self.logged_game(logs, seed, &mut rng, examples);
        }
        let board = self.boards[below(&mut rng, self.boards.len() as u32) as usize];
        if self.settings.is_utility_of_moves() {
            return utility::examples(board, seed, examples);
        }
        let player = &self.players[below(&mut rng, self.players.len() as u32) as usize];
        match self.settings.learner {
            GemNetworkKind::Outcome => {
                outcome::examples(board, player, &self.settings.games, seed, examples);
            }
            GemNetworkKind::Utility => {
                if let Some((state, _)) = outcome::as_played(board, player, seed) {
                    self.add_search_label(&state.view(), seed, &mut rng, examples);
                }
            }
            GemNetworkKind::Policy => {
                if let Some(game) = PlayedGame::play(board, player, seed) {
                    let turn = below(&mut rng, game.swaps.len() as u32) as usize;
                    self.add_swap(&played_swap(&game, turn), &mut rng, examples);
                }
            }
        }
    }

    /// Adds the examples of a random turn of a random log.
    fn logged_game(&self, logs: &GemLogs, seed: u64, rng: &mut Rng, examples: &mut Examples) {
        let number = match self.settings.learner {
            GemNetworkKind::Policy => self.training_log(logs.games.len(), rng),
            _ => below(rng, logs.games.len() as u32) as usize,
        };
        let log = &logs.games[number];
        let turn = below(rng, log.turns.len() as u32 + 1) as usize;
        if self.settings.learner == GemNetworkKind::Outcome {
            let state = log.turns.get(turn).map_or(&log.end, |turn| &turn.state);
            let won = f32::from(u8::from(log.won()));
            for _ in 0..self.settings.games.permutations {
                let kinds = planes::draw_permutation(rng);
                let indices = planes::encode_snapshot(state, &kinds);
                examples.push(indices.map(|index| (index, 1.0)), &[won]);
            }
            return;
        }
        let Some(turn) = log.turns.get(turn) else { return };
        let Some(played) = self.turn_of(log, turn) else { return };
        match self.settings.learner {
            GemNetworkKind::Policy => self.add_swap(&played, rng, examples),
            _ => self.add_search_label(&played.view, seed, rng, examples),
        }
    }

    /// The number of a random log that is not held out.
    fn training_log(&self, logs: usize, rng: &mut Rng) -> usize {
        loop {
            let number = below(rng, logs as u32) as usize;
            if logs == 1 || !number.is_multiple_of(self.settings.games.held_out) {
                return number;
            }
        }
    }

    fn turn_of(&self, log: &GemLog, turn: &LoggedTurn) -> Option<PlayedSwap> {
        let settings = log.header.settings()?;
        let grid = self.grids.iter().find(|grid| grid.settings == settings)?;
        PlayedSwap::of_turn(grid, log, turn)
    }

    fn add_search_label(
        &self,
        view: &GemView<u128>,
        seed: u64,
        rng: &mut Rng,
        examples: &mut Examples,
    ) {
        let Some(label) = search_label(view, derived(seed, [11])) else { return };
        let mut indices = Vec::new();
        for _ in 0..self.settings.games.permutations {
            let kinds = planes::draw_permutation(rng);
            planes::encode(&view.known, &kinds, planes::Faults::NONE, &mut indices);
            examples.push(indices.iter().map(|&index| (index, 1.0)), &[label]);
        }
    }

    fn add_swap(&self, played: &PlayedSwap, rng: &mut Rng, examples: &mut Examples) {
        let GemSelfPlaySettings { policy, others, .. } = self.settings.games;
        played.add_examples(policy, others, rng, examples);
    }

    /// Turns that no block contains: all turns of the logs that are held out, or those of other
    /// games; of at most this many games.
    pub(super) fn held_out(&self, games: u64) -> Vec<PlayedSwap> {
        let games = games as usize;
        if let Some(logs) = &self.logs {
            let held = logs.games.iter().step_by(self.settings.games.held_out).take(games);
            let turns = held.flat_map(|log| log.turns.iter().map(move |turn| (log, turn)));
            return turns.filter_map(|(log, turn)| self.turn_of(log, turn)).collect();
        }
        let mut turns = Vec::new();
        for number in 0..games {
            let board = self.boards[number % self.boards.len()];
            let player = &self.players[number % self.players.len()];
            let seed = derived(self.settings.seed, [u64::MAX, number as u64]);
            if let Some(game) = PlayedGame::play(board, player, seed) {
                turns.extend((0..game.swaps.len()).map(|turn| played_swap(&game, turn)));
            }
        }
        turns
    }
}

fn played_swap(game: &PlayedGame, turn: usize) -> PlayedSwap {
    let view = game.states[turn].view();
    PlayedSwap { view, swap: game.swaps[turn], won: game.won == Some(true) }
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
        for (learner, limit) in [
            (GemNetworkKind::Outcome, 100),
            (GemNetworkKind::Utility, 240),
            (GemNetworkKind::Policy, 110),
        ] {
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
