//! `tesuji gem log`: describes and repairs state–action logs.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use tesuji_games::rules::gem_island::log::{GemLog, ParsedLog};
use tesuji_games::rules::gem_island::text::TextDialect;
use tesuji_store::safe_file::{self, IfExists};

use crate::examples;
use crate::failure::Failure;
use crate::input;
use crate::output::print_json;

/// Describe the log of a game, and repair it
///
/// Lines out of order are sorted; a state without its swap, or a swap without its state, is
/// dropped. The exit code is 1 if the end of the game is missing.
#[derive(Args)]
#[command(after_help = examples::help(examples::GEM_LOG))]
pub(crate) struct LogArgs {
    /// The log, as written by gem play --log
    file: PathBuf,
    /// Write the repaired log to this file, which must not exist
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl LogArgs {
    pub(crate) fn run(self, _: &tesuji_search::Registry) -> Result<(), Failure> {
        let bytes = input::read_text_bytes(&self.file)?;
        let reading = GemLog::read(&bytes).map_err(|error| Failure::in_file(&self.file, error))?;
        if self.json {
            print_json(&reading_json(&reading))?;
        } else {
            print(&reading)?;
        }
        let Some(log) = reading.log else {
            let file = self.file.display();
            return Err(Failure::Failed(format!(
                "{file}: the end of the game is missing; expected a finished game"
            )));
        };
        if let Some(output) = &self.output {
            let text = log.to_text(TextDialect::Js);
            safe_file::write(output, IfExists::Keep, |out| out.write_all(text.as_bytes()))
                .map_err(|error| Failure::of_file(output, &error))?;
        }
        Ok(())
    }
}

fn reading_json(reading: &ParsedLog) -> serde_json::Value {
    let repairs: Vec<String> = reading.repairs.iter().map(ToString::to_string).collect();
    let game = reading.log.as_ref().map(|log| {
        json!({
            "level": log.header.level(),
            "rows": log.header.rows,
            "columns": log.header.columns,
            "moves": log.header.moves,
            "medals": log.header.medals,
            "swaps": log.turns.len(),
            "score": log.end.score,
            "medals_freed": log.end.uncovered,
            "won": log.won(),
        })
    });
    json!({ "game": game, "repairs": repairs })
}

fn print(reading: &ParsedLog) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if let Some(log) = &reading.log {
        let level = log.header.level().map_or(String::new(), |level| format!("level {level}, "));
        let (rows, columns) = (log.header.rows, log.header.columns);
        let end = if log.won() { "won" } else { "lost" };
        writeln!(
            out,
            "{level}{columns}x{rows}: {end} with {} swaps, {} of {} medals, score {}",
            log.turns.len(),
            log.end.uncovered,
            log.header.medals,
            log.end.score
        )?;
    }
    for repair in &reading.repairs {
        writeln!(out, "{repair}")?;
    }
    Ok(())
}
