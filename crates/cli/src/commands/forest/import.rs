//! `tesuji forest import`: checks and converts forests of other programs.

use std::path::PathBuf;

use serde::Serialize;
use tesuji_games::RowGrid;
use tesuji_learn::Forest;
use tesuji_learn::forest::{PatternTree, xml};

use super::{load, model_failure};
use crate::output::existing;
use crate::prelude::*;

/// Check and describe forests of other programs, and convert one
///
/// A forest of another program does not name its game: --game does, and the patterns must fit on
/// the board.
#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// The forests; only one with --output
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The game of the forests, such as mnk:10x10,k=5
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Write the forest to this file
    #[arg(short, long, value_name = "FILE", requires = "game")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The content of a file.
#[derive(Serialize)]
struct FileSummary {
    file: String,
    game: String,
    window: usize,
    trees: usize,
    /// The smallest and the largest number of cells in a pattern.
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
                xml::save(forest, output, existing(self.force)).map_err(model_failure)?;
            }
            (Some(_), _) => {
                return Err(Failure::bad("--output: several input files; expected one"));
            }
        }
        self.print(&forests)
    }

    fn print(&self, forests: &[Forest]) -> Result<(), Failure> {
        let files = self.files.iter().zip(forests);
        let summaries: Vec<FileSummary> =
            files.map(|(path, forest)| summary(path.display().to_string(), forest)).collect();
        if self.json {
            return print_json(&summaries);
        }
        let titles = ["file", "game", "window", "trees", "cells", "nodes"];
        print_titled(&titles, summaries.iter().map(FileSummary::row))?;
        match &self.output {
            Some(output) => say!("written to {}", output.display()),
            None => Ok(()),
        }
    }
}

fn summary(file: String, forest: &Forest) -> FileSummary {
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

/// Returns an error if a pattern has no placement on the board.
fn check_fit(forest: &Forest, game: &str, grid: &RowGrid) -> Result<(), String> {
    let RowGrid { columns, rows, .. } = grid;
    let side = forest.window.side;
    let has_no_placement =
        |wood: &PatternTree| forest.spread.placements(&wood.pattern, grid).is_empty();
    match forest.trees.iter().position(|wood| has_no_placement(wood)) {
        Some(index) => Err(format!(
            "tree {}: its pattern of a {side}x{side} window does not fit on the {columns}x{rows} board \
             of '{game}'; expected a larger board",
            index + 1
        )),
        None => Ok(()),
    }
}

/// The board of a k-in-a-row game.
fn board_of(games: &Registry, game: &str) -> Result<RowGrid, Failure> {
    games.open(game)?.rows().map(|rows| rows.grid).ok_or_else(|| {
        Failure::BadInput(format!(
            "game '{game}': not supported by forests; expected a k-in-a-row game, such as \
             mnk:10x10,k=5"
        ))
    })
}
