//! `tesuji worker`: runs the jobs of a queue.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tesuji_play::ProgramPolicy;
use tesuji_queue::JobKinds;
use tesuji_queue_nats::{Shutdown, WorkerSettings, run_worker};
use tesuji_store::Access;

use crate::prelude::*;
use crate::queue_args::ConnectionArgs;

/// Run the jobs of a queue
///
/// Takes jobs from a queue and writes the results to a store. On Ctrl-C, SIGTERM or tesuji queue
/// drain, finishes its jobs and exits; on a second signal, returns them to the queue at once.
#[derive(clap::Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// Write results to the store of the runs: postgres://USER@HOST/DATABASE, or a file
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: String,
    /// Run this many jobs at once; 0 for the number of processors
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// Show the worker under this name [default: host name and process id]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Cache received models in this folder [default: tesuji in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Allow jobs to start programs as players (external:cmd=COMMAND)
    #[arg(long)]
    allow_programs: bool,
    /// Give up a job that makes no progress for this long
    #[arg(long, value_name = "T", default_value = "5m", value_parser = arguments::duration)]
    hang: Duration,
    /// Print a summary as JSON at the end
    #[arg(long)]
    json: bool,
}

impl WorkerArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let options = self.connection.options()?;
        // Handle SIGINT and SIGTERM.
        let farewell = Shutdown::default();
        let (on_signal, mut signals) = (farewell.clone(), Signals::new([SIGINT, SIGTERM])?);
        std::thread::spawn(move || signals.forever().for_each(|_| on_signal.signal()));
        let store = self.connection.open_store(&self.store, Access::Create)?;
        let programs = match self.allow_programs {
            true => ProgramPolicy::Allowed,
            false => ProgramPolicy::Refused,
        };
        let settings = WorkerSettings {
            name: self.name.clone().unwrap_or_else(default_name),
            threads: usize::from(self.threads),
            cache: self.cache.clone().unwrap_or_else(default_cache),
            job_kinds: JobKinds::new(tesuji_app::job_kinds(games, programs)),
            stall_timeout: self.hang,
        };
        writeln!(
            io::stderr(),
            "worker {} takes jobs from {} and writes results to {}; press Ctrl-C to stop",
            settings.name,
            options.address,
            store.place()
        )?;
        let report = run_worker(options, &*store, settings, &farewell)?;
        if self.json {
            return print_json(&report);
        }
        let failed = match report.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        say!("{} jobs done, {} games{failed}", report.jobs, report.games)
    }
}

/// The host name and the process id, which differs between two workers of one machine.
fn default_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "worker",
        host => host,
    };
    format!("{host}-{}", std::process::id())
}

/// The folder `tesuji` in the user's cache folder.
fn default_cache() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    folder("XDG_CACHE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("tesuji")
}
