//! Shared parts of searching players: options, limits, and the setup that builds a search.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tesuji_games::SpecError;
use tesuji_play::options::{OptionInfo, PlayerOptions, ValueType, number, option};
use tesuji_play::{PlayerContext, PlayerSetup, SearchProfile};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Limits, PuctOptions};

/// The option `depth` of a deepening search.
pub(super) const DEPTH_AT_MOST: OptionInfo =
    option("depth", number(1, 255), "maximum search depth in plies, the own move included");
/// The option `nodes`.
pub(super) const NODES: OptionInfo =
    option("nodes", number(1, u64::MAX), "maximum number of positions per move");
/// The option `time` of a player without a default time.
pub(super) const TIME_AT_MOST: OptionInfo =
    option("time", ValueType::Time, "maximum time per move");
/// The option `tt` of a search with a small table.
pub(super) const TABLE: OptionInfo =
    option("tt", ValueType::Size, "transposition table size [default: 16M]");
/// The option `tt` of an engine.
pub(super) const LARGE_TABLE: OptionInfo =
    option("tt", ValueType::Size, "transposition table size [default: 64M]");
/// The option `seed` of a deterministic search, which accepts a seed as other players do.
pub(super) const NO_CHANCE: OptionInfo =
    option("seed", number(0, u64::MAX), "accepted but ignored (deterministic)");

/// Size in bytes of a full tree of a network-guided search. No option changes its capacity.
pub(super) const FULL_GUIDED_TREE: u64 = 40 * PuctOptions::CAPACITY as u64;

/// Reads the limits `nodes` and `time`.
pub(super) fn effort(options: &PlayerOptions) -> Limits {
    Limits { nodes: options.number("nodes"), time: options.time("time"), ..Limits::default() }
}

/// Reads the limits `depth`, `nodes` and `time`.
pub(super) fn depth_and_effort(options: &PlayerOptions) -> Limits {
    Limits { depth: options.number("depth").map(|depth| depth as u32), ..effort(options) }
}

/// Reads the limits `sims` and `time`.
pub(super) fn simulations(options: &PlayerOptions) -> Limits {
    Limits { nodes: options.number("sims"), time: options.time("time"), ..Limits::default() }
}

/// Sets up a player that plays the best move of its search. `check` validates the game before any
/// table is allocated; `build` makes the search from the result of `check`.
pub(super) fn search_setup<T: 'static>(
    facts: SearchProfile,
    check: impl Fn(&str, &PlayerContext) -> Result<T, SpecError> + Send + Sync + 'static,
    build: impl Fn(T, &PlayerContext) -> Result<BoxedSearch, SpecError> + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    Ok(Box::new(SearchSetup::new(facts, check, build)))
}

/// The same for any game.
pub(super) fn search_setup_for_any_game(
    facts: SearchProfile,
    build: impl Fn(&PlayerContext) -> BoxedSearch + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    search_setup(facts, |_, _| Ok(()), move |(), context| Ok(build(context)))
}

type CheckFn<T> = dyn Fn(&str, &PlayerContext) -> Result<T, SpecError> + Send + Sync;
type BuildFn<T> = dyn Fn(T, &PlayerContext) -> Result<BoxedSearch, SpecError> + Send + Sync;

/// The setup of a player that plays the best move of its search.
pub(super) struct SearchSetup<T> {
    facts: SearchProfile,
    /// See [`PlayerSetup::identity_name`].
    pub(super) identity: Option<&'static str>,
    check: Box<CheckFn<T>>,
    build: Box<BuildFn<T>>,
}

impl<T> SearchSetup<T> {
    pub(super) fn new(
        facts: SearchProfile,
        check: impl Fn(&str, &PlayerContext) -> Result<T, SpecError> + Send + Sync + 'static,
        build: impl Fn(T, &PlayerContext) -> Result<BoxedSearch, SpecError> + Send + Sync + 'static,
    ) -> Self {
        SearchSetup { facts, identity: None, check: Box::new(check), build: Box::new(build) }
    }
}

impl<T> fmt::Debug for SearchSetup<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.facts.fmt(f)
    }
}

impl<T> PlayerSetup for SearchSetup<T> {
    fn profile(&self) -> Option<SearchProfile> {
        Some(self.facts.clone())
    }

    fn identity_name(&self) -> Option<&'static str> {
        self.identity
    }

    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        (self.check)(player, context).map(drop)
    }

    fn search(&self, player: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        (self.build)((self.check)(player, context)?, context)
    }
}

/// Keeps the last value that was loaded from a file, because a player is built for every game.
#[derive(Debug)]
pub(super) struct Cached<K, T>(Mutex<Option<(K, T)>>);

impl<K, T> Default for Cached<K, T> {
    fn default() -> Self {
        Cached(Mutex::new(None))
    }
}

impl<K: PartialEq, T: Clone> Cached<K, T> {
    /// Returns the cached value for the key, or makes it.
    pub(super) fn get(
        &self,
        wanted: K,
        build: impl FnOnce() -> Result<T, SpecError>,
    ) -> Result<T, SpecError> {
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = cache.as_ref().filter(|(known, _)| *known == wanted) {
            return Ok(made.clone());
        }
        let made = build()?;
        *cache = Some((wanted, made.clone()));
        Ok(made)
    }
}

/// Makes the error of a player that does not support the game of the context.
pub(super) fn unsupported(player: &str, context: &PlayerContext, expected: &str) -> SpecError {
    let game = context.game.name();
    impossible(player, format!("does not support '{game}'; expected {expected}"))
}

/// Makes the error of options that do not fit together or to the game.
pub(super) fn impossible(player: &str, why: impl fmt::Display) -> SpecError {
    SpecError::Impossible { owner: player.to_string(), why: why.to_string() }
}

/// Makes the error of an option's value.
pub(super) fn bad_value(owner: &str, option: &str, value: &str, expected: &str) -> SpecError {
    let (owner, option) = (owner.to_string(), option.to_string());
    SpecError::BadValue { owner, option, value: value.to_string(), expected: expected.to_string() }
}
