//! `tesuji stats`: how many games and positions a game has.

use serde::Serialize;
use tesuji_play::quantity::grouped;
use tesuji_search::statistics::{GameTreeStatistics, OutcomeCounts};

use crate::prelude::*;

/// Count games, positions and their classes under symmetry
#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    /// The game
    game: String,
    /// Count only this many moves
    #[arg(long, value_name = "N")]
    plies: Option<u32>,
    /// Give up when there are more positions [default: 20M, or what fits 2 GB]
    #[arg(long, value_name = "N", value_parser = setting::amount)]
    max_states: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Output<'a> {
    game: &'a str,
    #[serde(flatten)]
    statistics: GameTreeStatistics,
}

impl StatsArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let max_states = self.max_states.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let game = games.open(&self.game)?;
        if game.start().may_repeat() && self.plies.is_none() {
            // It has no last ply to count to.
            return Err(Failure::BadInput(format!(
                "stats: positions of '{}' can repeat, so its games have no end; expected --plies N",
                self.game
            )));
        }
        let counted = game.searches().statistics(game.start(), self.plies, max_states);
        let statistics = counted.map_err(|error| {
            Failure::Failed(format!("{error} (--max-states, --plies); {} is too large", self.game))
        })?;
        if self.json {
            return print_json(&Output { game: &self.game, statistics });
        }
        self.print(&statistics)
    }

    fn print(&self, found: &GameTreeStatistics) -> Result<(), Failure> {
        let limit = match self.plies {
            Some(plies) if !found.complete => format!(", the first {plies} moves"),
            _ => String::new(),
        };
        say!("{}{limit}\n", self.game)?;
        let mut rows = vec![
            by_outcome("games", &found.games),
            total("positions", found.states.into()),
            by_outcome("finished positions", &found.terminal_states),
        ];
        if let Some(classes) = &found.up_to_symmetry {
            rows.push(total("positions up to symmetry", classes.states.into()));
            rows.push(by_outcome("finished positions up to symmetry", &classes.terminal_states));
            let merged = &classes.games_with_merged_children;
            rows.push(by_outcome("games with symmetric children merged", merged));
        }
        print_titled(&["", "TOTAL", "FIRST WINS", "SECOND WINS", "DRAWN"], rows)?;
        say!("")?;
        let rows = found.plies.iter().map(|ply| {
            let classes = ply.states_up_to_symmetry.map(|n| grouped(n.into()));
            let classes = classes.unwrap_or("-".to_string());
            [ply.ply.to_string(), grouped(ply.states.into()), classes, grouped(ply.paths)]
        });
        print_titled(&["MOVES", "POSITIONS", "UP TO SYMMETRY", "PATHS"], rows)
    }
}

fn by_outcome(title: &str, counts: &OutcomeCounts) -> Vec<String> {
    let counts = [counts.total, counts.first, counts.second, counts.draw].map(grouped);
    [&[title.to_string()], &counts[..]].concat()
}

fn total(title: &str, number: u128) -> Vec<String> {
    vec![title.to_string(), grouped(number)]
}
