//! Books of other programs, which store only who wins: John Tromp's list of 8-ply positions in the
//! UCI repository (1995; lines of 42 cells and a result) and Anigmo's book, derived from it (Cecil
//! Woebker, 2012; JSON compressed with zlib). Both are for the 7x6 board.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;

use flate2::read::ZlibDecoder;
use tesuji_games::rules::connect4::{Connect4, Connect4Size, FixedSize, Geometry};

use super::file::compressed;
use super::summary::{PlayerStones, ResultCounts};
use super::tree::{MAX_POSITIONS, Tree};
use super::{Connect4Book, size_text};

/// Positions of the 7x6 board with their results; mirror images count once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabeledPositions {
    /// The sign of the first player's score.
    signs: BTreeMap<PlayerStones, i32>,
    /// The number of entries in the file, including mirror images and unknown positions.
    entries: usize,
}

/// The error of reading or writing such a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabeledPositionsError {
    /// The formats support only one board size.
    #[error("the book is for {0}; expected a book for 7x6, the only size of this format")]
    OtherSize(String),
    /// A line cannot be parsed.
    #[error(
        "line {line}: {what}; expected 42 cells b, x or o, column by column, and win, loss or draw"
    )]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// The file is not in Anigmo's format.
    #[error("not an Anigmo book: {0}")]
    NotAnigmo(&'static str),
    /// The file has two entries for a position.
    #[error("a position has two different results; expected one")]
    Contradiction,
}

/// The deepest ply to enumerate. Anigmo's books store only hashes of positions, so positions are
/// looked up by enumeration.
const MAX_PLY: u32 = 8;
/// The size limit of the decompressed JSON. Anigmo's book has 2 MB.
const MAX_JSON_BYTES: u64 = 1 << 28;
const COLUMNS: usize = 7;
const ROWS: usize = 6;

impl LabeledPositions {
    /// The quiet positions of a book's deepest ply.
    pub fn of_book(book: &Connect4Book) -> Result<LabeledPositions, LabeledPositionsError> {
        if book.size() != Connect4Size::STANDARD {
            return Err(LabeledPositionsError::OtherSize(size_text(book.size())));
        }
        let mut list = LabeledPositions::default();
        book.for_each_quiet(|stones, sign| {
            list.signs.insert(smaller_image(*stones), sign);
        });
        list.entries = list.signs.len();
        Ok(list)
    }

    /// The number of entries in the file, including unknown positions.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// The numbers of wins, draws and losses.
    pub fn counts(&self) -> ResultCounts {
        let mut counts = ResultCounts::default();
        self.signs.values().for_each(|&sign| counts.add(sign));
        counts
    }

    /// The number of stones of its deepest positions.
    pub(super) fn plies(&self) -> u32 {
        let stones = |one: &PlayerStones| (one.first | one.second).count_ones();
        self.signs.keys().map(stones).max().unwrap_or(0)
    }

    /// The sign of the first player's score, if the list has the position or its mirror image.
    pub(super) fn first_players_sign<G: Geometry>(&self, position: &Connect4<G>) -> Option<i32> {
        self.signs.get(&smaller_image(PlayerStones::of(position))).copied()
    }

    fn add(&mut self, stones: PlayerStones, sign: i32) -> Result<(), LabeledPositionsError> {
        let other = self.signs.insert(smaller_image(stones), sign);
        if other.is_some_and(|other| other != sign) {
            return Err(LabeledPositionsError::Contradiction);
        }
        Ok(())
    }

