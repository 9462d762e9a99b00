//! `tesuji experiment`: runs a grid of training runs or matches, and prints one table of results.

use std::path::{Path, PathBuf};

use tesuji_app::experiment::{DEFAULT_RUN_LIMIT, Experiment, ExperimentError, ExperimentOptions};
use tesuji_train::threads::threads;

use super::train::{RunOutput, run_folder, stop_flag};
use crate::prelude::*;
use crate::queue_args::QueueArgs;

/// Run a grid of training runs or matches over several seeds and compare their strength
#[derive(clap::Args)]
pub(crate) struct ExperimentArgs {
    /// The settings of the experiment
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Keep runs and results in this folder [default: runs/ and the name of the file]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run this many at once, each on one thread; 0 for the number of processors
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    jobs: u16,
    /// Refuse an experiment with more runs
    #[arg(long, value_name = "N", default_value_t = DEFAULT_RUN_LIMIT)]
    limit: usize,
    /// List the runs and stop
    #[arg(long)]
    dry_run: bool,
    /// Store games and samples here, a file or postgres://…; with --queue, the workers must be able
    /// to write to it [default: in the folder]
    #[arg(long, value_name = "STORE", env = "TESUJI_STORE", hide_env_values = true)]
    store: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue_args: QueueArgs,
}

impl ExperimentArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let text = input::read_text(&self.file)?;
        let experiment =
            Experiment::read(&text, games).map_err(|error| failure(&self.file, error))?;
        let (runs, limit) = (experiment.runs(), self.limit);
        if runs > limit {
            let problem = format!("{runs} runs; expected at most {limit}, or --limit {runs}");
            return Err(Failure::in_file(&self.file, problem));
        }
        if self.dry_run {
            let names = experiment.names();
            return match self.json {
                true => print_json(&names),
                false => names.iter().try_for_each(|name| say!("{name}")),
            };
        }
        let folder = self.out.clone().unwrap_or_else(|| run_folder(&self.file));
        let stop = stop_flag()?;
        let queue = match self.queue_args.is_remote() {
            true => Some(self.queue_args.open_queue(1, self.store.as_deref())?),
            false => None,
        };
        let open = |place: &str, access| self.queue_args.open_store(place, access);
        let options = ExperimentOptions {
            games,
            queue: queue.as_deref(),
            store: self.store.as_deref(),
            open: &open,
            jobs: threads(usize::from(self.jobs)),
            stop,
        };
        let progress = Progress::new(Some(runs as u64), "runs");
        let show = |done: usize, name: &str| progress.show(done as u64, || name.to_string());
        let result = experiment.run(&folder, &options, &show);
        drop(progress);
        let Some(result) = result.map_err(|error| failure(&self.file, error))? else {
            return Err(Failure::failed("interrupted; run the same command to resume"));
        };
        if self.json {
            return print_json(&RunOutput { folder: &folder, result: &result });
        }
        say!("{}", result.text())?;
        let files: Vec<&str> = result.files().iter().map(|(name, _)| *name).collect();
        say!("saved in {}: {}", folder.display(), files.join(", "))
    }
}

/// The failure of an experiment whose settings are in this file.
fn failure(source: &Path, error: ExperimentError) -> Failure {
    match error {
        ExperimentError::Settings(error) => Failure::in_file(source, error),
        ExperimentError::Taken(_) => Failure::bad(error),
        ExperimentError::Train { run, error } => Failure::from(error).within(Path::new(&run)),
        ExperimentError::File { .. } | ExperimentError::Match(_) => Failure::failed(error),
    }
}
