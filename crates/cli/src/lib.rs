//! The one binary: parse, run, exit code. What a verb does stands in `commands/`.

mod commands;
mod crew;
mod examples;
mod failure;
mod input;
mod output;
mod processor;
mod scored_positions;
mod setting;
mod verbosity;

use std::process::ExitCode;

use clap::Parser;
use failure::Failure;
use tesuji_search::Registry;

/// A workshop for game AI: rules, searches, matches.
#[derive(Parser)]
#[command(name = "tesuji", version, args_override_self = true, after_help = examples::OVERVIEW)]
struct Arguments {
    #[command(subcommand)]
    verb: commands::Verb,
    #[command(flatten)]
    verbosity: verbosity::Verbosity,
}

/// Does what the command line says, with the games of a registry. `tesuji` itself is this with
/// the built-in games.
pub fn run(games: &Registry) -> ExitCode {
    let result = processor::check().map_err(Failure::Undone).and_then(|()| {
        if commands::as_a_brain::is_my_name() {
            return commands::as_a_brain::run(games);
        }
        match Arguments::try_parse() {
            Ok(arguments) => {
                arguments.verbosity.apply()?;
                arguments.verb.done(games)
            }
            Err(error) => failure::of_arguments(error),
        }
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
