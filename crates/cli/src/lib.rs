//! The command line: parses arguments, runs a command of `commands/` and returns an exit code.

mod arguments;
mod commands;
mod depths;
mod examples;
mod failure;
mod input;
mod output;
mod processor;
mod queue_args;
mod scored_positions;

/// Names that nearly every command uses.
mod prelude {
    pub(crate) use serde_json::json;
    pub(crate) use tesuji_search::Registry;

    pub(crate) use crate::failure::{Failure, InFile};
    pub(crate) use crate::output::{Progress, print, print_json, print_table, print_titled, say};
    pub(crate) use crate::{arguments, input};
}

use std::process::ExitCode;

use clap::{ArgAction, Parser};
use failure::Failure;
use tesuji_app::logging::{self, VARIABLE};
use tesuji_search::Registry;
use tracing::Level;

/// A workshop for game AI: rules, searches, matches.
#[derive(Parser)]
#[command(name = "tesuji", version, args_override_self = true, after_help = examples::OVERVIEW)]
struct Arguments {
    #[command(subcommand)]
    command: commands::Command,
    /// Log more: steps and results with -v, details with -vv, everything with -vvv.
    /// TESUJI_LOG=AREA=LEVEL,… sets the level of an area, such as train=debug or engine=trace
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Log")]
    verbose: u8,
    /// Log only errors and show no progress
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Log")]
    quiet: bool,
}

impl Arguments {
    /// Starts logging.
    fn start_logging(&self) -> Result<(), Failure> {
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
        let levels = std::env::var(VARIABLE).ok().filter(|_| !self.quiet && self.verbose == 0);
        logging::init(level, levels.as_deref()).map_err(Failure::BadInput)
    }
}

/// Runs the command line with the games of a registry. `tesuji` itself calls this with the
/// built-in games.
pub fn run(games: &Registry) -> ExitCode {
    let result = processor::check().map_err(Failure::Failed).and_then(|()| {
        if commands::pbrain::is_program_name() {
            return commands::pbrain::run(games);
        }
        match Arguments::try_parse() {
            Ok(arguments) => {
                arguments.start_logging()?;
                arguments.command.execute(games)
            }
            Err(error) => failure::from_clap(error),
        }
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
