//! `tesuji worker`: plays for the runs of other machines.

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

/// Play for the runs of other machines
///
/// Takes jobs from a queue and keeps what comes of them in a store. On Ctrl-C, SIGTERM or tesuji
/// queue drain it finishes the jobs that it has, takes no more and ends; on a second signal it
/// gives them back at once.
#[derive(clap::Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    access: ConnectionArgs,
    /// The store of the runs: postgres://USER@HOST/DATABASE, or a file that they write to as well
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: String,
    /// Jobs at once; 0 for as many as the machine runs threads
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
    /// Its name in tables [default: the machine's name and the number of the process]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Where models that were sent are kept [default: a folder of the user's caches]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Start the programs that runs name as players (external:cmd=COMMAND); without this, such jobs
    /// fail
    #[arg(long)]
    allow_programs: bool,
    /// A job that does not get on for so long is given up
    #[arg(long, value_name = "T", default_value = "5m", value_parser = setting::duration)]
    hang: Duration,
    /// Print JSON: what it did, at the end
    #[arg(long)]
    json: bool,
}

impl WorkerArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let options = self.access.options()?;
        // Ctrl-C and the system's wish to end are wishes to this worker.
        let farewell = Shutdown::default();
        let (asked, mut signals) = (farewell.clone(), Signals::new([SIGINT, SIGTERM])?);
        std::thread::spawn(move || signals.forever().for_each(|_| asked.signal()));
        let store = self.access.open_store(&self.store, Access::Create)?;
        let programs = match self.allow_programs {
            true => ProgramPolicy::Allowed,
            false => ProgramPolicy::Refused,
        };
        let settings = WorkerSettings {
            name: self.name.clone().unwrap_or_else(usual_name),
            threads: usize::from(self.threads),
            cache: self.cache.clone().unwrap_or_else(usual_cache),
            job_kinds: JobKinds::new(tesuji_app::job_kinds(games, programs)),
            stall_timeout: self.hang,
        };
        writeln!(
            io::stderr(),
            "worker {} takes jobs from {} and keeps results in {}; end with Ctrl-C",
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

/// Two workers of one machine differ by their processes.
fn usual_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "worker",
        host => host,
    };
    format!("{host}-{}", std::process::id())
}

fn usual_cache() -> PathBuf {
    let named = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    named("XDG_CACHE_HOME")
        .or_else(|| named("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("tesuji")
}
