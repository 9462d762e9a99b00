//! `tesuji count`: paths in graphs that are no games.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use serde_json::json;
use tesuji_search::paths::{CountError, Grid, Point};

use crate::examples;
use crate::failure::Failure;
use crate::output::print_json;

/// Count paths of a given length in a graph
#[derive(Args)]
#[command(after_help = examples::help(examples::COUNT))]
pub(crate) struct Count {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Paths along the lines of a grid, coming back allowed
    #[command(after_help = examples::help(examples::COUNT))]
    GridPaths(GridPaths),
}

#[derive(Args)]
struct GridPaths {
    /// Points across
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    width: u32,
    /// Points down
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    height: u32,
    /// Where paths begin: column,row from 0,0
    #[arg(long, value_name = "X,Y", value_parser = point)]
    from: Point,
    /// Where they end
    #[arg(long, value_name = "X,Y", value_parser = point)]
    to: Point,
    /// How many steps they have
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    length: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn point(text: &str) -> Result<Point, String> {
    let read = || {
        let (column, row) = text.split_once(',')?;
        Some((column.trim().parse().ok()?, row.trim().parse().ok()?))
    };
    read().ok_or_else(|| format!("'{text}' is not a point such as 0,0"))
}

impl Count {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let What::GridPaths(problem) = self.what;
        let grid = Grid::new(problem.width, problem.height).map_err(failure)?;
        let paths = grid.count(problem.from, problem.to, problem.length).map_err(failure)?;
        if problem.json {
            // As text: JSON numbers of many readers end at 2⁵³.
            return print_json(&json!({ "paths": paths.to_string() }));
        }
        Ok(writeln!(io::stdout(), "{paths}")?)
    }
}

fn failure(error: CountError) -> Failure {
    match error {
        CountError::Outside { .. } | CountError::Empty { .. } => {
            Failure::BadInput(error.to_string())
        }
        CountError::Overflow { .. } | CountError::TooLarge { .. } => {
            Failure::Undone(error.to_string())
        }
    }
}
