//! `tesuji queue`: shows and administers the work queue.

use std::time::Duration;

use clap::Args;
use tesuji_queue_nats::{QueueStatus, RunProgress, WorkerStatus};
use tesuji_store::Access;

use crate::examples::help;
use crate::prelude::*;
use crate::queue_args::ConnectionArgs;

/// The example in the help of `queue` and of `queue status`.
pub(crate) const EXAMPLE: &str = "tesuji queue status --queue nats://queue.example:4222 --store postgres://tesuji@db.example/tesuji";

commands! {
    enum QueueCommand {
        Status(StatusArgs): help(EXAMPLE),
        Drain(DrainArgs): help("tesuji queue drain --queue nats://queue.example:4222"),
        Retry(RetryArgs): help("tesuji queue retry --queue nats://queue.example:4222 --store postgres://tesuji@db.example/tesuji"),
    }
}

/// Show the workers and the runs of a queue
#[derive(Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// Use the store of the runs: postgres://USER@HOST/DATABASE, or a file
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Let workers finish their jobs and exit, and wait for them
#[derive(Args)]
pub(crate) struct DrainArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// Drain only this worker
    #[arg(long, value_name = "NAME")]
    worker: Option<String>,
    /// Wait this long for the workers
    #[arg(long, value_name = "T", default_value = "10m", value_parser = arguments::duration)]
    wait: Duration,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Retry failed jobs
#[derive(Args)]
pub(crate) struct RetryArgs {
    /// Retry only the jobs of this run, named as in tesuji queue status
    run: Option<String>,
    #[command(flatten)]
    connection: ConnectionArgs,
    /// Use the store of the runs: postgres://USER@HOST/DATABASE, or a file
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl StatusArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let store = self.connection.open_store(&self.store, Access::Existing)?;
        let state = self.connection.connect()?.status(&*store)?;
        if self.json { print_json(&state) } else { print(&state) }
    }
}

fn print(state: &QueueStatus) -> Result<(), Failure> {
    let QueueStatus { queue, jobs, under_way, games_per_second, .. } = state;
    say!("{queue}: {jobs} jobs, {under_way} running, {games_per_second:.1} games/s")?;
    match state.workers[..] {
        [] => say!("no workers")?,
        _ => say!("\n{:<24} {:>7} {:>9} {:>9}  runs", "worker", "threads", "jobs", "games/s")?,
    }
    for worker in &state.workers {
        let runs = match (worker.draining, &worker.busy[..]) {
            (true, _) => "draining".to_string(),
            (false, []) => "idle".to_string(),
            (false, busy) => busy.join(", "),
        };
        let WorkerStatus { name, threads, jobs, games_per_second, .. } = worker;
        say!("{name:<24} {threads:>7} {jobs:>9} {games_per_second:>9.1}  {runs}")?;
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
        let queue = self.connection.connect()?;
        let left = queue.drain(self.worker.as_deref(), self.wait)?;
        if self.json {
            let names: Vec<&str> = left.iter().map(|card| card.name.as_str()).collect();
            print_json(&json!({ "still_there": names }))?;
        }
        if let Some(first) = left.first() {
            return Err(Failure::Failed(format!(
                "{} workers are still running, such as {}; expected all to exit, or a longer --wait",
                left.len(),
                first.name
            )));
        }
        if self.json { Ok(()) } else { say!("all workers have exited") }
    }
}

impl RetryArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let store = self.connection.open_store(&self.store, Access::Existing)?;
        let jobs = self.connection.connect()?.retry_failed(&*store, self.run.as_deref())?;
        if self.json {
            let keys: Vec<&str> = jobs.iter().map(|job| job.key.as_str()).collect();
            return print_json(&json!({ "retried": keys }));
        }
        for job in &jobs {
            say!("{}  (last error: {})", job.key, job.error)?;
        }
        say!("{} jobs will be retried", jobs.len())
    }
}
