//! A player that plays the best move of a search.

use std::sync::Arc;

use tesuji_games::{GameLine, Position, SpecError};
use tesuji_search::game::BoxedSearch;

use crate::clock::shorter;
use crate::setup::PlayerSetup;
use crate::{Choice, Player, PlayerContext, PlayerError, Turn};

/// A player that plays the best move of its search.
pub(crate) struct SearchPlayer {
    name: String,
    setup: Arc<dyn PlayerSetup>,
    context: PlayerContext,
    search: BoxedSearch,
}

impl SearchPlayer {
    pub(crate) fn new(
        name: &str,
        setup: Arc<dyn PlayerSetup>,
        context: PlayerContext,
    ) -> Result<Self, SpecError> {
        let search = setup.search(name, &context)?;
        Ok(SearchPlayer { name: name.to_string(), setup, context, search })
    }
}

impl Player for SearchPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &GameLine, turn: &Turn) -> Result<Choice, PlayerError> {
        if game.end.outcome().is_some() {
            return Err(PlayerError::GameOver(self.name.clone()));
        }
        let mut limits = match self.setup.profile() {
            Some(profile) => profile.limits(&turn.limits),
            None => turn.limits.clone(),
        };
        // The player's own options take precedence, but the clock bounds the time.
        limits.time = shorter(limits.time, turn.clock.allowed());
        let report =
            self.search.search(&game.end, &limits, &mut |report| turn.listener.on_info(report));
        match report.best {
            Some(m) => Ok(Choice { m, report: Some(report) }),
            None => Err(PlayerError::NoMove(self.name.clone())),
        }
    }

    fn new_game(&mut self, seed: u64) {
        self.context.seed = seed;
        // The search was created before with the same arguments, so this is not expected to fail.
        match self.setup.search(&self.name, &self.context) {
            Ok(search) => self.search = search,
            Err(_) => self.search.forget(),
        }
    }
}
