//! Every player by name. A player is written `name[:key=value,…]`, such as `alphabeta:depth=4`.
//!
//! [`PlayerSpec`] is such a text, read and checked without regard to a game; [`PlayerSpec::build`] makes the
//! player for a game, or says which capability the game lacks.

mod choosing;
mod connect6;
mod critic;
pub(crate) mod external;
pub mod file;
pub(crate) mod five_in_a_row;
mod forest;
pub(crate) mod gomoku;
mod graded;
pub mod heuristic;
mod human;
mod line_network;
mod minimax_family;
mod model_source;
mod monte_carlo;
pub mod random;
mod report_agents;
mod rows;
mod searching;
mod setup;
mod solver;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tesuji_games::{Line, SpecError};
use tesuji_learn::critic::agents::View;
use tesuji_learn::forest::Evaluation;
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Game, Scheduler, SearchPlan, memory};

use crate::options::{self, Kind, Options};
use crate::travel::Files;
use crate::{Choice, Player, PlayerError, Turn, Wishes};
use external::ExternalSpec;
use file::{EngineFile, PlayerFile};
use searching::SearchingPlayer;
use setup::Setup;
pub use setup::{Pace, SearchFacts};

/// A player by name: what help texts say of it, its options and what they mean.
pub type PlayerKind = Kind<Box<dyn Setup>>;

/// Every player, in the order of the help. A new one is a file and a line here.
static PLAYERS: &[&[PlayerKind]] = &[
    human::PLAYERS,
    random::PLAYERS,
    heuristic::PLAYERS,
    minimax_family::PLAYERS,
    monte_carlo::PLAYERS,
    solver::PLAYERS,
    forest::PLAYERS,
    gomoku::PLAYERS,
    connect6::PLAYERS,
    report_agents::PLAYERS,
    critic::PLAYERS,
    line_network::PLAYERS,
    external::PLAYERS,
];

/// Every player, in the order of the help.
pub fn all() -> impl Iterator<Item = &'static PlayerKind> + Clone {
    PLAYERS.iter().flat_map(|kinds| kinds.iter())
}

/// The canonical text of a player, see [`PlayerSpec::text`]; the text itself where it means none.
pub fn canonical(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_string(), |player: PlayerSpec| player.text().to_string())
}

/// A player as text, understood. To read the text opens no file and starts no program.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    given: String,
    text: String,
    options: Options,
    setup: Arc<dyn Setup>,
}

impl PlayerSpec {
    /// The player of a text, with the files that it names from where they lie here.
    pub fn reading(text: &str, files: &Files) -> Result<PlayerSpec, SpecError> {
        let (options, setup) = options::read("player", all(), text, files)?;
        let (given, text) = (text.trim().to_string(), options.text());
        Ok(PlayerSpec { given, text, options, setup: setup.into() })
    }

    /// The canonical text: one for all texts that mean the same. It is what stores keep.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it was given.
    pub(crate) fn given(&self) -> &str {
        &self.given
    }

