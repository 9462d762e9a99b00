//! `tesuji forest test`: plays a forest against an opponent at several depths, and prints a table
//! like Table 5-1 of Loos's thesis.

use std::path::PathBuf;

use serde::Serialize;
use tesuji_games::Side;
use tesuji_learn::Model;
use tesuji_play::{Match, MatchResult, MatchScore, Openings, PlayerSpec, WinDrawLoss};
use tesuji_search::{Game, Registry};

use crate::depths::Depths;
use crate::prelude::*;

/// Play a forest against an opponent at several depths, half of the games as each side
#[derive(clap::Args)]
pub(crate) struct TestArgs {
    /// The forest, or a network of learned weights
    file: PathBuf,
    /// Play against this player
    #[arg(long, value_name = "PLAYER", default_value = "random", value_parser = tesuji_players::player)]
    vs: PlayerSpec,
    /// Search to these depths in plies: a number, a list such as 0,2,4, or an inclusive range such
    /// as 0..5; 0 plays the move with the best value, without a search
    #[arg(long, value_name = "D", default_value = "0..5", value_parser = Depths::read)]
    depths: Depths,
    /// Play this many games at each depth
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,
    /// Play this game [default: the game of the forest]
    #[arg(long)]
    game: Option<String>,
    /// Add options of the player forest or weights, such as style=strong,radius=1
    #[arg(long, value_name = "OPTIONS")]
    with: Option<String>,
    /// Begin each pair of games with this many random moves
    #[arg(long, default_value_t = 0, value_name = "N")]
    random_plies: usize,
    /// Seed the openings and the players
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Play this many games at once
    #[arg(long, default_value_t = 1, value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A row of the table.
#[derive(Serialize)]
struct DepthResult {
    depth: u32,
    games: u64,
    as_first: WinDrawLoss,
    as_second: WinDrawLoss,
}

impl TestArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let model = Model::load(&self.file).map_err(super::model_failure)?;
        let game = match (&self.game, model.game()) {
            (Some(game), _) => game,
            (None, "") => {
                return Err(Failure::in_file(&self.file, "no game in the file; expected --game"));
            }
            (None, game) => game,
        };
        let player = match &model {
            Model::Forest(_) => "forest",
            Model::Network(_) => "weights",
        };
        let rows = self.rows(&games.open(game)?, player)?;
        if self.json {
            let file = self.file.display().to_string();
            return print_json(
                &json!({ "file": file, "game": game, "vs": self.vs.text(), "rows": rows }),
            );
        }
        print(&rows)
    }

    fn rows(&self, game: &Game, player: &str) -> Result<Vec<DepthResult>, Failure> {
        let Depths(depths) = &self.depths;
        let openings = Openings::Random { plies: self.random_plies };
        let progress = Progress::new(Some(self.games * depths.len() as u64), "games");
        let mut rows = Vec::new();
        for (done, &depth) in depths.iter().enumerate() {
            let settings = Match {
                games: self.games,
                seed: self.seed,
                concurrency: usize::from(self.concurrency),
                ..Match::default()
            };
            let players = [self.player(player, depth)?, self.vs.clone()];
            let before = done as u64 * self.games;
            let show = |score: &MatchScore| {
                progress.show(before + score.tally.games(), || format!("depth {depth}"));
            };
            rows.push(row(depth, &settings.run(game, &players, &openings, &show)?)?);
        }
        Ok(rows)
    }

    fn player(&self, name: &str, depth: u32) -> Result<PlayerSpec, Failure> {
        let more = self.with.as_deref().map(|options| format!(",{options}")).unwrap_or_default();
        let board = if self.game.is_some() { ",board=any" } else { "" };
        let text = format!("{name}:file=\"{}\",depth={depth}{board}{more}", self.file.display());
        Ok(tesuji_players::player(&text)?)
    }
}

fn row(depth: u32, result: &MatchResult) -> Result<DepthResult, Failure> {
    if let Some(game) = result.games.iter().find(|game| game.record.ending.kind.is_failure()) {
        return Err(Failure::Failed(format!(
            "game {}: {}",
            game.number, game.record.ending.detail
        )));
    }
    let as_side = |side: Side| {
        let mut tally = WinDrawLoss::default();
        let games = result.games.iter().filter(|game| game.first_player_side == side);
        games.for_each(|game| tally.add(game.points));
        tally
    };
    let (as_first, as_second) = (as_side(Side::First), as_side(Side::Second));
    Ok(DepthResult { depth, games: result.games.len() as u64, as_first, as_second })
}

fn print(rows: &[DepthResult]) -> Result<(), Failure> {
    say!("{:8}  {:>6}  {:^20}  {:^20}", "", "", "as first", "as second")?;
    let heading = format!("{:>6} {:>6} {:>6}", "wins", "draws", "losses");
    say!("{:8}  {:>6}  {heading}  {heading}", "", "games")?;
    for row in rows {
        let text = |tally: &WinDrawLoss| {
            format!("{:>6} {:>6} {:>6}", tally.wins, tally.draws, tally.losses)
        };
        let (first, second) = (text(&row.as_first), text(&row.as_second));
        say!("{:8}  {:>6}  {first}  {second}", format!("depth {}", row.depth), row.games)?;
    }
    Ok(())
}
