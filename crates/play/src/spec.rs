//! Players as text, `name[:key=value,…]`, such as `alphabeta:depth=4`.

use std::fmt;
use std::sync::Arc;

use tesuji_games::{GameLine, SpecError};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Game, Limits, Scheduler, SearchPlan, memory};

use crate::attachments::FilePaths;
use crate::file::{EngineFile, PlayerFile};
use crate::options::{self, PlayerOptions};
use crate::roster::PlayerKind;
use crate::search_player::SearchPlayer;
use crate::setup::{PlayerSetup, SearchProfile};
use crate::{AnalyzeOptions, Choice, Player, PlayerError, Turn};

/// A parsed player. Parsing opens no file and starts no program.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    kind: &'static PlayerKind,
    /// The text as given.
    pub(crate) given: String,
    text: String,
    options: PlayerOptions,
    pub(crate) setup: Arc<dyn PlayerSetup>,
}

impl PlayerSpec {
    /// Creates the player of a kind with options read from the text `given`.
    pub(crate) fn new(
        kind: &'static PlayerKind,
        given: &str,
        options: PlayerOptions,
    ) -> Result<PlayerSpec, SpecError> {
        let setup = (kind.read)(&options)?.into();
        let (given, text) = (given.trim().to_string(), options.text());
        Ok(PlayerSpec { kind, given, text, options, setup })
    }

    /// The canonical text: equal for all texts with the same meaning. Stores use it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same text with the names and keys before renames; other texts stay as they are.
    /// Identities of games are made from it, so a rename does not change them.
    pub(crate) fn before_renames(&self, text: &str) -> String {
        let mut former = text.to_string();
        for option in self.kind.options {
            if let Some(key) = option.former_key {
                former = former.replace(&format!("{}=", option.key), &format!("{key}="));
            }
        }
        let name = self.setup.identity_name().or(self.kind.former_name);
        match (name, former.strip_prefix(self.kind.name)) {
            (Some(name), Some(options)) => format!("{name}{options}"),
            _ => former,
        }
    }

    /// A name for this player and its canonical text as they were before renames.
    pub(crate) fn former_texts(&self, name: &str) -> [String; 2] {
        let name = if self.has_text(name) { self.before_renames(name) } else { name.to_string() };
        [name, self.before_renames(&self.text)]
    }

    /// Whether a text means this player.
    fn has_text(&self, text: &str) -> bool {
        let read = options::read("player", [self.kind].into_iter(), text, &FilePaths::new());
        read.is_ok_and(|(_, options)| options.text() == self.text)
    }

    /// The name before the colon.
    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    /// Returns the player with an option added, unless it has no such option or its text already
    /// sets it.
    pub fn with_default(&self, key: &str, value: &str) -> PlayerSpec {
        let more = self.options.with_default(key, value);
        let more = more.and_then(|more| PlayerSpec::new(self.kind, &more.text(), more).ok());
        more.unwrap_or_else(|| self.clone())
    }

    /// The options in its text.
    pub fn options(&self) -> &PlayerOptions {
        &self.options
    }

    /// The value of an option that is a whole number or a size in bytes, if the text sets it.
    pub fn amount(&self, key: &str) -> Option<u64> {
        self.options.amount(key)
    }

    /// The files named by its options.
    pub fn files(&self) -> impl Iterator<Item = &PlayerFile> {
        self.options.files()
    }

    /// The digests of its files, or of the program and the files among its arguments: what decides
    /// how it plays besides its text. `None` for a player that its text identifies completely.
    pub fn content(&self) -> Option<String> {
        // `build` reports the error of an unreadable file.
        let unreadable = |_| "unreadable".to_string();
        let files = self.files().map(|file| file.digest().unwrap_or_else(unreadable));
        let engine_files = self.setup.engine_files();
        let digests: Vec<String> =
            files.chain(engine_files.iter().map(EngineFile::digest)).collect();
        (!digests.is_empty()).then(|| digests.join(" "))
    }

    /// Maximum memory in bytes between two moves, without its model: its tables, and its trees when
    /// full.
    pub fn memory(&self) -> u64 {
        self.search_profile().map_or(0, |profile| profile.tables + profile.trees)
    }

    /// The profile of the player's search, if it has one.
    pub fn search_profile(&self) -> Option<SearchProfile> {
        self.setup.profile()
    }

    /// The limits of a move, see [`SearchProfile::limits`].
    pub fn limits(&self, given: &Limits) -> Limits {
        self.search_profile().map_or_else(|| given.clone(), |profile| profile.limits(given))
    }

    /// Whether building it starts another program.
    pub fn starts_program(&self) -> bool {
        self.setup.starts_program()
    }

    /// Creates the player for the game of the context. The context's seed is used unless the text
    /// has one.
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

    /// Checks whether [`build`](Self::build) would succeed, without creating tables or processes.
    pub fn supports(&self, context: &PlayerContext) -> Result<(), SpecError> {
        self.setup.supports(&self.text, context)
    }

    /// Creates the player's search, for analysis.
    pub fn build_search(&self, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        self.check_memory()?;
        self.setup.search(&self.text, &self.seeded(context).1)
    }

    /// Refuses tables that do not fit into memory before they are created.
    fn check_memory(&self) -> Result<(), SpecError> {
        let bytes = self.search_profile().map_or(0, |profile| profile.tables);
        memory::check(bytes).map_err(|error| SpecError::Impossible {
            owner: self.text.clone(),
            why: error.to_string(),
        })
    }

    /// The seed in the text, and the context with it.
    fn seeded(&self, context: &PlayerContext) -> (Option<u64>, PlayerContext) {
        let seed = self.amount(options::SEED.key);
        (seed, PlayerContext { seed: seed.unwrap_or(context.seed), ..context.clone() })
    }
}

/// The arguments for building a player.
#[derive(Clone, Debug)]
pub struct PlayerContext {
    /// The game.
    pub game: Game,
    /// Seed of its random numbers.
    pub seed: u64,
    /// Distributes threads when several games run in parallel.
    pub scheduler: Option<Scheduler>,
}

impl PlayerContext {
    /// Creates a search compiled for the game.
    pub fn search(&self, plan: &SearchPlan) -> BoxedSearch {
        self.game.searches().search(plan, self.seed, self.scheduler.as_ref())
    }

    /// A context for a single game without a scheduler.
    pub fn new(game: &Game, seed: u64) -> Self {
        PlayerContext { game: game.clone(), seed, scheduler: None }
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A player whose text has a seed: ignores the seeds of games.
struct FixedSeedPlayer {
    player: Box<dyn Player>,
    seed: u64,
}

impl Player for FixedSeedPlayer {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn choose(&mut self, game: &GameLine, turn: &Turn) -> Result<Choice, PlayerError> {
        self.player.choose(game, turn)
    }

    fn analyze(
        &mut self,
        game: &GameLine,
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
