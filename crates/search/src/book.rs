//! Opening books: positions searched once and for all, so that a game need not think about them again.
//!
//! A book knows a position by its key, the same for all images where the game has symmetries, and the
//! best move by the key of the position it leads to. So one entry serves every mirror image, and no
//! move has to be turned.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;

use tesuji_games::{Position, Score, Symmetries};

use crate::envelope::checksum;
use crate::{Limits, Report, Search};

/// What a book says about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookEntry {
    /// The value for the side to move.
    pub score: Score,
    /// How deep it was searched, at most 255 plies.
    pub depth: u8,
    /// The key of the position after the best move.
    pub after_best: u64,
}

impl BookEntry {
    /// What a search has found; `None` when it found no move.
    pub fn of<P: Position>(
        position: &P,
        keys: BookKeys<P>,
        report: &Report<P::Move>,
    ) -> Option<BookEntry> {
        let mut after = position.clone();
        after.play(report.best?);
        let depth = report.depth.min(255) as u8;
        Some(BookEntry { score: report.score, depth, after_best: keys.key(&after) })
    }
}

/// Positions of one game with their values and best moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    game: String,
    entries: HashMap<u64, BookEntry, BuildHasherDefault<KeyItself>>,
}

/// Keys of positions are well mixed already; to hash them once more would double the time of a look-up.
#[derive(Clone, Copy, Default)]
struct KeyItself(u64);

impl Hasher for KeyItself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }
}

impl Book {
    /// An empty book for the game of this name.
    ///
    /// # Panics
    /// When the name is longer than 65,535 bytes.
    pub fn new(game: &str) -> Self {
        assert!(u16::try_from(game.len()).is_ok(), "a game has a short name");
        Book { game: game.to_string(), entries: HashMap::default() }
    }

    /// The game it is for.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// How many positions it knows.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Searches every unfinished position that can come up within `plies` moves from `start` and adds
    /// what was found. Positions that are already in the book are kept, so a long build can be
    /// continued; `each` is called after every search with the number of positions in the book.
    pub fn build<P: Position>(
        &mut self,
        start: &P,
        plies: u32,
        keys: BookKeys<P>,
        search: &mut (impl Search<P> + ?Sized),
        limits: &Limits,
        mut each: impl FnMut(usize),
    ) {
        for position in layers(start, keys).take(plies as usize + 1).flatten() {
            if !self.contains(&position, keys) {
                self.add(&position, keys, &search.run(&position, limits));
                each(self.len());
            }
        }
    }

    /// Adds what a search has found; nothing when it found no move.
    pub fn add<P: Position>(&mut self, position: &P, keys: BookKeys<P>, report: &Report<P::Move>) {
        if let Some(entry) = BookEntry::of(position, keys, report) {
            self.insert(position, keys, entry);
        }
    }

    /// Adds what was found for a position.
    pub fn insert<P: Position>(&mut self, position: &P, keys: BookKeys<P>, entry: BookEntry) {
        self.entries.insert(keys.key(position), entry);
    }

    /// Whether a position, or an image of it, is in the book.
    pub fn contains<P: Position>(&self, position: &P, keys: BookKeys<P>) -> bool {
        self.entries.contains_key(&keys.key(position))
    }

    /// The value of a position that stands in the book, for the side to move.
    #[inline]
    pub fn score<P: Position>(&self, position: &P, keys: BookKeys<P>) -> Option<Score> {
        self.entries.get(&keys.key(position)).map(|entry| entry.score)
    }

    /// What the book says about a position, with its best move here.
    pub fn look_up<P: Position>(
        &self,
        position: &P,
        keys: BookKeys<P>,
    ) -> Option<(P::Move, BookEntry)> {
        let entry = *self.entries.get(&keys.key(position))?;
        let mut best = None;
        for_each_child(position, |m, child| {
            if best.is_none() && keys.key(&child) == entry.after_best {
                best = Some(m);
            }
        });
        best.map(|m| (m, entry))
    }
}

