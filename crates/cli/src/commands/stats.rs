//! `tesuji stats`: counts the games and positions of a game.

use serde::Serialize;
use tesuji_play::quantity::grouped;
use tesuji_search::statistics::{GameTreeStatistics, OutcomeCounts};

use crate::prelude::*;

/// Count the games and positions of a game, also up to symmetry
#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    /// The game
    game: String,
    /// Count only this many plies
    #[arg(long, value_name = "N")]
    plies: Option<u32>,
    /// Give up after this many positions [default: 20M, or what fits into 2 GB]
    #[arg(long, value_name = "N", value_parser = arguments::amount)]
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
            // Its games have no last ply.
            return Err(Failure::BadInput(format!(
                "game '{}': positions can repeat, so games have no end; expected --plies N",
                self.game
            )));
        }
        let counted = game.searches().statistics(game.start(), self.plies, max_states);
        let statistics = counted.map_err(|error| {
            Failure::Failed(format!("game '{}': {error} (--max-states, --plies)", self.game))
        })?;
        if self.json {
            return print_json(&Output { game: &self.game, statistics });
        }
        self.print(&statistics)
    }

    fn print(&self, statistics: &GameTreeStatistics) -> Result<(), Failure> {
        let limit = match self.plies {
            Some(plies) if !statistics.complete => format!(", the first {plies} plies"),
            _ => String::new(),
        };
        say!("{}{limit}\n", self.game)?;
        let mut rows = vec![
            by_outcome("games", &statistics.games),
            total("positions", statistics.states.into()),
            by_outcome("finished positions", &statistics.terminal_states),
        ];
        if let Some(classes) = &statistics.up_to_symmetry {
            rows.push(total("positions up to symmetry", classes.states.into()));
            rows.push(by_outcome("finished positions up to symmetry", &classes.terminal_states));
            let merged = &classes.games_with_merged_children;
            rows.push(by_outcome("games with symmetric children merged", merged));
        }
        print_titled(&["", "TOTAL", "FIRST WINS", "SECOND WINS", "DRAWN"], rows)?;
        say!("")?;
        let rows = statistics.plies.iter().map(|ply| {
            let classes = ply.states_up_to_symmetry.map(|n| grouped(n.into()));
            let classes = classes.unwrap_or("-".to_string());
            [ply.ply.to_string(), grouped(ply.states.into()), classes, grouped(ply.paths)]
        });
        print_titled(&["PLIES", "POSITIONS", "UP TO SYMMETRY", "PATHS"], rows)
    }
}

fn by_outcome(title: &str, counts: &OutcomeCounts) -> Vec<String> {
    let counts = [counts.total, counts.first, counts.second, counts.draw].map(grouped);
    [&[title.to_string()], &counts[..]].concat()
}

fn total(title: &str, number: u128) -> Vec<String> {
    vec![title.to_string(), grouped(number)]
}
