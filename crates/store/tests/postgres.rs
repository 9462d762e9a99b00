//! The laws of a store on PostgreSQL, and problems of databases. `TESUJI_POSTGRES` is the URL of a
//! database whose user may create others; `cargo xtask test` starts a server and sets it.

mod database;
mod laws;
mod plain;
mod relay;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use postgres::{Client, NoTls};
use tesuji_store::{
    Access, OnRetry, RecordKind, Selection, Store, StoreError, open, open_existing, open_with_retry,
};

use self::database::{Database, administrator};
use self::laws::added;
use self::plain::{game, keys};
use self::relay::Relay;

laws::every_law!(with_database);

/// Runs a law with a new database.
fn with_database(law: fn(laws::Open<'_>)) {
    let database = Database::new();
    law(&|| database.open());
}

/// A raw connection to the database.
fn raw(database: &Database) -> Client {
    Client::connect(&database.url, NoTls).unwrap()
}

/// Both ways to open it fail with the same error and do not change its tables.
fn refusal(database: &Database) -> StoreError {
    let before = tables(database);
    let error = open_existing(&database.url).err().unwrap();
    assert_eq!(open(&database.url).err().unwrap().to_string(), error.to_string());
    assert_eq!(tables(database), before);
    assert!(!error.to_string().contains('\n'), "{error}");
    error
}

/// Every column of every table, with its type, and every index.
fn tables(database: &Database) -> Vec<String> {
    let sql = "SELECT table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable \
               FROM information_schema.columns WHERE table_schema = 'public' \
               UNION SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1";
    raw(database).query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

#[test]
fn a_store_of_an_earlier_version_opens() {
    for (version, fixture) in
        [(1, include_str!("fixtures/postgres-1.sql")), (2, include_str!("fixtures/postgres-2.sql"))]
    {
        let database = Database::new();
        raw(&database).batch_execute(fixture).unwrap();
        laws::fixture::check(&*open_existing(&database.url).unwrap(), version);
    }
}

/// A migrated store has the tables of a new one.
#[test]
fn old_and_new_stores_have_the_same_tables() {
    let [oldest, old, new] = [Database::new(), Database::new(), Database::new()];
    raw(&oldest).batch_execute(include_str!("fixtures/postgres-1.sql")).unwrap();
    raw(&old).batch_execute(include_str!("fixtures/postgres-2.sql")).unwrap();
    for database in [&new, &old, &oldest] {
        database.open();
        assert_eq!(tables(database), tables(&new));
    }
}

#[test]
fn a_store_from_the_future_is_refused() {
    let database = Database::new();
    database.open();
    raw(&database).batch_execute("UPDATE tesuji_store SET version = 4").unwrap();
    let error = refusal(&database);
    assert!(matches!(error, StoreError::WrongSchema { .. }), "{error}");
    assert!(error.to_string().contains("version 4"), "{error}");
}

#[test]
fn the_database_of_another_program_is_refused() {
    for theirs in ["CREATE TABLE games (id int)", "CREATE VIEW theirs AS SELECT 1"] {
        let database = Database::new();
        raw(&database).batch_execute(theirs).unwrap();
        let error = refusal(&database);
        assert!(matches!(error, StoreError::WrongSchema { .. }), "{error}");
    }
}

#[test]
fn an_empty_database_is_no_existing_store() {
    let database = Database::new();
    let error = open_existing(&database.url).err().unwrap();
    assert!(matches!(error, StoreError::WrongSchema { .. }), "{error}");
    assert!(tables(&database).is_empty());
}

/// Errors name an unreachable database without its password.
#[test]
fn unreachable_databases_are_named_without_a_password() {
    let database = Database::new();
    let config: postgres::Config = database.url.parse().unwrap();
    let [port] = config.get_ports() else { panic!("one port in {}", database.url) };
    let password = config
        .get_password()
        .map_or_else(String::new, |password| String::from_utf8(password.to_vec()).unwrap());
    for (url, words, is_transient) in [
        (format!("{}_nowhere", database.url), "create it with createdb", false),
        ("postgres://me:secret@127.0.0.1:1/x".to_string(), "expected a running", true),
        (format!("postgres://stranger:secret@127.0.0.1:{port}/postgres"), "stranger", false),
    ] {
        let error = open(&url).err().unwrap();
        assert_eq!(matches!(error, StoreError::Unreachable { .. }), is_transient, "{error}");
        assert_eq!(matches!(error, StoreError::NotOpened { .. }), !is_transient, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(password.is_empty() || !error.to_string().contains(&password), "{error}");
    }
    let store = database.open();
    assert!(password.is_empty() || !store.place().contains(&password), "{}", store.place());
}

#[test]
fn a_read_only_database_can_be_read() {
    let database = Database::new();
    database.open().add(&[game("one")]).unwrap();
    let name = database.url.rsplit_once('/').unwrap().1;
    administrator()
        .batch_execute(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on"))
        .unwrap();
    let store = open_existing(&database.url).unwrap();
    assert_eq!(keys(&*store), ["one"]);
    let error = store.add(&[game("two")]).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    assert_eq!(store.info().unwrap().counts[&RecordKind::Game], 1);
}

/// A lost connection (a restarted server, a firewall timeout) is replaced.
#[test]
fn lost_connections_are_made_again() {
    let database = Database::new();
    let store = database.open();
    let cut = || {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE datname = $1 AND application_name = 'tesuji'";
        let name = database.url.rsplit_once('/').unwrap().1;
        assert!(!administrator().query(sql, &[&name]).unwrap().is_empty());
    };
    for round in 0..5 {
        cut();
        assert_eq!(store.add(&[game(&format!("{round}"))]).unwrap(), added(1, 0));
        assert_eq!(keys(&*store).len(), round + 1);
        cut();
        assert_eq!(store.info().unwrap().counts[&RecordKind::Game], round as u64 + 1);
    }
}

/// A read that loses its connection in the middle fails, and no record is passed on twice.
#[test]
fn a_reader_that_was_cut_off_is_told() {
    let database = Database::new();
    let store = database.open();
    let games: Vec<_> = (0..2_000).map(|index| game(&format!("{index}"))).collect();
    store.add(&games).unwrap();
    let mut seen = 0;
    let result = store.for_each(&Selection::all(RecordKind::Game), &mut |_| {
        seen += 1;
        if seen == 1 {
            let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                       WHERE datname = $1 AND application_name = 'tesuji'";
            let name = database.url.rsplit_once('/').unwrap().1;
            administrator().query(sql, &[&name]).unwrap();
        }
        ControlFlow::Continue(())
    });
    assert!(matches!(result, Err(StoreError::Unreachable { .. })), "{result:?}");
    assert!(seen < 2_000, "{seen}");
    assert_eq!(keys(&*store).len(), 2_000);
}

/// Another client holds a lock for longer than writers wait. (Takes the ten seconds of that limit.)
#[test]
fn a_lock_that_is_held_too_long_is_reported() {
    let database = Database::new();
    let store = database.open();
    let mut other = raw(&database);
    other.batch_execute("BEGIN; LOCK TABLE games IN EXCLUSIVE MODE").unwrap();
    let error = store.add(&[game("one")]).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert!(keys(&*store).is_empty(), "reading does not wait");
    other.batch_execute("ROLLBACK").unwrap();
    assert_eq!(store.add(&[game("one")]).unwrap(), added(1, 0));
}

/// A store may be in a separate schema of a shared database.
#[test]
fn a_schema_may_hold_a_store() {
    let database = Database::new();
    raw(&database).batch_execute("CREATE TABLE theirs (id int); CREATE SCHEMA ours").unwrap();
    let url = format!("{}?options=-csearch_path%3Dours", database.url);
    assert_eq!(open(&url).unwrap().add(&[game("one")]).unwrap(), added(1, 0));
    assert_eq!(keys(&*open_existing(&url).unwrap()), ["one"]);
    let error = open(&url.replace("ours", "nowhere")).err().unwrap();
    assert!(matches!(error, StoreError::WrongSchema { .. }), "{error}");
}

/// Collects messages.
fn notes() -> (Arc<Mutex<Vec<String>>>, OnRetry) {
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&notes);
    (notes, Box::new(move |text| kept.lock().unwrap().push(text.to_string())))
}

/// Retries bridge a server that is not started yet and one that stops in the middle: no call fails,
/// and every record is stored exactly once.
#[test]
fn retries_bridge_a_server_outage() {
    let database = Database::new();
    let mut relay = Relay::to(&database.url);
    let (notes, notice) = notes();
    let url = relay.url.clone();
    let store = thread::scope(|scope| {
        let opening =
            scope.spawn(|| open_with_retry(&url, Access::Create, Duration::from_secs(60), notice));
        thread::sleep(Duration::from_millis(700));
        assert!(!opening.is_finished() && notes.lock().unwrap().len() == 1);
        relay.begin();
        opening.join().unwrap().unwrap()
    });
    assert_eq!(notes.lock().unwrap().len(), 2);
    let has_ended = AtomicBool::new(false);
    let write = &|thread: u32| {
        let mut batches = 0;
        while !has_ended.load(Ordering::Relaxed) {
            let pair = ["first", "second"].map(|one| game(&format!("{thread} {batches} {one}")));
            store.add(&pair).unwrap();
            batches += 1;
            assert!(store.info().unwrap().counts[&RecordKind::Game].is_multiple_of(2));
        }
        batches
    };
    let batches: usize = thread::scope(|scope| {
        let writers: Vec<_> = (0..4).map(|thread| scope.spawn(move || write(thread))).collect();
        let mut least = 0;
        for _ in 0..4 {
            thread::sleep(Duration::from_millis(300));
            relay.end();
            thread::sleep(Duration::from_millis(300));
            relay.begin();
            // A retry may still be sleeping.
            least = loop {
                let found = keys(&store).len();
                if found > least {
                    break found;
                }
            };
            assert!(least.is_multiple_of(2), "{least}");
        }
        has_ended.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(keys(&store).len(), 2 * batches);
}