    /// Serializes to the format of the UCI repository: cells a1, a2, … g6, then win, loss or draw
    /// of x, the first player.
    pub fn to_uci(&self) -> String {
        let mut text = String::with_capacity(self.signs.len() * 89);
        for (stones, sign) in &self.signs {
            for cell in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| 7 * column + row)) {
                let holds = |side: u128| side >> cell & 1 == 1;
                text += match (holds(stones.first), holds(stones.second)) {
                    (true, _) => "x,",
                    (_, true) => "o,",
                    _ => "b,",
                };
            }
            text += match sign {
                1 => "win\n",
                0 => "draw\n",
                _ => "loss\n",
            };
        }
        text
    }

    /// Parses the format of the UCI repository.
    pub fn from_uci(text: &str) -> Result<LabeledPositions, LabeledPositionsError> {
        let mut list = LabeledPositions::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let error = |what| LabeledPositionsError::Line { line: number + 1, what };
            let (stones, sign) = uci_line(line.trim()).map_err(error)?;
            list.add(stones, sign)?;
            list.entries += 1;
        }
        if list.entries == 0 {
            return Err(LabeledPositionsError::Line { line: 1, what: "no position" });
        }
        Ok(list)
    }

    /// Serializes to Anigmo's format.
    pub fn to_anigmo(&self) -> Vec<u8> {
        let mut json = String::from("{");
        for (stones, sign) in &self.signs {
            let comma = if json.len() > 1 { ", " } else { "" };
            let value = match sign {
                1 => 'X',
                0 => '-',
                _ => 'O',
            };
            // Writing to a string cannot fail.
            let _ = write!(json, "{comma}\"{}\": \"{value}\"", anigmo_key(*stones));
        }
        json += "}";
        compressed(json.as_bytes())
    }

    /// Parses Anigmo's book, compressed or not. Its keys are hashes, so only positions of the first
    /// plies whose hashes occur can be identified.
    pub fn from_anigmo(bytes: &[u8]) -> Result<LabeledPositions, LabeledPositionsError> {
        let wrong = LabeledPositionsError::NotAnigmo;
        let mut json = Vec::new();
        if bytes.first() == Some(&b'{') {
            json.extend_from_slice(bytes);
        } else {
            let mut decoder = ZlibDecoder::new(bytes).take(MAX_JSON_BYTES);
            decoder
                .read_to_end(&mut json)
                .map_err(|_| wrong("decompression failed; expected a zlib stream or JSON"))?;
        }
        let expected = "wrong content; expected a JSON object of hashes with X, O or -";
        let values: BTreeMap<String, char> =
            serde_json::from_slice(&json).map_err(|_| wrong(expected))?;
        let mut signs = BTreeMap::new();
        for (key, value) in values {
            let hash: i64 = key.parse().map_err(|_| wrong(expected))?;
            let sign = match value {
                'X' => 1,
                'O' => -1,
                '-' => 0,
                _ => return Err(wrong(expected)),
            };
            signs.insert(hash, sign);
        }
        LabeledPositions::of_hashes(signs)
    }

    fn of_hashes(mut signs: BTreeMap<i64, i32>) -> Result<LabeledPositions, LabeledPositionsError> {
        let mut list = LabeledPositions { entries: signs.len(), ..LabeledPositions::default() };
        // Complete boards are tried first: a truncated board may look like another board with one
        // stone less.
        for transform in [|full_board: PlayerStones| full_board, without_last_cell] {
            for ply in 0..=MAX_PLY {
                let Ok((_, layer)) = Tree::grow(FixedSize::<7, 6>, ply, MAX_POSITIONS) else {
                    break;
                };
                let images =
                    layer.iter().map(PlayerStones::of).flat_map(|one| [one, mirrored(one)]);
                for image in images {
                    if let Some(sign) = signs.remove(&anigmo_key(transform(image))) {
                        list.add(image, sign)?;
                    }
                }
            }
            if signs.is_empty() {
                break;
            }
        }
        Ok(list)
    }
}

fn uci_line(line: &str) -> Result<(PlayerStones, i32), &'static str> {
    let mut words = line.split(',');
    let mut stones = PlayerStones { first: 0, second: 0 };
    for column in 0..COLUMNS {
        let mut empty_below = false;
        for row in 0..ROWS {
            let bit = 1 << (7 * column + row);
            match words.next() {
                Some("b") => empty_below = true,
                Some("x" | "o") if empty_below => return Err("a stone is above an empty cell"),
                Some("x") => stones.first |= bit,
                Some("o") => stones.second |= bit,
                Some(_) => return Err("a cell is neither b, x nor o"),
                None => return Err("too few fields"),
            }
        }
    }
    let sign = match words.next() {
        Some("win") => 1,
        Some("draw") => 0,
        Some("loss") => -1,
        Some(_) => return Err("the result is neither win, loss nor draw"),
        None => return Err("too few fields"),
    };
    let lead = stones.first.count_ones().checked_sub(stones.second.count_ones());
    match (words.next(), lead) {
        (None, Some(0 | 1)) => Ok((stones, sign)),
        (None, _) => Err("the numbers of stones do not match alternate moves"),
        (Some(_), _) => Err("too many fields"),
    }
}

fn mirrored(stones: PlayerStones) -> PlayerStones {
    // Seven bits per column, as in Anigmo; unlike the geometry of `FixedSize`.
    let image = |bits: u128| (0..COLUMNS).fold(0, |image, c| image << 7 | bits >> (7 * c) & 0x7f);
    PlayerStones { first: image(stones.first), second: image(stones.second) }
}

fn smaller_image(stones: PlayerStones) -> PlayerStones {
    stones.min(mirrored(stones))
}

/// Clears the upper right cell. Anigmo's converter truncates its boards by one bit and loses that
/// cell.
fn without_last_cell(PlayerStones { first, second }: PlayerStones) -> PlayerStones {
    let others = (1 << 47) - 1;
    PlayerStones { first: first & others, second: second & others }
}

/// Anigmo's key of a position: Python's hash of the text of both boards.
fn anigmo_key(stones: PlayerStones) -> i64 {
    python_hash(&format!("{}x{}", stones.second, stones.first))
}

