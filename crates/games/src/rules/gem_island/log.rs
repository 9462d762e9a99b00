//! State–action logs in the format of the published browser game: a header of free text with one
//! line of numbers, then numbered lines with states on even numbers and actions on odd numbers; the
//! last action is the end marker. The game sent each line separately, so lines may be missing or
//! out of order. The parser repairs such logs where possible and reports the repairs.

use std::collections::BTreeMap;
use std::fmt;

use super::text::{GemSnapshot, GemTextError, LogAction, TextDialect};
use super::{GemIsland, GemSettings, MAX_SIDE, Mask, Swap};

/// The maximum size of a log in bytes. The longest game on the largest board needs less than half
/// of it.
pub const MAX_LOG_BYTES: usize = 256 << 20;

/// The line of numbers in the header of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogHeader {
    /// The number of moves of the game.
    pub moves: u16,
    /// The number of medals of the game.
    pub medals: u8,
    /// Rows of the board.
    pub rows: u8,
    /// Columns of the board.
    pub columns: u8,
}

impl LogHeader {
    /// The header of a game with these settings.
    pub fn of(settings: &GemSettings) -> LogHeader {
        let GemSettings { moves, medals, rows, columns, .. } = *settings;
        LogHeader { moves, medals, rows, columns }
    }

    /// The level, identified by the number of moves.
    pub fn level(&self) -> Option<usize> {
        (1..=3).find(|level| GemSettings::level(*level).is_some_and(|l| l.moves == self.moves))
    }

    /// The game, if it is one of the levels.
    pub fn settings(&self) -> Option<GemSettings> {
        GemSettings::level(self.level()?).filter(|level| LogHeader::of(level) == *self)
    }

    /// The text before the numbered lines.
    pub fn to_text(&self) -> String {
        let LogHeader { moves, medals, rows, columns } = self;
        let rule = "=".repeat(79);
        format!(
            "Gem Island\n{rule}\n{GLOSSARY}\ntmo\ttme\tr\tc\n{rule}\n{moves}\t{medals}\t{rows}\t{columns}\n\n\
             Numbered lines, by turns:\ns\tmu\tand for each cell, row by row\tt\tbt\ti\tmp\na\n{rule}\n\n"
        )
    }

    fn parse(line: &str) -> Option<LogHeader> {
        let mut words = line.split('\t');
        let mut number = |most: u16| {
            words.next()?.parse::<u16>().ok().filter(|number| (1..=most).contains(number))
        };
        let (moves, medals) = (number(9999)?, number(255)? as u8);
        let side = u16::from(MAX_SIDE);
        let (rows, columns) = (number(side)? as u8, number(side)? as u8);
        Some(LogHeader { moves, medals, rows, columns })
    }
}

/// The abbreviations are those of the published game.
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

/// The log of a finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GemLog {
    /// The numbers in the header.
    pub header: LogHeader,
    /// The states with the actions taken in them.
    pub turns: Vec<LoggedTurn>,
    /// The line number of the last state.
    pub end_number: u32,
    /// The last state.
    pub end: GemSnapshot,
}

/// A state with the action taken in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedTurn {
    /// The line number of the state: twice the number of moves before it.
    pub number: u32,
    /// The state.
    pub state: GemSnapshot,
    /// The action.
    pub swap: Swap,
}

impl GemLog {
    /// The moves left in a state.
    pub fn moves_left(&self, turn: &LoggedTurn) -> u16 {
        self.header.moves.saturating_sub((turn.number / 2) as u16)
    }

    /// The medals left in a state.
    pub fn medals_left(&self, state: &GemSnapshot) -> u8 {
        self.header.medals.saturating_sub(state.uncovered)
    }

    /// Whether all medals were freed.
    pub fn won(&self) -> bool {
        self.end.uncovered == self.header.medals
    }

    /// The whole file.
    pub fn to_text(&self, dialect: TextDialect) -> String {
        let mut text = self.header.to_text();
        for turn in &self.turns {
            text.push_str(&state_line(turn.number, &turn.state, dialect));
            text.push_str(&action_line(turn.number + 1, LogAction::Swap(turn.swap)));
        }
        text.push_str(&state_line(self.end_number, &self.end, dialect));
        text + &action_line(self.end_number + 1, LogAction::End)
    }

