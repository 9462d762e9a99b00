//! Where the games of a match begin. Both games of a colour-swapped pair begin alike.

use tesuji_games::bits::mix;
use tesuji_games::random::seeded;
use tesuji_games::{Line, NotationError, Playable};

/// A source of openings: pair number in, opening out.
#[derive(Clone, Debug)]
pub enum Openings<P: Playable> {
    /// This many random legal moves.
    Random {
        /// Plies before the players take over; 0 for the game's own start.
        plies: usize,
    },
    /// A list, used in turn and again from its beginning.
    List(Vec<Line<P>>),
}

/// Why a list of openings cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpeningError {
    /// A line is not an opening.
    #[error("line {line}: {error}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        error: NotationError,
    },
    /// After this line nothing is left to play.
    #[error("line {line}: the game is over after these moves; an opening leaves something to play")]
    Finished {
        /// Counted from 1.
        line: usize,
    },
    /// The list is empty.
    #[error("there is no opening in it; write one list of moves a line")]
    Empty,
}

impl<P: Playable> Openings<P> {
    /// Every game begins at the beginning.
    pub fn none() -> Self {
        Openings::Random { plies: 0 }
    }

    /// Reads one opening a line: moves from `start`. Empty lines and lines beginning with `#` are skipped.
    pub fn read(start: &P, text: &str) -> Result<Self, OpeningError> {
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let number = number + 1;
            let opening = start
                .parse_line(line)
                .map_err(|error| OpeningError::Line { line: number, error })?;
            if opening.end.outcome().is_some() {
                return Err(OpeningError::Finished { line: number });
            }
            lines.push(opening);
        }
        if lines.is_empty() { Err(OpeningError::Empty) } else { Ok(Openings::List(lines)) }
    }

    /// All of it as text: part of the identity of an event.
    pub fn text(&self) -> String {
        match self {
            Openings::Random { plies } => format!("random {plies}"),
            Openings::List(lines) => {
                let texts: Vec<String> = lines
                    .iter()
                    .map(|line| {
                        format!(
                            "{} {}",
                            line.start.position_text().unwrap_or_default(),
                            line.text()
                        )
                    })
                    .collect();
                texts.join("\n")
            }
        }
    }

    /// The opening of a pair. Depends on the seed and the pair's number alone.
    pub fn opening(&self, start: &P, seed: u64, pair: u64) -> Line<P> {
        match self {
            Openings::Random { plies } => random_opening(start, *plies, mix(seed ^ mix(pair + 1))),
            Openings::List(lines) => lines[(pair % lines.len() as u64) as usize].clone(),
        }
    }
}

/// Random moves that do not end the game. On a board too small for that many, as many as there is room for.
fn random_opening<P: Playable>(start: &P, plies: usize, seed: u64) -> Line<P> {
    const TRIES: usize = 100;
    let mut rng = seeded(seed);
    let mut longest = Line::new(start.clone());
    for _ in 0..TRIES {
        let mut line = Line::new(start.clone());
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
    use tesuji_games::Position;
    use tesuji_games::rules::tictactoe::TicTacToe;

    #[test]
    fn random_openings_repeat_and_leave_something_to_play() {
        let start = TicTacToe::new();
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
        let opening = Openings::Random { plies: 100 }.opening(&TicTacToe::new(), 1, 0);
        assert_eq!(opening.end.outcome(), None);
        assert!(opening.moves.len() >= 6, "{}", opening.text());
    }

    #[test]
    fn lists_are_read_with_line_numbers() {
        let start = TicTacToe::new();
        let read = |text: &str| Openings::read(&start, text);
        let openings = read("# corners\n\nb2a1\na1 b2\n").unwrap();
        assert_eq!(openings.opening(&start, 0, 3).text(), "a1b2");
        for (text, words) in [
            ("b2\nb2b2", "line 2: cannot play"),
            ("zz", "line 1: cannot read"),
            ("a1a2b1b2c1", "line 1: the game is over"),
            ("# nothing", "no opening"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
