//! A player's settings, before the player is built for a game.

use std::fmt;
use std::time::Duration;

use tesuji_games::SpecError;
use tesuji_search::Limits;
use tesuji_search::game::BoxedSearch;

use crate::file::EngineFile;
use crate::{Player, PlayerContext};

/// The interpreted options of a player, from which it is built. `player` is its text, for error
/// messages.
pub trait PlayerSetup: fmt::Debug + Send + Sync {
    /// Checks whether it can play the game of the context, without creating tables or processes.
    fn supports(&self, _player: &str, _context: &PlayerContext) -> Result<(), SpecError> {
        Ok(())
    }

    /// Builds the player; `None` for a player that plays the best move of its search.
    fn build(
        &self,
        _player: &str,
        _context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        Ok(None)
    }

    /// The name from which the identities of its games are made; `None` for its own name, or the
    /// name before a rename.
    fn identity_name(&self) -> Option<&'static str> {
        None
    }

    /// The profile of its search; `None` for a player that does not search.
    fn profile(&self) -> Option<SearchProfile> {
        None
    }

    /// Creates its search.
    fn search(&self, player: &str, _context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        Err(SpecError::BadValue {
            owner: "analysis".to_string(),
            option: "player".to_string(),
            value: player.to_string(),
            expected: "a searching player, such as alphabeta:depth=6".to_string(),
        })
    }

    /// Whether building it starts another program.
    fn starts_program(&self) -> bool {
        false
    }

    /// The current files of its external program.
    fn engine_files(&self) -> Vec<EngineFile> {
        Vec::new()
    }
}

/// The properties of a search before it is created.
#[derive(Clone, Debug)]
pub struct SearchProfile {
    /// How the search proceeds and ends.
    pub kind: SearchKind,
    /// The limits in the player's own options.
    pub own: Limits,
    /// Whether it returns exact values or none.
    pub exact: bool,
    /// Whether its scores are in the units of the game's own heuristic.
    pub heuristic_units: bool,
    /// Bytes of its tables, allocated before its first search.
    pub tables: u64,
    /// Bytes of its trees when full. They grow during a search.
    pub trees: u64,
}

/// How a search proceeds, and what ends it without limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// Searches to a fixed depth and has no result before.
    FixedDepth,
    /// Deepens iteratively.
    IterativeDeepening,
    /// Runs simulations; depth has no meaning. The default number of simulations without limits;
    /// `None` if the search has its own default.
    Simulations(Option<u64>),
    /// Ends by itself.
    SelfTerminating,
}

/// Default depth in plies of a search to a fixed depth.
const DEFAULT_DEPTH: u32 = 4;
/// Default time of a search that deepens iteratively.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

impl SearchProfile {
    /// The profile of a search without tables and trees, with scores in its own units.
    pub fn new(kind: SearchKind, own: Limits) -> SearchProfile {
        SearchProfile { kind, own, exact: false, heuristic_units: false, tables: 0, trees: 0 }
    }

    /// The limits of a move: the player's own options first, then `given`, then defaults for this
    /// kind of search if neither would end it.
    pub fn limits(&self, given: &Limits) -> Limits {
        let mut limits = Limits {
            depth: self.own.depth.or(given.depth),
            nodes: self.own.nodes.or(given.nodes),
            time: self.own.time.or(given.time),
            stop: given.stop.clone(),
        };
        let unlimited = limits.nodes.is_none() && limits.time.is_none();
        match self.kind {
            SearchKind::FixedDepth => limits.depth = limits.depth.or(Some(DEFAULT_DEPTH)),
            SearchKind::IterativeDeepening if unlimited && limits.depth.is_none() => {
                limits.time = Some(DEFAULT_TIME)
            }
            SearchKind::Simulations(default) if unlimited => limits.nodes = default,
            SearchKind::IterativeDeepening
            | SearchKind::Simulations(_)
            | SearchKind::SelfTerminating => {}
        }
        limits
    }

    /// Whether it runs simulations: then every move has visits.
    pub fn simulates(&self) -> bool {
        matches!(self.kind, SearchKind::Simulations(_))
    }

    /// Whether it deepens iteratively, and so has progress to report.
    pub fn deepens(&self) -> bool {
        self.kind == SearchKind::IterativeDeepening
    }
}
