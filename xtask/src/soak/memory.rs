//! Very many games, each of a visitor of its own, played and recorded: the server must not grow
//! with them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::chance::Chance;
use super::http::{Visitor, escaped};
use super::server::Server;

/// Visitors at once.
const AT_ONCE: usize = 8;
const GAME: &str = "mnk:6x6,k=4";
const OPPONENT: &str = "random";
/// People give up when a game is so long.
const LONGEST: usize = 7;
/// By so much may the server have grown since a fifth of the games: caches and tables of visitors
/// fill until then.
const GROWTH: f64 = 1.10;
/// Noise of the system's bookkeeping.
const SLACK: u64 = 4 << 10;
const WARM_UP: usize = 2;
const STEPS: usize = 10;

/// What came of it.
pub(super) struct Report {
    /// Memory after each tenth of the games, in KiB, and when.
    marks: Vec<(u64, Duration)>,
    games: usize,
    /// Games that the server said were new to it.
    kept: usize,
    problems: Vec<String>,
}

/// Plays so many games.
pub(super) fn run(server: &Server, games: usize, seed: u64) -> Result<Report, String> {
    let (begun, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let started = Instant::now();
    let mut report = Report { marks: Vec::new(), games, kept: 0, problems: Vec::new() };
    report.marks.push((server.memory()?, started.elapsed()));
    let address = server.address;
    let (counter, keeper) = (&begun, &kept);
    std::thread::scope(|scope| {
        let play = move |number: u64| {
            let mut visitor = Visitor::new(address);
            let mut chance = Chance::new(seed, number);
            while counter.fetch_add(1, Ordering::Relaxed) < games {
                match one_game(&mut visitor, &mut chance) {
                    Ok(true) => drop(keeper.fetch_add(1, Ordering::Relaxed)),
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
            if begun.load(Ordering::Relaxed) >= report.marks.len() * games / STEPS {
                report.mark(server.memory()?, started.elapsed());
            }
        }
        for thread in threads {
            match thread.join() {
                Ok(Ok(())) => (),
                Ok(Err(why)) => report.problems.push(why),
                Err(_) => report.problems.push("a visitor came to a sudden end".to_string()),
            }
        }
        Ok::<(), String>(())
    })?;
    report.kept = kept.into_inner();
    Ok(report)
}

/// A game of somebody new: the computer begins, the visitor drops stones anywhere. Whether it was
/// new to the server.
fn one_game(visitor: &mut Visitor, chance: &mut Chance) -> Result<bool, String> {
    visitor.forget();
    visitor.get("/api/recording")?.json()?;
    let mut position = String::new();
    let mut receipts = Vec::new();
    let resigned = loop {
        let question = json!({ "game": GAME, "moves": position, "player": OPPONENT });
        let answer = visitor.post("/api/move", &question)?.json()?;
        receipts.push(answer["receipt"].clone());
        let mut now = answer["position"].clone();
        if now["outcome"].is_null() && receipts.len() < LONGEST {
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
    let kept = visitor.post("/api/records", &record)?.json()?;
    Ok(kept["new"] == json!(true))
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

    /// Prints the outcome; an error when the server has grown, or has not kept what it said.
    pub(super) fn tell(self, server: &Server) -> Result<(), String> {
        if let Some(problem) = self.problems.first() {
            return Err(format!("{} visitors gave up: {problem}", self.problems.len()));
        }
        let (Some(warm), Some(last)) = (self.marks.get(WARM_UP), self.marks.last()) else {
            return Err("there were too few games to see anything".to_string());
        };
        println!(
            "{} games in {:.0} s; {} different ones were kept; memory {:.1} MiB after {} %, {:.1} MiB at the end",
            self.games,
            last.1.as_secs_f64(),
            self.kept,
            warm.0 as f64 / 1024.0,
            WARM_UP * 100 / STEPS,
            last.0 as f64 / 1024.0,
        );
        let in_store = server.games_kept()?;
        if in_store < self.kept as u64 {
            return Err(format!("the store has {in_store} games, not {}", self.kept));
        }
        if last.0 as f64 > warm.0 as f64 * GROWTH + SLACK as f64 {
            return Err("memory grows with the games".to_string());
        }
        Ok(())
    }
}
