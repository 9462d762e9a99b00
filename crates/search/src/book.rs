//! Opening books: stored search results for positions.
//!
//! A book identifies a position by its key, which is the same for all symmetric images where the
//! game has symmetries. It stores the best move as the key of the position that the move leads to.
//! One entry therefore covers all images, and no move needs to be transformed.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;

use tesuji_games::{Position, Score, Symmetries};

use crate::envelope::checksum;
use crate::{Limits, Search, SearchReport};

/// The stored result for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookEntry {
    /// The value for the side to move.
    pub score: Score,
    /// The search depth in plies, at most 255.
    pub depth: u8,
    /// The key of the position after the best move.
    pub after_best: u64,
}

impl BookEntry {
    /// Creates an entry from a search report; `None` when the report has no move.
    pub fn of<P: Position>(
        position: &P,
        keys: BookKeys<P>,
        report: &SearchReport<P::Move>,
    ) -> Option<BookEntry> {
        let mut after = position.clone();
        after.play(report.best?);
        let depth = report.depth.min(255) as u8;
        Some(BookEntry { score: report.score, depth, after_best: keys.key(&after) })
    }

    /// The entry as the report of a search; `best` is its move in the position.
    pub fn report<M: Copy>(&self, best: M) -> SearchReport<M> {
        SearchReport {
            best: Some(best),
            score: self.score,
            line: vec![best],
            depth: u32::from(self.depth),
            ..SearchReport::empty()
        }
    }
}

/// Positions of one game with their values and best moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    game: String,
    entries: HashMap<u64, BookEntry, BuildHasherDefault<IdentityHasher>>,
}

/// Uses the key as its own hash. Position keys are already well mixed; hashing them again would
/// double the look-up time.
#[derive(Clone, Copy, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
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
    /// Creates an empty book for the game of this name.
    ///
    /// # Panics
    /// When the name is longer than 65,535 bytes.
    pub fn new(game: &str) -> Self {
        assert!(u16::try_from(game.len()).is_ok(), "the name of a game has at most 65,535 bytes");
        Book { game: game.to_string(), entries: HashMap::default() }
    }

    /// The name of the book's game.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the book is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Searches every unfinished position within `plies` moves of `start` and adds the results.
    /// Keeps positions that are already in the book, so a long build can be resumed. Calls `each`
    /// after every search with the number of positions in the book.
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

    /// Adds the result of a search, if it has a move.
    pub fn add<P: Position>(
        &mut self,
        position: &P,
        keys: BookKeys<P>,
        report: &SearchReport<P::Move>,
    ) {
        if let Some(entry) = BookEntry::of(position, keys, report) {
            self.insert(position, keys, entry);
        }
    }

    /// Inserts the entry of a position.
    pub fn insert<P: Position>(&mut self, position: &P, keys: BookKeys<P>, entry: BookEntry) {
        self.entries.insert(keys.key(position), entry);
    }

    /// Whether the book contains a position or one of its images.
    pub fn contains<P: Position>(&self, position: &P, keys: BookKeys<P>) -> bool {
        self.entries.contains_key(&keys.key(position))
    }

    /// The value of a position in the book, for the side to move.
    #[inline]
    pub fn score<P: Position>(&self, position: &P, keys: BookKeys<P>) -> Option<Score> {
        self.entries.get(&keys.key(position)).map(|entry| entry.score)
    }

    /// The entry of a position and its best move in this position.
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

/// The reachable unfinished positions, ply by ply from `start`: one of each set of symmetric
/// images, in ascending order of keys.
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

/// Computes the keys of positions: one key for all symmetric images, if the game has symmetries.
pub struct BookKeys<P: Position> {
    symmetries: Option<Symmetries<P>>,
}

impl<P: Position> BookKeys<P> {
    /// Creates the keys from the symmetries of the game: `BookKeys::new(P::symmetry())`.
    pub fn new(symmetries: Option<Symmetries<P>>) -> Self {
        BookKeys { symmetries }
    }

    fn key(&self, position: &P) -> u64 {
        self.symmetries
            .map_or_else(|| position.key(), |symmetries| (symmetries.canonical_key)(position))
    }
}

impl<P: Position> Clone for BookKeys<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Position> Copy for BookKeys<P> {}

// File format, all numbers little-endian: magic bytes, version, length of the game's name (2
// bytes), name, number of entries (8 bytes). Then, for each entry in ascending order of keys: the
// key (8), the key after the best move (8), the score (4) and the depth (1). Then the checksum of
// all preceding bytes (8).

const MAGIC: &[u8; 8] = b"tesuji-b";
const VERSION: u8 = 1;
const ENTRY_BYTES: usize = 21;

