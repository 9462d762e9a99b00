//! The player `human`: a person at the terminal.

use tesuji_games::SpecError;

use tesuji_play::Player;
use tesuji_play::Setup;
use tesuji_play::{PlayerContext, PlayerKind};

pub(super) const NAME: &str = "human";

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: NAME,
    summary: "you, at the terminal (play only)",
    options: &[],
    read: |_| Ok(Box::new(Human)),
}];

#[derive(Debug)]
struct Human;

impl Setup for Human {
    fn supports(&self, _: &str, _: &PlayerContext) -> Result<(), SpecError> {
        Err(SpecError::BadValue {
            owner: "a game without a terminal".to_string(),
            option: "player".to_string(),
            value: NAME.to_string(),
            expected: "a player that needs nobody, such as random or alphabeta:depth=4".to_string(),
        })
    }

    fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Option<Box<dyn Player>>, SpecError> {
        self.supports(player, context).map(|()| None)
    }
}
