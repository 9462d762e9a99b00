//! The published text forms of a state (numbers separated by tabs) and of an action
//! (`r1-c1-r2-c2`). Reading and writing round-trip exactly in both directions.

use std::fmt;
use std::str::FromStr;

use super::reference::PlainBoard;
use super::{Gem, GemCell, MAX_KINDS, MAX_LAYERS, Swap, bonus_code, bonus_of};

/// The format of a state: the two published programs number bonuses and ice differently.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextDialect {
    /// The Python program: bonuses from 0 to 3, the last layer of ice is 0.
    Python,
    /// The browser game, which wrote the logs: bonuses from 1 to 4, the last layer of ice is 1.
    Js,
}

impl TextDialect {
    /// Detects the dialect of a state's text. Only Python writes 0 for a gem without a bonus, and
    /// no board consists only of bonus gems.
    pub fn of_state(text: &str) -> TextDialect {
        let mut bonuses = text.split('\t').skip(3).step_by(4);
        if bonuses.any(|word| word == "0") { TextDialect::Python } else { TextDialect::Js }
    }

    fn bonus_offset(self) -> u8 {
        match self {
            TextDialect::Python => 0,
            TextDialect::Js => 1,
        }
    }

    fn ice_number(self, layers: u8) -> i64 {
        match (self, layers) {
            (_, 0) => -1,
            (TextDialect::Python, layers) => i64::from(layers) - 1,
            (TextDialect::Js, layers) => i64::from(layers),
        }
    }

    fn layers(self, number: i64) -> Option<u8> {
        (0..=MAX_LAYERS).find(|layers| self.ice_number(*layers) == number)
    }
}

/// The content of a state's text: everything visible, and nothing that ice hides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GemSnapshot {
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
    /// The score so far.
    pub score: u64,
    /// The number of freed medals.
    pub uncovered: u8,
    /// The cells, row by row.
    pub cells: Vec<VisibleCell>,
}

/// The visible content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VisibleCell {
    /// The gem on it.
    pub gem: Gem,
    /// Layers of ice.
    pub layers: u8,
    /// The part of a medal, present or freed, on the cell: 0 to 3 for upper left, upper right,
    /// lower left, lower right; `None` under ice.
    pub portion: Option<u8>,
}

impl GemSnapshot {
    /// Writes the state as one line of text, which ends with a tab.
    pub fn to_text(&self, dialect: TextDialect) -> String {
        let mut text = format!("{}\t{}\t", self.score, self.uncovered);
        for VisibleCell { gem, layers, portion } in &self.cells {
            let bonus = bonus_code(gem.bonus) + dialect.bonus_offset();
            let (ice, portion) = (dialect.ice_number(*layers), portion.map_or(-1, i64::from));
            text.push_str(&format!("{}\t{bonus}\t{ice}\t{portion}\t", gem.kind));
        }
        text
    }

    /// Reads a line for a board of this size.
    pub fn parse(
        text: &str,
        rows: u8,
        columns: u8,
        dialect: TextDialect,
    ) -> Result<GemSnapshot, GemTextError> {
        let mut words = NumberReader { rest: text, read: 0, columns };
        let score = words.number(0, i64::MAX, "a score")?;
        let uncovered = words.number(0, 255, "a number of medals")? as u8;
        let mut cells = Vec::new();
        for _ in 0..usize::from(rows) * usize::from(columns) {
            cells.push(words.cell(dialect)?);
        }
        match words.rest {
            "" => Ok(GemSnapshot { rows, columns, score: score as u64, uncovered, cells }),
            _ => Err(GemTextError::TooLong { rows, columns }),
        }
    }

    /// Converts to arrays; the medals contain only the visible parts.
    pub fn plain(&self) -> PlainBoard {
        let rows = || self.cells.chunks(usize::from(self.columns).max(1));
        let layer = |number: fn(&VisibleCell) -> i8| {
            rows().map(|row| row.iter().map(number).collect()).collect::<Vec<Vec<i8>>>()
        };
        PlainBoard {
            gems: rows().map(|row| row.iter().map(|shown| shown.gem).collect()).collect(),
            ice: layer(|shown| shown.layers as i8 - 1),
            medals: layer(|shown| shown.portion.map_or(-1, |portion| portion as i8)),
        }
    }

    /// The visible content of a board, with this score and this number of freed medals.
    pub fn of_plain(plain: &PlainBoard, score: u64, uncovered: u8) -> GemSnapshot {
        let shown = |cell| {
            let (ice, portion) = (plain.ice_on(cell), plain.portion(cell));
            let seen = ice < 0 && portion >= 0;
            let portion = seen.then_some(portion as u8);
            VisibleCell { gem: plain.gem(cell), layers: (ice + 1) as u8, portion }
        };
        let (rows, columns) = (plain.rows() as u8, plain.columns() as u8);
        GemSnapshot { rows, columns, score, uncovered, cells: plain.cells().map(shown).collect() }
    }
}