/// The hash of a string in 64-bit Python 2.
fn python_hash(text: &str) -> i64 {
    let first = text.bytes().next().map_or(0, i64::from);
    let hash =
        text.bytes().fold(first << 7, |hash, byte| hash.wrapping_mul(1_000_003) ^ i64::from(byte))
            ^ text.len() as i64;
    if hash == -1 { -2 } else { hash }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::small_book;
    use super::*;
    use std::collections::HashSet;
    use tesuji_games::random::{below, seeded};

    fn list() -> LabeledPositions {
        list_of(4)
    }

    /// All positions with `ply` stones, with arbitrary results.
    fn list_of(ply: u32) -> LabeledPositions {
        let (_, layer) = Tree::grow(FixedSize::<7, 6>, ply, MAX_POSITIONS).unwrap();
        let mut list = LabeledPositions { entries: layer.len(), ..LabeledPositions::default() };
        for (position, sign) in layer.iter().zip([1, 0, -1].into_iter().cycle()) {
            list.add(PlayerStones::of(position), sign).unwrap();
        }
        list
    }

    #[test]
    fn lists_read_back() {
        for list in [list_of(0), list_of(4), list_of(7)] {
            assert_eq!(LabeledPositions::from_uci(&list.to_uci()).unwrap(), list);
            assert_eq!(LabeledPositions::from_anigmo(&list.to_anigmo()).unwrap(), list);
            assert_eq!(list.counts().total(), list.entries());
        }
    }

    /// Keys written by Anigmo itself lack the upper right cell.
    #[test]
    fn a_board_cut_short_is_recognised() {
        let line = format!("{}x,o,b,b,b,b,x,o,x,o,o,x,win", "b,".repeat(30));
        let full_board = LabeledPositions::from_uci(&line).unwrap();
        let (stones, _) = uci_line(&line).unwrap();
        assert_ne!(without_last_cell(stones), stones);
        let json = format!("{{\"{}\": \"X\"}}", anigmo_key(without_last_cell(stones)));
        assert_eq!(LabeledPositions::from_anigmo(json.as_bytes()).unwrap(), full_board);
    }

    #[test]
    fn hashes_are_those_of_python_2() {
        assert_eq!(python_hash("a"), 12_416_037_344);
        assert_eq!(python_hash("abc"), 1_453_079_729_188_098_211);
        assert_eq!(python_hash(""), 0);
    }

    /// The positions with eight stones have distinct keys, and 67,557 of them are quiet.
    #[test]
    fn keys_tell_positions_apart() {
        let (_, layer) = Tree::grow(FixedSize::<7, 6>, 8, MAX_POSITIONS).unwrap();
        let quiet: Vec<PlayerStones> = layer
            .iter()
            .filter(|p| super::super::summary::is_quiet(p))
            .map(PlayerStones::of)
            .collect();
        assert_eq!(quiet.len(), 67_557);
        let images = quiet.iter().flat_map(|&stones| [stones, mirrored(stones)]);
        let images: HashSet<PlayerStones> = images.collect();
        assert_eq!(images.len(), 134_934);
        let keys: HashSet<i64> = images.iter().map(|&stones| anigmo_key(stones)).collect();
        assert_eq!(keys.len(), images.len());
    }

    #[test]
    fn wrong_lines_are_named() {
        let good = list().to_uci();
        let first = good.lines().next().unwrap();
        for (bad, words) in [
            (
                first.replace("win", "won").replace("loss", "lost").replace("draw", "even"),
                "neither win",
            ),
            (first.replacen('b', "y", 1), "neither b"),
            (format!("{first},x"), "too many"),
            ("b,b".to_string(), "too few"),
            (first.replace('o', "x").replace("lxss", "loss"), "alternate"),
            (format!("b,x,o{}", ",b".repeat(39)) + ",win", "above an empty"),
            (String::new(), "no position"),
        ] {
            let error = LabeledPositions::from_uci(&bad).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("line 1"), "{bad}: {error}");
        }
        let other = if first.ends_with("win") { "draw" } else { "win" };
        let cells = first.rsplit_once(',').unwrap().0;
        let twice = format!("{first}\n{cells},{other}");
        assert_eq!(LabeledPositions::from_uci(&twice), Err(LabeledPositionsError::Contradiction));
        let small = LabeledPositions::of_book(&small_book(5, 4, 2)).unwrap_err().to_string();
        assert!(small.contains("5x4"), "{small}");
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let good = list().to_anigmo();
        let mut rng = seeded(5);
        for _ in 0..300 {
            let mut bad = good.clone();
            bad.truncate(below(&mut rng, bad.len() as u32) as usize);
            assert!(LabeledPositions::from_anigmo(&bad).is_err());
            let index = below(&mut rng, bad.len() as u32 + 1) as usize;
            bad.insert(index, below(&mut rng, 256) as u8);
            let _ = LabeledPositions::from_uci(&String::from_utf8_lossy(&bad));
        }
        for bad in ["{\"1\": \"Z\"}", "{\"x\": \"X\"}", "{\"1\": 2}", "{", "[]", ""] {
            assert!(LabeledPositions::from_anigmo(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
