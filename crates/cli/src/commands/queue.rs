//! `tesuji queue`: how the work of many machines stands, and looking after it.

use std::time::Duration;

use clap::Args;
use tesuji_queue_nats::{QueueStatus, RunProgress, WorkerStatus};
use tesuji_store::Access;

use crate::examples::help;
use crate::prelude::*;
use crate::queue_args::ConnectionArgs;

/// For the help of `queue` and its verb `status`.
pub(crate) const EXAMPLE: &str = "tesuji queue status --queue nats://queue.example:4222 --store postgres://tesuji@db.example/tesuji";

commands! {
    enum QueueCommand {
        Status(StatusArgs): help(EXAMPLE),
        Drain(DrainArgs): help("tesuji queue drain --queue nats://queue.example:4222"),
        Retry(RetryArgs): help("tesuji queue retry --queue nats://queue.example:4222 --store postgres://tesuji@db.example/tesuji"),
    }
}

/// Who works, what is waiting, what is done, what failed
#[derive(Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    access: ConnectionArgs,
    /// The store of the runs
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Ask workers to finish what they are at and to leave, and wait until they have
#[derive(Args)]
pub(crate) struct DrainArgs {
    #[command(flatten)]
    access: ConnectionArgs,
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
pub(crate) struct RetryArgs {
    /// The run, as status calls it [default: all runs]
    run: Option<String>,
    #[command(flatten)]
    access: ConnectionArgs,
    /// The store of the runs
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl StatusArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let store = self.access.open_store(&self.store, Access::Existing)?;
        let state = self.access.line()?.status(&*store)?;
        if self.json { print_json(&state) } else { print(&state) }
    }
}

fn print(state: &QueueStatus) -> Result<(), Failure> {
    let QueueStatus { queue, jobs, under_way, games_per_second, .. } = state;
    say!("{queue}: {jobs} jobs, {under_way} of them under way, {games_per_second:.1} games/s")?;
    match state.workers[..] {
        [] => say!("no workers")?,
        _ => say!("\n{:<24} {:>7} {:>9} {:>9}  at", "worker", "threads", "jobs", "games/s")?,
    }
    for worker in &state.workers {
        let at = match (worker.draining, &worker.busy[..]) {
            (true, _) => "leaving".to_string(),
            (false, []) => "waiting for jobs".to_string(),
            (false, busy) => busy.join(", "),
        };
        let WorkerStatus { name, threads, jobs, games_per_second, .. } = worker;
        say!("{name:<24} {threads:>7} {jobs:>9} {games_per_second:>9.1}  {at}")?;
    }
    if !state.runs.is_empty() {
        say!("\n{:<32} {:>8} {:>8} {:>8}  error", "run", "done", "open", "failed")?;
    }
    for RunProgress { run, done, open, poisoned, error, .. } in &state.runs {
        say!("{run:<32} {done:>8} {open:>8} {poisoned:>8}  {error}")?;
    }
    Ok(())
}

impl DrainArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let line = self.access.line()?;
        let left = line.drain(self.worker.as_deref(), self.wait)?;
        if self.json {
            let names: Vec<&str> = left.iter().map(|card| card.name.as_str()).collect();
            print_json(&json!({ "still_there": names }))?;
        }
        if let Some(first) = left.first() {
            return Err(Failure::Failed(format!(
                "{} of the workers are still there, such as {}; wait longer with --wait",
                left.len(),
                first.name
            )));
        }
        if self.json { Ok(()) } else { say!("every player is a challenger") }
    }
}

impl RetryArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let store = self.access.open_store(&self.store, Access::Existing)?;
        let jobs = self.access.line()?.retry_failed(&*store, self.run.as_deref())?;
        if self.json {
            let keys: Vec<&str> = jobs.iter().map(|job| job.key.as_str()).collect();
            return print_json(&json!({ "retried": keys }));
        }
        for job in &jobs {
            say!("{}  (last error: {})", job.key, job.error)?;
        }
        say!("{} jobs get another chance", jobs.len())
    }
}
