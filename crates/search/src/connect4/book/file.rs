//! The file format of a book. All numbers are little-endian: magic bytes, version (1 byte),
//! columns, rows and plies (1 byte each), the number of positions of all plies and of solved
//! positions (4 bytes each); the scores of the solved positions, one byte each, as a zlib stream;
//! the checksum of all preceding bytes (8 bytes).
//!
//! The solved positions are those of the deepest ply in which the side to move cannot win at once.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use tesuji_games::Position;
use tesuji_games::rules::connect4::{Connect4, Connect4Size, Geometry};

use super::tree::{MAX_POSITIONS, Tree, win_at};
use super::{Connect4Book, ForGeometry, size_text, with_best_geometry};
use crate::connect4::TableWord;
use crate::envelope::checksum;

const MAGIC: &[u8; 8] = b"tesuji-4";
const VERSION: u8 = 1;

/// The error of reading a book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Connect4BookError {
    /// The bytes are not a book.
    #[error("not a book of Connect Four; expected a file that begins with 'tesuji-4'")]
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
    /// The book is for another board size.
    #[error("the book is for {book}; expected a book for {game}")]
    OtherSize {
        /// The board size of the book.
        book: String,
        /// The board size of the game.
        game: String,
    },
    /// The game is not Connect Four.
    #[error("the book is for connect4; expected a book for another game")]
    OtherGame,
}

fn damaged(what: &'static str) -> Connect4BookError {
    Connect4BookError::Damaged { what }
}

impl Connect4Book {
    /// Whether the bytes begin with the magic bytes of this format. The rest may be invalid.
    pub fn has_magic(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Returns an error unless the book is for boards of the given size.
    pub fn check_size(&self, game: Connect4Size) -> Result<(), Connect4BookError> {
        if self.size == game {
            return Ok(());
        }
        let (book, game) = (size_text(self.size), size_text(game));
        Err(Connect4BookError::OtherSize { book, game })
    }

    /// Serializes the book.
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

    /// Parses a serialized book.
    pub fn from_bytes(bytes: &[u8]) -> Result<Connect4Book, Connect4BookError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(Connect4BookError::NotABook)?;
        match rest.first() {
            Some(&VERSION) => {}
            Some(&found) => return Err(Connect4BookError::Version { found }),
            None => return Err(damaged("truncated after the magic bytes")),
        }
        let (body, sum) = bytes.split_last_chunk().ok_or(damaged("truncated file"))?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(damaged("checksum mismatch"));
        }
        let head = body.get(MAGIC.len() + 1..).and_then(|rest| rest.split_first_chunk());
        let (&[width, height, plies, a, b, c, d, e, f, g, h], payload) =
            head.ok_or(damaged("truncated file"))?;
        let size = Connect4Size::new(width.into(), height.into());
        let size = size.ok_or(damaged("impossible board size"))?;
        let total = u32::from_le_bytes([a, b, c, d]) as usize;
        let solved = u32::from_le_bytes([e, f, g, h]) as usize;
        if total > MAX_POSITIONS || solved > total || usize::from(plies) >= size.cells() {
            return Err(damaged("impossible number of positions or plies"));
        }
        let solved = decompressed(payload, solved)?;
        let plies = plies.into();
        with_best_geometry(size, Decoding { size, plies, total, solved: &solved })
    }

    /// The scores that do not follow from the rules alone.
    fn solved_scores(&self) -> Vec<u8> {
        let deepest = &self.scores[self.index.at(self.plies())];
        let win = win_at(self.size.cells() as i32, self.plies() as i32 + 1);
        // Only an immediate win has this score.
        deepest.iter().filter(|&&score| score != win).map(|&score| score as u8).collect()
    }
}

struct Decoding<'a> {
    size: Connect4Size,
    plies: u32,
    total: usize,
    solved: &'a [u8],
}

impl ForGeometry for Decoding<'_> {
    type Output = Result<Connect4Book, Connect4BookError>;

    fn run<G: Geometry<Bits: TableWord>>(self, geometry: G) -> Self::Output {
        let wrong_number = damaged("wrong number of positions");
        let (tree, deepest) = Tree::grow(geometry, self.plies, self.total)
            .ok()
            .filter(|(tree, _)| tree.index.len() == self.total)
            .ok_or(wrong_number.clone())?;
        let win = win_at(self.size.cells() as i32, self.plies as i32 + 1);
        let mut solved = self.solved.iter().map(|&byte| byte as i8);
        if solved.clone().any(|score| !(-win..win).contains(&score)) {
            return Err(damaged("score out of range"));
        }
        let scores = deepest_scores(&deepest, || solved.next()).ok_or(wrong_number.clone())?;
        if solved.next().is_some() {
            return Err(wrong_number);
        }
        Ok(Connect4Book::from_tree(self.size, tree, &scores))
    }
}

/// The scores of the positions of one ply. Calls `solved` for positions without an immediate win.
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
    // Writing to memory cannot fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

fn decompressed(stream: &[u8], length: usize) -> Result<Vec<u8>, Connect4BookError> {
    let mut bytes = Vec::new();
    let unreadable = |_| damaged("decompression of the scores failed");
    let mut decoder = ZlibDecoder::new(stream).take(length as u64 + 1);
    decoder.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() != length {
        return Err(damaged("wrong number of scores"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::test_support::small_book;
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
            let index = below(&mut rng, bad.len() as u32) as usize;
            bad[index] ^= 1 << below(&mut rng, 8);
            let error = Connect4Book::from_bytes(&bad).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            bad.truncate(index);
            assert!(Connect4Book::from_bytes(&bad).is_err());
        }
        assert_eq!(Connect4Book::from_bytes(b"tesuji-b"), Err(Connect4BookError::NotABook));
        let mut newer = good;
        newer[8] = 2;
        assert_eq!(Connect4Book::from_bytes(&newer), Err(Connect4BookError::Version { found: 2 }));
    }

    /// With a valid checksum, any bytes parse as a valid book or return an error.
    #[test]
    fn no_bytes_make_it_panic() {
        let good = small_book(5, 4, 3).to_bytes();
        let mut rng = seeded(4);
        for round in 0..2000 {
            let mut bytes = good[..good.len() - 8].to_vec();
            if round % 2 == 0 {
                // A large board would be a long enumeration, not a panic: keep the header.
                bytes.truncate(20 + below(&mut rng, bytes.len() as u32 - 20) as usize);
                bytes.extend((0..below(&mut rng, 60)).map(|_| word(&mut rng) as u8));
            } else {
                let index = below(&mut rng, bytes.len() as u32) as usize;
                bytes[index] = below(&mut rng, 8) as u8;
            }
            bytes.extend(checksum(&bytes).to_le_bytes());
            let _ = Connect4Book::from_bytes(&bytes);
        }
    }

    #[test]
    fn a_book_for_another_size_says_so() {
        let error = small_book(5, 4, 1).check_size(Connect4Size::new(8, 7).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the book is for 5x4; expected a book for 8x7");
        assert_eq!(small_book(5, 4, 1).check_size(Connect4Size::new(5, 4).unwrap()), Ok(()));
    }
}
