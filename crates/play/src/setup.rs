//! A player with its options, before it is made for a game.

use std::fmt;
use std::time::Duration;

use tesuji_games::SpecError;
use tesuji_search::Limits;
use tesuji_search::game::BoxedSearch;

use crate::file::EngineFile;
use crate::{Player, PlayerContext};

/// What the options of a player mean. `player` is its text, which complaints name.
pub trait PlayerSetup: fmt::Debug + Send + Sync {
    /// Whether it can play the game of the context. No table and no process is made to find out.
    fn supports(&self, _player: &str, _context: &PlayerContext) -> Result<(), SpecError> {
        Ok(())
    }

    /// Makes the player; `None` for a player that plays what its search finds best.
    fn build(
        &self,
        _player: &str,
        _context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        Ok(None)
    }

    /// What is known of its search; `None` for a player that does not search.
    fn profile(&self) -> Option<SearchProfile> {
        None
    }

    /// Makes its search.
    fn search(&self, player: &str, _context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        Err(SpecError::BadValue {
            owner: "analysis".to_string(),
            option: "player".to_string(),
            value: player.to_string(),
            expected: "one that searches, such as alphabeta:depth=6".to_string(),
        })
    }

    /// Whether to build it starts another program.
    fn starts_program(&self) -> bool {
        false
    }

    /// The files of the other program behind it, as they are now.
    fn engine_files(&self) -> Vec<EngineFile> {
        Vec::new()
    }
}

/// What is known of a search before it is made.
#[derive(Clone, Debug)]
pub struct SearchProfile {
    /// What ends it.
    pub kind: SearchKind,
    /// The limits among the player's own options.
    pub own: Limits,
    /// Whether it finds exact values, or says that it has none.
    pub exact: bool,
    /// Whether its values are in the units of the game's own estimate.
    pub heuristic_units: bool,
    /// Bytes of its tables, which it takes before its first search.
    pub tables: u64,
    /// Bytes of its trees when they are full. They grow as it searches.
    pub trees: u64,
}

/// How a search goes on, and what ends it where neither the game nor the player's options say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// It looks ahead to a fixed depth and has no answer before.
    FixedDepth,
    /// It looks deeper and deeper, ply by ply.
    IterativeDeepening,
    /// It plays many games in its head and counts: depth means nothing to it. So many games when
    /// nothing limits it; `None` where the search itself knows.
    Simulations(Option<u64>),
    /// It ends by itself.
    SelfTerminating,
}

/// Plies that a search without deepening looks ahead by default.
const USUAL_DEPTH: u32 = 4;
/// Time that a deepening search takes by default.
const USUAL_TIME: Duration = Duration::from_secs(1);

impl SearchProfile {
    /// Of a search that has neither tables nor trees and finds estimates of its own.
    pub fn new(kind: SearchKind, own: Limits) -> SearchProfile {
        SearchProfile { kind, own, exact: false, heuristic_units: false, tables: 0, trees: 0 }
    }

    /// The limits of a move: the player's own options first, then what the game allows, then what is
    /// usual for such a search where both say nothing that would end it.
    pub fn limits(&self, given: &Limits) -> Limits {
        let mut limits = Limits {
            depth: self.own.depth.or(given.depth),
            nodes: self.own.nodes.or(given.nodes),
            time: self.own.time.or(given.time),
            stop: given.stop.clone(),
        };
        let timeless = limits.nodes.is_none() && limits.time.is_none();
        match self.kind {
            SearchKind::FixedDepth => limits.depth = limits.depth.or(Some(USUAL_DEPTH)),
            SearchKind::IterativeDeepening if timeless && limits.depth.is_none() => limits.time = Some(USUAL_TIME),
            SearchKind::Simulations(usual) if timeless => limits.nodes = usual,
            SearchKind::IterativeDeepening | SearchKind::Simulations(_) | SearchKind::SelfTerminating => {}
        }
        limits
    }

    /// Whether it plays many games in its head: then every move has visits.
    pub fn simulates(&self) -> bool {
        matches!(self.kind, SearchKind::Simulations(_))
    }

    /// Whether it looks deeper and deeper, so that there is something to tell on the way.
    pub fn deepens(&self) -> bool {
        self.kind == SearchKind::IterativeDeepening
    }
}
