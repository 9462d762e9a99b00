//! PGN, Portable Game Notation (Edwards, 1994): games of chess, for all chess programs. Data that
//! PGN does not support are written in a line that starts with a percent sign, which other readers
//! ignore, so that a record is read back exactly.

mod foreign;
mod scanner;

use std::io::{BufRead, Write};

use tesuji_games::rules::chess::Chess;
use tesuji_games::{GameLine, Notation, Outcome, Position, Side};

use super::plies::{self, Family, GameTraits};
use super::read::{Each, write_bounded};
use super::{ExchangeError, ReadOptions, ReadSummary, date, metadata};
use crate::{EndingKind, GameRecord, Record};
use scanner::{ScannedGame, Scanner, Token};

/// The prefix of the line that only this program reads.
const METADATA_PREFIX: &str = "%tesuji ";
/// Lines must be shorter than this.
const COLUMNS: usize = 80;

/// Whether the format supports a game.
pub fn can_hold(game: &str) -> bool {
    GameTraits::of(game).is_ok_and(|traits| traits.family == Family::Chess)
}

/// Writes one game of chess.
pub fn write(out: &mut dyn Write, record: &GameRecord) -> Result<(), ExchangeError> {
    write_bounded(out, &record.key, "PGN", |out| write_any(out, record))
}

fn write_any(out: &mut dyn Write, record: &GameRecord) -> Result<(), ExchangeError> {
    let unwritable =
        |why: String| ExchangeError::Unwritable { key: record.key.clone(), format: "PGN", why };
    if !can_hold(&record.game) {
        let why = format!("it is a game of {}; PGN supports chess only", record.game);
        return Err(unwritable(why));
    }
    let line = game_of(record).map_err(unwritable)?;
    for (name, value) in tags(record, &line) {
        writeln!(out, "[{name} \"{}\"]", escaped(&value))?;
    }
    let json = metadata::text(record, &record.thoughts).map_err(unwritable)?;
    writeln!(out, "{METADATA_PREFIX}{json}\n")?;
    let mut column = 0;
    for word in move_words(&line).iter().map(String::as_str).chain([result_text(record)]) {
        let breaks = column > 0 && column + 1 + word.len() >= COLUMNS;
        out.write_all(if breaks { b"\n" } else { &b" "[..usize::from(column > 0)] })?;
        out.write_all(word.as_bytes())?;
        column = word.len() + if breaks || column == 0 { 0 } else { column + 1 };
    }
    Ok(out.write_all(b"\n\n")?)
}

/// Replays the moves of a record and checks them against its result.
fn game_of(record: &GameRecord) -> Result<GameLine<Chess>, String> {
    let begin = plies::beginning(&Chess::new(), record.start.as_deref())?;
    let mut line = GameLine::new(begin);
    line.extend(&record.moves).map_err(|error| error.to_string())?;
    if record.ending.kind == EndingKind::Rules {
        metadata::agree(record.outcome, line.end.outcome())?;
    }
    Ok(line)
}

/// The seven mandatory tags in their order, and optional ones.
fn tags(record: &GameRecord, line: &GameLine<Chess>) -> Vec<(&'static str, String)> {
    let known = |text: &str| if text.is_empty() { "?".to_string() } else { text.to_string() };
    let day = match record.played_at {
        0 => "????.??.??".to_string(),
        moment => date::text(moment).replace('-', "."),
    };
    let mut tags = vec![
        ("Event", known(&record.event)),
        ("Site", "?".to_string()),
        ("Date", day),
        ("Round", "?".to_string()),
        ("White", known(&record.players[0].name)),
        ("Black", known(&record.players[1].name)),
        ("Result", result_text(record).to_string()),
    ];
    if let Some(start) = line.start_text(&Chess::new()) {
        tags.extend([("SetUp", "1".to_string()), ("FEN", start)]);
    }
    tags.push(("Termination", termination(record).to_string()));
    tags
}

fn result_text(record: &GameRecord) -> &'static str {
    match record.outcome {
        _ if record.ending.is_unfinished() => "*",
        Outcome::Win(Side::First) => "1-0",
        Outcome::Win(Side::Second) => "0-1",
        Outcome::Draw => "1/2-1/2",
    }
}

