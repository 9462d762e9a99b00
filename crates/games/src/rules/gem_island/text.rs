//! The published text forms of a state and of an action: numbers between tabs, and `r1-c1-r2-c2`. What is read is
//! written back character by character, and what is written reads back as it was.

use std::fmt;
use std::str::FromStr;

use super::reference::Plain;
use super::{Cell, Gem, MOST_KINDS, MOST_LAYERS, Swap, bonus_code, bonus_of};

/// Who wrote a state: the two published programs count bonuses and ice differently.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// The Python program: bonuses from 0 to 3, the last layer of ice is 0.
    Python,
    /// The game in the browser, which wrote the logs: bonuses from 1 to 4, the last layer of ice is 1.
    Js,
}

impl Dialect {
    /// The dialect of a state's text. A gem without bonus tells: 0 is Python's word for it, and no board consists of
    /// bonuses alone.
    pub fn of_state(text: &str) -> Dialect {
        let mut bonuses = text.split('\t').skip(3).step_by(4);
        if bonuses.any(|word| word == "0") { Dialect::Python } else { Dialect::Js }
    }

    fn bonus_offset(self) -> u8 {
        match self {
            Dialect::Python => 0,
            Dialect::Js => 1,
        }
    }

    fn ice_number(self, layers: u8) -> i64 {
        match (self, layers) {
            (_, 0) => -1,
            (Dialect::Python, layers) => i64::from(layers) - 1,
            (Dialect::Js, layers) => i64::from(layers),
        }
    }

    fn layers(self, number: i64) -> Option<u8> {
        (0..=MOST_LAYERS).find(|layers| self.ice_number(*layers) == number)
    }
}

/// What a state's text tells: everything that can be seen, and nothing that ice hides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
    /// The score so far.
    pub score: u64,
    /// Medals that were freed.
    pub uncovered: u8,
    /// The cells, row by row.
    pub cells: Vec<Shown>,
}

/// What can be seen of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The gem on it.
    pub gem: Gem,
    /// Layers of ice.
    pub layers: u8,
    /// Which part of a medal, there or already freed, from 0 to 3 for upper left, upper right, lower left, lower
    /// right; nothing under ice.
    pub portion: Option<u8>,
}

impl Snapshot {
    /// The state as one line of text; it ends with a tab.
    pub fn to_text(&self, dialect: Dialect) -> String {
        let mut text = format!("{}\t{}\t", self.score, self.uncovered);
        for Shown { gem, layers, portion } in &self.cells {
            let bonus = bonus_code(gem.bonus) + dialect.bonus_offset();
            let (ice, portion) = (dialect.ice_number(*layers), portion.map_or(-1, i64::from));
            text.push_str(&format!("{}\t{bonus}\t{ice}\t{portion}\t", gem.kind));
        }
        text
    }

    /// Reads such a line for a board of this size.
    pub fn parse(
        text: &str,
        rows: u8,
        columns: u8,
        dialect: Dialect,
    ) -> Result<Snapshot, TextError> {
        let mut words = Words { rest: text, read: 0, columns };
        let score = words.number(0, i64::MAX, "a score")?;
        let uncovered = words.number(0, 255, "a number of medals")? as u8;
        let mut cells = Vec::new();
        for _ in 0..usize::from(rows) * usize::from(columns) {
            cells.push(words.cell(dialect)?);
        }
        match words.rest {
            "" => Ok(Snapshot { rows, columns, score: score as u64, uncovered, cells }),
            _ => Err(TextError::TooLong { rows, columns }),
        }
    }

    /// The layers as plain arrays; of the medals only what is shown.
    pub fn plain(&self) -> Plain {
        let rows = || self.cells.chunks(usize::from(self.columns).max(1));
        let layer = |number: fn(&Shown) -> i8| {
            rows().map(|row| row.iter().map(number).collect()).collect::<Vec<Vec<i8>>>()
        };
        Plain {
            gems: rows().map(|row| row.iter().map(|shown| shown.gem).collect()).collect(),
            ice: layer(|shown| shown.layers as i8 - 1),
            medals: layer(|shown| shown.portion.map_or(-1, |portion| portion as i8)),
        }
    }

    /// What can be seen of these layers, when so much was scored and so many medals were freed.
    pub fn of_plain(plain: &Plain, score: u64, uncovered: u8) -> Snapshot {
        let shown = |cell| {
            let (ice, portion) = (plain.ice_on(cell), plain.portion(cell));
            let seen = ice < 0 && portion >= 0;
            let portion = seen.then_some(portion as u8);
            Shown { gem: plain.gem(cell), layers: (ice + 1) as u8, portion }
        };
        let (rows, columns) = (plain.rows() as u8, plain.columns() as u8);
        Snapshot { rows, columns, score, uncovered, cells: plain.cells().map(shown).collect() }
    }
}

