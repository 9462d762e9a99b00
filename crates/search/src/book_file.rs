//! Opening books of any supported format, recognized by their first bytes. Books of Connect Four
//! that store only values become books with moves here, so that every search can play from them.

use tesuji_games::rules::connect4::Connect4Size;

use crate::book::{Book, BookError};
use crate::connect4::{Connect4Book, Connect4BookError, LabeledPositions, LabeledPositionsError};
use crate::exact::connect4_size;
use crate::game::Game;

/// A book of any format.
#[derive(Debug)]
pub enum BookFile {
    /// Results of a player's search.
    Searched(Book),
    /// Exact scores of Connect Four.
    Exact(Connect4Book),
    /// Wins, draws and losses of Connect Four, in the format of another program: `uci` or `anigmo`.
    Labeled(LabeledPositions, &'static str),
}

/// The error of reading a book of any format.
#[derive(Debug, thiserror::Error)]
pub enum BookFileError {
    /// A book of a search is invalid.
    #[error(transparent)]
    Searched(#[from] BookError),
    /// A book of exact scores is invalid.
    #[error(transparent)]
    Exact(#[from] Connect4BookError),
    /// A book of another program is invalid.
    #[error(transparent)]
    Labeled(#[from] LabeledPositionsError),
    /// A book of Connect Four does not suit the game.
    #[error("the book is for connect4; expected a book for '{game}'")]
    OtherGame {
        /// The game to play.
        game: String,
    },
}

impl BookFile {
    /// Parses a book of any format.
    pub fn from_bytes(bytes: &[u8]) -> Result<BookFile, BookFileError> {
        /// The first byte of a zlib stream with the usual window.
        const ZLIB: u8 = 0x78;
        let is_cells = |text: &&str| matches!(text.get(..2), Some("b," | "x," | "o,"));
        Ok(if Connect4Book::has_magic(bytes) {
            BookFile::Exact(Connect4Book::from_bytes(bytes)?)
        } else if let Some(text) = str::from_utf8(bytes).ok().filter(is_cells) {
            BookFile::Labeled(LabeledPositions::from_uci(text)?, "uci")
        } else if matches!(bytes.first(), Some(&(ZLIB | b'{'))) {
            BookFile::Labeled(LabeledPositions::from_anigmo(bytes)?, "anigmo")
        } else {
            BookFile::Searched(Book::from_bytes(bytes)?)
        })
    }

    /// The book with a best move for its positions; it must be for this game.
    pub fn with_moves(self, game: &Game) -> Result<Book, BookFileError> {
        let name = game.name();
        let other_game = || BookFileError::OtherGame { game: name.to_string() };
        let size = connect4_size(game.rows());
        match self {
            BookFile::Searched(book) => Ok(book.checked_for(name)?),
            BookFile::Exact(book) => {
                book.check_size(size.ok_or_else(other_game)?)?;
                Ok(book.with_moves(name))
            }
            BookFile::Labeled(list, _) if size == Some(Connect4Size::STANDARD) => {
                Ok(list.with_moves(name))
            }
            BookFile::Labeled(..) => Err(other_game()),
        }
    }
}