/// The unfinished positions that can come up, ply by ply from `start` on: of all images one, in ascending order of keys.
pub fn layers<P: Position>(start: &P, keys: BookKeys<P>) -> impl Iterator<Item = Vec<P>> {
    let layer = |positions: BTreeMap<u64, P>| -> Vec<P> {
        positions.into_values().filter(|position| position.outcome().is_none()).collect()
    };
    let first = layer(BTreeMap::from([(keys.key(start), start.clone())]));
    std::iter::successors(Some(first), move |before| {
        let mut next = BTreeMap::new();
        for position in before {
            for_each_child(position, |_, child| {
                next.insert(keys.key(&child), child);
            });
        }
        Some(layer(next)).filter(|layer| !layer.is_empty())
    })
}

fn for_each_child<P: Position>(position: &P, mut each: impl FnMut(P::Move, P)) {
    position.for_each_move(|m| {
        let mut child = position.clone();
        child.play(m);
        each(m, child);
    });
}

/// How a book names positions: by one key for all images, where there are any.
pub struct BookKeys<P: Position> {
    images: Option<Symmetries<P>>,
}

impl<P: Position> BookKeys<P> {
    /// With the symmetries of the game: `BookKeys::new(P::symmetry())`.
    pub fn new(images: Option<Symmetries<P>>) -> Self {
        BookKeys { images }
    }

    fn key(&self, position: &P) -> u64 {
        self.images.map_or_else(|| position.key(), |images| (images.canonical_key)(position))
    }
}

impl<P: Position> Clone for BookKeys<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for BookKeys<P> {}

// The file, all numbers little-endian: the mark, the version, the length of the game's name (2 bytes),
// the name, the number of entries (8 bytes); for each entry in ascending order of keys the key (8), the
// key after the best move (8), the score (4) and the depth (1); then the checksum of all that (8).

const MAGIC: &[u8; 8] = b"tesuji-b";
const VERSION: u8 = 1;
const ENTRY_BYTES: usize = 21;

/// Why a file is no book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// It could not be written.
    #[error("cannot write the book {path}: {why}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// It is something else.
    #[error("not an opening book: it does not begin with 'tesuji-b'")]
    NotABook,
    /// It is from another time.
    #[error("the book has version {found}, this program reads version {VERSION}; build it again")]
    Version {
        /// The version in the file.
        found: u8,
    },
    /// It was cut off or altered.
    #[error("the book is damaged ({what}); build it again or take a fresh copy")]
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
    /// It is for another game.
    #[error("the book is for '{found}', not for '{wanted}'")]
    OtherGame {
        /// The game in the file.
        found: String,
        /// The game that is played.
        wanted: String,
    },
}

