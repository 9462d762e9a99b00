//! Games of stones by their text: the way from a game's name to code that is compiled for its positions.

use tesuji_games::registry::{self, Visitor};
use tesuji_games::{Grid, Playable, SpecError, Stones, StonesVisitor};

/// Why a text names no game of stones.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoStones {
    /// It names no game.
    #[error(transparent)]
    Game(#[from] SpecError),
    /// It names another kind of game.
    #[error(
        "'{0}' cannot be learned: it is not a game of stones in a row; expected a game such as tictactoe, connect4 or \
         mnk:10x10,k=5"
    )]
    Other(String),
}

/// The board of a game of stones.
pub fn grid(game: &str) -> Result<Grid, NoStones> {
    open(game, GridOf)
}

/// Code that works with any game of stones.
pub(crate) trait OnStones {
    /// What comes back.
    type Output;
    /// Called once, with the starting position.
    fn visit<P: Playable + Stones>(self, start: P) -> Self::Output;
}

/// Calls a visitor with the start of a game.
pub(crate) fn open<V: OnStones>(game: &str, visitor: V) -> Result<V::Output, NoStones> {
    let visited = registry::open(game, Any(visitor))?;
    visited.ok_or_else(|| NoStones::Other(game.to_string()))
}

/// The visitor of a game that may have no stones.
struct Any<V>(V);

impl<V: OnStones> Visitor for Any<V> {
    type Output = Option<V::Output>;

    fn visit<P: Playable>(self, start: P) -> Self::Output {
        P::with_stones(Started { visitor: self.0, start })
    }
}

struct Started<V, P> {
    visitor: V,
    start: P,
}

impl<V: OnStones, P: Playable> StonesVisitor<P> for Started<V, P> {
    type Output = V::Output;

    fn visit(self) -> Self::Output
    where
        P: Stones,
    {
        self.visitor.visit(self.start)
    }
}

struct GridOf;

impl OnStones for GridOf {
    type Output = Grid;

    fn visit<P: Playable + Stones>(self, start: P) -> Grid {
        start.grid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_found_by_name() {
        assert_eq!(grid("mnk:9x7,k=5").map(|grid| (grid.columns, grid.rows)), Ok((9, 7)));
        let error = grid("chess").unwrap_err().to_string();
        assert!(error.starts_with("'chess' cannot be learned"), "{error}");
        assert!(matches!(grid("no-game"), Err(NoStones::Game(_))));
    }
}
