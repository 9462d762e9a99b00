//! Opening books of players: the option `book`, its file, and a search that plays from it.

use std::sync::Arc;

use tesuji_games::{SpecError, State};
use tesuji_play::options::{OptionInfo, PlayerOptions, ValueType, option};
use tesuji_play::{PlayerContext, PlayerFile};
use tesuji_search::book::{Book, BookKeys};
use tesuji_search::book_file::BookFile;
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Game, Limits, ProgressFn, Search, SearchReport};

use crate::searching::{Cached, bad_value};

/// The option `book`.
pub(super) const BOOK: OptionInfo = option(
    "book",
    ValueType::File { most: Book::MAX_FILE_BYTES },
    "opening book, made by tesuji book build; for connect4 also in the formats of UCI and Anigmo",
);

/// The book that a player's options name.
pub(super) struct PlayerBook {
    file: PlayerFile,
    /// The book for the game that was played last.
    book: Cached<String, Arc<Book>>,
}

impl PlayerBook {
    /// Returns the book, if the options name one. Opens no file.
    pub(super) fn read(options: &PlayerOptions) -> Option<PlayerBook> {
        options.file("book").map(|file| PlayerBook { file, book: Cached::default() })
    }

    /// Loads the book for the game of the context.
    pub(super) fn open(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<Arc<Book>, SpecError> {
        let game = context.game.name();
        self.book.get(game.to_string(), || self.load(player, &context.game).map(Arc::new))
    }

    fn load(&self, player: &str, game: &Game) -> Result<Book, SpecError> {
        let unusable = |error: &dyn std::fmt::Display| {
            bad_value(player, "book", self.file.name(), &format!("an opening book ({error})"))
        };
        let bytes = self.file.bytes().map_err(|error| unusable(&error))?;
        let book = BookFile::from_bytes(bytes).and_then(|book| book.with_moves(game));
        book.map_err(|error| unusable(&error))
    }
}

/// A search that plays from a book while the book contains the position.
pub(super) struct BookSearch {
    search: BoxedSearch,
    book: Arc<Book>,
}

impl BookSearch {
    pub(super) fn boxed(search: BoxedSearch, book: Arc<Book>) -> BoxedSearch {
        Box::new(BookSearch { search, book })
    }
}

impl Search<State> for BookSearch {
    /// Returns the move and value of the book, whatever the limits are.
    fn search(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        let Some(found) = self.book.look_up(position, BookKeys::new(Some(State::symmetry())))
        else {
            return self.search.search(position, limits, progress);
        };
        let report = found.1.report(found.0);
        progress(&report);
        report
    }

    fn analyze(
        &mut self,
        position: &State,
        limits: &Limits,
        progress: ProgressFn<'_>,
    ) -> SearchReport {
        self.search.analyze(position, limits, progress)
    }

    fn forget(&mut self) {
        self.search.forget();
    }
}
