//! Very many games, each of a new visitor, played and recorded: the memory of the server must not
//! grow.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::chance::Chance;
use super::http::{Visitor, escaped};
use super::server::Server;

/// Simultaneous visitors.
const AT_ONCE: usize = 8;
const GAME: &str = "mnk:6x6,k=4";
const OPPONENT: &str = "random";
/// Visitors resign after this many answers.
const MAX_ANSWERS: usize = 7;
/// The allowed growth since a fifth of the games, until which caches and tables of visitors fill.
const GROWTH: f64 = 1.10;
/// The allowed noise in KiB.
const SLACK: u64 = 4 << 10;
const WARM_UP: usize = 2;
const STEPS: usize = 10;

/// The results.
pub(super) struct Report {
    /// Memory in KiB and time, after each tenth of the games.
    marks: Vec<(u64, Duration)>,
    games: usize,
    /// The number of games that the server reported as new.
    stored: usize,
    problems: Vec<String>,
}

/// Plays this many games.
pub(super) fn run(server: &Server, games: usize, seed: u64) -> Result<Report, String> {
    let (started_games, stored) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let started = Instant::now();
    let mut report = Report { marks: Vec::new(), games, stored: 0, problems: Vec::new() };
    report.marks.push((server.memory()?, started.elapsed()));
    let address = server.address;
    let (game_counter, stored_counter) = (&started_games, &stored);
    std::thread::scope(|scope| {
        let play = move |number: u64| {
            let mut visitor = Visitor::new(address);
            let mut chance = Chance::new(seed, number);
            while game_counter.fetch_add(1, Ordering::Relaxed) < games {
                match one_game(&mut visitor, &mut chance) {
                    Ok(true) => drop(stored_counter.fetch_add(1, Ordering::Relaxed)),
                    Ok(false) => (),
                    Err(why) => return Err(why),
                }
            }
            Ok(())
        };
        let threads: Vec<_> =
            (0..AT_ONCE as u64).map(|number| scope.spawn(move || play(number))).collect();
        while report.marks.len() <= STEPS && !threads.iter().all(|thread| thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            if started_games.load(Ordering::Relaxed) >= report.marks.len() * games / STEPS {
                report.mark(server.memory()?, started.elapsed());
            }
        }
        for thread in threads {
            match thread.join() {
                Ok(Ok(())) => (),
                Ok(Err(why)) => report.problems.push(why),
                Err(_) => report.problems.push("the thread of a visitor panicked".to_string()),
            }
        }
        Ok::<(), String>(())
    })?;
    report.stored = stored.into_inner();
    Ok(report)
}

/// Plays a game of a new visitor: the computer moves first, the visitor plays random moves. Returns
/// whether the game was new to the server.
fn one_game(visitor: &mut Visitor, chance: &mut Chance) -> Result<bool, String> {
    visitor.forget();
    visitor.get("/api/recording")?.json()?;
    let mut position = String::new();
    let mut receipts = Vec::new();
    let resigned = loop {
        let request = json!({ "game": GAME, "moves": position, "player": OPPONENT });
        let answer = visitor.post("/api/move", &request)?.json()?;
        receipts.push(answer["receipt"].clone());
        let mut now = answer["position"].clone();
        if now["outcome"].is_null() && receipts.len() < MAX_ANSWERS {
            let moves = now["moves"].as_array().ok_or("no moves")?;
            let play = chance.one(moves)["move"].as_str().ok_or("no move")?;
            let before = now["position"].as_str().unwrap_or_default();
            let path = format!(
                "/api/position?game={GAME}&moves={}&play={}",
                escaped(before),
                escaped(play)
            );
            now = visitor.get(&path)?.json()?;
        } else if now["outcome"].is_null() {
            position = now["position"].as_str().unwrap_or_default().to_string();
            break json!("second");
        }
        position = now["position"].as_str().unwrap_or_default().to_string();
        if !now["outcome"].is_null() {
            break Value::Null;
        }
    };
    let record = json!({
        "game": GAME, "moves": position, "first": OPPONENT, "second": "human",
        "resigned": resigned, "receipts": receipts,
    });
    let answer = visitor.post("/api/records", &record)?.json()?;
    Ok(answer["new"] == json!(true))
}

impl Report {
    fn mark(&mut self, memory: u64, time: Duration) {
        println!(
            "{:5} % {:8.1} MiB {:8.1} s",
            self.marks.len() * 100 / STEPS,
            memory as f64 / 1024.0,
            time.as_secs_f64()
        );
        self.marks.push((memory, time));
    }

    /// Prints the results; returns an error if the memory has grown or a stored game is missing.
    pub(super) fn check(self, server: &Server) -> Result<(), String> {
        if let Some(problem) = self.problems.first() {
            return Err(format!("{} visitors gave up: {problem}", self.problems.len()));
        }
        let (Some(warm), Some(last)) = (self.marks.get(WARM_UP), self.marks.last()) else {
            return Err("too few games; expected at least 10".to_string());
        };
        println!(
            "{} games in {:.0} s; {} distinct games stored; memory {:.1} MiB after {} %, {:.1} MiB at the end",
            self.games,
            last.1.as_secs_f64(),
            self.stored,
            warm.0 as f64 / 1024.0,
            WARM_UP * 100 / STEPS,
            last.0 as f64 / 1024.0,
        );
        let in_store = server.games_stored()?;
        if in_store < self.stored as u64 {
            return Err(format!("the store has {in_store} games; expected {}", self.stored));
        }
        if last.0 as f64 > warm.0 as f64 * GROWTH + SLACK as f64 {
            return Err("memory grows with the number of games".to_string());
        }
        Ok(())
    }
}
