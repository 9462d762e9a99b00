//! Imports that change nothing on errors, and merges that may be repeated.

use std::cell::RefCell;
use std::fs;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tesuji_games::random::seeded;
use tesuji_store::exchange::{
    ExchangeError, Format, Import, ImportSummary, ReadOptions, export, export_folder, merge,
};
use tesuji_store::{AddCounts, Record, RecordKind, Selection, Store, StoreError, StoreInfo};

use crate::random_games::record;
use crate::{partial, plain, records, strict};

fn store(folder: &Path, name: &str) -> Box<dyn Store> {
    tesuji_store::open(folder.join(name).to_str().unwrap()).unwrap()
}

fn everything() -> Vec<Selection> {
    RecordKind::ALL.map(Selection::all).to_vec()
}

fn lines_of(store: &dyn Store) -> Vec<u8> {
    let mut bytes = Vec::new();
    export(store, &everything(), Format::JsonLines, &mut bytes, &mut |_| {}).unwrap();
    bytes
}

fn fill(store: &dyn Store, seed: u64, indices: Range<usize>) {
    let mut rng = seeded(seed);
    for kind in RecordKind::ALL {
        let records: Vec<Record> =
            indices.clone().map(|index| records::record(&mut rng, kind, index)).collect();
        store.add(&records).unwrap();
    }
}

fn import(
    into: &dyn Store,
    path: &Path,
    format: Format,
    reading: ReadOptions,
) -> Result<ImportSummary, ExchangeError> {
    let mut import = Import::new(reading);
    import.check(path, format, &mut |_| {})?;
    import.write(into, &mut |_| {}).map_err(|(_, error)| error)
}

#[test]
fn an_export_imported_is_the_same_export() {
    let folder = TempDir::new().unwrap();
    let first = store(folder.path(), "first.db");
    fill(&*first, 1, 0..40);
    let bytes = lines_of(&*first);
    let path = folder.path().join("all.jsonl");
    fs::write(&path, &bytes).unwrap();
    let second = store(folder.path(), "second.db");
    let imported = import(&*second, &path, Format::JsonLines, strict()).unwrap();
    assert_eq!(imported.added, AddCounts { new: 280, known: 0 });
    assert_eq!(lines_of(&*second), bytes);
    let again = import(&*second, &path, Format::JsonLines, strict()).unwrap();
    assert_eq!(again.added, AddCounts { new: 0, known: 280 });
    assert_eq!(lines_of(&*second), bytes);
}

#[test]
fn a_broken_file_changes_nothing() {
    let folder = TempDir::new().unwrap();
    let full = store(folder.path(), "full.db");
    // More than one batch of valid records before the missing end.
    fill(&*full, 2, 0..400);
    let bytes = lines_of(&*full);
    let path = folder.path().join("cut.jsonl");
    fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
    let empty = store(folder.path(), "empty.db");
    let error = import(&*empty, &path, Format::JsonLines, strict()).unwrap_err().to_string();
    assert!(error.contains("cut off"), "{error}");
    assert!(empty.info().unwrap().counts.values().all(|&count| count == 0));
    let imported = import(&*empty, &path, Format::JsonLines, partial()).unwrap();
    assert_eq!((imported.added.new, imported.left_out), (2800, 1));
}

#[test]
fn records_that_no_store_keeps_are_found_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bad.jsonl");
    let good = serde_json::to_string(&Record::Game(plain::plain_game("good"))).unwrap();
    let bad = good.replace("\"good\"", "\"nul\\u0000\"");
    let text = format!(
        "{{\"tesuji\":\"records\",\"version\":1}}\n{good}\n{bad}\n{{\"end\":{{\"records\":2}}}}\n"
    );
    fs::write(&path, text).unwrap();
    let store = store(folder.path(), "store.db");
    let error = import(&*store, &path, Format::JsonLines, strict()).unwrap_err().to_string();
    assert!(error.starts_with("line 3: game"), "{error}");
    assert!(store.games(&Selection::all(RecordKind::Game)).unwrap().is_empty());
    let imported = import(&*store, &path, Format::JsonLines, partial()).unwrap();
    assert_eq!((imported.added.new, imported.left_out), (1, 1));
}

#[test]
fn a_file_that_changes_meanwhile_is_noticed() {
    let folder = TempDir::new().unwrap();
    let from = store(folder.path(), "from.db");
    fill(&*from, 3, 0..2);
    let path = folder.path().join("all.jsonl");
    fs::write(&path, lines_of(&*from)).unwrap();
    let mut import = Import::new(strict());
    assert_eq!(import.check(&path, Format::JsonLines, &mut |_| {}).unwrap().records, 14);
    assert_eq!(import.records(), 14);
    fs::write(&path, "something else\n").unwrap();
    let into = store(folder.path(), "into.db");
    let (at, error) = import.write(&*into, &mut |_| {}).unwrap_err();
    assert_eq!(at, path);
    assert!(error.to_string().contains("changed while it was read; 0 of"), "{error}");
}

