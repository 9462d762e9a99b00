//! CSV and Parquet: every cell of every kind of record is read back, by readers that share no code
//! with the writers.

mod parquet;

use std::fs;

use tesuji_games::random::seeded;
use tesuji_store::exchange::table::{Cell, Column, columns};
use tesuji_store::exchange::{self, ExchangeError, Format, Import};
use tesuji_store::{Record, RecordKind, Selection, Store};

use crate::{records, strict};

/// A cell as text; `None` if it is missing.
type Shown = Option<String>;

fn of_kind(kind: RecordKind, count: usize) -> Vec<Record> {
    let mut rng = seeded(23);
    (0..count).map(|index| records::record(&mut rng, kind, index)).collect()
}

/// The expected content of a file of these records.
fn expected(columns: &[Column], records: &[Record]) -> Vec<Vec<Shown>> {
    let row = |record| columns.iter().map(|column| shown(&column.cell(record))).collect();
    records.iter().map(row).collect()
}

fn shown(cell: &Cell<'_>) -> Shown {
    Some(match cell {
        Cell::Missing => return None,
        Cell::Text(text) => text.to_string(),
        Cell::Count(number) => number.to_string(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => real(*number),
        Cell::Flag(flag) => flag.to_string(),
    })
}

fn real(number: f64) -> String {
    format!("{:016x}", number.to_bits())
}

/// Parses fields by RFC 4180: quoted ones end with a single quote mark, a line ends with CR LF.
fn fields(text: &str) -> Vec<Vec<(String, bool)>> {
    let (mut lines, mut line, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut inside) = (false, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, inside) {
            ('"', true) if letters.next_if_eq(&'"').is_some() => field.push('"'),
            ('"', true) => inside = false,
            ('"', false) => (quoted, inside) = (true, true),
            (letter, true) => field.push(letter),
            (',' | '\r', false) => {
                line.push((std::mem::take(&mut field), std::mem::take(&mut quoted)));
                if letter == '\r' {
                    assert_eq!(letters.next(), Some('\n'));
                    lines.push(std::mem::take(&mut line));
                }
            }
            (letter, false) => field.push(letter),
        }
    }
    assert!(line.is_empty() && field.is_empty(), "the last line has an end");
    lines
}

#[test]
fn csv_reads_back() {
    for kind in RecordKind::ALL {
        let (columns, records) = (columns(kind), of_kind(kind, 200));
        let mut bytes = Vec::new();
        let mut writer = exchange::csv::Writer::new(&mut bytes, columns).unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        writer.finish().unwrap();
        let mut lines = fields(&String::from_utf8(bytes).unwrap()).into_iter();
        let names: Vec<String> = lines.next().unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, columns.iter().map(|column| column.name).collect::<Vec<_>>());
        let read = |(field, quoted): (String, bool), column: &Column| match column.column_type {
            _ if field.is_empty() && !quoted => None,
            exchange::table::ColumnType::Real => Some(real(field.parse().unwrap())),
            _ => Some(field),
        };
        let rows: Vec<Vec<Shown>> = lines
            .map(|line| {
                line.into_iter().zip(columns).map(|(it, column)| read(it, column)).collect()
            })
            .collect();
        assert_eq!(rows, expected(columns, &records), "{kind:?}");
    }
}

#[test]
fn parquet_reads_back() {
    for kind in RecordKind::ALL {
        for count in [0, 1, 200] {
            let (columns, records) = (columns(kind), of_kind(kind, count));
            let mut bytes = Vec::new();
            let mut writer = exchange::parquet::Writer::new(&mut bytes, columns).unwrap();
            records.iter().for_each(|record| writer.write(record).unwrap());
            writer.finish().unwrap();
            let table = parquet::read(&bytes);
            assert_eq!(table.names, columns.iter().map(|column| column.name).collect::<Vec<_>>());
            assert_eq!(table.rows, expected(columns, &records), "{kind:?}");
        }
    }
}

#[test]
fn row_groups_are_bounded() {
    let metric = |step| {
        let (run, name) = ("r".to_string(), "loss".to_string());
        Record::Metric(tesuji_store::Metric { run, name, step, value: 0.5, at: 1 })
    };
    let records: Vec<Record> = (0..150_000).map(metric).collect();
    let mut bytes = Vec::new();
    let mut writer =
        exchange::parquet::Writer::new(&mut bytes, columns(RecordKind::Metric)).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
    let table = parquet::read(&bytes);
    assert_eq!(table.groups, [65_536, 65_536, 18_928]);
    assert_eq!(table.rows, expected(columns(RecordKind::Metric), &records));
    let long = |step| {
        let (run, name) = ("r".repeat(3 << 20), "loss".to_string());
        Record::Metric(tesuji_store::Metric { run, name, step, value: 0.5, at: 1 })
    };
    let mut bytes = Vec::new();
    let mut writer =
        exchange::parquet::Writer::new(&mut bytes, columns(RecordKind::Metric)).unwrap();
    (0..8).for_each(|step| writer.write(&long(step)).unwrap());
    writer.finish().unwrap();
    assert_eq!(parquet::read(&bytes).groups, [6, 2]);
}

fn store_with(records: &[Record]) -> (tempfile::TempDir, Box<dyn Store>) {
    let folder = tempfile::tempdir().unwrap();
    let store = tesuji_store::open(folder.path().join("a.db").to_str().unwrap()).unwrap();
    store.add(records).unwrap();
    (folder, store)
}

#[test]
fn a_store_is_exported_as_a_table_of_one_kind() {
    let records = of_kind(RecordKind::Sample, 20);
    let (_folder, store) = store_with(&records);
    let samples = [Selection::all(RecordKind::Sample)];
    let mut bytes = Vec::new();
    let exported =
        exchange::export(&*store, &samples, Format::Parquet, &mut bytes, &mut |_| {}).unwrap();
    assert_eq!(exported.written, 20);
    assert_eq!(parquet::read(&bytes).rows, expected(columns(RecordKind::Sample), &records));
    let mut bytes = Vec::new();
    exchange::export(&*store, &samples, Format::Csv, &mut bytes, &mut |_| {}).unwrap();
    assert_eq!(fields(&String::from_utf8(bytes).unwrap()).len(), 21);
    let both = [Selection::all(RecordKind::Sample), Selection::all(RecordKind::Metric)];
    for (selections, found) in [(&both[..], 2), (&[], 0)] {
        let error =
            exchange::export(&*store, selections, Format::Csv, &mut Vec::new(), &mut |_| {})
                .unwrap_err();
        assert!(matches!(error, ExchangeError::SeveralKinds { kinds, .. } if kinds == found));
    }
}

#[test]
fn tables_are_not_imported() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [("a.csv", Format::Csv), ("a.parquet", Format::Parquet)] {
        let path = folder.path().join(name);
        fs::write(&path, "key\r\n").unwrap();
        assert_eq!(Format::of_path(&path), Some(format));
        let error = Import::new(strict()).check(&path, format, &mut |_| {}).unwrap_err();
        let word = format.word();
        let expected =
            format!("{word} files cannot be imported; expected a jsonl, sgf, psq or pgn file");
        assert_eq!(error.to_string(), expected);
    }
}
