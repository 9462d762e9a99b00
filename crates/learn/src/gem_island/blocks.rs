//! The examples of one block of games, played or read on several threads. Every game has a seed of its own and its
//! place among the examples, so neither threads nor interruptions change what is learned from.

use tesuji_games::random::{below, derived, seeded};
use tesuji_games::rules::gem_island::Settings;

use super::logged::{LoggedGame, LogsError, read_logs};
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