    /// Reads a file. If the parsed log is `None`, the game was dropped for the reason given by the
    /// last repair.
    pub fn read(bytes: &[u8]) -> Result<ParsedLog, LogError> {
        if bytes.len() > MAX_LOG_BYTES {
            return Err(LogError::TooLarge);
        }
        let lines = LogLines::sort(bytes)?;
        let Some(header) = lines.header else { return Err(LogError::NoHeader) };
        let mut repairs = lines.repairs;
        let entries = lines
            .entries
            .into_iter()
            .map(|(number, (line, text))| LogEntry::parse(&header, number, line, text))
            .collect::<Result<Vec<LogEntry>, LogError>>()?;
        let log = assembled(header, entries, &mut repairs);
        Ok(ParsedLog { log, repairs })
    }
}

/// Writes a numbered line with a state.
fn state_line(number: u32, state: &GemSnapshot, dialect: TextDialect) -> String {
    format!("{number}\t{}\n", state.to_text(dialect))
}

/// Writes a numbered line with an action.
fn action_line(number: u32, action: LogAction) -> String {
    format!("{number}\t{action}\n")
}

/// Writes the two lines of a state and the action taken in it, in the dialect of the logs.
pub fn turn_lines<M: Mask>(number: u32, game: &GemIsland<M>, action: LogAction) -> String {
    state_line(number, &GemSnapshot::of(game), TextDialect::Js) + &action_line(number + 1, action)
}

/// The result of reading a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParsedLog {
    /// The game, unless it was dropped.
    pub log: Option<GemLog>,
    /// The repairs that were necessary.
    pub repairs: Vec<LogRepair>,
}

/// A defect of a log and how it was repaired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogRepair {
    /// Lines were out of order and were sorted; this is the first line with a smaller number than a
    /// line before it.
    Sorted {
        /// The line in the file, from 1.
        line: usize,
    },
    /// A number occurred twice; the later line was dropped.
    Repeated {
        /// The line in the file, from 1.
        line: usize,
        /// The number.
        number: u32,
    },
    /// The action after a state is missing; the state was dropped.
    NoAction {
        /// The line in the file, from 1.
        line: usize,
        /// The state's number.
        number: u32,
    },
    /// The state before an action is missing; the action was dropped.
    NoState {
        /// The line in the file, from 1.
        line: usize,
        /// The action's number.
        number: u32,
    },
    /// The file does not end with a state and the end marker; the game was dropped.
    NoEnd,
}

impl fmt::Display for LogRepair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogRepair::Sorted { line } => write!(f, "line {line}: out of order; lines sorted"),
            LogRepair::Repeated { line, number } => {
                write!(f, "line {line}: number {number} occurs twice; line dropped")
            }
            LogRepair::NoAction { line, number } => {
                write!(f, "line {line}: state {number} has no action; state dropped")
            }
            LogRepair::NoState { line, number } => {
                write!(f, "line {line}: action {number} has no state; action dropped")
            }
            LogRepair::NoEnd => write!(f, "no end marker after the last state; game dropped"),
        }
    }
}

/// The lines of a file, classified and sorted.
#[derive(Default)]
struct LogLines<'t> {
    header: Option<LogHeader>,
    /// The line in the file and the rest of its text, by number.
    entries: BTreeMap<u32, (usize, &'t str)>,
    repairs: Vec<LogRepair>,
}

