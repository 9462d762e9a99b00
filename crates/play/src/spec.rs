//! A player as text, `name[:key=value,…]`, such as `alphabeta:depth=4`.

use std::fmt;
use std::sync::Arc;

use tesuji_games::{Line, SpecError};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Game, Limits, Scheduler, SearchPlan, memory};

use crate::file::{EngineFile, PlayerFile};
use crate::options::{self, PlayerOptions};
use crate::roster::PlayerKind;
use crate::search_player::SearchPlayer;
use crate::setup::{SearchProfile, PlayerSetup};
use crate::{Choice, Player, PlayerError, Turn, AnalyzeOptions};

/// A player as text, understood. To read the text opens no file and starts no program.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    kind: &'static PlayerKind,
    /// The text as it was given.
    pub(crate) given: String,
    text: String,
    options: PlayerOptions,
    pub(crate) setup: Arc<dyn PlayerSetup>,
}

impl PlayerSpec {
    /// The player of a kind with these options; `given` is the text that they were read from.
    pub(crate) fn new(
        kind: &'static PlayerKind,
        given: &str,
        options: PlayerOptions,
    ) -> Result<PlayerSpec, SpecError> {
        let setup = (kind.read)(&options)?.into();
        let (given, text) = (given.trim().to_string(), options.text());
        Ok(PlayerSpec { kind, given, text, options, setup })
    }

    /// The canonical text: one for all texts that mean the same. It is what stores keep.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name in front of the colon.
    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    /// The same player with an option where it has such an option and its text says nothing else.
    pub fn with_default(&self, key: &str, value: &str) -> PlayerSpec {
        let more = self.options.with_default(key, value);
        let more = more.and_then(|more| PlayerSpec::new(self.kind, &more.text(), more).ok());
        more.unwrap_or_else(|| self.clone())
    }

    /// Its options, as its text gives them.
    pub fn options(&self) -> &PlayerOptions {
        &self.options
    }

    /// The value of an option that is a whole number or a size in bytes, where the text gives one.
    pub fn amount(&self, key: &str) -> Option<u64> {
        self.options.amount(key)
    }

    /// The files that its options name.
    pub fn files(&self) -> impl Iterator<Item = &PlayerFile> {
        self.options.files()
    }

    /// What decides how it plays and is not in its text: the digests of its files, or of the
    /// program and the files among its arguments. `None` for a player that is known by its text.
    pub fn content(&self) -> Option<String> {
        // To build the player says why its file cannot be read.
        let unreadable = |_| "unreadable".to_string();
        let files = self.files().map(|file| file.digest().unwrap_or_else(unreadable));
        let engine_files = self.setup.engine_files();
        let digests: Vec<String> =
            files.chain(engine_files.iter().map(EngineFile::digest)).collect();
        (!digests.is_empty()).then(|| digests.join(" "))
    }

    /// Bytes that it holds between two moves at most, beside its model: its tables, and its trees
    /// when they are full.
    pub fn memory(&self) -> u64 {
        self.search_profile().map_or(0, |profile| profile.tables + profile.trees)
    }

    /// What is known of the search behind the player, if there is one.
    pub fn search_profile(&self) -> Option<SearchProfile> {
        self.setup.profile()
    }

    /// The limits of a move, see [`SearchProfile::limits`].
    pub fn limits(&self, given: &Limits) -> Limits {
        self.search_profile().map_or_else(|| given.clone(), |profile| profile.limits(given))
    }

    /// Whether to build it starts another program.
    pub fn starts_program(&self) -> bool {
        self.setup.starts_program()
    }

    /// Makes the player for the game of the context. The seed of the context is for whatever it leaves
    /// to chance, unless the text has a seed of its own.
    pub fn build(&self, context: &PlayerContext) -> Result<Box<dyn Player>, SpecError> {
        self.check_memory()?;
        let (seed, context) = self.seeded(context);
        let player = match self.setup.build(&self.text, &context)? {
            Some(player) => player,
            None => Box::new(SearchPlayer::new(&self.text, self.setup.clone(), context)?),
        };
        Ok(match seed {
            Some(seed) => Box::new(FixedSeedPlayer { player, seed }),
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
        self.setup.search(&self.text, &self.seeded(context).1)
    }

    /// Refuses tables that do not fit into memory, before they are made.
    fn check_memory(&self) -> Result<(), SpecError> {
        let bytes = self.search_profile().map_or(0, |profile| profile.tables);
        memory::check(bytes).map_err(|error| SpecError::Impossible {
            owner: self.text.clone(),
            why: error.to_string(),
        })
    }

    /// The seed that the text has, and the context with it.
    fn seeded(&self, context: &PlayerContext) -> (Option<u64>, PlayerContext) {
        let seed = self.amount(options::SEED.key);
        (seed, PlayerContext { seed: seed.unwrap_or(context.seed), ..context.clone() })
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
    pub fn search(&self, plan: &SearchPlan) -> BoxedSearch {
        self.game.searches().search(plan, self.seed, self.scheduler.as_ref())
    }

    /// For one game that has the machine to itself.
    pub fn new(game: &Game, seed: u64) -> Self {
        PlayerContext { game: game.clone(), seed, scheduler: None }
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A player whose text has a seed: it takes no other.
struct FixedSeedPlayer {
    player: Box<dyn Player>,
    seed: u64,
}

impl Player for FixedSeedPlayer {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn choose(&mut self, game: &Line, turn: &Turn) -> Result<Choice, PlayerError> {
        self.player.choose(game, turn)
    }

    fn analyze(
        &mut self,
        game: &Line,
        turn: &Turn,
        options: &AnalyzeOptions,
    ) -> Option<Result<Choice, PlayerError>> {
        self.player.analyze(game, turn, options)
    }

    fn prepare(&mut self) {
        self.player.prepare();
    }

    fn new_game(&mut self, _: u64) {
        self.player.new_game(self.seed);
    }
}
