//! State–action logs as the published game in the browser wrote them: a header of free text with one line of numbers,
//! then numbered lines, states on even numbers and actions on odd ones, the last of them the mark of the end. Each line
//! reached the file on its own way, so lines may be missing or out of order; reading repairs what can be repaired and
//! says what it was.

use std::collections::BTreeMap;
use std::fmt;

use super::text::{Action, Dialect, Snapshot, TextError};
use super::{LONGEST_SIDE, Settings, Swap};

/// A log beyond this is refused: the longest game on the largest board needs less than half of it.
pub const LONGEST_LOG: usize = 256 << 20;

/// The line of numbers in the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Moves of the whole game.
    pub moves: u16,
    /// Medals of the whole game.
    pub medals: u8,
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
}

impl Header {
    /// The header of a game with these settings.
    pub fn of(settings: &Settings) -> Header {
        let Settings { moves, medals, rows, columns, .. } = *settings;
        Header { moves, medals, rows, columns }
    }

    /// The level, which the number of moves tells.
    pub fn level(&self) -> Option<usize> {
        (1..=3).find(|level| Settings::level(*level).is_some_and(|l| l.moves == self.moves))
    }

    /// The text in front of the numbered lines.
    pub fn to_text(&self) -> String {
        let Header { moves, medals, rows, columns } = self;
        let rule = "=".repeat(79);
        format!(
            "Gem Island\n{rule}\n{GLOSSARY}\ntmo\ttme\tr\tc\n{rule}\n{moves}\t{medals}\t{rows}\t{columns}\n\n\
             Numbered lines, by turns:\ns\tmu\tand for each cell, row by row\tt\tbt\ti\tmp\na\n{rule}\n\n"
        )
    }

    fn parse(line: &str) -> Option<Header> {
        let mut words = line.split('\t');
        let mut number = |most: u16| {
            words.next()?.parse::<u16>().ok().filter(|number| (1..=most).contains(number))
        };
        let (moves, medals) = (number(9999)?, number(255)? as u8);
        let side = u16::from(LONGEST_SIDE);
        let (rows, columns) = (number(side)? as u8, number(side)? as u8);
        Some(Header { moves, medals, rows, columns })
    }
}

/// The abbreviations are the published ones.
const GLOSSARY: &str = "\
s    the score
mu   medals that were freed
t    kind of a gem
bt   its bonus
i    the ice on its cell
mp   the part of a medal seen on its cell
a    the cells that change places, row and column each; four times -1 at the end
tmo  moves of the game
tme  medals of the game
r    rows
c    columns
";

/// A game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    /// What the header tells.
    pub header: Header,
    /// States and what was done in them.
    pub turns: Vec<LoggedTurn>,
    /// The number of the last state's line.
    pub end_number: u32,
    /// The last state.
    pub end: Snapshot,
}

/// A state and what was done in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedTurn {
    /// The number of the state's line: two for each move made before.
    pub number: u32,
    /// The state.
    pub state: Snapshot,
    /// The action.
    pub swap: Swap,
}

impl Log {
    /// Moves left in a state.
    pub fn moves_left(&self, turn: &LoggedTurn) -> u16 {
        self.header.moves.saturating_sub((turn.number / 2) as u16)
    }

    /// Medals left in a state.
    pub fn medals_left(&self, state: &Snapshot) -> u8 {
        self.header.medals.saturating_sub(state.uncovered)
    }

    /// Whether all medals were freed in the end.
    pub fn won(&self) -> bool {
        self.end.uncovered == self.header.medals
    }

    /// The whole file.
    pub fn to_text(&self, dialect: Dialect) -> String {
        let mut text = self.header.to_text();
        for turn in &self.turns {
            text.push_str(&state_line(turn.number, &turn.state, dialect));
            text.push_str(&action_line(turn.number + 1, Action::Swap(turn.swap)));
        }
        text.push_str(&state_line(self.end_number, &self.end, dialect));
        text + &action_line(self.end_number + 1, Action::End)
    }

    /// Reads a file. Whoever is `None` for the log was dropped as a whole, for the last of the repairs.
    pub fn read(bytes: &[u8]) -> Result<Reading, LogError> {
        if bytes.len() > LONGEST_LOG {
            return Err(LogError::TooLarge);
        }
        let lines = Lines::sort(bytes)?;
        let Some(header) = lines.header else { return Err(LogError::NoHeader) };
        let mut repairs = lines.repairs;
        let entries = lines
            .entries
            .into_iter()
            .map(|(number, (line, text))| Entry::parse(&header, number, line, text))
            .collect::<Result<Vec<Entry>, LogError>>()?;
        let log = assembled(header, entries, &mut repairs);
        Ok(Reading { log, repairs })
    }
}

