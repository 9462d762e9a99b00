//! `cargo xtask bench cluster`: measures the cost of a queue and the gain of a second worker. The
//! same games are played in turn by the threads of one process and by workers with a queue and a
//! database.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::servers::nats::{NatsServer, Options};
use crate::servers::postgres::Postgres;
use crate::steps::{self, cargo};
use crate::{nats, programs, setup};

/// The games, of a length such that a job of a second has some dozens.
const MATCH: &str = "match connect4 alphabeta:depth=8 alphabeta:depth=8 --random-plies 6 --json";
/// The number of rounds.
const ROUNDS: usize = 3;

/// Builds the program and measures.
pub(crate) fn run() -> Result<(), String> {
    setup::prepare()?;
    steps::run(&mut cargo(&["build", "--locked", "--release"]))?;
    let bench = ClusterBench {
        program: steps::target().join("release/tesuji"),
        nats: nats::find().ok_or("nats-server: not found; expected it on the search path")?,
        postgres: programs::postgres()
            .ok_or("postgres: not found; expected it on the search path")?,
        games: 2000,
    };
    println!("\n{} games of {MATCH}, jobs of 1 s", bench.games);
    println!(
        "{:<12} {:>14} {:>14} {:>14} {:>14} {:>10} {:>12}",
        "round", "1 thread", "2 threads", "1 worker", "2 workers", "2 : 1", "waiting"
    );
    for round in 1..=ROUNDS {
        bench.round(round)?;
    }
    println!(
        "games per second; 2 : 1 is the ratio of two workers to one; waiting is the share of time in which"
    );
    println!("threads of the workers had no job although there were jobs");
    Ok(())
}

struct ClusterBench {
    program: PathBuf,
    nats: PathBuf,
    postgres: PathBuf,
    games: u32,
}

impl ClusterBench {
    fn round(&self, round: usize) -> Result<(), String> {
        let one = self.one_process(1)?;
        let first = self.with_workers(1)?;
        let two = self.one_process(2)?;
        let second = self.with_workers(2)?;
        println!(
            "{round:<12} {one:>14.1} {two:>14.1} {:>14.1} {:>14.1} {:>10.2} {:>5.2} {:>4.2} %",
            first.rate,
            second.rate,
            second.rate / first.rate,
            100.0 * first.waiting,
            100.0 * second.waiting,
        );
        Ok(())
    }

    /// Games per second of one process.
    fn one_process(&self, threads: u32) -> Result<f64, String> {
        let folder = Scratch::new()?;
        let words = format!("{MATCH} --games {} --store a.db --concurrency {threads}", self.games);
        self.rate(&folder.0, &words)
    }

    /// Games per second of workers with one thread each.
    fn with_workers(&self, workers: usize) -> Result<WorkerFigures, String> {
        let folder = Scratch::new()?;
        let queue = NatsServer::start(&self.nats, &Options::default())?;
        let store = Postgres::start(&self.postgres)?;
        let servers = format!("--queue {} --store {}", queue.url(), store.url());
        let workers: Vec<Child> = (0..workers)
            .map(|number| {
                let words = format!(
                    "worker --threads 1 --json --name worker-{number} --cache cache-{number} {servers}"
                );
                self.command(&folder.0, &words).spawn().map_err(|why| why.to_string())
            })
            .collect::<Result<_, String>>()?;
        let words = format!("{MATCH} --games {} --job-time 1s {servers}", self.games);
        let rate = self.rate(&folder.0, &words)?;
        let (mut busy, mut waiting) = (0.0, 0.0);
        for worker in workers {
            let sent = Command::new("kill").args(["-s", "TERM", &worker.id().to_string()]).status();
            sent.map_err(|why| why.to_string())?;
            let report: Value = json(worker)?;
            busy += report["busy_seconds"].as_f64().unwrap_or_default();
            waiting += report["waiting_seconds"].as_f64().unwrap_or_default();
        }
        Ok(WorkerFigures { rate, waiting: waiting / (busy + waiting).max(1e-9) })
    }

    fn rate(&self, folder: &Path, words: &str) -> Result<f64, String> {
        let started = Instant::now();
        let result = json(self.command(folder, words).spawn().map_err(|why| why.to_string())?)?;
        let games = result["result"]["games"].as_array().map_or(0, Vec::len);
        Ok(games as f64 / started.elapsed().as_secs_f64())
    }

    fn command(&self, folder: &Path, words: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words.split_whitespace()).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }
}

/// The figures of a run with workers.
struct WorkerFigures {
    /// Games per second.
    rate: f64,
    /// The share of time without a job.
    waiting: f64,
}

/// The output of a program as JSON; an error if the program failed.
fn json(process: Child) -> Result<Value, String> {
    let output = process.wait_with_output().map_err(|why| why.to_string())?;
    if !output.status.success() {
        return Err(format!("tesuji failed: {}", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|why| why.to_string())
}

/// A folder that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, String> {
        let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let number = nanos.map_or(0, |time| time.as_nanos());
        let folder = std::env::temp_dir().join(format!("tesuji-bench-{number}"));
        std::fs::create_dir_all(&folder).map_err(|why| why.to_string())?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
