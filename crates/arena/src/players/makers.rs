//! Where players come from, and the seats where they play. What makes them is a lot of code for every game; it is compiled here, once for each game of
//! the registry, and not once more by everybody who asks for a player.

use std::any::Any;

use tesuji_games::registry::{self, Visitor};
use tesuji_games::{Playable, SpecError};
use tesuji_queue::Bench;
use tesuji_search::Search;

use super::{PlayerContext, PlayerSpec};
use crate::Player;
use crate::round::Round;

/// Makes one kind of thing for the game `P` from a player's text.
type Maker<T> = fn(&PlayerSpec, &PlayerContext) -> Result<Box<T>, SpecError>;

/// Everything that can be made for a game.
pub(crate) struct Makers<P: Playable> {
    pub(super) player: Maker<dyn Player<P>>,
    pub(super) search: Maker<dyn Search<P>>,
    pub(super) check: fn(&PlayerSpec, &PlayerContext) -> Result<(), SpecError>,
    /// Where games of an event are played.
    pub(crate) round: fn(Round<P>) -> Box<dyn Bench>,
}

/// The makers for positions of this type: those of the game that the context names, or of whichever game has such
/// positions.
pub(crate) fn makers<P: Playable>(game: &str) -> Result<Box<Makers<P>>, SpecError> {
    let made = |game: &str| compiled(game)?.downcast().ok();
    made(game).or_else(|| registry::names().find_map(made)).ok_or_else(|| SpecError::BadValue {
        owner: "a player".to_string(),
        option: "game".to_string(),
        value: game.to_string(),
        expected: "the name of the registered game whose positions it is to play".to_string(),
    })
}

/// The one place that makes everything for every game.
#[inline(never)]
fn compiled(game: &str) -> Option<Box<dyn Any>> {
    registry::open(game, Compiled).ok()
}

struct Compiled;

impl Visitor for Compiled {
    type Output = Box<dyn Any>;

    fn visit<P: Playable>(self, _: P) -> Self::Output {
        let makers: Makers<P> = Makers {
            player: PlayerSpec::make_player,
            search: PlayerSpec::make_search,
            check: PlayerSpec::check_player::<P>,
            round: Round::erased,
        };
        Box::new(makers)
    }
}
