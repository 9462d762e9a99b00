//! Every player by name. A player is written `name[:key=value,…]`, such as `alphabeta:depth=4`.
//!
//! [`PlayerSpec`] is such a text, read and checked without regard to a game; [`PlayerSpec::build`] makes the
//! player for a game, or says which capability the game lacks.

mod choosing;
mod connect6;
mod critic;
pub(crate) mod external;
pub(crate) mod five_in_a_row;
mod forest;
pub(crate) mod gomoku;
mod graded;
pub mod heuristic;
mod line_network;
pub(crate) mod makers;
mod minimax_family;
mod monte_carlo;
pub mod random;
mod report_agents;
pub mod searching;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use tesuji_games::{Playable, Spec, SpecError};
use tesuji_search::{Scheduler, Search, memory};

use crate::Player;
use crate::travel::{self, Files};
use external::ExternalSpec;
use searching::SearchSpec;

/// What help texts and `tesuji games` say of a player.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PlayerInfo {
    /// The name in front of the colon.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The options and what they mean.
    pub options: &'static [(&'static str, &'static str)],
}

/// Players that do not search.
const SIMPLE_PLAYERS: [PlayerInfo; 3] = [
    PlayerInfo { name: "human", summary: "you, at the terminal (play only)", options: &[] },
    PlayerInfo { name: "random", summary: "any legal move", options: &[SEED] },
    PlayerInfo {
        name: "heuristic",
        summary: "the move after which the game's own estimate is best",
        options: &[SEED],
    },
];

/// The option of every player that leaves something to chance.
pub(crate) const SEED: (&str, &str) = ("seed=N", "chance of its own, whatever seed the game has");

/// Every player, in the order of the help.
pub fn all() -> impl Iterator<Item = PlayerInfo> {
    SIMPLE_PLAYERS
        .into_iter()
        .chain(minimax_family::PLAYERS)
        .chain(monte_carlo::PLAYERS)
        .chain([searching::SOLVER, forest::FOREST, gomoku::GOMOKU, connect6::CONNECT6])
        .chain(report_agents::PLAYERS)
        .chain(critic::PLAYERS)
        .chain(line_network::PLAYERS)
        .chain([external::EXTERNAL])
}

/// A player as text, understood.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    text: String,
    kind: Kind,
    seed: Option<u64>,
}

#[derive(Clone, Debug)]
enum Kind {
    Human,
    Random,
    Heuristic,
    Searching(SearchSpec),
    External(ExternalSpec),
}

impl PlayerSpec {
    /// The text, as given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same player with an option where it has such an option and its text says nothing else.
    pub fn with_default(&self, key: &str, value: &str) -> PlayerSpec {
        // Of two options with one key the later counts.
        let (name, options) = self.text.split_once(':').unwrap_or((&self.text, ""));
        format!("{name}:{key}={value},{options}").parse().unwrap_or_else(|_| self.clone())
    }

    /// The player of a text, with the files that it names from where they lie here. It is called as it is there.
    pub fn reading(text: &str, files: &Files) -> Result<PlayerSpec, SpecError> {
        let spec: PlayerSpec = travel::local_text(text, all(), files).parse()?;
        Ok(PlayerSpec { text: text.to_string(), ..spec })
    }

    /// Whether this is a person at the terminal.
    pub fn is_human(&self) -> bool {
        matches!(self.kind, Kind::Human)
    }

    /// The search behind the player, if there is one.
    pub fn searching(&self) -> Option<&SearchSpec> {
        match &self.kind {
            Kind::Searching(search) => Some(search),
            _ => None,
        }
    }

    /// The other program behind the player, if there is one.
    pub(crate) fn external(&self) -> Option<&ExternalSpec> {
        match &self.kind {
            Kind::External(external) => Some(external),
            _ => None,
        }
    }

    /// Makes the player for the game `P`, which the context names. The seed of the context is for whatever it leaves
    /// to chance, unless the text has a seed of its own.
    pub fn build<P: Playable>(
        &self,
        context: &PlayerContext,
    ) -> Result<Box<dyn Player<P>>, SpecError> {
        self.check_memory()?;
        (makers::makers::<P>(&context.game)?.player)(self, context)
    }

    /// Makes the search behind the player, for analysis.
    pub fn build_search<P: Playable>(
        &self,
        context: &PlayerContext,
    ) -> Result<Box<dyn Search<P>>, SpecError> {
        self.check_memory()?;
        (makers::makers::<P>(&context.game)?.search)(self, context)
    }

    /// Refuses tables that do not fit into memory, before they are made.
    fn check_memory(&self) -> Result<(), SpecError> {
        let bytes = self.searching().map_or(0, SearchSpec::memory);
        memory::check(bytes).map_err(|error| SpecError::Impossible {
            owner: self.text.clone(),
            why: error.to_string(),
        })
    }