#[test]
fn games_of_every_format_come_back_into_the_same_store_as_known() {
    let folder = TempDir::new().unwrap();
    let games: Vec<Record> = (0..30)
        .map(|seed| Record::Game(record(["gomoku", "connect4", "chess"][seed as usize % 3], seed)))
        .collect();
    let store = store(folder.path(), "store.db");
    store.add(&games).unwrap();
    let path = folder.path().join("games.sgf");
    let mut bytes = Vec::new();
    let exported = export(&*store, &everything(), Format::Sgf, &mut bytes, &mut |_| {}).unwrap();
    assert_eq!((exported.written, exported.left_out), (30, 0));
    fs::write(&path, bytes).unwrap();
    let imported = import(&*store, &path, Format::Sgf, strict()).unwrap();
    assert_eq!(imported.added, AddCounts { new: 0, known: 30 });

    let psq = folder.path().join("psq");
    fs::create_dir(&psq).unwrap();
    let exported = export_folder(&*store, &everything(), &psq, &mut |_| {}).unwrap();
    assert_eq!((exported.written, exported.left_out), (10, 20));
    let mut import = Import::new(strict());
    let mut files: Vec<PathBuf> = fs::read_dir(&psq).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files[0].ends_with("game-000001.psq"));
    for file in &files {
        import.check(file, Format::Psq, &mut |_| {}).unwrap();
    }
    let imported = import.write(&*store, &mut |_| {}).unwrap();
    assert_eq!(imported.added, AddCounts { new: 0, known: 10 });
    let error =
        export(&*store, &everything(), Format::Psq, &mut Vec::new(), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("one game"), "{error}");
}

#[test]
fn a_merge_may_be_repeated() {
    let folder = TempDir::new().unwrap();
    let [from, into] = ["from.db", "into.db"].map(|name| store(folder.path(), name));
    fill(&*from, 4, 0..1100);
    fill(&*into, 5, 1100..1103);
    let mut steps = Vec::new();
    let merged = merge(&*from, &*into, &mut |done| steps.push(done)).unwrap();
    assert!(steps.is_sorted() && steps.last() == Some(&7700), "{steps:?}");
    let total: u64 = merged.values().map(|added| added.new).sum();
    let counts = |store: &dyn Store| store.info().unwrap().counts.values().sum::<u64>();
    assert_eq!(counts(&*into), total + 21);
    let before = lines_of(&*into);
    let again = merge(&*from, &*into, &mut |_| {}).unwrap();
    assert!(again.values().all(|added| added.new == 0), "{again:?}");
    assert_eq!(lines_of(&*into), before);
    let error = merge(&*into, &*into, &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("into itself"), "{error}");
}

/// A store that fails after a number of writes.
struct Failing {
    inner: Box<dyn Store>,
    left: std::sync::Mutex<u32>,
}

impl Store for Failing {
    fn place(&self) -> &str {
        self.inner.place()
    }

    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError> {
        let mut left = self.left.lock().unwrap();
        *left = left.checked_sub(1).ok_or_else(|| StoreError::Full {
            place: "here".to_string(),
            why: "enough".to_string(),
        })?;
        self.inner.add(records)
    }

    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.inner.for_each(selection, each)
    }

    fn info(&self) -> Result<StoreInfo, StoreError> {
        self.inner.info()
    }
}

#[test]
fn an_interrupted_merge_is_simply_done_again() {
    let folder = TempDir::new().unwrap();
    let from = store(folder.path(), "from.db");
    fill(&*from, 6, 0..1100);
    for writes in [0, 1, 4] {
        let name = format!("into-{writes}.db");
        let inner = store(folder.path(), &name);
        let failing = Failing { inner, left: std::sync::Mutex::new(writes) };
        let seen = RefCell::new(0);
        let error = merge(&*from, &failing, &mut |done| *seen.borrow_mut() = done).unwrap_err();
        assert!(error.to_string().contains("no room left"), "{error}");
        let there: u64 = failing.inner.info().unwrap().counts.values().sum();
        assert_eq!(there, seen.into_inner(), "what was reported is there");
        merge(&*from, &*failing.inner, &mut |_| {}).unwrap();
        assert_eq!(lines_of(&*failing.inner), lines_of(&*from));
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let mut import = Import::new(strict());
    let error = import.check(folder.path(), Format::Sgf, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("folder"), "{error}");
    let missing = folder.path().join("missing");
    assert!(import.check(&missing, Format::Sgf, &mut |_| {}).is_err());
    let error = import.check(Path::new("/dev/null"), Format::Sgf, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("regular file"), "{error}");
}