/// A numbered line with a state.
pub fn state_line(number: u32, state: &Snapshot, dialect: Dialect) -> String {
    format!("{number}\t{}\n", state.to_text(dialect))
}

/// A numbered line with an action.
pub fn action_line(number: u32, action: Action) -> String {
    format!("{number}\t{action}\n")
}

/// What came of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The game, unless it had to be dropped.
    pub log: Option<Log>,
    /// What was wrong with the file.
    pub repairs: Vec<Repair>,
}

/// Something that was wrong, and what was done about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repair {
    /// Lines were put in order; this is the first that stood too late.
    Sorted {
        /// In the file, from 1.
        line: usize,
    },
    /// The same number once more; the later line was dropped.
    Repeated {
        /// In the file, from 1.
        line: usize,
        /// The number.
        number: u32,
    },
    /// The action after a state is missing; the state was dropped.
    NoAction {
        /// In the file, from 1.
        line: usize,
        /// The state's number.
        number: u32,
    },
    /// The state before an action is missing; the action was dropped.
    NoState {
        /// In the file, from 1.
        line: usize,
        /// The action's number.
        number: u32,
    },
    /// The file does not end with a state and the mark of the end; the game was dropped.
    NoEnd,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Repair::Sorted { line } => write!(f, "line {line} stood too late: lines sorted"),
            Repair::Repeated { line, number } => {
                write!(f, "line {line}: number {number} once more: line dropped")
            }
            Repair::NoAction { line, number } => {
                write!(f, "line {line}: state {number} without its action: state dropped")
            }
            Repair::NoState { line, number } => {
                write!(f, "line {line}: action {number} without its state: action dropped")
            }
            Repair::NoEnd => write!(f, "no mark of the end after the last state: game dropped"),
        }
    }
}

/// The lines of a file, told apart and sorted.
#[derive(Default)]
struct Lines<'t> {
    header: Option<Header>,
    /// From a number to the line in the file and the rest of its text.
    entries: BTreeMap<u32, (usize, &'t str)>,
    repairs: Vec<Repair>,
}

impl<'t> Lines<'t> {
    fn sort(bytes: &'t [u8]) -> Result<Lines<'t>, LogError> {
        let mut lines = Lines::default();
        for (line, bytes) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let line = line + 1;
            let text = std::str::from_utf8(bytes).map_err(|_| LogError::NotText { line })?;
            lines.take(line, text.strip_suffix('\r').unwrap_or(text))?;
        }
        Ok(lines)
    }

    /// A line that begins with a number and a tab counts; everything else is the header's prose.
    fn take(&mut self, line: usize, text: &'t str) -> Result<(), LogError> {
        let Some((word, rest)) = text.split_once('\t') else { return Ok(()) };
        if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        if rest.split('\t').count() == 3 && !rest.ends_with('\t') {
            return self.take_header(line, text);
        }
        let number = word.parse::<u32>().ok().filter(|number| *number <= LAST_NUMBER);
        let number = number
            .ok_or_else(|| LogError::LineNumber { line, word: word.chars().take(20).collect() })?;
        if self.entries.contains_key(&number) {
            self.repairs.push(Repair::Repeated { line, number });
            return Ok(());
        }
        let late = self.entries.last_key_value().is_some_and(|(last, _)| *last > number);
        if late && !self.repairs.iter().any(|repair| matches!(repair, Repair::Sorted { .. })) {
            self.repairs.push(Repair::Sorted { line });
        }
        self.entries.insert(number, (line, rest));
        Ok(())
    }

    fn take_header(&mut self, line: usize, text: &str) -> Result<(), LogError> {
        match (self.header, Header::parse(text)) {
            (None, Some(header)) => {
                self.header = Some(header);
                Ok(())
            }
            (Some(_), _) => Err(LogError::TwoHeaders { line }),
            (None, None) => Err(LogError::Header { line }),
        }
    }
}

/// The number of the last line of the longest game.
const LAST_NUMBER: u32 = 2 * 9999 + 1;

/// A numbered line.
struct Entry {
    line: usize,
    number: u32,
    what: What,
}

