//! Arbitrary bytes: no panics, errors of one line, and records that were read can be written and
//! read again.

use tesuji_games::random::{Rng, below, seeded, word};

use crate::random_games::record;
use tesuji_store::exchange::{ReadOptions, sgf};
use tesuji_store::{GameRecord, Record};

use crate::{JSON_LINES, PGN, PSQ, Reader, SGF, partial, pgn, psq, read_all, strict};

/// A small valid file of each format.
fn files() -> [(Reader, Vec<u8>); 6] {
    let games = [record("gomoku:7x9", 3), record("tictactoe", 4), record("othello:4x4", 5)];
    let mut lines = Vec::new();
    let mut writer = tesuji_store::exchange::json_lines::Writer::new(&mut lines).unwrap();
    for game in &games {
        writer.write(&tesuji_store::Record::Game(game.clone())).unwrap();
    }
    writer.finish().unwrap();
    let foreign = b"(;GM[4]SZ[9]PB[a\\]]RE[B+R]AP[x:1](;B[aa];W[bb](;B[cc])(;B[dd])))".to_vec();
    [
        (JSON_LINES, lines),
        (SGF, crate::sgf::written(&games)),
        (SGF, foreign),
        (PSQ, psq::written(&games[0])),
        (PGN, pgn::written(&short_chess())),
        (
            PGN,
            b"[White \"a\"]\n\n1. e4 {b} e5 (1... c5 $1) 2. Nf3 1-0\n\n1. d4 ; c\nd5 *\n".to_vec(),
        ),
    ]
}

/// An unfinished game of chess: with a complete one these tests would take minutes.
fn short_chess() -> GameRecord {
    let short = |game: &GameRecord| game.moves.len() < 50 && !game.moves.is_empty();
    (0..100).map(|seed| record("chess", seed)).find(short).unwrap()
}

fn survives(reader: Reader, bytes: &[u8]) {
    let open = ReadOptions { unfinished: true, ..partial() };
    for reading in [strict(), partial(), open] {
        match read_all(reader, bytes, &reading) {
            Err(error) => assert!(!error.to_string().contains('\n'), "{error:?}"),
            Ok((records, _)) => records.iter().for_each(reads_back),
        }
    }
}

fn reads_back(record: &Record) {
    let Record::Game(game) = record else { return };
    // A game in JSON may be any text, so not every one can be written in other formats.
    let mut bytes = Vec::new();
    if sgf::write(&mut bytes, game).is_ok() {
        let open = ReadOptions { unfinished: true, ..strict() };
        let (read, _) = read_all(SGF, &bytes, &open).unwrap();
        let [Record::Game(read)] = &read[..] else { panic!("one game became {}", read.len()) };
        let normal = GameRecord { moves: read.moves.clone(), ..game.clone() };
        assert_eq!(*read, normal);
    }
}

#[test]
fn files_cut_at_every_byte() {
    for (reader, bytes) in files() {
        for end in 0..bytes.len() {
            survives(reader, &bytes[..end]);
        }
    }
}

#[test]
fn files_with_changed_bytes() {
    let rng = &mut seeded(5);
    for (reader, bytes) in files() {
        for _ in 0..1500 {
            survives(reader, &changed(&bytes, rng));
        }
    }
}

fn changed(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    for _ in 0..=below(rng, 4) {
        let at = below(rng, changed.len() as u32) as usize;
        match below(rng, 4) {
            0 => changed[at] = word(rng) as u8,
            1 => changed.insert(at, b"[](){};\\\"',:0-9\n"[below(rng, 16) as usize]),
            2 if changed.len() > 1 => drop(changed.remove(at)),
            _ => {
                let end = (at + below(rng, 20) as usize).min(changed.len());
                let copy = changed[at..end].to_vec();
                let to = below(rng, changed.len() as u32) as usize;
                changed.splice(to..to, copy);
            }
        }
    }
    changed
}

/// Tokens of the formats.
const SIGNS: &[u8] = b"(;)[]\\ABWGMTJ[4]x0123,\n{}\":";

#[test]
fn random_bytes() {
    let rng = &mut seeded(6);
    for reader in [JSON_LINES, SGF, PSQ, PGN] {
        for _ in 0..2000 {
            let length = below(rng, 60);
            let mut bytes: Vec<u8> = (0..length).map(|_| word(rng) as u8).collect();
            survives(reader, &bytes);
            for byte in &mut bytes {
                *byte = SIGNS[usize::from(*byte) % SIGNS.len()];
            }
            survives(reader, &bytes);
        }
    }
}
