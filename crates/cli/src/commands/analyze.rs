//! `tesuji analyze`: the legal moves with their scores, and the best lines.

use std::time::Duration;

use serde_json::{Value, json};
use tesuji_games::{GameLine, Notation, Position, Score, State};
use tesuji_play::quantity::{duration_text, grouped};
use tesuji_play::{MoveAnalysis, PlayerContext, PlayerSpec, PositionAnalysis, analyze};
use tesuji_search::{Limits, Registry};

use crate::prelude::*;

/// List the legal moves with their scores, and the best lines
///
/// A move that the player's search did not look at has no score: '-', or null with --json.
#[derive(clap::Args)]
pub(crate) struct AnalyzeArgs {
    /// The game
    game: String,
    /// A list of moves; nothing for the start
    position: Vec<String>,
    /// Whose search to use
    #[arg(long, value_name = "PLAYER", default_value = "pvs:tt=64M")]
    player: String,
    /// Plies to look ahead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    depth: Option<u32>,
    /// Time to spend
    #[arg(long, value_name = "T", value_parser = setting::duration)]
    time: Option<Duration>,
    /// How many lines of best play to print; every move is listed all the same
    #[arg(long, value_name = "N", default_value_t = 3)]
    multipv: usize,
    /// Decides the search's chance
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
        let line = setting::unfinished(start, &self.position, "analyze")?;
        let given = Limits { depth: self.depth, time: self.time, ..Limits::default() };
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
        let found = analyze(&line.end, &player, &given, &context, &mut show)?;
        drop(progress);
        match self.json {
            true => self.print_json(start, &line, &found),
            false => self.print(start, &line, &found),
        }
    }

    fn print(
        &self,
        start: &State,
        line: &GameLine,
        found: &PositionAnalysis,
    ) -> Result<(), Failure> {
        let (place, side) = (setting::position_label(start, line), line.end.to_move());
        say!("{} {place}, {side} to move", self.game)?;
        let depth =
            if found.depth > 0 { format!("depth {}, ", found.depth) } else { String::new() };
        let (nodes, time) = (grouped(found.nodes.into()), duration_text(found.time));
        say!("{}: {depth}{nodes} nodes, {time}\n", self.player)?;
        let with_visits = found.moves.iter().any(|entry| entry.visits > 0);
        let rows = found.moves.iter().enumerate().map(|(rank, entry)| {
            let visits = if with_visits { grouped(entry.visits.into()) } else { String::new() };
            let shown = if rank < self.multipv { &entry.line[..] } else { &[] };
            let best_line = setting::move_texts(&line.end, shown).join(" ");
            [line.end.move_text(entry.m), score_text(entry.score), visits, best_line]
        });
        print_titled(&["move", "score", if with_visits { "visits" } else { "" }, "line"], rows)
    }

    fn print_json(
        &self,
        start: &State,
        line: &GameLine,
        found: &PositionAnalysis,
    ) -> Result<(), Failure> {
        let moves = found.moves.iter().enumerate();
        let moves = moves.map(|(rank, entry)| move_json(&line.end, entry, rank < self.multipv));
        print_json(&json!({
            "game": self.game,
            "position": setting::position_text(start, line),
            "to_move": line.end.to_move(),
            "player": self.player,
            "depth": found.depth,
            "nodes": found.nodes,
            "seconds": found.time.as_secs_f64(),
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
        value["line"] = json!(setting::move_texts(position, &entry.line));
    }
    value
}
