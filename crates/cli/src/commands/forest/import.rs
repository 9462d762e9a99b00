//! `tesuji forest import`: forests of other programs, checked and made ours.

use std::path::PathBuf;

use serde::Serialize;
use tesuji_games::RowGrid;
use tesuji_learn::Forest;
use tesuji_learn::forest::{PatternTree, xml};

use super::{in_words, load};
use crate::output::existing;
use crate::prelude::*;

/// Check forests of other programs, say what is in them, and write one as ours
///
/// A forest from elsewhere does not say for which game it is: --game does, and the patterns must fit on its board.
#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// The files; only one with -o
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The game that they are for, such as mnk:10x10,k=5
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Write the forest to this file
    #[arg(short, long, value_name = "FILE", requires = "game")]
    output: Option<PathBuf>,
    /// Replace a file that is there already
    #[arg(long, requires = "output")]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is in a file.
#[derive(Serialize)]
struct FileSummary {
    file: String,
    game: String,
    window: usize,
    trees: usize,
    /// The fewest and the most that a tree looks at.
    cells: [usize; 2],
    nodes: usize,
}

impl ImportArgs {
    pub(super) fn run(self, games: &Registry) -> Result<(), Failure> {
        let grid = self.game.as_deref().map(|game| board_of(games, game)).transpose()?;
        let mut forests = Vec::new();
        for path in &self.files {
            let mut forest = load(path)?;
            if let (Some(game), Some(grid)) = (&self.game, &grid) {
                check_fit(&forest, game, grid).in_file(path)?;
                forest.game.clone_from(game);
            }
            forests.push(forest);
        }
        match (&self.output, &forests[..]) {
            (None, _) => {}
            (Some(output), [forest]) => {
                xml::save(forest, output, existing(self.force)).map_err(in_words)?;
            }
            (Some(_), _) => {
                let what = "several files with -o; expected one, for each file of its own";
                return Err(Failure::bad(what));
            }
        }
        self.print(&forests)
    }

    fn print(&self, forests: &[Forest]) -> Result<(), Failure> {
        let found = self.files.iter().zip(forests);
        let found: Vec<FileSummary> =
            found.map(|(path, forest)| found_in(path.display().to_string(), forest)).collect();
        if self.json {
            return print_json(&found);
        }
        let titles = ["file", "game", "window", "trees", "cells", "nodes"];
        print_titled(&titles, found.iter().map(FileSummary::row))?;
        match &self.output {
            Some(output) => say!("written to {}", output.display()),
            None => Ok(()),
        }
    }
}

fn found_in(file: String, forest: &Forest) -> FileSummary {
    let cells = forest.trees.iter().map(|wood| wood.pattern.len());
    let fewest = cells.clone().min().unwrap_or(0);
    FileSummary {
        file,
        game: forest.game.clone(),
        window: forest.window.side,
        trees: forest.trees.len(),
        cells: [fewest, cells.max().unwrap_or(0)],
        nodes: forest.trees.iter().map(|wood| wood.decisions.nodes().len()).sum(),
    }
}

impl FileSummary {
    fn row(&self) -> [String; 6] {
        let [fewest, most] = self.cells;
        let cells = if fewest == most { most.to_string() } else { format!("{fewest}-{most}") };
        let game = if self.game.is_empty() { "unknown" } else { &self.game };
        let window = format!("{side}x{side}", side = self.window);
        let (trees, nodes) = (self.trees.to_string(), self.nodes.to_string());
        [self.file.clone(), game.to_string(), window, trees, cells, nodes]
    }
}

/// Whether each pattern has a place on the board.
fn check_fit(forest: &Forest, game: &str, grid: &RowGrid) -> Result<(), String> {
    let RowGrid { columns, rows, .. } = grid;
    let side = forest.window.side;
    let homeless = |wood: &PatternTree| forest.spread.placements(&wood.pattern, grid).is_empty();
    match forest.trees.iter().position(|wood| homeless(wood)) {
        Some(place) => Err(format!(
            "the pattern of tree {}, from a {side}x{side} window, fits nowhere on the {columns}x{rows} board of '{game}'; expected a larger board",
            place + 1
        )),
        None => Ok(()),
    }
}

/// The board of a game of stones.
fn board_of(games: &Registry, game: &str) -> Result<RowGrid, Failure> {
    games.open(game)?.rows().map(|rows| rows.grid).ok_or_else(|| {
        let what = "forests need a game of stones in a row, such as mnk:10x10,k=5";
        Failure::BadInput(format!("'{game}' is none; {what}"))
    })
}