impl<'t> LogLines<'t> {
    fn sort(bytes: &'t [u8]) -> Result<LogLines<'t>, LogError> {
        let mut lines = LogLines::default();
        for (line, bytes) in bytes.split(|byte| *byte == b'\n').enumerate() {
            let line = line + 1;
            let text = std::str::from_utf8(bytes).map_err(|_| LogError::NotText { line })?;
            lines.take(line, text.strip_suffix('\r').unwrap_or(text))?;
        }
        Ok(lines)
    }

    /// Adds a line that begins with a number and a tab; any other line is text of the header.
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
            self.repairs.push(LogRepair::Repeated { line, number });
            return Ok(());
        }
        let late = self.entries.last_key_value().is_some_and(|(last, _)| *last > number);
        if late && !self.repairs.iter().any(|repair| matches!(repair, LogRepair::Sorted { .. })) {
            self.repairs.push(LogRepair::Sorted { line });
        }
        self.entries.insert(number, (line, rest));
        Ok(())
    }

    fn take_header(&mut self, line: usize, text: &str) -> Result<(), LogError> {
        match (self.header, LogHeader::parse(text)) {
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
struct LogEntry {
    line: usize,
    number: u32,
    item: LogItem,
}

enum LogItem {
    State(GemSnapshot),
    Action(LogAction),
}

impl LogEntry {
    fn parse(
        header: &LogHeader,
        number: u32,
        line: usize,
        text: &str,
    ) -> Result<LogEntry, LogError> {
        let wrong = |source| LogError::Text { line, source };
        let LogHeader { rows, columns, moves, medals } = *header;
        if number / 2 > u32::from(moves) {
            return Err(LogError::TooManyMoves { line, number, moves });
        }
        if number % 2 == 1 {
            let action: LogAction = text.parse().map_err(wrong)?;
            return match action {
                LogAction::Swap(swap) if !inside(header, swap) => {
                    Err(LogError::OffBoard { line, swap, rows, columns })
                }
                _ => Ok(LogEntry { line, number, item: LogItem::Action(action) }),
            };
        }
        let dialect = TextDialect::of_state(text);
        let state = GemSnapshot::parse(text, rows, columns, dialect).map_err(wrong)?;
        if state.uncovered > medals {
            return Err(LogError::TooManyMedals { line, uncovered: state.uncovered, medals });
        }
        Ok(LogEntry { line, number, item: LogItem::State(state) })
    }
}

fn inside(header: &LogHeader, swap: Swap) -> bool {
    let cells = [swap.first, swap.second];
    cells.iter().all(|cell| cell.row < header.rows && cell.column < header.columns)
}

/// Combines states with the actions that follow them.
fn assembled(
    header: LogHeader,
    entries: Vec<LogEntry>,
    repairs: &mut Vec<LogRepair>,
) -> Option<GemLog> {
    let mut turns = Vec::new();
    let mut end = None;
    let mut entries = entries.into_iter().peekable();
    while let Some(LogEntry { line, number, item }) = entries.next() {
        let state = match item {
            LogItem::State(state) => state,
            LogItem::Action(_) => {
                repairs.push(LogRepair::NoState { line, number });
                end = None;
                continue;
            }
        };
        end = None;
        let reply = entries.next_if(|next| next.number == number + 1).map(|next| next.item);
        match reply {
            Some(LogItem::Action(LogAction::Swap(swap))) => {
                turns.push(LoggedTurn { number, state, swap })
            }
            Some(LogItem::Action(LogAction::End)) => end = Some((number, state)),
            _ => repairs.push(LogRepair::NoAction { line, number }),
        }
    }
    if end.is_none() {
        repairs.push(LogRepair::NoEnd);
    }
    end.map(|(end_number, end)| GemLog { header, turns, end_number, end })
}

/// Why a file is not a log.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The line is not UTF-8.
    #[error("line {line}: not UTF-8 text")]
    NotText {
        /// From 1.
        line: usize,
    },
    /// The line of four numbers is missing.
    #[error("header: missing; expected a line of four numbers (moves, medals, rows, columns)")]
    NoHeader,
    /// There is more than one header.
    #[error("line {line}: second header; expected one game per log")]
    TwoHeaders {
        /// From 1.
        line: usize,
    },
    /// The numbers of the header are invalid.
    #[error(
        "line {line}: invalid header; expected moves from 1 to 9999, medals from 1 to \
         255, rows and columns up to {MAX_SIDE}"
    )]
    Header {
        /// From 1.
        line: usize,
    },
    /// The number of a line is invalid.
    #[error("line {line}: invalid number '{word}'; expected a number up to {LAST_NUMBER}")]
    LineNumber {
        /// From 1.
        line: usize,
        /// As written.
        word: String,
    },
    /// A state or an action is invalid.
    #[error("line {line}: {source}")]
    Text {
        /// From 1.
        line: usize,
        /// The error.
        source: GemTextError,
    },
    /// A swap is outside of the board.
    #[error(
        "line {line}: '{swap}' is outside of the board; expected cells within {rows} rows and \
         {columns} columns"
    )]
    OffBoard {
        /// From 1.
        line: usize,
        /// As written.
        swap: Swap,
        /// The size of the board.
        rows: u8,
        /// The size of the board.
        columns: u8,
    },
    /// There are more moves than the header allows.
    #[error("line {line}: number {number} is too large; expected a game of {moves} moves")]
    TooManyMoves {
        /// From 1.
        line: usize,
        /// The number of the line.
        number: u32,
        /// The number in the header.
        moves: u16,
    },
    /// There are more freed medals than the header allows.
    #[error("line {line}: {uncovered} freed medals; expected at most {medals}")]
    TooManyMedals {
        /// From 1.
        line: usize,
        /// As written.
        uncovered: u8,
        /// The number in the header.
        medals: u8,
    },
    /// The file is too large.
    #[error("log: too large; expected at most {} MiB", MAX_LOG_BYTES >> 20)]
    TooLarge,
}
