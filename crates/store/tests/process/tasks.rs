//! The tasks of other processes. They report on standard output, one line each.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Mutex;

use tesuji_games::random::{below, seeded};
use tesuji_store::{Record, Store, StoreError, open, open_existing};

use crate::plain::{game, keys};

/// Runs a task.
pub(crate) fn run(task: &str, place: &str, name: &str) -> ExitCode {
    match task {
        "add without end" => add_without_end(place, name),
        "add some" => add_some(place, name),
        "fill" => fill(place, name),
        "read, then add" => read_then_add(place),
        _ => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}

/// Writes a line in one piece and flushes it.
fn say(line: &str) {
    static OUTPUT: Mutex<()> = Mutex::new(());
    let _one_at_a_time = OUTPUT.lock().unwrap();
    let mut output = std::io::stdout();
    output.write_all(format!("{line}\n").as_bytes()).unwrap();
    output.flush().unwrap();
}

/// Adds games in batches on three threads, and reports `BATCH SIZE` after each acknowledgment.
fn add_without_end(place: &str, name: &str) {
    let store = open(place).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let store = &*store;
            scope.spawn(move || {
                let mut rng = seeded(thread);
                for number in 0.. {
                    let size = 1 + below(&mut rng, 30);
                    let batch = format!("{name}.{thread}.{number}");
                    let games: Vec<Record> =
                        (0..size).map(|index| game(&format!("{batch} {size} {index}"))).collect();
                    store.add(&games).unwrap();
                    say(&format!("{batch} {size}"));
                }
            });
        }
    });
}

/// Adds 100 unique games and 100 that others add too, one by one, and reports how many were new.
fn add_some(place: &str, name: &str) {
    let store = open(place).unwrap();
    let mut new = 0;
    for number in 0..100 {
        new += store.add(&[game(&format!("{name} {number}"))]).unwrap().new;
        new += store.add(&[game(&format!("shared {number}"))]).unwrap().new;
    }
    say(&new.to_string());
}

/// Adds games until an error; reports the number of acknowledged games, and the error.
fn fill(place: &str, name: &str) {
    let (count, error) = match open(place) {
        Ok(store) => fill_store(&*store, name),
        Err(error) => (0, error),
    };
    say(&count.to_string());
    say(&format!("{error:?}"));
}

/// Adds games of a given size, 20 at a time, until an error.
pub(crate) fn fill_store(store: &dyn Store, name: &str) -> (usize, StoreError) {
    let mut count = 0;
    loop {
        let games: Vec<Record> = (0..20)
            .map(|index| {
                let Record::Game(mut game) = game(&format!("{name} {}", count + index)) else {
                    unreachable!()
                };
                game.moves = "b2a1c3".repeat(300);
                Record::Game(game)
            })
            .collect();
        match store.add(&games) {
            Ok(_) => count += games.len(),
            Err(error) => return (count, error),
        }
    }
}

/// Reports the number of games, then the result of adding one.
fn read_then_add(place: &str) {
    match open_existing(place) {
        Ok(store) => {
            let found = keys(&*store).len();
            assert_eq!(store.info().unwrap().counts[&tesuji_store::RecordKind::Game], found as u64);
            say(&found.to_string());
            say(&match store.add(&[game("one more")]) {
                Ok(added) => format!("{added:?}"),
                Err(error) => format!("{error:?}"),
            });
        }
        Err(error) => say(&format!("{error:?}")),
    }
}