    fn make_player<P: Playable>(
        &self,
        context: &PlayerContext,
    ) -> Result<Box<dyn Player<P>>, SpecError> {
        let context = self.seeded(context);
        let player: Box<dyn Player<P>> = match &self.kind {
            Kind::Human => return Err(needs_a_terminal()),
            Kind::Random => Box::new(random::RandomPlayer::new(&self.text, context.seed)),
            Kind::Heuristic => Box::new(heuristic::HeuristicPlayer::new(&self.text, context.seed)),
            Kind::Searching(search) => search.player(&self.text, context)?,
            Kind::External(external) => Box::new(external.build(&self.text, &context)?),
        };
        Ok(match self.seed {
            Some(seed) => Box::new(SelfSeeded { player, seed }),
            None => player,
        })
    }

    fn make_search<P: Playable>(
        &self,
        context: &PlayerContext,
    ) -> Result<Box<dyn Search<P>>, SpecError> {
        match &self.kind {
            Kind::Searching(search) => search.build_for_analysis(&self.text, &self.seeded(context)),
            _ => Err(SpecError::BadValue {
                owner: "analysis".to_string(),
                option: "player".to_string(),
                value: self.text.clone(),
                expected: "one that searches, such as alphabeta:depth=6".to_string(),
            }),
        }
    }

    /// The context with the seed that the text has, if it has one.
    pub(crate) fn seeded(&self, context: &PlayerContext) -> PlayerContext {
        PlayerContext { seed: self.seed.unwrap_or(context.seed), ..context.clone() }
    }
}

/// What a player is told when it is made.
#[derive(Clone, Debug, Default)]
pub struct PlayerContext {
    /// The game as text, for complaints.
    pub game: String,
    /// For whatever it leaves to chance.
    pub seed: u64,
    /// Who hands out threads, when several games run at once.
    pub scheduler: Option<Scheduler>,
}

impl PlayerContext {
    /// For one game that has the machine to itself.
    pub fn new(game: &str, seed: u64) -> Self {
        PlayerContext { game: game.to_string(), seed, scheduler: None }
    }
}

fn needs_a_terminal() -> SpecError {
    SpecError::BadValue {
        owner: "a game without a terminal".to_string(),
        option: "player".to_string(),
        value: "human".to_string(),
        expected: "a player that needs nobody, such as random or alphabeta:depth=4".to_string(),
    }
}

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        let mut spec = Spec::parse(text).map_err(|error| match error {
            SpecError::Empty => unknown(""),
            other => other,
        })?;
        let (kind, seed) = match spec.name() {
            "human" => (Kind::Human, None),
            "random" => (Kind::Random, take_seed(&mut spec)?),
            "heuristic" => (Kind::Heuristic, take_seed(&mut spec)?),
            "external" => {
                let seed = take_seed(&mut spec)?;
                (Kind::External(ExternalSpec::read(&mut spec)?), seed)
            }
            _ => match SearchSpec::read(&mut spec)? {
                Some(search) => (Kind::Searching(search), take_seed(&mut spec)?),
                None => return Err(unknown(spec.name())),
            },
        };
        let text = spec.text().to_string();
        spec.finish()?;
        Ok(PlayerSpec { text, kind, seed })
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn take_seed(spec: &mut Spec) -> Result<Option<u64>, SpecError> {
    spec.value("seed", "a whole number such as 1")
}

fn unknown(name: &str) -> SpecError {
    SpecError::UnknownName {
        kind: "player",
        name: name.to_string(),
        known: all().map(|player| player.name.to_string()).collect(),
    }
}

/// A player whose text has a seed: it takes no other.
struct SelfSeeded<P: Playable> {
    player: Box<dyn Player<P>>,
    seed: u64,
}

impl<P: Playable> Player<P> for SelfSeeded<P> {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn choose(
        &mut self,
        game: &tesuji_games::Line<P>,
        turn: &crate::Turn,
    ) -> Result<crate::Choice<P::Move>, crate::PlayerError> {
        self.player.choose(game, turn)
    }

    fn consult(
        &mut self,
        game: &tesuji_games::Line<P>,
        turn: &crate::Turn,
        wishes: &crate::Wishes<P::Move>,
    ) -> Option<Result<crate::Choice<P::Move>, crate::PlayerError>> {
        self.player.consult(game, turn, wishes)
    }

    fn prepare(&mut self) {
        self.player.prepare();
    }

    fn new_game(&mut self, _: u64) {
        self.player.new_game(self.seed);
    }
}
