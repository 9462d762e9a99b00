//! `tesuji match`: two players, many games, who is stronger.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tesuji_arena::{Match, MatchResult, Openings, PlayerSpec, Tally};
use tesuji_games::{Playable, Visitor, registry};
use tesuji_search::Limits;

use crate::examples;
use crate::failure::Failure;
use crate::output::print_json;
use crate::progress::Progress;
use crate::setting;

/// Play colour-swapped pairs of games and rate the difference
#[derive(Args)]
#[command(name = "match", after_help = examples::help(examples::MATCH))]
pub(crate) struct MatchPlayers {
    /// The game
    game: String,
    /// The player whose score is counted, such as alphabeta:depth=4
    first: String,
    /// Its opponent
    second: String,
    /// How many games
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// A file of openings: one list of moves a line
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,
    /// Begin each pair with this many random moves
    #[arg(long, default_value_t = 0, value_name = "N")]
    random_plies: usize,
    /// Time for a move, for players without a limit of their own
    #[arg(long, value_name = "T", value_parser = setting::duration)]
    time: Option<Duration>,
    /// Depth of a search, for players without a limit of their own
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=255))]
    depth: Option<u32>,
    /// Decides openings and every player's chance
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// How many games run at once
    #[arg(long, default_value_t = 1, value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// A longer game is a draw
    #[arg(long, default_value_t = 1000, value_name = "N")]
    max_plies: usize,
    /// Print JSON, every game included
    #[arg(long)]
    json: bool,
}

impl MatchPlayers {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let players = [self.first.parse::<PlayerSpec>()?, self.second.parse::<PlayerSpec>()?];
        let result = registry::open(&self.game, Run { arguments: &self, players: &players })??;
        if self.json { self.print_json(&result) } else { self.print(&result) }
    }

    fn settings(&self) -> Match {
        Match {
            game: self.game.clone(),
            games: self.games,
            seed: self.seed,
            concurrency: usize::from(self.concurrency),
            per_move: Limits { depth: self.depth, time: self.time, ..Limits::default() },
            max_plies: self.max_plies,
        }
    }

    fn openings<P: Playable>(&self, start: &P) -> Result<Openings<P>, Failure> {
        let Some(path) = &self.openings else {
            return Ok(Openings::Random { plies: self.random_plies });
        };
        let text = fs::read_to_string(path).map_err(|error| Failure::in_file(path, error))?;
        Openings::read(start, &text).map_err(|error| Failure::in_file(path, error))
    }

    fn print_json(&self, result: &MatchResult) -> Result<(), Failure> {
        print_json(&json!({
            "game": self.game,
            "first": self.first,
            "second": self.second,
            "seed": self.seed,
            "result": result,
        }))
    }

    fn print(&self, result: &MatchResult) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let Tally { wins, draws, losses } = result.tally;
        writeln!(
            out,
            "{}: {} against {}, {} games",
            self.game, self.first, self.second, self.games
        )?;
        writeln!(out, "score  {wins} won, {draws} drawn, {losses} lost")?;
        if let Some(rating) = result.rating {
            writeln!(out, "points {:.1} %", 100.0 * rating.score)?;
            writeln!(out, "Elo    {}", elo_text(rating.elo, rating.margin))?;
            writeln!(out, "LOS    {:.1} %", 100.0 * rating.superiority)?;
        }
        if result.failures > 0 {
            writeln!(out, "note   {} games ended by an illegal move or an error", result.failures)?;
        }
        let games = result.games.len();
        if games > 2 && result.distinct * 2 <= games {
            writeln!(
                out,
                "note   only {} of the {games} games differ; --random-plies or --openings gives variety",
                result.distinct
            )?;
        }
        Ok(())
    }
}

fn elo_text(elo: Option<f64>, margin: Option<f64>) -> String {
    match (elo, margin) {
        (Some(elo), Some(margin)) => format!("{elo:+.1} ± {margin:.1} (95 %)"),
        (Some(elo), None) => format!("{elo:+.1}, too few games for an error bar"),
        (None, _) => "beyond measure: one side made every point".to_string(),
    }
}

struct Run<'a> {
    arguments: &'a MatchPlayers,
    players: &'a [PlayerSpec; 2],
}

impl Visitor for Run<'_> {
    type Output = Result<MatchResult, Failure>;

    fn visit<P: Playable>(self, start: P) -> Self::Output {
        let openings = self.arguments.openings(&start)?;
        let progress = Progress::new(Some(self.arguments.games), "games");
        let show = |tally: &Tally| {
            progress.show(tally.games(), || {
                format!("{} won, {} drawn, {} lost", tally.wins, tally.draws, tally.losses)
            });
        };
        Ok(self.arguments.settings().run(&start, self.players, &openings, &show)?)
    }
}
