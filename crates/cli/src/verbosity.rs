//! How much is said on stderr: the options of every verb, and the environment.

use clap::{ArgAction, Args};
use tesuji_app::logging::{self, VARIABLE};
use tracing::Level;

use crate::failure::Failure;
use crate::output;

/// Options of every verb.
#[derive(Args)]
#[command(next_help_heading = "Log")]
pub(crate) struct Verbosity {
    /// Log more: steps and results with -v, details with -vv, everything with -vvv. TESUJI_LOG=AREA=LEVEL,… chooses by
    /// area, such as train=debug or engine=trace
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Log errors alone, and show no progress
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
}

impl Verbosity {
    /// Begins to log.
    pub(crate) fn apply(&self) -> Result<(), Failure> {
        if self.quiet {
            output::hide_progress();
        }
        let level = match (self.quiet, self.verbose) {
            (true, _) => Level::ERROR,
            (false, 0) => Level::WARN,
            (false, 1) => Level::INFO,
            (false, 2) => Level::DEBUG,
            (false, _) => Level::TRACE,
        };
        let chosen = std::env::var(VARIABLE).ok().filter(|_| !self.quiet && self.verbose == 0);
        logging::init(level, chosen.as_deref()).map_err(Failure::BadInput)
    }
}
