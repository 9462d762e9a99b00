//! Boards of the thesis, matches on them, and the forests that play there.

use std::path::Path;

use tesuji_games::Side;
use tesuji_learn::evolution::{ForestLearnerSettings};
use tesuji_play::{Match, MatchResult, Openings, Tally};
use tesuji_search::Game;
use tesuji_train::Settings as _;

use crate::run::{ReproduceError, Run, open_game};

/// Where games are played and how they begin.
pub(super) struct Board {
    game: Game,
    openings: Openings,
}

/// Tic-tac-toe from the empty board.
pub(super) fn tic_tac_toe() -> Result<Board, ReproduceError> {
    Board::new("tictactoe", 0)
}

/// Connect Four on 7×7. Two players without chance would repeat one game, so each pair begins with random stones.
pub(super) fn connect_four() -> Result<Board, ReproduceError> {
    Board::new("connect4:7x7", 4)
}

/// Gomoku on 10×10 with two random stones at the beginning of each pair, for the same reason.
pub(super) fn gomoku() -> Result<Board, ReproduceError> {
    Board::new("mnk:10x10,k=5", 2)
}

impl Board {
    fn new(name: &str, plies: usize) -> Result<Board, ReproduceError> {
        Ok(Board { game: open_game(name)?, openings: Openings::Random { plies } })
    }

    /// Pairs of games with exchanged colours. The players are written as on the command line.
    pub(super) fn play(
        &self,
        run: &Run<'_>,
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

/// What the first player of a match made of the games in which it began, and of the others.
pub(super) fn as_first_and_second(result: &MatchResult) -> [Tally; 2] {
    Side::ALL.map(|side| {
        let mut tally = Tally::default();
        let games = result.games.iter().filter(|game| game.first_player_side == side);
        games.for_each(|game| tally.add(game.points));
        tally
    })
}

/// A forest from a file as a player.
pub(super) fn from_file(file: &Path, depth: u32) -> String {
    format!("forest:file=\"{}\",depth={depth}", file.display())
}

/// A forest or network of the program as a player.
pub(super) fn shipped(model: &str, depth: u32) -> String {
    format!("forest:model={model},depth={depth}")
}

/// ForestLearnerSettings that come with the program.
pub(super) fn settings(text: &str) -> Result<ForestLearnerSettings, ReproduceError> {
    ForestLearnerSettings::from_toml(text).map_err(|error| ReproduceError::Other(error.to_string()))
}

/// Plays a match as thoroughly as the effort wants and tells how far it is: one of several alike.
pub(super) struct Series {
    /// Matches that were played.
    done: u64,
    /// Matches in all.
    of: u64,
    /// Games of each.
    games: u64,
}

impl Series {
    /// So many matches of so many games.
    pub(super) fn new(of: usize, games: u64) -> Series {
        Series { done: 0, of: of as u64, games }
    }

    /// The next one.
    pub(super) fn play(
        &mut self,
        run: &Run<'_>,
        board: &Board,
        players: [&str; 2],
        what: &str,
    ) -> Result<MatchResult, ReproduceError> {
        run.show(self.done, self.of, what);
        self.done += 1;
        board.play(run, players, self.games)
    }
}
