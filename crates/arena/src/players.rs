//! Every player by name. A player is written `name[:key=value,…]`, such as `alphabeta:depth=4`.
//!
//! [`PlayerSpec`] is such a text, read and checked without regard to a game; [`PlayerSpec::build`] makes the
//! player for a game, or says which capability the game lacks.

mod choosing;
mod connect6;
mod critic;
pub(crate) mod external;
pub(crate) mod file;
pub(crate) mod five_in_a_row;
mod forest;
pub(crate) mod gomoku;
mod graded;
pub mod heuristic;
mod line_network;
mod minimax_family;
mod monte_carlo;
pub mod random;
mod report_agents;
mod rows;
pub mod searching;

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use tesuji_games::{Spec, SpecError};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Game, Scheduler, SearchPlan, memory};

use crate::Player;
use crate::travel::{self, Files};
use external::ExternalSpec;
use file::{EngineFile, PlayerFile};
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

    /// The file that it reads, if it names one.
    pub(crate) fn file(&self) -> Option<&PlayerFile> {
        self.searching().and_then(SearchSpec::file)
    }

    /// The files of the other program behind it, as they are now.
    pub(crate) fn engine_files(&self) -> Vec<EngineFile> {
        self.external().map_or_else(Vec::new, ExternalSpec::files)
    }

    /// What decides how it plays and is not in its text: the digest of its file, or of the
    /// program and the files among its arguments. `None` for a player that is known by its text.
    pub fn content(&self) -> Option<String> {
        if let Some(file) = self.file() {
            // To build the player says why its file cannot be read.
            return Some(file.digest().unwrap_or_else(|_| "unreadable".to_string()));
        }
        let digests: Vec<String> = self.engine_files().iter().map(EngineFile::digest).collect();
        (!digests.is_empty()).then(|| digests.join(" "))
    }

    /// Bytes that it holds between two moves at most, beside its model: its tables, and its trees
    /// when they are full.
    pub fn memory(&self) -> u64 {
        self.searching().map_or(0, |search| search.memory() + search.tree_memory())
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

    /// Makes the player for the game of the context. The seed of the context is for whatever it leaves
    /// to chance, unless the text has a seed of its own.
    pub fn build(&self, context: &PlayerContext) -> Result<Box<dyn Player>, SpecError> {
        self.check_memory()?;
        self.make_player(context)
    }

    /// Whether [`build`](Self::build) would make the player. Nothing is made to find out: no table,
    /// no process.
    pub fn check(&self, context: &PlayerContext) -> Result<(), SpecError> {
        self.check_player(context)
    }

    /// Makes the search behind the player, for analysis.
    pub fn build_search(&self, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        self.check_memory()?;
        self.make_search(context)
    }

    /// Refuses tables that do not fit into memory, before they are made.
    fn check_memory(&self) -> Result<(), SpecError> {
        let bytes = self.searching().map_or(0, SearchSpec::memory);
        memory::check(bytes).map_err(|error| SpecError::Impossible {
            owner: self.text.clone(),
            why: error.to_string(),
        })
    }

    fn make_player(&self, context: &PlayerContext) -> Result<Box<dyn Player>, SpecError> {
        let context = self.seeded(context);
        let player: Box<dyn Player> = match &self.kind {
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

    fn check_player(&self, context: &PlayerContext) -> Result<(), SpecError> {
        match &self.kind {
            Kind::Human => Err(needs_a_terminal()),
            Kind::Random | Kind::Heuristic => Ok(()),
            Kind::Searching(search) => search.check(&self.text, context),
            Kind::External(external) => external.check(&self.text, context),
        }
    }

    fn make_search(&self, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        match &self.kind {
            Kind::Searching(search) => search.build(&self.text, &self.seeded(context)),
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
#[derive(Clone, Debug)]
pub struct PlayerContext {
    /// The game to be played.
    pub game: Game,
    /// For whatever it leaves to chance.
    pub seed: u64,
    /// Who hands out threads, when several games run at once.
    pub scheduler: Option<Scheduler>,
}

impl PlayerContext {
    /// A search that was compiled for the game.
    pub(crate) fn search(&self, plan: &SearchPlan) -> BoxedSearch {
        self.game.searches().search(plan, self.seed, self.scheduler.as_ref())
    }

    /// For one game that has the machine to itself.
    pub fn new(game: &Game, seed: u64) -> Self {
        PlayerContext { game: game.clone(), seed, scheduler: None }
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
struct SelfSeeded {
    player: Box<dyn Player>,
    seed: u64,
}

impl Player for SelfSeeded {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn choose(
        &mut self,
        game: &tesuji_games::Line,
        turn: &crate::Turn,
    ) -> Result<crate::Choice, crate::PlayerError> {
        self.player.choose(game, turn)
    }

    fn consult(
        &mut self,
        game: &tesuji_games::Line,
        turn: &crate::Turn,
        wishes: &crate::Wishes,
    ) -> Option<Result<crate::Choice, crate::PlayerError>> {
        self.player.consult(game, turn, wishes)
    }

    fn prepare(&mut self) {
        self.player.prepare();
    }

    fn new_game(&mut self, _: u64) {
        self.player.new_game(self.seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_says_what_building_says() {
        let registry = tesuji_builtin::registry();
        let games = registry.names().chain([
            "gomoku:20x20,exact",
            "renju",
            "connect6",
            "mnk:10x10,k=5",
            "mnk:5x5,k=4",
            "mnk:20x5,k=5",
            "mnk:15x15,k=6,p=2,q=1",
            "connect4:9x7",
        ]);
        let more =
            ["pvs:quiesce=on", "pvs:book=/nowhere", "forest:model=none", "critic:file=/none"];
        let names = all().map(|player| player.name).filter(|name| *name != "external");
        let players: Vec<&str> = names.chain(more).collect();
        let mut counts = [0, 0];
        for game in games {
            let context = PlayerContext::new(&registry.open(game).unwrap(), 1);
            for text in &players {
                let player: PlayerSpec = text.parse().unwrap();
                let player = player.with_default("tt", "1M");
                let (checked, built) = (player.check(&context), player.build(&context).map(drop));
                assert_eq!(checked, built, "{text} at {game}");
                counts[usize::from(built.is_ok())] += 1;
            }
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }
}
