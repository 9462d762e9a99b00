//! Players that search: they play what their search finds best.

use std::sync::Arc;

use tesuji_games::{Line, Position, SpecError};
use tesuji_search::game::BoxedSearch;

use super::PlayerContext;
use super::setup::{SearchFacts, Setup};
use crate::clock::shorter;
use crate::{Choice, Player, PlayerError, Turn};

/// A player that plays what its search finds best.
pub(super) struct SearchingPlayer {
    name: String,
    setup: Arc<dyn Setup>,
    facts: Option<SearchFacts>,
    context: PlayerContext,
    search: BoxedSearch,
}

impl SearchingPlayer {
    pub(super) fn new(
        name: &str,
        setup: Arc<dyn Setup>,
        context: PlayerContext,
    ) -> Result<Self, SpecError> {
        let (search, facts) = (setup.search(name, &context)?, setup.facts());
        Ok(SearchingPlayer { name: name.to_string(), setup, facts, context, search })
    }
}

impl Player for SearchingPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &Line, turn: &Turn) -> Result<Choice, PlayerError> {
        if game.end.outcome().is_some() {
            return Err(PlayerError::GameOver(self.name.clone()));
        }
        let facts = self.facts.as_ref();
        let mut limits = facts.map_or(turn.limits.clone(), |facts| facts.limits(&turn.limits));
        // Own options come first, but nobody outlives the clock.
        limits.time = shorter(limits.time, turn.clock.allowed());
        let report = self.search.search(&game.end, &limits, &mut |report| turn.watch.show(report));
        match report.best {
            Some(m) => Ok(Choice { m, report: Some(report) }),
            None => Err(PlayerError::NoMove(self.name.clone())),
        }
    }

    fn new_game(&mut self, seed: u64) {
        self.context.seed = seed;
        // A search that could be made once can be made again.
        match self.setup.search(&self.name, &self.context) {
            Ok(search) => self.search = search,
            Err(_) => self.search.forget(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tesuji_search::Limits;

    use crate::PlayerSpec;

    fn limits(player: &str, given: &Limits) -> (Option<u32>, Option<u64>, Option<u64>) {
        let spec: PlayerSpec = player.parse().unwrap();
        let limits = spec.search_facts().unwrap().limits(given);
        (limits.depth, limits.nodes, limits.time.map(|time| time.as_millis() as u64))
    }

    #[test]
    fn own_options_come_before_those_of_the_game() {
        let nothing = Limits::default();
        let game = Limits { depth: Some(7), time: Some(Duration::from_secs(9)), ..nothing.clone() };
        assert_eq!(limits("pvs:depth=3", &nothing), (Some(3), None, None));
        assert_eq!(limits("pvs:depth=3", &game), (Some(3), None, Some(9000)));
        assert_eq!(limits("pvs:time=20ms,nodes=5", &game), (Some(7), Some(5), Some(20)));
        assert_eq!(limits("mcts:sims=50", &nothing), (None, Some(50), None));
    }

    #[test]
    fn without_any_limit_each_search_has_its_own() {
        let nothing = Limits::default();
        assert_eq!(limits("minimax", &nothing), (Some(4), None, None));
        assert_eq!(limits("negaalphabeta:deepen=on", &nothing), (None, None, Some(1000)));
        assert_eq!(limits("pvs", &nothing), (None, None, Some(1000)));
        assert_eq!(limits("pvs:ties=random", &nothing), (Some(4), None, None));
        assert_eq!(limits("mcts", &nothing), (None, Some(10_000), None));
        assert_eq!(limits("flat-ucb", &nothing), (None, Some(100), None));
        assert_eq!(limits("solver", &nothing), (None, None, None));
    }

    /// A search that cannot be interrupted keeps its depth when a clock is all it is given.
    #[test]
    fn a_clock_alone_does_not_send_plain_searches_to_the_end_of_the_game() {
        let clock = Limits::time(Duration::from_secs(1));
        assert_eq!(limits("alphabeta", &clock), (Some(4), None, Some(1000)));
        assert_eq!(limits("pvs", &clock), (None, None, Some(1000)));
        assert_eq!(limits("mcts", &Limits::depth(3)), (Some(3), Some(10_000), None));
    }
}
