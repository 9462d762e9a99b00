//! `tesuji gem tune`: tunes the weights of the published evaluation.

use clap::Args;
use tesuji_players::gem_island::tuning::{PUBLISHED_WEIGHTS, TunedWeights, WeightTuning};
use tesuji_players::gem_island::{AgentSpec, GemSeriesSummary};

use super::GameArgs;
use crate::examples;
use crate::failure::Failure;
use crate::output::{Progress, print_json, print_table};
use crate::prelude::say;
use crate::queue_args::QueueArgs;

/// Tune the weights of flat-ucb's evaluation hb, and print what that gained
///
/// The published weights and random ones play the same games; after each round the worse half is
/// dropped, and the others play twice as many games. Then the best weights and the published ones
/// play new games.
#[derive(Args)]
#[command(after_help = examples::help(examples::GEM_TUNE))]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    game_args: GameArgs,
    /// Tune this agent, with options such as flat-ucb:sims=300
    #[arg(long, value_name = "AGENT", default_value = "flat-ucb")]
    agent: AgentSpec,
    /// Try this many weights, the published ones among them
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u64).range(2..=10_000))]
    candidates: u64,
    /// Let each candidate play this many games in the first round
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Compare the best weights with the published ones in this many new games
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    held_out: u64,
    /// Seed the weights and the games
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Play this many games at once; results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Use this store, which the workers can write to; needs --queue
    #[arg(long, value_name = "STORE", requires = "queue")]
    store: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue_args: QueueArgs,
}

impl TuneArgs {
    pub(crate) fn run(self, _: &tesuji_search::Registry) -> Result<(), Failure> {
        let settings = self.game_args.settings()?;
        // Reports an agent without weights before the first game.
        self.agent.with_option("weights", PUBLISHED_WEIGHTS)?;
        let tuning = WeightTuning {
            settings,
            agent: self.agent,
            candidates: self.candidates,
            games: self.games,
            held_out: self.held_out,
            seed: self.seed,
        };
        let queue = self.queue_args.open_queue(usize::from(self.threads), self.store.as_deref())?;
        let progress = Progress::new(Some(tuning.total_games()), "games");
        let tuned = tuning.run(&*queue, &mut |done, weights| {
            progress.show(done, || format!("weights {weights}"));
        })?;
        drop(progress);
        if self.json { print_json(&tuned) } else { print(&tuned) }
    }
}

fn print(tuned: &TunedWeights) -> Result<(), Failure> {
    let titles = ["ROUND", "CANDIDATES", "GAMES EACH", "BEST", "VALUE", "PUBLISHED"];
    let mut rows = vec![titles.map(String::from)];
    for (n, round) in tuned.rounds.iter().enumerate() {
        rows.push([
            (n + 1).to_string(),
            round.candidates.to_string(),
            round.games.to_string(),
            round.weights.clone(),
            format!("{:.3}", round.value),
            round.published.map_or("dropped".to_string(), |value| format!("{value:.3}")),
        ]);
    }
    print_table(&rows)?;
    say!("")?;
    let titles = ["NEW GAMES", "GAMES", "WON %", "95 %", "MOVES"].map(String::from);
    let row = |name: &str, summary: &GemSeriesSummary| {
        let (low, high) = summary.interval;
        [
            name.to_string(),
            summary.games.to_string(),
            format!("{:.1}", summary.win_percent),
            format!("{low:.1}-{high:.1}"),
            format!("{:.2} ± {:.2}", summary.mean_moves, summary.moves_error),
        ]
    };
    let published = row(&format!("published {PUBLISHED_WEIGHTS}"), &tuned.published);
    let best = row(&format!("tuned {}", tuned.weights), &tuned.tuned);
    print_table(&[titles, published, best])?;
    say!(
        "\ngain: {:+.1} ± {:.1} points of games won, {:+.2} ± {:.2} moves (95 %, same games)",
        tuned.gain,
        tuned.gain_error,
        tuned.moves_gain,
        tuned.moves_gain_error
    )
}
