//! K-in-a-row games by name.

use tesuji_games::{RowBoard, RowGrid, RowPosition, SpecError, registry};

/// Why a text does not name a k-in-a-row game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotARowGame {
    /// It does not name a game.
    #[error(transparent)]
    Game(#[from] SpecError),
    /// It names another kind of game.
    #[error(
        "game '{0}': not a k-in-a-row game; expected one such as tictactoe, connect4 or \
         mnk:10x10,k=5"
    )]
    Other(String),
}

/// The board of a k-in-a-row game.
pub fn grid(game: &str) -> Result<RowGrid, NotARowGame> {
    board(game).map(|board| board.grid())
}

/// The initial position of a k-in-a-row game.
pub(crate) fn board(game: &str) -> Result<RowBoard, NotARowGame> {
    let rows = registry::start(game)?.rows();
    rows.and_then(RowBoard::new).ok_or_else(|| NotARowGame::Other(game.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_found_by_name() {
        assert_eq!(grid("mnk:9x7,k=5").map(|grid| (grid.columns, grid.rows)), Ok((9, 7)));
        let error = grid("chess").unwrap_err().to_string();
        assert!(error.starts_with("game 'chess': "), "{error}");
        assert!(matches!(grid("no-game"), Err(NotARowGame::Game(_))));
    }
}
