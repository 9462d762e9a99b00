//! The one binary: parse, run, exit code. What a verb does stands in `commands/`.

mod commands;
mod examples;
mod failure;
mod input;
mod output;
mod processor;
mod queue_args;
mod scored_positions;
mod setting;

/// What nearly every verb needs.
mod prelude {
    pub(crate) use serde_json::json;
    pub(crate) use tesuji_search::Registry;

    pub(crate) use crate::failure::{Failure, InFile};
    pub(crate) use crate::output::{Progress, print, print_json, print_table, print_titled, say};
    pub(crate) use crate::{input, setting};
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
    verb: commands::Command,
    /// Log more: steps and results with -v, details with -vv, everything with -vvv. TESUJI_LOG=AREA=LEVEL,… chooses by
    /// area, such as train=debug or engine=trace
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Log")]
    verbose: u8,
    /// Log errors alone, and show no progress
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Log")]
    quiet: bool,
}

impl Arguments {
    /// Begins to log.
    fn log(&self) -> Result<(), Failure> {
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

/// Does what the command line says, with the games of a registry. `tesuji` itself is this with
/// the built-in games.
pub fn run(games: &Registry) -> ExitCode {
    let result = processor::check().map_err(Failure::Failed).and_then(|()| {
        if commands::pbrain::is_program_name() {
            return commands::pbrain::run(games);
        }
        match Arguments::try_parse() {
            Ok(arguments) => {
                arguments.log()?;
                arguments.verb.done(games)
            }
            Err(error) => failure::from_clap(error),
        }
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
