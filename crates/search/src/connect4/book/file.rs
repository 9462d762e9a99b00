//! The file of a book. All numbers little-endian: the mark, the version (1 byte), columns, rows and plies
//! (1 byte each), the number of positions of all plies and of solved ones (4 bytes each); the scores of
//! the solved ones, a byte each, compressed as a zlib stream; the checksum of all that (8 bytes).
//!
//! Solved are the positions of the deepest ply in which the side to move cannot win at once.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use tesuji_games::Position;
use tesuji_games::rules::connect4::{Connect4, Connect4Size, Geometry};

use super::tree::{MOST_POSITIONS, Tree, win_at};
use super::{Connect4Book, ForGeometry, size_text, with_best_geometry};
use crate::connect4::TableWord;
use crate::envelope::checksum;

const MAGIC: &[u8; 8] = b"tesuji-4";
const VERSION: u8 = 1;

/// Why bytes are no book for a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Connect4BookError {
    /// They are something else.
    #[error("not a book of Connect Four: it does not begin with 'tesuji-4'")]
    NotABook,
    /// They are from another time.
    #[error("the book has version {found}, this program reads version {VERSION}; build it again")]
    Version {
        /// The version in the file.
        found: u8,
    },
    /// They were cut off or altered.
    #[error("the book is damaged ({what}); build it again or take a fresh copy")]
    Damaged {
        /// What does not fit.
        what: &'static str,
    },
    /// They are for another board.
    #[error("the book is for {book}, the game is {game}")]
    OtherSize {
        /// The board of the book.
        book: String,
        /// The board that is played on.
        game: String,
    },
    /// They are for another game.
    #[error("the book is for connect4, the game is another")]
    OtherGame,
}

fn damaged(what: &'static str) -> Connect4BookError {
    Connect4BookError::Damaged { what }
}

impl Connect4Book {
    /// Whether these bytes are meant to be a book of this kind, sound or not.
    pub fn is_marked(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Complains unless this is a book for a board of the given size.
    pub fn check_size(&self, game: Connect4Size) -> Result<(), Connect4BookError> {
        if self.size == game {
            return Ok(());
        }
        let (book, game) = (size_text(self.size), size_text(game));
        Err(Connect4BookError::OtherSize { book, game })
    }

    /// The book as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (total, solved) = (self.len() as u32, self.solved_scores());
        let mut bytes = MAGIC.to_vec();
        let (width, height) = (self.size.width() as u8, self.size.height() as u8);
        bytes.extend([VERSION, width, height, self.plies() as u8]);
        bytes.extend(total.to_le_bytes());
        bytes.extend((solved.len() as u32).to_le_bytes());
        bytes.extend(compressed(&solved));
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Connect4Book, Connect4BookError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(Connect4BookError::NotABook)?;
        match rest.first() {
            Some(&VERSION) => {}
            Some(&found) => return Err(Connect4BookError::Version { found }),
            None => return Err(damaged("it ends after its first word")),
        }
        let (body, sum) = bytes.split_last_chunk().ok_or(damaged("it is too short"))?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(damaged("its checksum does not fit"));
        }
        let head = body.get(MAGIC.len() + 1..).and_then(|rest| rest.split_first_chunk());
        let (&[width, height, plies, a, b, c, d, e, f, g, h], payload) =
            head.ok_or(damaged("it is too short"))?;
        let size = Connect4Size::new(width.into(), height.into());
        let size = size.ok_or(damaged("no board has its size"))?;
        let total = u32::from_le_bytes([a, b, c, d]) as usize;
        let solved = u32::from_le_bytes([e, f, g, h]) as usize;
        if total > MOST_POSITIONS || solved > total || usize::from(plies) >= size.cells() {
            return Err(damaged("its numbers do not fit its board"));
        }
        let solved = decompressed(payload, solved)?;
        let plies = plies.into();
        with_best_geometry(size, Unpack { size, plies, total, solved: &solved })
    }

    /// The scores that do not follow from the rules alone.
    fn solved_scores(&self) -> Vec<u8> {
        let deepest = &self.scores[self.names.at(self.plies())];
        let win = win_at(self.size.cells() as i32, self.plies() as i32 + 1);
        // No score but that of an immediate win is as high as that.
        deepest.iter().filter(|&&score| score != win).map(|&score| score as u8).collect()
    }
}

struct Unpack<'a> {
    size: Connect4Size,
    plies: u32,
    total: usize,
    solved: &'a [u8],
}

