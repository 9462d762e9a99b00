//! `tesuji gem bench`: measures how often agents win.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use tesuji_play::quantity::grouped;
use tesuji_players::gem_island::{AgentSpec, GemSeries, GemSeriesSummary};
use tesuji_store::safe_file::{self, IfExists};

use super::GameArgs;
use crate::examples;
use crate::failure::Failure;
use crate::output::{Progress, print_json, print_table};
use crate::queue_args::QueueArgs;

/// Let agents play many games, and print wins, moves, scores and speed
///
/// All agents play the same games. Intervals have a confidence of 95 %.
#[derive(Args)]
#[command(after_help = examples::help(examples::GEM_BENCH))]
pub(crate) struct BenchArgs {
    /// The agents: random, greedy, flat-ucb, belief, policy, external, with options such as
    /// flat-ucb:eval=crude
    #[arg(required = true, value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    #[command(flatten)]
    game_args: GameArgs,
    /// Let each agent play this many games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    /// Seed the games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Play this many games at once; results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Write the log of each game to a file in this folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    /// Use this store, which the workers can write to; needs --queue
    #[arg(long, value_name = "STORE", requires = "queue")]
    store: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue_args: QueueArgs,
}

impl BenchArgs {
    pub(crate) fn run(self, _: &tesuji_search::Registry) -> Result<(), Failure> {
        let settings = self.game_args.settings()?;
        if let Some(folder) = &self.logs {
            create_empty(folder)?;
        }
        let total = self.games * self.agents.len() as u64;
        let progress = Progress::new(Some(total), "games");
        let queue = self.queue_args.open_queue(usize::from(self.threads), self.store.as_deref())?;
        let mut summaries = Vec::new();
        for (n, agent) in self.agents.iter().enumerate() {
            let (agent, games, seed) = (agent.clone(), self.games, self.seed);
            let series = GemSeries { settings, agent, games, seed, logs: self.logs.is_some() };
            let before = n as u64 * self.games;
            let results = series.run(&*queue, &mut |it| {
                let (done, won) = (it.done, it.won);
                progress.show(before + done, || {
                    format!("{}: {won} of {done} won", series.agent.text())
                });
                match (&self.logs, it.log) {
                    (Some(folder), Some(log)) => {
                        write_log(&folder.join(self.name(n, it.game)), log)
                    }
                    _ => Ok(()),
                }
            })?;
            summaries.push(series.summary(&results));
        }
        drop(progress);
        if self.json {
            return match &summaries[..] {
                [one] => print_json(one),
                several => print_json(&several),
            };
        }
        print(&summaries)
    }
}

impl BenchArgs {
    /// The name of a log: the agent, with its position if there are several of the kind, and the
    /// game.
    fn name(&self, agent: usize, game: u64) -> String {
        let kind = self.agents[agent].options.owner;
        let several = self.agents.iter().filter(|other| other.options.owner == kind).count() > 1;
        let position = if several { (agent + 1).to_string() } else { String::new() };
        format!("{kind}{position}-{:06}.txt", game + 1)
    }
}

/// Creates a folder unless it exists and is empty.
fn create_empty(folder: &Path) -> Result<(), Failure> {
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(Failure::in_file(folder, "not empty; expected a new or empty folder")),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(folder).map_err(|error| Failure::of_file(folder, &error))
        }
        Err(error) => Err(Failure::of_file(folder, &error)),
    }
}

fn write_log(path: &Path, log: &str) -> Result<(), String> {
    safe_file::write(path, IfExists::Keep, |out| out.write_all(log.as_bytes()))
        .map_err(|error| format!("{}: {error}", path.display()))
}

fn print(summaries: &[GemSeriesSummary]) -> Result<(), Failure> {
    let titles =
        ["AGENT", "GAMES", "WON %", "95 %", "MOVES", "TO WIN", "SCORE", "MS/MOVE", "ROLLOUTS/S"];
    let mut rows = vec![titles.map(String::from)];
    rows.extend(summaries.iter().map(row));
    print_table(&rows)
}

fn row(summary: &GemSeriesSummary) -> [String; 9] {
    let (low, high) = summary.interval;
    [
        summary.agent.clone(),
        summary.games.to_string(),
        format!("{:.1}", summary.win_percent),
        format!("{low:.1}-{high:.1}"),
        format!("{:.2} ± {:.2}", summary.mean_moves, summary.moves_error),
        summary.mean_moves_to_win.map_or("-".to_string(), |moves| format!("{moves:.2}")),
        format!("{} ± {}", rounded(summary.mean_score), rounded(summary.score_error)),
        format!("{:.3}", summary.ms_per_move),
        summary.rollouts_per_second.map_or("-".to_string(), rounded),
    ]
}

pub(super) fn rounded(number: f64) -> String {
    grouped(number.round() as u128)
}
