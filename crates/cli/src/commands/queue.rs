//! `tesuji queue`: how the work of many machines stands, and looking after it.

use std::io::{self, Write};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;
use tesuji_queue_nats::{QueueState, RunState};
use tesuji_store::Access;

use crate::crew::QueueAccess;
use crate::examples;
use crate::failure::Failure;
use crate::output::print_json;
use crate::setting;

/// See who works at what, let workers go, give failed jobs another chance
#[derive(Args)]
#[command(after_help = examples::help(examples::QUEUE))]
pub(crate) struct Queue {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Status(Status),
    Drain(Drain),
    Retry(Retry),
}

/// Who works, what is waiting, what is done, what failed
#[derive(Args)]
#[command(after_help = examples::help(examples::QUEUE))]
struct Status {
    #[command(flatten)]
    access: QueueAccess,
    /// The store of the runs
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Ask workers to finish what they are at and to leave, and wait until they have
#[derive(Args)]
#[command(after_help = examples::help(examples::QUEUE_DRAIN))]
struct Drain {
    #[command(flatten)]
    access: QueueAccess,
    /// This one alone
    #[arg(long, value_name = "NAME")]
    worker: Option<String>,
    /// How long to wait for them
    #[arg(long, value_name = "T", default_value = "10m", value_parser = setting::duration)]
    wait: Duration,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Give jobs that failed too often another chance
#[derive(Args)]
#[command(after_help = examples::help(examples::QUEUE_RETRY))]
struct Retry {
    /// The run, as status calls it [default: all runs]
    run: Option<String>,
    #[command(flatten)]
    access: QueueAccess,
    /// The store of the runs
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Queue {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.what {
            What::Status(verb) => verb.run(),
            What::Drain(verb) => verb.run(),
            What::Retry(verb) => verb.run(),
        }
    }
}

impl Status {
    fn run(self) -> Result<(), Failure> {
        let store = self.access.store(&self.store, Access::Existing)?;
        let state = self.access.line()?.state(&*store)?;
        if self.json { print_json(&state) } else { print(&state) }
    }
}

fn print(state: &QueueState) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let QueueState { queue, jobs, under_way, games_per_second, .. } = state;
    writeln!(
        out,
        "{queue}: {jobs} jobs, {under_way} of them under way, {games_per_second:.1} games/s"
    )?;
    if state.workers.is_empty() {
        writeln!(out, "no workers")?;
    } else {
        writeln!(out, "\n{:<24} {:>7} {:>9} {:>9}  at", "worker", "threads", "jobs", "games/s")?;
    }
    for worker in &state.workers {
        let at = match (worker.draining, &worker.busy[..]) {
            (true, _) => "leaving".to_string(),
            (false, []) => "waiting for jobs".to_string(),
            (false, busy) => busy.join(", "),
        };
        writeln!(
            out,
            "{:<24} {:>7} {:>9} {:>9.1}  {at}",
            worker.name, worker.threads, worker.jobs, worker.games_per_second
        )?;
    }
    if !state.runs.is_empty() {
        writeln!(out, "\n{:<32} {:>8} {:>8} {:>8}  error", "run", "done", "open", "failed")?;
    }
    for RunState { run, done, open, poisoned, error, .. } in &state.runs {
        writeln!(out, "{run:<32} {done:>8} {open:>8} {poisoned:>8}  {error}")?;
    }
    Ok(())
}

impl Drain {
    fn run(self) -> Result<(), Failure> {
        let line = self.access.line()?;
        let left = line.drain(self.worker.as_deref(), self.wait)?;
        if self.json {
            let names: Vec<&str> = left.iter().map(|card| card.name.as_str()).collect();
            print_json(&json!({ "still_there": names }))?;
        }
        if let Some(first) = left.first() {
            return Err(Failure::Undone(format!(
                "{} of the workers are still there, such as {}; wait longer with --wait",
                left.len(),
                first.name
            )));
        }
        if !self.json {
            writeln!(io::stdout(), "nobody is left")?;
        }
        Ok(())
    }
}

impl Retry {
    fn run(self) -> Result<(), Failure> {
        let store = self.access.store(&self.store, Access::Existing)?;
        let jobs = self.access.line()?.retry(&*store, self.run.as_deref())?;
        if self.json {
            let keys: Vec<&str> = jobs.iter().map(|job| job.key.as_str()).collect();
            return print_json(&json!({ "retried": keys }));
        }
        let mut out = io::stdout().lock();
        for job in &jobs {
            writeln!(out, "{}  (last error: {})", job.key, job.error)?;
        }
        writeln!(out, "{} jobs get another chance", jobs.len())?;
        Ok(())
    }
}
