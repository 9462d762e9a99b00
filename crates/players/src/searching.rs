//! What players that search have in common: options, limits, and the way from options to a search.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use tesuji_games::SpecError;
use tesuji_play::options::{OptionInfo, PlayerOptions, ValueType, number, option};
use tesuji_play::{PlayerContext, PlayerSetup, SearchProfile};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Limits, PuctOptions};

/// The option `depth` of a search that deepens.
pub(super) const DEPTH_AT_MOST: OptionInfo =
    option("depth", number(1, 255), "plies to look ahead at most");
/// The option `nodes`.
pub(super) const NODES: OptionInfo =
    option("nodes", number(1, u64::MAX), "positions a move at most");
/// The option `time`, where nothing is to be said of a default.
pub(super) const TIME_AT_MOST: OptionInfo = option("time", ValueType::Time, "time a move at most");
/// The option `tt` of a search with a small table.
pub(super) const TABLE: OptionInfo =
    option("tt", ValueType::Size, "memory for known positions (default 16M)");
/// The option `tt` of an engine.
pub(super) const LARGE_TABLE: OptionInfo =
    option("tt", ValueType::Size, "memory for known positions (default 64M)");
/// The option `seed` of a search without chance, so that it takes a seed as others do.
pub(super) const NO_CHANCE: OptionInfo =
    option("seed", number(0, u64::MAX), "taken and not needed: nothing is left to chance");

/// Bytes of a tree that a network guides, when it is full. No option changes its capacity.
pub(super) const FULL_GUIDED_TREE: u64 = 40 * PuctOptions::CAPACITY as u64;

/// The limits `nodes` and `time` among the options.
pub(super) fn effort(options: &PlayerOptions) -> Limits {
    Limits { nodes: options.number("nodes"), time: options.time("time"), ..Limits::default() }
}

/// The limits `depth`, `nodes` and `time` among the options.
pub(super) fn depth_and_effort(options: &PlayerOptions) -> Limits {
    Limits { depth: options.number("depth").map(|depth| depth as u32), ..effort(options) }
}

/// The limits `sims` and `time` among the options.
pub(super) fn simulations(options: &PlayerOptions) -> Limits {
    Limits { nodes: options.number("sims"), time: options.time("time"), ..Limits::default() }
}

/// A player that plays what its search finds best. `check` looks at the game, before any table is
/// made; `make` makes the search out of what it found.
pub(super) fn searcher<T: 'static>(
    facts: SearchProfile,
    check: impl Fn(&str, &PlayerContext) -> Result<T, SpecError> + Send + Sync + 'static,
    make: impl Fn(T, &PlayerContext) -> Result<BoxedSearch, SpecError> + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    Ok(Box::new(Searching { facts, check: Box::new(check), make: Box::new(make) }))
}

/// The same for any game.
pub(super) fn searcher_of_any_game(
    facts: SearchProfile,
    make: impl Fn(&PlayerContext) -> BoxedSearch + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    searcher(facts, |_, _| Ok(()), move |(), context| Ok(make(context)))
}

type Check<T> = dyn Fn(&str, &PlayerContext) -> Result<T, SpecError> + Send + Sync;
type Make<T> = dyn Fn(T, &PlayerContext) -> Result<BoxedSearch, SpecError> + Send + Sync;

struct Searching<T> {
    facts: SearchProfile,
    check: Box<Check<T>>,
    make: Box<Make<T>>,
}

impl<T> fmt::Debug for Searching<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.facts.fmt(f)
    }
}

impl<T> PlayerSetup for Searching<T> {
    fn profile(&self) -> Option<SearchProfile> {
        Some(self.facts.clone())
    }

    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        (self.check)(player, context).map(drop)
    }

    fn search(&self, player: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        (self.make)((self.check)(player, context)?, context)
    }
}

/// What was made of a file, and what for: a player is made anew for every game.
#[derive(Debug)]
pub(super) struct Kept<K, T>(Mutex<Option<(K, T)>>);

impl<K, T> Default for Kept<K, T> {
    fn default() -> Self {
        Kept(Mutex::new(None))
    }
}

impl<K: PartialEq, T: Clone> Kept<K, T> {
    /// What was made for the same; else it is made now.
    pub(super) fn get(
        &self,
        wanted: K,
        make: impl FnOnce() -> Result<T, SpecError>,
    ) -> Result<T, SpecError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = kept.as_ref().filter(|(known, _)| *known == wanted) {
            return Ok(made.clone());
        }
        let made = make()?;
        *kept = Some((wanted, made.clone()));
        Ok(made)
    }
}

/// The complaint that a player and a game do not fit together.
pub(super) fn impossible(player: &str, why: impl fmt::Display) -> SpecError {
    SpecError::Impossible { owner: player.to_string(), why: why.to_string() }
}

/// The complaint about a value of an option.
pub(super) fn bad_value(owner: &str, option: &str, value: &str, expected: &str) -> SpecError {
    let (owner, option) = (owner.to_string(), option.to_string());
    SpecError::BadValue { owner, option, value: value.to_string(), expected: expected.to_string() }
}