/// The numbers of a line, one after another.
struct Words<'t> {
    rest: &'t str,
    read: usize,
    columns: u8,
}

impl<'t> Words<'t> {
    fn cell(&mut self, dialect: Dialect) -> Result<Shown, TextError> {
        let kind = self.number(0, i64::from(MOST_KINDS) - 1, "a kind of gem")? as u8;
        let offset = dialect.bonus_offset();
        let bonus = self.number(offset.into(), i64::from(offset) + 3, "a bonus")? as u8 - offset;
        let (least, most) = (-1, dialect.ice_number(MOST_LAYERS));
        let word = self.rest;
        let ice = self.number(least, most, "ice")?;
        let Some(layers) = dialect.layers(ice) else {
            let word = word.split('\t').next().unwrap_or_default();
            return Err(self.wrong(word, "ice: -1 or a number from 1 to 7"));
        };
        let portion = match self.number(-1, 3, "a part of a medal")? {
            -1 => None,
            _ if layers > 0 => return Err(TextError::SeenThroughIce { place: self.place() }),
            portion => Some(portion as u8),
        };
        Ok(Shown { gem: Gem { kind, bonus: bonus_of(bonus) }, layers, portion })
    }

    /// The next number. Only the one way to write it is taken, so that nothing changes when it is written back.
    fn number(&mut self, least: i64, most: i64, what: &str) -> Result<i64, TextError> {
        let Some((word, rest)) = self.rest.split_once('\t') else {
            return Err(TextError::TooShort { read: self.read });
        };
        (self.rest, self.read) = (rest, self.read + 1);
        let number = word.parse::<i64>().ok().filter(|number| (least..=most).contains(number));
        match number {
            Some(number) if number.to_string() == word => Ok(number),
            _ => Err(self.wrong(word, &format!("{what} from {least} to {most}"))),
        }
    }

    fn wrong(&self, word: &str, expected: &str) -> TextError {
        let word = word.chars().take(20).collect();
        TextError::Number { word, place: self.place(), expected: expected.to_string() }
    }

    /// Where the last number stands.
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

/// What stands on every second line of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Two gems change places.
    Swap(Swap),
    /// The game is over.
    End,
}

const END: &str = "-1--1--1--1";

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Swap(swap) => swap.fmt(f),
            Action::End => f.write_str(END),
        }
    }
}

impl FromStr for Action {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Action, TextError> {
        if text == END {
            return Ok(Action::End);
        }
        let wrong = || TextError::Action { text: text.chars().take(20).collect() };
        let mut numbers = [0u8; 4];
        let mut words = text.split('-');
        for number in &mut numbers {
            let word = words.next().ok_or_else(wrong)?;
            let read = word.parse().ok().filter(|number: &u8| number.to_string() == word);
            *number = read.ok_or_else(wrong)?;
        }
        let [a, b, c, d] = numbers;
        let swap = Swap { first: Cell::new(a, b), second: Cell::new(c, d) };
        match words.next() {
            None if swap.first.touches(swap.second) => Ok(Action::Swap(swap)),
            None => Err(TextError::Apart { swap }),
            Some(_) => Err(wrong()),
        }
    }
}

/// Why a text is no state or no action.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TextError {
    /// A number that cannot stand there.
    #[error("'{word}' at {place} is not {expected}")]
    Number {
        /// As written.
        word: String,
        /// Where.
        place: String,
        /// What would be right.
        expected: String,
    },
    /// Numbers are missing.
    #[error("the state breaks off after {read} numbers, each of which is followed by a tab")]
    TooShort {
        /// How many were read.
        read: usize,
    },
    /// More than the board has cells.
    #[error("more follows after the cells of {rows} rows and {columns} columns")]
    TooLong {
        /// The board's.
        rows: u8,
        /// The board's.
        columns: u8,
    },
    /// A medal under ice cannot be seen.
    #[error("a medal is seen through the ice at {place}; under ice it is -1")]
    SeenThroughIce {
        /// Where.
        place: String,
    },
    /// No action.
    #[error("'{text}' is no action; expected r1-c1-r2-c2 such as 4-2-4-3, or {END}")]
    Action {
        /// As written.
        text: String,
    },
    /// Two cells that do not touch.
    #[error("'{swap}' is no swap: the two cells are not neighbours")]
    Apart {
        /// As written.
        swap: Swap,
    },
}