impl Book {
    /// The book as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64 + self.entries.len() * ENTRY_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.push(VERSION);
        bytes.extend_from_slice(&(self.game.len() as u16).to_le_bytes());
        bytes.extend_from_slice(self.game.as_bytes());
        bytes.extend_from_slice(&(self.entries.len() as u64).to_le_bytes());
        let mut entries: Vec<(&u64, &BookEntry)> = self.entries.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| **key);
        for (key, entry) in entries {
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend_from_slice(&entry.after_best.to_le_bytes());
            bytes.extend_from_slice(&entry.score.raw().to_le_bytes());
            bytes.push(entry.depth);
        }
        bytes.extend_from_slice(&checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        let damaged = |what| BookError::Damaged { what };
        let rest = bytes.strip_prefix(MAGIC).ok_or(BookError::NotABook)?;
        match rest.first() {
            Some(&VERSION) => {}
            Some(&found) => return Err(BookError::Version { found }),
            None => return Err(damaged("it ends after its first word")),
        }
        let (body, sum) = bytes.split_last_chunk().ok_or(damaged("it is too short"))?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(damaged("its checksum does not fit"));
        }
        let mut rest = &body[MAGIC.len() + 1..];
        let length = u16::from_le_bytes(take(&mut rest)?);
        let (name, after) =
            rest.split_at_checked(usize::from(length)).ok_or(damaged("it is too short"))?;
        let game =
            std::str::from_utf8(name).map_err(|_| damaged("its game has no readable name"))?;
        rest = after;
        let count = u64::from_le_bytes(take(&mut rest)?);
        if count.checked_mul(ENTRY_BYTES as u64) != Some(rest.len() as u64) {
            return Err(damaged("its length does not fit"));
        }
        let mut book = Book::new(game);
        for _ in 0..count {
            let key = u64::from_le_bytes(take(&mut rest)?);
            let after_best = u64::from_le_bytes(take(&mut rest)?);
            let score = Score::from_raw(i32::from_le_bytes(take(&mut rest)?));
            let [depth] = take(&mut rest)?;
            if score < Score::MIN || score > Score::MAX {
                return Err(damaged("a score is out of range"));
            }
            book.entries.insert(key, BookEntry { score, depth, after_best });
        }
        Ok(book)
    }

    /// Writes the book to a file, by way of a second one that then takes its place: a crash leaves the
    /// old book or the new one, never half of one.
    pub fn save(&self, path: &Path) -> Result<(), BookError> {
        let io = |why| BookError::Io { path: path.display().to_string(), why };
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        std::fs::write(&beside, self.to_bytes()).map_err(io)?;
        std::fs::rename(&beside, path).map_err(io)
    }

    /// No file is longer: 51 million positions.
    pub const MAX_FILE_BYTES: u64 = 1 << 30;

    /// Reads the bytes of a file, which must be a book for the game of this name.
    pub fn for_game(bytes: &[u8], game: &str) -> Result<Book, BookError> {
        let book = Book::from_bytes(bytes)?;
        if book.game == game {
            Ok(book)
        } else {
            Err(BookError::OtherGame { found: book.game, wanted: game.to_string() })
        }
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], BookError> {
    let (head, tail) =
        bytes.split_first_chunk().ok_or(BookError::Damaged { what: "it is too short" })?;
    *bytes = tail;
    Ok(*head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameHeuristic, NegaAlphaBeta};
    use tesuji_games::random::{below, seeded};
    use tesuji_games::rules::tictactoe::TicTacToe;
    use tesuji_games::{Playable, Symmetry};

    fn small_book() -> Book {
        let keys = BookKeys::new(TicTacToe::symmetry());
        let mut book = Book::new("tictactoe");
        let mut search = NegaAlphaBeta::new(GameHeuristic);
        book.build(&TicTacToe::new(), 2, keys, &mut search, &Limits::default(), |_| {});
        book
    }

    #[test]
    fn one_entry_serves_all_images() {
        let book = small_book();
        assert_eq!(book.len(), 1 + 3 + 12, "empty board, 3 first moves, 12 replies");
        let keys = BookKeys::new(TicTacToe::symmetry());
        let mut position = TicTacToe::new();
        position.play(0);
        position.for_each_image(&mut |image| {
            let (best, entry) = book.look_up(&image, keys).expect("every image is in the book");
            assert_eq!((best, entry.score), (4, Score::DRAW), "only the centre holds the draw");
        });
        for m in [8, 4, 2] {
            position.play(m);
        }
        assert_eq!(book.look_up(&position, keys), None, "beyond the book");
    }

    #[test]
    fn bytes_read_back() {
        let book = small_book();
        assert_eq!(Book::from_bytes(&book.to_bytes()).unwrap(), book);
        assert_eq!(Book::from_bytes(&Book::new("x").to_bytes()).unwrap(), Book::new("x"));
    }

    #[test]
    fn damage_is_noticed_and_named() {
        let good = small_book().to_bytes();
        let mut rng = seeded(3);
        for _ in 0..500 {
            let mut bad = good.clone();
            let place = below(&mut rng, bad.len() as u32) as usize;
            bad[place] ^= 1 << below(&mut rng, 8);
            let error = Book::from_bytes(&bad).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            bad.truncate(place);
            assert!(Book::from_bytes(&bad).is_err());
        }
        assert!(matches!(Book::from_bytes(b""), Err(BookError::NotABook)));
        let mut newer = good;
        newer[8] = 2;
        assert!(matches!(Book::from_bytes(&newer), Err(BookError::Version { found: 2 })));
    }

    #[test]
    fn files_are_saved_and_loaded_for_their_own_game() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.book");
        let book = small_book();
        book.save(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(Book::for_game(&bytes, "tictactoe").unwrap(), book);
        let error = Book::for_game(&bytes, "chess").unwrap_err().to_string();
        assert_eq!(error, "the book is for 'tictactoe', not for 'chess'");
        let error = book.save(&folder.path().join("none/x")).unwrap_err().to_string();
        assert!(error.contains("none"), "{error}");
    }
}
