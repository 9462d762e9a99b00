//! Import and export: files round-trip, malformed files are refused, and no bytes cause a panic.

mod broken;
mod json_lines;
mod merge;
mod pgn;
#[allow(dead_code, reason = "the laws of the stores use the rest")]
#[path = "../plain/mod.rs"]
mod plain;
mod psq;
mod random_games;
#[allow(dead_code, reason = "the laws of the stores use the rest")]
#[path = "../laws/records.rs"]
mod records;
mod sgf;
mod tables;

use std::io::BufRead;

use tesuji_store::exchange::{ExchangeError, ReadOptions, ReadSummary};
use tesuji_store::{GameRecord, Record};

/// A reader of one of the formats.
type Reader = fn(
    &mut dyn BufRead,
    &ReadOptions,
    &mut dyn FnMut(Record) -> Result<(), ExchangeError>,
) -> Result<ReadSummary, ExchangeError>;

const JSON_LINES: Reader =
    |input, reading, each| tesuji_store::exchange::json_lines::read(input, reading, each);
const SGF: Reader = |input, reading, each| tesuji_store::exchange::sgf::read(input, reading, each);
const PSQ: Reader = |input, reading, each| tesuji_store::exchange::psq::read(input, reading, each);
const PGN: Reader = |input, reading, each| tesuji_store::exchange::pgn::read(input, reading, each);

fn strict() -> ReadOptions {
    ReadOptions::default()
}

fn partial() -> ReadOptions {
    ReadOptions { partial: true, ..ReadOptions::default() }
}

/// All records of a file, and the summary.
fn read_all(
    reader: Reader,
    bytes: &[u8],
    reading: &ReadOptions,
) -> Result<(Vec<Record>, ReadSummary), ExchangeError> {
    let mut records = Vec::new();
    let mut input = bytes;
    let tally = reader(&mut input, reading, &mut |record| {
        records.push(record);
        Ok(())
    })?;
    assert_eq!(tally.records, records.len() as u64);
    Ok((records, tally))
}

/// The one game of a text.
#[track_caller]
fn one_game(reader: Reader, text: &str, reading: &ReadOptions) -> GameRecord {
    let (records, _) = read_all(reader, text.as_bytes(), reading).unwrap();
    match <[Record; 1]>::try_from(records).unwrap() {
        [Record::Game(game)] => game,
        other => panic!("no game: {other:?}"),
    }
}

/// The error of a text, which has one line.
#[track_caller]
fn refusal(reader: Reader, text: &str, reading: &ReadOptions) -> String {
    let message = read_all(reader, text.as_bytes(), reading).unwrap_err().to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}
