//! Games and players for the tests of this crate.

use tesuji_games::random::seeded;
use tesuji_games::{GameLine, Position, Rng, SpecError};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Game, Limits, SearchPlan};

use crate::options::{PlayerOptions, SEED, ValueType, number, option};
use crate::{
    Choice, Player, PlayerContext, PlayerError, PlayerKind, PlayerSetup, PlayerSpec, Roster,
    SearchKind, SearchProfile, Turn,
};

/// Opens a built-in game.
pub(crate) fn opened(game: &str) -> Game {
    tesuji_builtin::registry().open(game).unwrap_or_else(|error| panic!("{game}: {error}"))
}

/// Parses one of the players below.
pub(crate) fn player(text: &str) -> PlayerSpec {
    Roster::new(PLAYERS).read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// One player that moves at random and one that searches.
static PLAYERS: &[&[PlayerKind]] = &[&[
    PlayerKind {
        name: "random",
        former_name: None,
        summary: "any legal move",
        options: &[SEED],
        read: |_| Ok(Box::new(Random)),
    },
    PlayerKind {
        name: "pvs",
        former_name: None,
        summary: "a search with some options of the real player of this name",
        options: &[
            option("time", ValueType::Time, "time a move"),
            option("depth", number(1, 9), "plies"),
            option("tt", ValueType::Size, "memory"),
            option("file", ValueType::File { most: 1000 }, "a file"),
        ],
        read: |options| Ok(Box::new(Searching::read(options))),
    },
]];

#[derive(Debug)]
struct Random;

impl PlayerSetup for Random {
    fn build(
        &self,
        _: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        Ok(Some(Box::new(RandomPlayer::new(context.seed))))
    }
}

/// The player `random`.
pub(crate) struct RandomPlayer(Rng);

impl RandomPlayer {
    pub(crate) fn new(seed: u64) -> RandomPlayer {
        RandomPlayer(seeded(seed))
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> &str {
        "random"
    }

    fn choose(&mut self, game: &GameLine, _: &Turn) -> Result<Choice, PlayerError> {
        Ok(Choice::without_report(game.end.random_move(&mut self.0)))
    }

    fn new_game(&mut self, seed: u64) {
        self.0 = seeded(seed);
    }
}

#[derive(Debug)]
struct Searching(Limits);

impl Searching {
    fn read(options: &PlayerOptions) -> Searching {
        let (depth, time) = (options.number("depth"), options.time("time"));
        let _ = (options.size("tt"), options.file("file"));
        Searching(Limits { depth: depth.map(|depth| depth as u32), time, ..Limits::default() })
    }
}

impl PlayerSetup for Searching {
    fn profile(&self) -> Option<SearchProfile> {
        Some(SearchProfile::new(SearchKind::FixedDepth, self.0.clone()))
    }

    fn search(&self, _: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        Ok(context.search(&SearchPlan::AlphaBeta))
    }
}
