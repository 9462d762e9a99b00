//! Measures how many games per second a store accepts. Run it with
//! `cargo run --release -p tesuji-store --example speed STORE…`.
//!
//! Each store must be a new file or an empty database. Games are added one by one, with one thread and
//! with eight, and in batches, for two seconds each. The last line is the rate of reading.
#![allow(clippy::print_stdout)] // the output of the example

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tesuji_games::{Outcome, Score, Side};
use tesuji_store::{
    Ending, EndingKind, GameRecord, PlayerRecord, Record, RecordKind, SearchRecord, Selection,
    Store, StoreError,
};

/// The duration of each measurement.
const TIME: Duration = Duration::from_secs(2);

fn main() -> Result<(), StoreError> {
    for place in std::env::args().skip(1) {
        let store = tesuji_store::open(&place)?;
        println!("{} ({})", store.place(), store.info()?.engine);
        measure(&*store, 1, 1)?;
        measure(&*store, 8, 1)?;
        measure(&*store, 1, 100)?;
        measure(&*store, 1, 1000)?;
        read(&*store)?;
    }
    Ok(())
}

fn measure(store: &dyn Store, threads: u64, batch: u64) -> Result<(), StoreError> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let started = Instant::now();
    let counts: Vec<Result<u64, StoreError>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0;
                    while started.elapsed() < TIME {
                        let first = NEXT.fetch_add(batch, Ordering::Relaxed);
                        let games: Vec<Record> = (first..first + batch).map(game).collect();
                        count += store.add(&games)?.new;
                    }
                    Ok(count)
                })
            })
            .collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    let time = started.elapsed().as_secs_f64();
    let mut total = 0;
    for count in counts {
        total += count?;
    }
    println!("{threads} threads, batches of {batch:>4}: {:>8.0} games/s", total as f64 / time);
    Ok(())
}

fn read(store: &dyn Store) -> Result<(), StoreError> {
    let started = Instant::now();
    let games = store.games(&Selection::all(RecordKind::Game))?;
    let time = started.elapsed().as_secs_f64();
    println!("reading {} games: {:>8.0} games/s", games.len(), games.len() as f64 / time);
    Ok(())
}

/// A game of tic-tac-toe with a search record for each move.
fn game(number: u64) -> Record {
    let player = |name: &str| PlayerRecord { name: name.to_string(), spec: name.to_string() };
    let thought = SearchRecord { score: Some(Score::DRAW), depth: 4, nodes: 500, micros: 30 };
    Record::Game(GameRecord {
        key: format!("speed {number}"),
        event: "speed".to_string(),
        game: "tictactoe".to_string(),
        players: [player("random"), player("alphabeta:depth=4")],
        pair: Some(number / 2),
        seed: number,
        start: None,
        moves: "b2a1c3a3a2c2b1b3c1".to_string(),
        opening_plies: 0,
        outcome: Outcome::Win(Side::First),
        ending: Ending::plain(EndingKind::Rules),
        thoughts: vec![thought; 9],
        played_at: 1_700_000_000,
    })
}
