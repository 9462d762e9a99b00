//! Boards of the thesis, matches on them, and forests as players.

use std::path::Path;

use tesuji_games::Side;
use tesuji_learn::evolution::ForestLearnerSettings;
use tesuji_play::{Match, MatchResult, Openings, WinDrawLoss};
use tesuji_search::Game;
use tesuji_train::LearnerSettings as _;

use crate::run::{ReproduceError, ReproductionRun, open_game};

/// A game and its openings.
pub(super) struct MatchBoard {
    game: Game,
    openings: Openings,
}

/// Tic-tac-toe from the empty board.
pub(super) fn tic_tac_toe() -> Result<MatchBoard, ReproduceError> {
    MatchBoard::new("tictactoe", 0)
}

/// Connect Four on 7×7. Deterministic players would repeat one game, so each pair starts with
/// random stones.
pub(super) fn connect_four() -> Result<MatchBoard, ReproduceError> {
    MatchBoard::new("connect4:7x7", 4)
}

/// Gomoku on 10×10, each pair after two random stones, for the same reason.
pub(super) fn gomoku() -> Result<MatchBoard, ReproduceError> {
    MatchBoard::new("mnk:10x10,k=5", 2)
}

impl MatchBoard {
    fn new(name: &str, plies: usize) -> Result<MatchBoard, ReproduceError> {
        Ok(MatchBoard { game: open_game(name)?, openings: Openings::Random { plies } })
    }

    /// Plays pairs of games with swapped colors. Players are written as on the command line.
    pub(super) fn play(
        &self,
        run: &ReproductionRun<'_>,
        players: [&str; 2],
        games: u64,
    ) -> Result<MatchResult, ReproduceError> {
        let settings =
            Match { games, seed: run.seed, concurrency: run.threads, ..Match::default() };
        let [one, other] = players.map(tesuji_players::player);
        let result = settings.run(&self.game, &[one?, other?], &self.openings, &|_| {})?;
        let failed = result.games.iter().find(|game| game.record.ending.kind.is_failure());
        match failed {
            Some(game) => Err(ReproduceError::Other(format!(
                "{} against {}, game {}: {}",
                players[0], players[1], game.number, game.record.ending.detail
            ))),
            None => Ok(result),
        }
    }
}

/// Returns the first player's results in the games in which it moved first, and in the others.
pub(super) fn as_first_and_second(result: &MatchResult) -> [WinDrawLoss; 2] {
    Side::ALL.map(|side| {
        let mut tally = WinDrawLoss::default();
        let games = result.games.iter().filter(|game| game.first_player_side == side);
        games.for_each(|game| tally.add(game.points));
        tally
    })
}

/// Returns the text of a forest player with a file.
pub(super) fn from_file(file: &Path, depth: u32) -> String {
    format!("forest:file=\"{}\",depth={depth}", file.display())
}

/// Returns the text of a forest player with a shipped model.
pub(super) fn shipped(model: &str, depth: u32) -> String {
    format!("forest:model={model},depth={depth}")
}

/// Returns the text of the player with the shipped weights of a game.
pub(super) fn shipped_weights(depth: u32) -> String {
    format!("weights:depth={depth}")
}

/// Reads shipped settings.
pub(super) fn settings(text: &str) -> Result<ForestLearnerSettings, ReproduceError> {
    ForestLearnerSettings::from_toml(text).map_err(|error| ReproduceError::Other(error.to_string()))
}

/// Plays several matches with the run's effort and reports the progress.
pub(super) struct MatchSeries {
    /// Matches that were played.
    done: u64,
    /// Total number of matches.
    of: u64,
    /// Games per match.
    games: u64,
}

impl MatchSeries {
    /// Makes a series of `of` matches with `games` games each.
    pub(super) fn new(of: usize, games: u64) -> MatchSeries {
        MatchSeries { done: 0, of: of as u64, games }
    }

    /// Plays the next match.
    pub(super) fn play(
        &mut self,
        run: &ReproductionRun<'_>,
        board: &MatchBoard,
        players: [&str; 2],
        what: &str,
    ) -> Result<MatchResult, ReproduceError> {
        run.report_progress(self.done, self.of, what);
        self.done += 1;
        board.play(run, players, self.games)
    }
}
