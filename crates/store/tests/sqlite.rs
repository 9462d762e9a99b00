//! The laws of a store on SQLite files, and problems of files.

mod laws;
mod plain;

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;
use tesuji_store::{RecordKind, Selection, Store, StoreError, open, open_existing};

use self::laws::{added, all};
use self::plain::{game, keys};

laws::every_law!(with_file);

/// Runs a law with a new file.
fn with_file(law: fn(laws::Open<'_>)) {
    let folder = Folder::new();
    law(&|| -> Box<dyn Store> { folder.open().unwrap() });
}

/// A folder for the file of a store.
struct Folder {
    folder: TempDir,
}

impl Folder {
    fn new() -> Folder {
        Folder { folder: TempDir::new().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("games.db")
    }

    fn place(&self) -> String {
        self.path().to_str().unwrap().to_string()
    }

    fn open(&self) -> Result<Box<dyn Store>, StoreError> {
        open(&self.place())
    }

    /// Both ways to open it fail with the same error and do not change the file.
    fn refuses(&self) -> StoreError {
        let before = std::fs::read(self.path()).unwrap();
        let error = open_existing(&self.place()).err().unwrap();
        assert_eq!(self.open().err().unwrap().to_string(), error.to_string());
        assert_eq!(std::fs::read(self.path()).unwrap(), before);
        assert!(error.to_string().contains(&self.place()) && !error.to_string().contains('\n'));
        error
    }

    fn file_names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

/// A raw connection to the file.
fn raw(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

fn setting<T: rusqlite::types::FromSql>(path: &Path, name: &str) -> T {
    raw(path).query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn a_closed_store_is_one_file_in_good_order() {
    let folder = Folder::new();
    folder.open().unwrap().add(&[game("one")]).unwrap();
    assert_eq!(folder.file_names(), ["games.db"]);
    assert_eq!(setting::<String>(&folder.path(), "integrity_check"), "ok");
    assert_eq!(setting::<String>(&folder.path(), "journal_mode"), "wal");
    assert_eq!(setting::<i64>(&folder.path(), "application_id"), 0x5445_5355);
}

#[test]
fn a_store_of_an_earlier_version_opens() {
    for (version, fixture) in
        [(1, include_str!("fixtures/sqlite-1.sql")), (2, include_str!("fixtures/sqlite-2.sql"))]
    {
        let folder = Folder::new();
        raw(&folder.path()).execute_batch(fixture).unwrap();
        laws::fixture::check(&*open_existing(&folder.place()).unwrap(), version);
        assert_eq!(setting::<i64>(&folder.path(), "user_version"), 3);
    }
}

/// A migrated store has the tables of a new one.
#[test]
fn old_and_new_stores_have_the_same_tables() {
    let [oldest, old, new] = [Folder::new(), Folder::new(), Folder::new()];
    raw(&oldest.path()).execute_batch(include_str!("fixtures/sqlite-1.sql")).unwrap();
    raw(&old.path()).execute_batch(include_str!("fixtures/sqlite-2.sql")).unwrap();
    let tables = |folder: &Folder| -> Vec<(String, Option<String>)> {
        folder.open().unwrap();
        let file = raw(&folder.path());
        let mut read = file.prepare("SELECT name, sql FROM sqlite_master ORDER BY name").unwrap();
        let rows = read.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    assert_eq!(tables(&oldest), tables(&new));
    assert_eq!(tables(&old), tables(&new));
}

#[test]
fn a_store_from_the_future_is_refused() {
    let folder = Folder::new();
    folder.open().unwrap();
    raw(&folder.path()).pragma_update(None, "user_version", 4).unwrap();
    let error = folder.refuses();
    assert!(matches!(error, StoreError::WrongSchema { .. }), "{error}");
    assert!(error.to_string().contains("version 4"), "{error}");
}

#[test]
fn the_database_of_another_program_is_refused() {
    for theirs in
        ["CREATE TABLE games (id)", "PRAGMA application_id = 5", "PRAGMA user_version = 1"]
    {
        let folder = Folder::new();
        raw(&folder.path()).execute_batch(theirs).unwrap();
        let error = folder.refuses();
        assert!(matches!(error, StoreError::WrongSchema { .. }), "{error}");
        assert_eq!(folder.file_names(), ["games.db"]);
    }
}

#[test]
fn what_is_no_database_is_refused() {
    for bytes in [&b"x"[..], b"{\"game\":{}}\n", &[0; 5000], b"SQLite format 3\0 but no more"] {
        let folder = Folder::new();
        std::fs::write(folder.path(), bytes).unwrap();
        let error = folder.refuses();
        assert!(matches!(error, StoreError::WrongSchema { .. }), "{error}");
    }
}

#[test]
fn a_mistyped_name_leaves_no_file_behind() {
    let folder = Folder::new();
    let error = open_existing(&folder.place()).err().unwrap();
    assert!(matches!(error, StoreError::NotOpened { .. }), "{error}");
    assert!(folder.file_names().is_empty());
    std::fs::write(folder.path(), "").unwrap();
    let error = open_existing(&folder.place()).err().unwrap();
    assert!(error.to_string().contains("file is empty"), "{error}");
    assert_eq!(folder.open().unwrap().add(&[game("one")]).unwrap(), added(1, 0));
}

#[test]
fn folders_are_not_stores() {
    let folder = Folder::new();
    let here = folder.folder.path().to_str().unwrap().to_string();
    for (place, words) in [(here.clone(), "is a folder"), (here + "/no/x.db", "does not exist")] {
        let error = open(&place).err().unwrap();
        assert!(matches!(error, StoreError::NotOpened { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn odd_names_are_names() {
    let folder = Folder::new();
    for name in ["a b?c=1&d#e%20.db", "file:x.db", "ünï.db", "-"] {
        let path = folder.folder.path().join(name);
        let store = open(path.to_str().unwrap()).unwrap();
        assert_eq!(store.add(&[game(name)]).unwrap(), added(1, 0));
        assert!(path.is_file());
        assert_eq!(keys(&*open(&format!("sqlite:{}", path.display())).unwrap()), [name]);
    }
}

/// After any page is overwritten, a read gives the written records or an error that the store is
/// damaged, never a panic.
#[test]
fn damaged_pages_are_reported() {
    let folder = Folder::new();
    let games: Vec<_> = (0..2_000).map(|index| game(&format!("game {index}"))).collect();
    folder.open().unwrap().add(&games).unwrap();
    let whole = std::fs::read(folder.path()).unwrap();
    let mut reported = 0;
    for page in 0..whole.len() / 4096 {
        let mut broken = whole.clone();
        broken[page * 4096..][..4096].fill(0x5a);
        std::fs::write(folder.path(), &broken).unwrap();
        let result = folder.open().and_then(|store| {
            let found = store.games(&Selection::all(RecordKind::Game))?;
            store.info()?;
            store.add(&[game("new")])?;
            Ok(found.len())
        });
        match result {
            // The page was free, or belonged to an unused index.
            Ok(found) => assert_eq!(found, 2_000, "page {page}"),
            Err(StoreError::Damaged { .. } | StoreError::WrongSchema { .. }) => reported += 1,
            Err(other) => panic!("page {page}: {other}"),
        }
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(folder.place() + ending);
        }
    }
    assert!(reported > 20, "{reported} of {} pages", whole.len() / 4096);
}

/// Errors name a row that cannot be decoded.
#[test]
fn odd_rows_are_named() {
    for change in ["thoughts = '[{'", "ending = 'bored'", "seed = '-1'", "moves = x'ff'"] {
        let folder = Folder::new();
        let store = folder.open().unwrap();
        store.add(&[game("one"), game("two")]).unwrap();
        let sql = format!(
            "PRAGMA writable_schema = on; UPDATE sqlite_master SET sql = replace(sql, 'STRICT', ''); \
             PRAGMA writable_schema = reset; UPDATE games SET {change} WHERE key = 'two'"
        );
        raw(&folder.path()).execute_batch(&sql).unwrap();
        let error = store.games(&Selection::all(RecordKind::Game)).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{change}: {error}");
        assert!(error.to_string().contains("in the row 'two' of games"), "{change}: {error}");
    }
}

/// A truncated file.
#[test]
fn a_cut_file_is_reported() {
    let folder = Folder::new();
    let games: Vec<_> = (0..2_000).map(|index| game(&format!("game {index}"))).collect();
    folder.open().unwrap().add(&games).unwrap();
    let whole = std::fs::read(folder.path()).unwrap();
    for length in [1, 100, 4096, whole.len() / 2, whole.len() - 1] {
        std::fs::write(folder.path(), &whole[..length]).unwrap();
        let result = folder.open().and_then(|store| store.games(&Selection::all(RecordKind::Game)));
        assert!(
            matches!(result, Err(StoreError::Damaged { .. } | StoreError::WrongSchema { .. })),
            "{length} bytes: {:?}",
            result.map(|games| games.len())
        );
    }
}

/// Another client locks the file for longer than writers wait: nothing is written, and the error
/// says so. (Takes the ten seconds of that limit.)
#[test]
fn a_lock_that_is_held_too_long_is_reported() {
    let folder = Folder::new();
    let store = folder.open().unwrap();
    let other = raw(&folder.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.add(&[game("one")]).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert!(keys(&*store).is_empty(), "reading does not wait");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.add(&[game("one")]).unwrap(), added(1, 0));
}

/// A row that violates a constraint fails only its own call, not those of other threads in the same
/// transaction.
#[test]
fn a_failing_call_does_not_fail_its_neighbours() {
    let folder = Folder::new();
    let store = folder.open().unwrap();
    raw(&folder.path())
        .execute_batch(
            "CREATE TRIGGER no_bad BEFORE INSERT ON games WHEN new.key LIKE 'bad%' \
             BEGIN SELECT raise(ABORT, 'bad key'); END",
        )
        .unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..20 {
                    let name = format!("{thread} {round}");
                    assert_eq!(store.add(&[game(&name)]).unwrap(), added(1, 0));
                    let bad = [game(&format!("{name} beside")), game(&format!("bad {name}"))];
                    let error = store.add(&bad).unwrap_err();
                    assert!(error.to_string().contains("bad key"), "{error}");
                }
            });
        }
    });
    assert_eq!(keys(&*store).len(), 160);
    assert_eq!(all(&*store, RecordKind::Run), []);
}
