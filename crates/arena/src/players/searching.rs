//! Players that search: which algorithm, with which options, within which limits.

use std::ops::RangeInclusive;

use tesuji_games::{Line, Playable, Spec, SpecError};
use tesuji_search::{Limits, Search};

use super::monte_carlo::TreeSpec;
use crate::quantity::{DURATION_EXAMPLES, Span};
use crate::{Choice, Player, PlayerError};

/// A search by name, with its options and limits.
#[derive(Clone, Debug)]
pub struct SearchSpec {
    algorithm: Algorithm,
    own: Limits,
}

#[derive(Clone, Debug)]
enum Algorithm {
    Tree(TreeSpec),
}

impl SearchSpec {
    /// Reads the options, if the name is that of a search.
    pub(super) fn read(spec: &mut Spec) -> Result<Option<SearchSpec>, SpecError> {
        let own;
        let algorithm = match spec.name() {
            "mcts" => {
                own = Limits {
                    nodes: spec.number("sims", 1..=1_000_000_000_000)?,
                    time: take_time(spec)?,
                    ..Limits::default()
                };
                Algorithm::Tree(TreeSpec::read(spec)?)
            }
            _ => return Ok(None),
        };
        Ok(Some(SearchSpec { algorithm, own }))
    }

    /// The limits of a move: the player's own options first, then what the game allows; the algorithm's
    /// default where both say nothing at all.
    pub fn limits(&self, given: &Limits) -> Limits {
        let limits = Limits {
            depth: self.own.depth.or(given.depth),
            nodes: self.own.nodes.or(given.nodes),
            time: self.own.time.or(given.time),
            stop: given.stop.clone(),
        };
        match (limits.depth, limits.nodes, limits.time) {
            (None, None, None) => Limits { stop: limits.stop, ..self.default_limits() },
            _ => limits,
        }
    }

    fn default_limits(&self) -> Limits {
        match self.algorithm {
            Algorithm::Tree(_) => Limits::nodes(10_000),
        }
    }

    /// Whether one search of a position gives a value for each of its moves.
    pub fn values_all_moves(&self) -> bool {
        match self.algorithm {
            Algorithm::Tree(_) => true,
        }
    }

    /// Makes the search for the game `P`.
    pub fn build<P: Playable>(&self, seed: u64) -> Result<Box<dyn Search<P>>, SpecError> {
        match &self.algorithm {
            Algorithm::Tree(tree) => Ok(tree.build(seed)),
        }
    }
}

pub(super) fn take_time(spec: &mut Spec) -> Result<Option<std::time::Duration>, SpecError> {
    Ok(spec.value::<Span>("time", DURATION_EXAMPLES)?.map(|span| span.0))
}

pub(super) fn take_threads(spec: &mut Spec) -> Result<usize, SpecError> {
    Ok(spec.number("threads", 1..=256)?.unwrap_or(1) as usize)
}

/// A decimal number within `range`.
pub(super) fn decimal(
    spec: &mut Spec,
    key: &'static str,
    range: RangeInclusive<f64>,
) -> Result<Option<f64>, SpecError> {
    let expected = format!("a number from {} to {}", range.start(), range.end());
    match spec.value::<f64>(key, &expected)? {
        Some(x) if !range.contains(&x) => Err(spec.bad_value(key, &x.to_string(), &expected)),
        x => Ok(x),
    }
}

/// A player that plays what its search finds best.
pub struct SearchingPlayer<P: Playable> {
    name: String,
    spec: SearchSpec,
    search: Box<dyn Search<P>>,
}

impl<P: Playable> SearchingPlayer<P> {
    /// A player with this name and search.
    pub fn new(name: &str, spec: SearchSpec, seed: u64) -> Result<Self, SpecError> {
        Ok(SearchingPlayer { name: name.to_string(), search: spec.build(seed)?, spec })
    }
}

impl<P: Playable> Player<P> for SearchingPlayer<P> {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &Line<P>, limits: &Limits) -> Result<Choice<P::Move>, PlayerError> {
        if game.end.outcome().is_some() {
            return Err(PlayerError::GameOver(self.name.clone()));
        }
        let report = self.search.run(&game.end, &self.spec.limits(limits));
        match report.best {
            Some(m) => Ok(Choice { m, report: Some(report) }),
            None => Err(PlayerError::NoMove(self.name.clone())),
        }
    }

    fn new_game(&mut self, seed: u64) {
        // A search that could be made once can be made again.
        match self.spec.build(seed) {
            Ok(search) => self.search = search,
            Err(_) => self.search.forget(),
        }
    }
}
