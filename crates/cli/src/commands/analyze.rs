//! `tesuji analyze`: lists the legal moves with their scores, and the best lines.

use std::time::Duration;

use serde_json::{Value, json};
use tesuji_games::{GameLine, Notation, Position, Score, State};
use tesuji_play::quantity::{duration_text, grouped};
use tesuji_play::{MoveAnalysis, PlayerContext, PlayerSpec, PositionAnalysis, analyze};
use tesuji_search::{Limits, Registry};

use crate::prelude::*;

/// List the legal moves with their scores, and the best lines
///
/// A move that the search did not examine has no score: '-', or null with --json.
#[derive(clap::Args)]
pub(crate) struct AnalyzeArgs {
    /// The game
    game: String,
    /// Moves from the start, or a position in the notation of the game [default: the start]
    position: Vec<String>,
    /// Search with this player
    #[arg(long, value_name = "PLAYER", default_value = "pvs:tt=64M")]
    player: String,
    /// Search to this depth, in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    depth: Option<u32>,
    /// Search for this time, such as 500ms or 2s
    #[arg(long, value_name = "T", value_parser = arguments::duration)]
    time: Option<Duration>,
    /// Print the best lines of this many moves; all moves are listed
    #[arg(long, value_name = "N", default_value_t = 3)]
    multipv: usize,
    /// Seed the random numbers of the search
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl AnalyzeArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let game = games.open(&self.game)?;
        let player: PlayerSpec = tesuji_players::player(&self.player)?;
        let start = game.start();
        let line = arguments::unfinished(start, &self.position, "analyze")?;
        let limits = Limits { depth: self.depth, time: self.time, ..Limits::default() };
        let context = PlayerContext::new(&game, self.seed);
        let progress = Progress::new(None, "plies");
        let mut show = |so_far: &PositionAnalysis| {
            progress.show(so_far.depth.into(), || {
                let text = |best: &MoveAnalysis| {
                    format!("{} {}", line.end.move_text(best.m), score_text(best.score))
                };
                let best = so_far.moves.first().map(text).unwrap_or_default();
                format!("depth {}  {best}", so_far.depth)
            });
        };
        let analysis = analyze(&line.end, &player, &limits, &context, &mut show)?;
        drop(progress);
        match self.json {
            true => self.print_json(start, &line, &analysis),
            false => self.print(start, &line, &analysis),
        }
    }

    fn print(
        &self,
        start: &State,
        line: &GameLine,
        analysis: &PositionAnalysis,
    ) -> Result<(), Failure> {
        let (label, side) = (arguments::position_label(start, line), line.end.to_move());
        say!("{} {label}, {side} to move", self.game)?;
        let depth =
            if analysis.depth > 0 { format!("depth {}, ", analysis.depth) } else { String::new() };
        let (nodes, time) = (grouped(analysis.nodes.into()), duration_text(analysis.time));
        say!("{}: {depth}{nodes} nodes, {time}\n", self.player)?;
        let with_visits = analysis.moves.iter().any(|entry| entry.visits > 0);
        let rows = analysis.moves.iter().enumerate().map(|(rank, entry)| {
            let visits = if with_visits { grouped(entry.visits.into()) } else { String::new() };
            let shown = if rank < self.multipv { &entry.line[..] } else { &[] };
            let best_line = arguments::move_texts(&line.end, shown).join(" ");
            [line.end.move_text(entry.m), score_text(entry.score), visits, best_line]
        });
        print_titled(&["move", "score", if with_visits { "visits" } else { "" }, "line"], rows)
    }

    fn print_json(
        &self,
        start: &State,
        line: &GameLine,
        analysis: &PositionAnalysis,
    ) -> Result<(), Failure> {
        let moves = analysis.moves.iter().enumerate();
        let moves = moves.map(|(rank, entry)| move_json(&line.end, entry, rank < self.multipv));
        print_json(&json!({
            "game": self.game,
            "position": arguments::position_text(start, line),
            "to_move": line.end.to_move(),
            "player": self.player,
            "depth": analysis.depth,
            "nodes": analysis.nodes,
            "seconds": analysis.time.as_secs_f64(),
            "moves": moves.collect::<Vec<_>>(),
        }))
    }
}

/// A dash for a move that was not searched.
fn score_text(score: Option<Score>) -> String {
    score.map_or("-".to_string(), |score| score.to_string())
}

fn move_json(position: &State, entry: &MoveAnalysis, with_line: bool) -> Value {
    let mut value = json!({ "move": position.move_text(entry.m), "score": entry.score });
    if entry.visits > 0 {
        value["visits"] = json!(entry.visits);
    }
    if with_line {
        value["line"] = json!(arguments::move_texts(position, &entry.line));
    }
    value
}