fn termination(record: &GameRecord) -> &'static str {
    match record.ending.kind {
        _ if record.ending.is_unfinished() => "unterminated",
        EndingKind::Rules | EndingKind::Resigned | EndingKind::Unknown => "normal",
        EndingKind::Time => "time forfeit",
        EndingKind::Illegal => "rules infraction",
        EndingKind::Crash | EndingKind::Error => "abandoned",
        EndingKind::Solver | EndingKind::Agreement | EndingKind::Length => "adjudication",
    }
}

/// `1. e4`, `e5`, `2. Nf3` …: numbers before the moves of White, and before a first move of Black.
fn move_words(line: &GameLine<Chess>) -> Vec<String> {
    let fen = line.start.position_text().unwrap_or_default();
    let mut number: u32 =
        fen.split_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or(1);
    let mut position = line.start.clone();
    let mut words = Vec::with_capacity(2 * line.moves.len());
    for (ply, &m) in line.moves.iter().enumerate() {
        match position.to_move() {
            Side::First => words.push(format!("{number}.")),
            Side::Second if ply == 0 => words.push(format!("{number}...")),
            Side::Second => {}
        }
        words.push(position.san(m));
        number += u32::from(position.to_move() == Side::Second);
        position.play(m);
    }
    words
}

/// Escapes a text for quotation marks.
fn escaped(text: &str) -> String {
    text.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"")
}

/// Reads a file and calls `each` with the main line of every game.
pub fn read(
    input: &mut dyn BufRead,
    options: &ReadOptions,
    each: &mut Each<'_>,
) -> Result<ReadSummary, ExchangeError> {
    let mut summary = ReadSummary::default();
    let mut scanner = Scanner::new(input);
    loop {
        match scanner.next() {
            Ok(None) => break,
            Ok(Some(scanned)) => {
                let line = scanned.line;
                let mut each = |record| each(record).map_err(|error| error.at(line));
                let records = summary.records;
                summary.take(options, game(&scanned, options).map(Record::Game), &mut each)?;
                if summary.records > records {
                    summary.variations += scanned.variations;
                }
            }
            Err(error) => summary.skip(options, error)?,
        }
    }
    if summary.records + summary.left_out == 0 {
        return Err(ExchangeError::Empty {
            what: "no game; expected PGN such as [White \"Ann\"] 1. e4 e5 *",
        });
    }
    Ok(summary)
}

fn game(scanned: &ScannedGame, options: &ReadOptions) -> Result<GameRecord, ExchangeError> {
    let record = match &scanned.metadata {
        Some(json) => own_game(scanned, json)?,
        None => foreign::game(scanned, options)?,
    };
    if scanned.result.is_none() && !options.partial {
        let what = "expected a result such as 1-0 or * after the moves".to_string();
        return Err(ExchangeError::CutOff { line: scanned.last_line, what });
    }
    if record.ending.is_unfinished() && !options.unfinished {
        let what = "the result is unknown; expected 1-0, 0-1 or 1/2-1/2 after the moves";
        return Err(ExchangeError::malformed(scanned.last_line, what));
    }
    Ok(record)
}

/// A game that [`write`] wrote.
fn own_game(scanned: &ScannedGame, json: &Token) -> Result<GameRecord, ExchangeError> {
    let malformed = |what: String| ExchangeError::malformed(json.line, what);
    let mut record = metadata::read(&json.text).map_err(malformed)?;
    if !can_hold(&record.game) {
        return Err(malformed(format!("'{}' is not chess", record.game.escape_debug())));
    }
    let line = replay(record.start.as_deref(), scanned)?;
    if record.ending.kind == EndingKind::Rules {
        metadata::agree(record.outcome, line.end.outcome()).map_err(malformed)?;
    }
    record.moves = line.text();
    Ok(record)
}

/// Plays the moves of a file from its start position.
fn replay(start: Option<&str>, scanned: &ScannedGame) -> Result<GameLine<Chess>, ExchangeError> {
    let begin = plies::beginning(&Chess::new(), start)
        .map_err(|why| ExchangeError::malformed(scanned.line, why))?;
    let mut line = GameLine::new(begin);
    for word in &scanned.moves {
        let malformed = |why: &dyn std::fmt::Display| {
            ExchangeError::malformed(word.line, why.to_string().replace(char::is_control, " "))
        };
        let m = line.end.parse_move(&word.text).map_err(|error| malformed(&error))?;
        line.play(m).map_err(|error| malformed(&error))?;
    }
    Ok(line)
}