/// Reads the numbers of a line.
struct NumberReader<'t> {
    rest: &'t str,
    read: usize,
    columns: u8,
}

impl<'t> NumberReader<'t> {
    fn cell(&mut self, dialect: TextDialect) -> Result<VisibleCell, GemTextError> {
        let kind = self.number(0, i64::from(MAX_KINDS) - 1, "a kind of gem")? as u8;
        let offset = dialect.bonus_offset();
        let bonus = self.number(offset.into(), i64::from(offset) + 3, "a bonus")? as u8 - offset;
        let (least, most) = (-1, dialect.ice_number(MAX_LAYERS));
        let word = self.rest;
        let ice = self.number(least, most, "ice")?;
        let Some(layers) = dialect.layers(ice) else {
            let word = word.split('\t').next().unwrap_or_default();
            return Err(self.wrong(word, "ice: -1 or a number from 1 to 7"));
        };
        let portion = match self.number(-1, 3, "a part of a medal")? {
            -1 => None,
            _ if layers > 0 => return Err(GemTextError::SeenThroughIce { place: self.place() }),
            portion => Some(portion as u8),
        };
        Ok(VisibleCell { gem: Gem { kind, bonus: bonus_of(bonus) }, layers, portion })
    }

    /// Reads the next number. Only its canonical form is accepted, so that writing it gives the
    /// same text.
    fn number(&mut self, least: i64, most: i64, what: &str) -> Result<i64, GemTextError> {
        let Some((word, rest)) = self.rest.split_once('\t') else {
            return Err(GemTextError::TooShort { read: self.read });
        };
        (self.rest, self.read) = (rest, self.read + 1);
        let number = word.parse::<i64>().ok().filter(|number| (least..=most).contains(number));
        match number {
            Some(number) if number.to_string() == word => Ok(number),
            _ => Err(self.wrong(word, &format!("{what} from {least} to {most}"))),
        }
    }

    fn wrong(&self, word: &str, expected: &str) -> GemTextError {
        let word = word.chars().take(20).collect();
        GemTextError::Number { word, place: self.place(), expected: expected.to_string() }
    }

    /// The location of the last number.
    fn place(&self) -> String {
        match (self.read - 1).checked_sub(2) {
            None => format!("number {}", self.read),
            Some(n) => {
                let cell = n / 4;
                let columns = usize::from(self.columns).max(1);
                format!("row {} column {}", cell / columns, cell % columns)
            }
        }
    }
}

/// An action in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogAction {
    /// A swap of two gems.
    Swap(Swap),
    /// The end marker.
    End,
}

const END: &str = "-1--1--1--1";

impl fmt::Display for LogAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogAction::Swap(swap) => swap.fmt(f),
            LogAction::End => f.write_str(END),
        }
    }
}

impl FromStr for LogAction {
    type Err = GemTextError;

    fn from_str(text: &str) -> Result<LogAction, GemTextError> {
        if text == END {
            return Ok(LogAction::End);
        }
        let wrong = || GemTextError::Action { text: text.chars().take(20).collect() };
        let mut numbers = [0u8; 4];
        let mut words = text.split('-');
        for number in &mut numbers {
            let word = words.next().ok_or_else(wrong)?;
            let read = word.parse().ok().filter(|number: &u8| number.to_string() == word);
            *number = read.ok_or_else(wrong)?;
        }
        let [a, b, c, d] = numbers;
        let swap = Swap { first: GemCell::new(a, b), second: GemCell::new(c, d) };
        match words.next() {
            None if swap.first.touches(swap.second) => Ok(LogAction::Swap(swap)),
            None => Err(GemTextError::Apart { swap }),
            Some(_) => Err(wrong()),
        }
    }
}

/// Why a text is not a state or an action.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GemTextError {
    /// A number is invalid.
    #[error("{place}: invalid '{word}'; expected {expected}")]
    Number {
        /// As written.
        word: String,
        /// The location.
        place: String,
        /// What was expected.
        expected: String,
    },
    /// Numbers are missing.
    #[error(
        "state: ends after {read} numbers; expected a tab after each number and four numbers per cell"
    )]
    TooShort {
        /// The number of numbers read.
        read: usize,
    },
    /// There are more numbers than the board has cells.
    #[error("state: too long; expected {rows} rows and {columns} columns")]
    TooLong {
        /// The size of the board.
        rows: u8,
        /// The size of the board.
        columns: u8,
    },
    /// A medal is visible under ice.
    #[error("{place}: part of a medal under ice; expected -1")]
    SeenThroughIce {
        /// The location.
        place: String,
    },
    /// The text is not an action.
    #[error("'{text}': not an action; expected r1-c1-r2-c2 such as 4-2-4-3, or {END}")]
    Action {
        /// As written.
        text: String,
    },
    /// The two cells of a swap are not neighbors.
    #[error("'{swap}': not a swap; expected two neighboring cells")]
    Apart {
        /// As written.
        swap: Swap,
    },
}