enum What {
    State(Snapshot),
    Action(Action),
}

impl Entry {
    fn parse(header: &Header, number: u32, line: usize, text: &str) -> Result<Entry, LogError> {
        let wrong = |source| LogError::Text { line, source };
        let Header { rows, columns, moves, medals } = *header;
        if number / 2 > u32::from(moves) {
            return Err(LogError::TooManyMoves { line, number, moves });
        }
        if number % 2 == 1 {
            let action: Action = text.parse().map_err(wrong)?;
            return match action {
                Action::Swap(swap) if !inside(header, swap) => {
                    Err(LogError::OffBoard { line, swap, rows, columns })
                }
                _ => Ok(Entry { line, number, what: What::Action(action) }),
            };
        }
        let dialect = Dialect::of_state(text);
        let state = Snapshot::parse(text, rows, columns, dialect).map_err(wrong)?;
        if state.uncovered > medals {
            return Err(LogError::TooManyMedals { line, uncovered: state.uncovered, medals });
        }
        Ok(Entry { line, number, what: What::State(state) })
    }
}

fn inside(header: &Header, swap: Swap) -> bool {
    let cells = [swap.first, swap.second];
    cells.iter().all(|cell| cell.row < header.rows && cell.column < header.columns)
}

/// Joins states with the actions that follow them.
fn assembled(header: Header, entries: Vec<Entry>, repairs: &mut Vec<Repair>) -> Option<Log> {
    let mut turns = Vec::new();
    let mut end = None;
    let mut entries = entries.into_iter().peekable();
    while let Some(Entry { line, number, what }) = entries.next() {
        let state = match what {
            What::State(state) => state,
            What::Action(_) => {
                repairs.push(Repair::NoState { line, number });
                end = None;
                continue;
            }
        };
        end = None;
        let reply = entries.next_if(|next| next.number == number + 1).map(|next| next.what);
        match reply {
            Some(What::Action(Action::Swap(swap))) => {
                turns.push(LoggedTurn { number, state, swap })
            }
            Some(What::Action(Action::End)) => end = Some((number, state)),
            _ => repairs.push(Repair::NoAction { line, number }),
        }
    }
    if end.is_none() {
        repairs.push(Repair::NoEnd);
    }
    end.map(|(end_number, end)| Log { header, turns, end_number, end })
}

/// Why a file is no log.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LogError {
    /// Not UTF-8.
    #[error("line {line}: not text")]
    NotText {
        /// From 1.
        line: usize,
    },
    /// No line of four numbers.
    #[error("the header's line of four numbers (moves, medals, rows, columns) is missing")]
    NoHeader,
    /// Two of them.
    #[error("line {line}: a second header; a log holds one game")]
    TwoHeaders {
        /// From 1.
        line: usize,
    },
    /// Numbers that make no game.
    #[error(
        "line {line}: expected moves from 1 to 9999, medals from 1 to 255, rows and columns up to {LONGEST_SIDE}"
    )]
    Header {
        /// From 1.
        line: usize,
    },
    /// The number in front of a line.
    #[error("line {line}: numbered '{word}'; numbers go up to {LAST_NUMBER}")]
    LineNumber {
        /// From 1.
        line: usize,
        /// As written.
        word: String,
    },
    /// A state or an action.
    #[error("line {line}: {source}")]
    Text {
        /// From 1.
        line: usize,
        /// What was wrong with it.
        source: TextError,
    },
    /// A swap outside of the board.
    #[error("line {line}: '{swap}' is not on a board of {rows} rows and {columns} columns")]
    OffBoard {
        /// From 1.
        line: usize,
        /// As written.
        swap: Swap,
        /// The board's.
        rows: u8,
        /// The board's.
        columns: u8,
    },
    /// More moves than the header allows.
    #[error("line {line}: number {number} is beyond a game of {moves} moves")]
    TooManyMoves {
        /// From 1.
        line: usize,
        /// The line's number.
        number: u32,
        /// The header's.
        moves: u16,
    },
    /// More medals than the header allows.
    #[error("line {line}: {uncovered} medals freed of {medals}")]
    TooManyMedals {
        /// From 1.
        line: usize,
        /// As written.
        uncovered: u8,
        /// The header's.
        medals: u8,
    },
    /// Too large to be one.
    #[error("larger than {} MiB", LONGEST_LOG >> 20)]
    TooLarge,
}
