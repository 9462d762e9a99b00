//! PostgreSQL and several processes: killed and concurrent ones. `TESUJI_POSTGRES` is the URL of a
//! database whose user may create others; `cargo xtask test` starts a server and sets it.
#![allow(clippy::print_stdout)] // there is no harness that would print

mod database;
mod plain;
mod process;

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tesuji_games::random::seeded;
use tesuji_store::{RetryStore, Store as _};

use self::database::{Database, administrator};
use self::plain::{game, keys};
use self::process::{kills, named, other_process, whole_lines};

fn main() -> ExitCode {
    process::main(laws)
}

fn laws() -> Vec<process::Law> {
    named![
        a_killed_process_loses_nothing_that_was_acknowledged,
        processes_share_a_database,
        retries_bridge_a_crash_of_the_server,
    ]
}

fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let mut rng = seeded(10);
    let rounds = kills::rounds(6);
    let mut total = 0;
    for file in 0..rounds.div_ceil(4) {
        let database = Database::new();
        let mut acknowledged = BTreeSet::new();
        for round in 0..(rounds - 4 * file).min(4) {
            let name = format!("{file}.{round}");
            acknowledged.extend(kills::add_and_kill(&mut rng, &database.url, &name));
            kills::check(&*database.open(), &acknowledged);
        }
        total += acknowledged.len();
    }
    println!("{rounds} kills, {total} acknowledged batches");
    assert!(total > 0, "no process lived long enough to write anything");
}

fn processes_share_a_database() {
    let database = Database::new();
    let children: Vec<_> = ["ann", "bob", "eve"]
        .iter()
        .map(|name| other_process("add some", &database.url, name).spawn().unwrap())
        .collect();
    let mut new = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", output.status);
        new += whole_lines(&output.stdout)[0].parse::<u32>().unwrap();
    }
    assert_eq!(new, 400, "each game is new to one process");
    assert_eq!(keys(&*database.open()).len(), 400);
}

/// `kill -9` of one process of the server: it ends all others, recovers, and reports meanwhile that
/// it is starting up. A retrying client notices only a pause.
fn retries_bridge_a_crash_of_the_server() {
    let database = Database::new();
    let notes: &'static Mutex<Vec<String>> = Box::leak(Box::default());
    let notice = |text: &str| notes.lock().unwrap().push(text.to_string());
    let store = RetryStore::new(database.open(), Duration::from_secs(60), Box::new(notice));
    let has_ended = AtomicBool::new(false);
    let write = &|thread: u32| {
        let mut batches = 0;
        while !has_ended.load(Ordering::Relaxed) {
            let pair = ["first", "second"].map(|one| game(&format!("{thread} {batches} {one}")));
            store.add(&pair).unwrap();
            batches += 1;
        }
        batches
    };
    let batches: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3).map(|thread| scope.spawn(move || write(thread))).collect();
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(200));
            let (_victim, id): (_, i32) = loop {
                // The server may still be closing the previous connection.
                let mut victim = administrator();
                if let Ok(row) = victim.query_one("SELECT pg_backend_pid()", &[]) {
                    break (victim, row.get(0));
                }
            };
            let kill = format!("kill -9 {id}");
            assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
            let before = keys(&store).len();
            assert!(before.is_multiple_of(2), "{before}");
        }
        has_ended.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(keys(&store).len(), 2 * batches);
    println!("{batches} batches; {}", notes.lock().unwrap().join("; "));
}