impl ForGeometry for Unpack<'_> {
    type Output = Result<Connect4Book, Connect4BookError>;

    fn run<G: Geometry<Bits: TableWord>>(self, geometry: G) -> Self::Output {
        let wrong_number = damaged("it has the wrong number of positions");
        let (tree, deepest) = Tree::grow(geometry, self.plies, self.total)
            .ok()
            .filter(|(tree, _)| tree.names.len() == self.total)
            .ok_or(wrong_number.clone())?;
        let win = win_at(self.size.cells() as i32, self.plies as i32 + 1);
        let mut solved = self.solved.iter().map(|&byte| byte as i8);
        if solved.clone().any(|score| !(-win..win).contains(&score)) {
            return Err(damaged("a score is out of range"));
        }
        let scores = deepest_scores(&deepest, || solved.next()).ok_or(wrong_number.clone())?;
        if solved.next().is_some() {
            return Err(wrong_number);
        }
        Ok(Connect4Book::from_tree(self.size, tree, &scores))
    }
}

/// The scores of positions of one ply: `solved` is asked where nobody wins at once.
pub(super) fn deepest_scores<G: Geometry>(
    positions: &[Connect4<G>],
    mut solved: impl FnMut() -> Option<i8>,
) -> Option<Vec<i8>> {
    let score = |position: &Connect4<G>| match position.winning_move() {
        Some(_) => {
            let cells = position.geometry().size().cells() as i32;
            Some(win_at(cells, position.ply() as i32 + 1))
        }
        None => solved(),
    };
    positions.iter().map(score).collect()
}

pub(super) fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // Memory takes whatever is written to it.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

fn decompressed(stream: &[u8], length: usize) -> Result<Vec<u8>, Connect4BookError> {
    let mut bytes = Vec::new();
    let unreadable = |_| damaged("its scores cannot be unpacked");
    let mut decoder = ZlibDecoder::new(stream).take(length as u64 + 1);
    decoder.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() != length {
        return Err(damaged("it has the wrong number of scores"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::tests_support::small_book;
    use super::*;
    use tesuji_games::random::{below, seeded, word};

    #[test]
    fn bytes_read_back() {
        for (width, height, plies) in [(5, 4, 4), (3, 4, 11), (4, 4, 9), (1, 1, 0), (12, 1, 3)] {
            let book = small_book(width, height, plies);
            assert_eq!(Connect4Book::from_bytes(&book.to_bytes()).unwrap(), book);
        }
    }

    #[test]
    fn damage_is_noticed_and_named() {
        let good = small_book(5, 4, 3).to_bytes();
        let mut rng = seeded(3);
        for _ in 0..1000 {
            let mut bad = good.clone();
            let place = below(&mut rng, bad.len() as u32) as usize;
            bad[place] ^= 1 << below(&mut rng, 8);
            let error = Connect4Book::from_bytes(&bad).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            bad.truncate(place);
            assert!(Connect4Book::from_bytes(&bad).is_err());
        }
        assert_eq!(Connect4Book::from_bytes(b"tesuji-b"), Err(Connect4BookError::NotABook));
        let mut newer = good;
        newer[8] = 2;
        assert_eq!(Connect4Book::from_bytes(&newer), Err(Connect4BookError::Version { found: 2 }));
    }

    /// Even with a checksum that fits, any bytes are a sound book or an error.
    #[test]
    fn no_bytes_make_it_panic() {
        let good = small_book(5, 4, 3).to_bytes();
        let mut rng = seeded(4);
        for round in 0..2000 {
            let mut bytes = good[..good.len() - 8].to_vec();
            if round % 2 == 0 {
                // A large board would be a long enumeration, not a panic: leave the numbers alone.
                bytes.truncate(20 + below(&mut rng, bytes.len() as u32 - 20) as usize);
                bytes.extend((0..below(&mut rng, 60)).map(|_| word(&mut rng) as u8));
            } else {
                let place = below(&mut rng, bytes.len() as u32) as usize;
                bytes[place] = below(&mut rng, 8) as u8;
            }
            bytes.extend(checksum(&bytes).to_le_bytes());
            let _ = Connect4Book::from_bytes(&bytes);
        }
    }

    #[test]
    fn a_book_for_another_size_says_so() {
        let error = small_book(5, 4, 1).check_size(Connect4Size::new(8, 7).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the book is for 5x4, the game is 8x7");
        assert_eq!(small_book(5, 4, 1).check_size(Connect4Size::new(5, 4).unwrap()), Ok(()));
    }
}