    /// The name in front of the colon.
    pub fn name(&self) -> &'static str {
        self.options.owner()
    }

    /// The same player with an option where it has such an option and its text says nothing else.
    pub fn with_default(&self, key: &str, value: &str) -> PlayerSpec {
        let more = self.options.with_default(key, value).map(|options| options.text());
        more.and_then(|text| text.parse().ok()).unwrap_or_else(|| self.clone())
    }

    /// The value of an option that is a whole number or a size in bytes, where the text gives one.
    pub fn amount(&self, key: &str) -> Option<u64> {
        self.options.amount(key)
    }

    /// The files that its options name.
    pub fn files(&self) -> impl Iterator<Item = &PlayerFile> {
        self.options.files()
    }

    /// The files of the other program behind it, as they are now.
    pub(crate) fn engine_files(&self) -> Vec<EngineFile> {
        self.setup.engine_files()
    }

    /// What decides how it plays and is not in its text: the digests of its files, or of the
    /// program and the files among its arguments. `None` for a player that is known by its text.
    pub fn content(&self) -> Option<String> {
        // To build the player says why its file cannot be read.
        let unreadable = |_| "unreadable".to_string();
        let files = self.files().map(|file| file.digest().unwrap_or_else(unreadable));
        let engine_files = self.engine_files();
        let digests: Vec<String> =
            files.chain(engine_files.iter().map(EngineFile::digest)).collect();
        (!digests.is_empty()).then(|| digests.join(" "))
    }

    /// Bytes that it holds between two moves at most, beside its model: its tables, and its trees
    /// when they are full.
    pub fn memory(&self) -> u64 {
        self.search_facts().map_or(0, |facts| facts.tables + facts.trees)
    }

    /// Whether this is a person at the terminal.
    pub fn is_human(&self) -> bool {
        self.name() == human::NAME
    }

    /// What is known of the search behind the player, if there is one.
    pub fn search_facts(&self) -> Option<SearchFacts> {
        self.setup.facts()
    }

    /// The limits of a move, see [`SearchFacts::limits`].
    pub fn limits(&self, given: &tesuji_search::Limits) -> tesuji_search::Limits {
        self.search_facts().map_or_else(|| given.clone(), |facts| facts.limits(given))
    }

    /// The other program behind the player, if there is one.
    pub(crate) fn external(&self) -> Option<&ExternalSpec> {
        self.setup.external()
    }

    /// The forest behind it and its name, on the board of a game; `None` where there is none.
    pub(crate) fn voters(
        &self,
        game: &Game,
    ) -> Option<Result<(String, Arc<Evaluation>), SpecError>> {
        self.setup.voters(game)
    }

    /// The critic behind it, on the board of a game; `None` where there is none.
    pub(crate) fn critic(&self, context: &PlayerContext) -> Option<Result<View, SpecError>> {
        self.setup.critic(&self.text, context)
    }

    /// Makes the player for the game of the context. The seed of the context is for whatever it leaves
    /// to chance, unless the text has a seed of its own.
    pub fn build(&self, context: &PlayerContext) -> Result<Box<dyn Player>, SpecError> {
        self.check_memory()?;
        let context = self.seeded(context);
        let player = match self.setup.build(&self.text, &context)? {
            Some(player) => player,
            None => Box::new(SearchingPlayer::new(&self.text, self.setup.clone(), context)?),
        };
        Ok(match self.seed() {
            Some(seed) => Box::new(SelfSeeded { player, seed }),
            None => player,
        })
    }

    /// Whether [`build`](Self::build) would make the player. Nothing is made to find out: no table,
    /// no process.
    pub fn supports(&self, context: &PlayerContext) -> Result<(), SpecError> {
        self.setup.supports(&self.text, context)
    }

    /// Makes the search behind the player, for analysis.
    pub fn build_search(&self, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        self.check_memory()?;
        self.setup.search(&self.text, &self.seeded(context))
    }

    /// Refuses tables that do not fit into memory, before they are made.
    fn check_memory(&self) -> Result<(), SpecError> {
        let bytes = self.search_facts().map_or(0, |facts| facts.tables);
        memory::check(bytes).map_err(|error| SpecError::Impossible {
            owner: self.text.clone(),
            why: error.to_string(),
        })
    }

    /// The seed that the text has.
    fn seed(&self) -> Option<u64> {
        self.amount(options::SEED.key)
    }

    /// The context with the seed that the text has, if it has one.
    pub(crate) fn seeded(&self, context: &PlayerContext) -> PlayerContext {
        PlayerContext { seed: self.seed().unwrap_or(context.seed), ..context.clone() }
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

impl FromStr for PlayerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerSpec, SpecError> {
        PlayerSpec::reading(text, &Files::new())
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
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

    fn choose(&mut self, game: &Line, turn: &Turn) -> Result<Choice, PlayerError> {
        self.player.choose(game, turn)
    }

    fn consult(
        &mut self,
        game: &Line,
        turn: &Turn,
        wishes: &Wishes,
    ) -> Option<Result<Choice, PlayerError>> {
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
    fn what_a_player_supports_can_be_built() {
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
        let names = all().map(|player| player.name).filter(|name| *name != external::NAME);
        let players: Vec<&str> = names.chain(more).collect();
        let mut counts = [0, 0];
        for game in games {
            let context = PlayerContext::new(&registry.open(game).unwrap(), 1);
            for text in &players {
                let player: PlayerSpec = text.parse().unwrap();
                let player = player.with_default("tt", "1M");
                let checked = player.supports(&context);
                let built = player.build(&context).map(drop);
                assert_eq!(checked, built, "{text} at {game}");
                counts[usize::from(built.is_ok())] += 1;
            }
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }
}
