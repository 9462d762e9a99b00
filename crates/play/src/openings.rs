//! The openings of a match. Both games of a color-swapped pair start from the same one.
//!
//! A file has one opening per line; empty lines and lines that begin with `#` are ignored. An
//! opening is a list of moves in the game's notation or, in games whose moves are points, a list of
//! *offsets* from the center of the board, the format of Gomocup's managers (`offset.rs`).

mod offset;

use tesuji_games::bits::mix;
use tesuji_games::random::{below, seeded};
use tesuji_games::{GameLine, Notation, Position, State};

use crate::InvalidInput;
use offset::OffsetReader;

/// A source of openings by pair number.
#[derive(Clone, Debug)]
pub enum Openings {
    /// Random legal moves.
    Random {
        /// Plies before the players take over; 0 for the game's start position.
        plies: usize,
    },
    /// A list, used cyclically.
    List(Vec<GameLine>),
}

/// The order in which a list of openings is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningOrder {
    /// In the order of the file.
    #[default]
    Sequential,
    /// Shuffled by the seed; each opening is used once before any is repeated.
    Random,
}

impl Openings {
    /// No opening: every game starts from the game's start position.
    pub fn none() -> Self {
        Openings::Random { plies: 0 }
    }

    /// Parses a file of openings, see the module documentation.
    pub fn read(start: &State, text: &str) -> Result<Self, InvalidInput> {
        let lines = (1..).zip(text.lines().map(str::trim));
        let lines: Vec<(usize, &str)> =
            lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect();
        let offsets = OffsetReader::for_file(start, text, lines.iter().map(|&(_, line)| line));
        let mut openings = Vec::new();
        for (number, line) in lines {
            let opening = match &offsets {
                Some(reader) => reader.read(start, line),
                None => start.parse_line(line),
            };
            let opening =
                opening.map_err(|error| InvalidInput(format!("line {number}: {error}")))?;
            if opening.end.outcome().is_some() {
                return Err(InvalidInput(format!(
                    "line {number}: the game is over after these moves; expected an unfinished game"
                )));
            }
            openings.push(opening);
        }
        match openings.is_empty() {
            true => {
                Err(InvalidInput("no opening found; expected one list of moves per line".into()))
            }
            false => Ok(Openings::List(openings)),
        }
    }

    /// Reorders the list and rotates it to start with opening number `first`, counted from 1 after
    /// the shuffling and wrapping around at the end. Random openings have no order.
    pub fn arranged(self, order: OpeningOrder, first: usize, seed: u64) -> Self {
        let Openings::List(mut lines) = self else { return self };
        if order == OpeningOrder::Random {
            let mut rng = seeded(mix(seed ^ ORDER));
            for end in (1..lines.len()).rev() {
                lines.swap(end, below(&mut rng, end as u32 + 1) as usize);
            }
        }
        let count = lines.len();
        lines.rotate_left(first.saturating_sub(1) % count.max(1));
        Openings::List(lines)
    }

    /// The openings as text: part of the identity of an event.
    pub fn text(&self) -> String {
        match self {
            Openings::Random { plies } => format!("random {plies}"),
            Openings::List(lines) => {
                let start = |line: &GameLine| line.start.position_text().unwrap_or_default();
                let text = |line: &GameLine| format!("{} {}", start(line), line.text());
                lines.iter().map(text).collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// The opening of a pair. It depends on the seed and the pair's number alone.
    pub fn opening(&self, start: &State, seed: u64, pair: u64) -> GameLine {
        match self {
            Openings::Random { plies } => random_opening(start, *plies, mix(seed ^ mix(pair + 1))),
            Openings::List(lines) => lines[(pair % lines.len() as u64) as usize].clone(),
        }
    }
}

/// Makes the shuffle independent of the other uses of the match's seed.
const ORDER: u64 = 0x006f_7264_6572;

/// Plays random moves that do not end the game. On a board with too few plies, plays the longest
/// sequence found.
fn random_opening(start: &State, plies: usize, seed: u64) -> GameLine {
    const TRIES: usize = 100;
    let mut rng = seeded(seed);
    let mut longest = GameLine::new(start.clone());
    for _ in 0..TRIES {
        let mut line = GameLine::new(start.clone());
        while line.moves.len() < plies && line.end.outcome().is_none() {
            let m = line.end.random_move(&mut rng);
            line.end.play(m);
            line.moves.push(m);
        }
        if line.end.outcome().is_some() {
            line.take_back();
        }
        if line.moves.len() == plies {
            return line;
        }
        if line.moves.len() > longest.moves.len() {
            longest = line;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_games::{Position, State};

    fn start() -> State {
        crate::testing::opened("tictactoe").start().clone()
    }

    #[test]
    fn random_openings_are_reproducible_and_unfinished() {
        let start = start();
        let openings = Openings::Random { plies: 6 };
        let text = |seed, pair| openings.opening(&start, seed, pair).text();
        for pair in 0..50 {
            let opening = openings.opening(&start, 7, pair);
            assert_eq!(opening.moves.len(), 6);
            assert_eq!(opening.end.outcome(), None);
            assert_eq!(opening.text(), text(7, pair));
        }
        assert_ne!(text(7, 0), text(7, 1));
        assert_ne!(text(7, 0), text(8, 0));
    }

    #[test]
    fn more_plies_than_the_board_has() {
        let opening = Openings::Random { plies: 100 }.opening(&start(), 1, 0);
        assert_eq!(opening.end.outcome(), None);
        assert!(opening.moves.len() >= 6, "{}", opening.text());
    }

    #[test]
    fn lists_are_read_with_line_numbers() {
        let start = start();
        let read = |text: &str| Openings::read(&start, text);
        let openings = read("# corners\n\nb2a1\na1 b2\n").unwrap();
        assert_eq!(openings.opening(&start, 0, 3).text(), "a1b2");
        for (text, words) in [
            ("b2\nb2b2", "line 2: cannot play"),
            ("zz", "line 1: cannot read"),
            ("a1a2b1b2c1", "line 1: the game is over"),
            ("# nothing", "no opening found"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
    #[test]
    fn a_list_can_be_shuffled_and_rotated() {
        let start = start();
        let file = "a1\na2\na3\nb1\nb2\nb3\n";
        let texts = |order, first, seed| -> Vec<String> {
            let openings = Openings::read(&start, file).unwrap().arranged(order, first, seed);
            (0..6).map(|pair| openings.opening(&start, 0, pair).text()).collect()
        };
        let as_written = texts(OpeningOrder::Sequential, 1, 1);
        assert_eq!(as_written.join(" "), "a1 a2 a3 b1 b2 b3");
        assert_eq!(texts(OpeningOrder::Sequential, 3, 1).join(" "), "a3 b1 b2 b3 a1 a2");
        assert_eq!(texts(OpeningOrder::Sequential, 9, 1), texts(OpeningOrder::Sequential, 3, 1));
        let shuffled = texts(OpeningOrder::Random, 1, 1);
        assert_ne!(shuffled, as_written);
        assert_ne!(shuffled, texts(OpeningOrder::Random, 1, 2));
        assert_eq!(shuffled, texts(OpeningOrder::Random, 1, 1));
        let mut sorted = shuffled;
        sorted.sort();
        assert_eq!(sorted, as_written);
    }
}