/// The error of reading or writing an opening book.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file cannot be written.
    #[error("{path}: cannot write the book: {why}")]
    Io {
        /// The file.
        path: String,
        /// The error of the operating system.
        why: std::io::Error,
    },
    /// The file is not an opening book.
    #[error("not an opening book; expected a file that begins with 'tesuji-b'")]
    NotABook,
    /// The file has an unsupported format version.
    #[error(
        "book version {found} is not supported; expected version {VERSION} (build the book again)"
    )]
    Version {
        /// The version in the file.
        found: u8,
    },
    /// The file is truncated or corrupted.
    #[error("the book is damaged: {what}; expected an intact copy (or build the book again)")]
    Damaged {
        /// The defect.
        what: &'static str,
    },
    /// The book is for another game.
    #[error("the book is for '{found}'; expected a book for '{expected}'")]
    OtherGame {
        /// The game of the book.
        found: String,
        /// The game to play.
        expected: String,
    },
}

impl Book {
    /// Serializes the book.
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

    /// Parses a serialized book.
    pub fn from_bytes(bytes: &[u8]) -> Result<Book, BookError> {
        let damaged = |what| BookError::Damaged { what };
        let rest = bytes.strip_prefix(MAGIC).ok_or(BookError::NotABook)?;
        match rest.first() {
            Some(&VERSION) => {}
            Some(&found) => return Err(BookError::Version { found }),
            None => return Err(damaged("truncated after the magic bytes")),
        }
        let (body, sum) = bytes.split_last_chunk().ok_or(damaged("truncated file"))?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(damaged("checksum mismatch"));
        }
        let mut rest = &body[MAGIC.len() + 1..];
        let length = u16::from_le_bytes(take(&mut rest)?);
        let (name, after) =
            rest.split_at_checked(usize::from(length)).ok_or(damaged("truncated file"))?;
        let game =
            std::str::from_utf8(name).map_err(|_| damaged("the name of the game is not UTF-8"))?;
        rest = after;
        let count = u64::from_le_bytes(take(&mut rest)?);
        if count.checked_mul(ENTRY_BYTES as u64) != Some(rest.len() as u64) {
            return Err(damaged("wrong file length"));
        }
        let mut book = Book::new(game);
        for _ in 0..count {
            let key = u64::from_le_bytes(take(&mut rest)?);
            let after_best = u64::from_le_bytes(take(&mut rest)?);
            let score = Score::from_raw(i32::from_le_bytes(take(&mut rest)?));
            let [depth] = take(&mut rest)?;
            if score < Score::MIN || score > Score::MAX {
                return Err(damaged("score out of range"));
            }
            book.entries.insert(key, BookEntry { score, depth, after_best });
        }
        Ok(book)
    }

    /// Writes the book to a file. Writes a temporary file first and renames it, so a crash never
    /// leaves a partial book.
    pub fn save(&self, path: &Path) -> Result<(), BookError> {
        let io = |why| BookError::Io { path: path.display().to_string(), why };
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".part");
        std::fs::write(&temporary, self.to_bytes()).map_err(io)?;
        std::fs::rename(&temporary, path).map_err(io)
    }

    /// The maximum size of a book file: 51 million positions.
    pub const MAX_FILE_BYTES: u64 = 1 << 30;

    /// Parses a serialized book, which must be for the game of this name.
    pub fn for_game(bytes: &[u8], game: &str) -> Result<Book, BookError> {
        Book::from_bytes(bytes)?.checked_for(game)
    }

    /// The book, if it is for the game of this name.
    pub fn checked_for(self, game: &str) -> Result<Book, BookError> {
        if self.game == game {
            Ok(self)
        } else {
            Err(BookError::OtherGame { found: self.game, expected: game.to_string() })
        }
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], BookError> {
    let (head, tail) =
        bytes.split_first_chunk().ok_or(BookError::Damaged { what: "truncated file" })?;
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
            assert_eq!((best, entry.score), (4, Score::DRAW), "only the center keeps the draw");
        });
        for m in [8, 4, 2] {
            position.play(m);
        }
        assert_eq!(book.look_up(&position, keys), None, "not in the book");
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
            let index = below(&mut rng, bad.len() as u32) as usize;
            bad[index] ^= 1 << below(&mut rng, 8);
            let error = Book::from_bytes(&bad).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            bad.truncate(index);
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
        assert_eq!(error, "the book is for 'tictactoe'; expected a book for 'chess'");
        let error = book.save(&folder.path().join("none/x")).unwrap_err().to_string();
        assert!(error.contains("none"), "{error}");
    }
}
