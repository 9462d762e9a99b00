//! Any legal move, each as likely as any other.

use tesuji_games::random::seeded;
use tesuji_games::{Line, Position, Rng, SpecError};

use tesuji_play::Setup;
use tesuji_play::options::SEED;
use tesuji_play::{Choice, Player, PlayerError, Turn};
use tesuji_play::{PlayerContext, PlayerKind};

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: "random",
    summary: "any legal move",
    options: &[SEED],
    read: |_| Ok(Box::new(Random)),
}];

#[derive(Debug)]
struct Random;

impl Setup for Random {
    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        Ok(Some(Box::new(RandomPlayer::new(player, context.seed))))
    }
}

/// The player `random`.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    name: String,
    rng: Rng,
}

impl RandomPlayer {
    /// A player with this name and seed.
    pub fn new(name: &str, seed: u64) -> Self {
        RandomPlayer { name: name.to_string(), rng: seeded(seed) }
    }
}

impl Player for RandomPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &Line, _: &Turn) -> Result<Choice, PlayerError> {
        if game.end.outcome().is_some() {
            return Err(PlayerError::GameOver(self.name.clone()));
        }
        Ok(Choice::unexplained(game.end.random_move(&mut self.rng)))
    }

    fn new_game(&mut self, seed: u64) {
        self.rng = seeded(seed);
    }
}
