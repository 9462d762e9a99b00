//! The examples of one block of games, played or read on several threads. Every game has a seed of its own and its
//! place among the examples, so neither threads nor interruptions change what is learned from.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tesuji_games::random::{below, derived, seeded};
use tesuji_games::rules::gem_island::Settings;
use tesuji_games::rules::gem_island::log::{Log, LogError};
use tesuji_games::rules::gem_island::text::Snapshot;

use super::outcome::{self, Clock, Sampling};
use super::players::Player;
use super::settings::{Data, NetworkSettings, Purpose};
use super::{planes, utility};
use crate::evolution::SettingsError;
use crate::network::Examples;
use crate::workers;

/// Games that a thread takes at once.
const PIECE: u64 = 32;

/// Where the examples of all blocks come from.
pub(super) struct Source {
    purpose: Purpose,
    seed: u64,
    games: u64,
    permutations: usize,
    clock: Clock,
    threads: usize,
    boards: Vec<Settings>,
    players: Vec<Player>,
    /// States of logged games with whether they were won, game by game; empty unless these are learned from.
    logged: Vec<LoggedGame>,
}

struct LoggedGame {
    states: Vec<Snapshot>,
    won: bool,
}

/// Why there are no logs to learn from.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    /// The folder or a file in it cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// Of the folder or the file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A file is no log.
    #[error("{path}: {error}")]
    Log {
        /// Of the file.
        path: PathBuf,
        /// Why not.
        error: LogError,
    },
    /// No game that the network could learn from.
    #[error("{path}: no finished game on a 9x9 board in its .txt files")]
    Nothing {
        /// Of the folder.
        path: PathBuf,
    },
}

impl Source {
    pub(super) fn new(settings: &NetworkSettings) -> Result<Source, SettingsError> {
        Ok(Source {
            purpose: settings.learner,
            seed: settings.seed,
            games: settings.games.block,
            permutations: settings.games.permutations,
            clock: settings.games.clock,
            threads: workers::threads(settings.threads),
            boards: settings.boards()?,
            players: settings.players()?,
            logged: Vec::new(),
        })
    }

    /// Reads the logs, if these are learned from.
    pub(super) fn with_logs(mut self, settings: &NetworkSettings) -> Result<Source, LogsError> {
        if settings.data == Data::Logs {
            self.logged = read_logs(&settings.logs)?;
        }
        Ok(self)
    }

    pub(super) fn outputs(&self) -> usize {
        match self.purpose {
            Purpose::Outcome => 1,
            Purpose::Utility => utility::HORIZON,
        }
    }

    /// The examples of a block, counted from 0.
    pub(super) fn block(&self, block: u64) -> Examples {
        let pieces: Vec<u64> = (0..self.games.div_ceil(PIECE)).collect();
        let mut all = Examples::new(self.outputs());
        for examples in workers::map(self.threads, &pieces, |piece| self.piece(block, *piece)) {
            all.append(&examples);
        }
        all
    }

    fn piece(&self, block: u64, piece: u64) -> Examples {
        let mut examples = Examples::new(self.outputs());
        for game in PIECE * piece..self.games.min(PIECE * (piece + 1)) {
            self.game(derived(self.seed, [block, game]), &mut examples);
        }
        examples
    }

    fn game(&self, seed: u64, examples: &mut Examples) {
        let mut rng = seeded(derived(seed, [10]));
        if !self.logged.is_empty() {
            let game = &self.logged[below(&mut rng, self.logged.len() as u32) as usize];
            let state = &game.states[below(&mut rng, game.states.len() as u32) as usize];
            for _ in 0..self.permutations {
                let kinds = planes::draw_permutation(&mut rng);
                let ones = planes::of_snapshot(state, &kinds);
                examples.push(ones.map(|one| (one, 1.0)), &[f32::from(u8::from(game.won))]);
            }
            return;
        }
        let board = self.boards[below(&mut rng, self.boards.len() as u32) as usize];
        match self.purpose {
            Purpose::Utility => utility::examples(board, seed, examples),
            Purpose::Outcome => {
                let player = &self.players[below(&mut rng, self.players.len() as u32) as usize];
                let (permutations, clock) = (self.permutations, self.clock);
                let sampling = Sampling { settings: board, player, permutations, clock };
                outcome::examples(&sampling, seed, examples);
            }
        }
    }
}

/// All finished games of a folder, by the names of their files.
fn read_logs(folder: &Path) -> Result<Vec<LoggedGame>, LogsError> {
    let failed = |path: &Path, error| LogsError::Io { path: path.to_path_buf(), error };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let path = entry.map_err(|error| failed(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut games = Vec::new();
    for path in paths {
        let bytes = fs::read(&path).map_err(|error| failed(&path, error))?;
        let reading =
            Log::read(&bytes).map_err(|error| LogsError::Log { path: path.clone(), error })?;
        games.extend(reading.log.filter(is_known_board).map(logged_game));
    }
    match games.is_empty() {
        true => Err(LogsError::Nothing { path: folder.to_path_buf() }),
        false => Ok(games),
    }
}

fn is_known_board(log: &Log) -> bool {
    let states = log.turns.iter().map(|turn| &turn.state).chain([&log.end]);
    log.header.rows == 9
        && log.header.columns == 9
        && states.into_iter().all(|state| state.cells.iter().all(|cell| cell.gem.kind < 6))
}

fn logged_game(log: Log) -> LoggedGame {
    let won = log.won();
    let states = log.turns.into_iter().map(|turn| turn.state).chain([log.end]).collect();
    LoggedGame { states, won }
}
