//! Law: any bytes are read as a file of records or rejected in one line, and a game that was read
//! round-trips through SGF. The first byte selects the format.
#![no_main]

use std::io::BufRead;

use libfuzzer_sys::fuzz_target;
use tesuji_store::exchange::{ExchangeError, ReadOptions, json_lines, pgn, psq, sgf};
use tesuji_store::{GameRecord, Record};

fn read(format: u8, mut input: &[u8], partial: bool) -> Result<Vec<Record>, ExchangeError> {
    let reading = ReadOptions { partial, game: None, unfinished: format & 64 != 0 };
    let mut records = Vec::new();
    let input: &mut dyn BufRead = &mut input;
    let mut each = |record| {
        records.push(record);
        Ok(())
    };
    match format % 4 {
        0 => json_lines::read(input, &reading, &mut each)?,
        1 => sgf::read(input, &reading, &mut each)?,
        2 => psq::read(input, &reading, &mut each)?,
        _ => pgn::read(input, &reading, &mut each)?,
    };
    Ok(records)
}

fn reads_back(game: &GameRecord) {
    let mut bytes = Vec::new();
    // A game in a JSON file need not be playable.
    if sgf::write(&mut bytes, game).is_ok() {
        let read = read(1 | 64, &bytes, false).expect("what was written reads back");
        let [Record::Game(read)] = &read[..] else { panic!("one game became {}", read.len()) };
        assert_eq!(*read, GameRecord { moves: read.moves.clone(), ..game.clone() });
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Some((&choice, file)) = bytes.split_first() {
        match read(choice, file, choice & 128 != 0) {
            Err(error) => assert!(!error.to_string().contains('\n')),
            Ok(records) => {
                for record in &records {
                    if let Record::Game(game) = record {
                        reads_back(game);
                    }
                }
            }
        }
    }
});
