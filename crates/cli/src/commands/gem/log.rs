//! `tesuji gem log`: describes and repairs state–action logs, one or a folder of them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde_json::json;
use tesuji_games::rules::gem_island::log::{GemLog, ParsedLog};
use tesuji_games::rules::gem_island::text::TextDialect;
use tesuji_learn::gem_island::GemLogs;
use tesuji_play::quantity::grouped;
use tesuji_play::statistics::share_interval;
use tesuji_store::safe_file::{self, IfExists};

use crate::examples;
use crate::failure::Failure;
use crate::input;
use crate::output::{print_json, print_table};

/// Describe the log of a game, and repair it; or describe a folder of logs
///
/// Lines out of order are sorted; a state without its swap, or a swap without its state, is
/// dropped. The exit code is 1 if the end of the game is missing. Of a folder, all finished games
/// are counted; damaged and unfinished logs are skipped (-v names all).
#[derive(Args)]
#[command(after_help = examples::help(examples::GEM_LOG))]
pub(crate) struct LogArgs {
    /// The log, as written by gem play --log, or a folder of logs
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
        if self.file.is_dir() {
            return self.describe_folder();
        }
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

impl LogArgs {
    fn describe_folder(&self) -> Result<(), Failure> {
        if self.output.is_some() {
            let problem = "a folder cannot be repaired; expected one log with --output";
            return Err(Failure::in_file(&self.file, problem));
        }
        let logs = GemLogs::read(&self.file)?;
        logs.report_skipped();
        let mut levels: BTreeMap<Option<usize>, Vec<&GemLog>> = BTreeMap::new();
        for log in &logs.games {
            levels.entry(log.header.level()).or_default().push(log);
        }
        let groups: Vec<GameGroup> =
            levels.iter().map(|(level, logs)| GameGroup::of(*level, logs)).collect();
        if self.json {
            let (damaged, unfinished) = (logs.damaged.len(), logs.unfinished.len());
            let all = json!({ "games": groups, "damaged": damaged, "unfinished": unfinished });
            return print_json(&all);
        }
        let titles = ["LEVEL", "GAMES", "WON %", "95 %", "SWAPS", "SCORE"];
        let mut rows = vec![titles.map(String::from)];
        rows.extend(groups.iter().map(GameGroup::row));
        print_table(&rows)
    }
}

/// The games of a level, or of other boards.
#[derive(Serialize)]
struct GameGroup {
    level: Option<usize>,
    games: u64,
    won_percent: f64,
    interval: (f64, f64),
    swaps: f64,
    score: f64,
}

impl GameGroup {
    fn of(level: Option<usize>, logs: &[&GemLog]) -> GameGroup {
        let games = logs.len() as u64;
        let won = logs.iter().filter(|log| log.won()).count() as f64;
        let mean = |number: fn(&GemLog) -> f64| {
            logs.iter().map(|log| number(log)).sum::<f64>() / games as f64
        };
        GameGroup {
            level,
            games,
            won_percent: 100.0 * won / games as f64,
            interval: share_interval(won, games),
            swaps: mean(|log| f64::from(log.end_number / 2)),
            score: mean(|log| log.end.score as f64),
        }
    }

    fn row(&self) -> [String; 6] {
        let (low, high) = self.interval;
        [
            self.level.map_or("other".to_string(), |level| level.to_string()),
            self.games.to_string(),
            format!("{:.1}", self.won_percent),
            format!("{low:.1}-{high:.1}"),
            format!("{:.2}", self.swaps),
            grouped(self.score.round() as u128),
        ]
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
