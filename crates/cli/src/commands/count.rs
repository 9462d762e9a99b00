//! `tesuji count`: counts paths in graphs.

use tesuji_search::path_count::{GridGraph, GridPoint, PathCountError};

use crate::examples::help;
use crate::prelude::*;

/// The example in the help of `count`.
pub(crate) const EXAMPLE: &str =
    "tesuji count grid-paths --width 5 --height 5 --from 0,0 --to 4,4 --length 8";

commands! {
    enum CountCommand {
        /// Count paths along the lines of a grid; a path may visit a point again
        GridPaths(GridPathsArgs): help(EXAMPLE),
    }
}

#[derive(clap::Args)]
pub(crate) struct GridPathsArgs {
    /// Points in a row of the grid
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    width: u32,
    /// Points in a column of the grid
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    height: u32,
    /// The first point of the paths, counted from 0,0
    #[arg(long, value_name = "X,Y", value_parser = point)]
    from: GridPoint,
    /// The last point of the paths
    #[arg(long, value_name = "X,Y", value_parser = point)]
    to: GridPoint,
    /// The number of steps of the paths
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    length: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn point(text: &str) -> Result<GridPoint, String> {
    let read = || {
        let (column, row) = text.split_once(',')?;
        Some((column.trim().parse().ok()?, row.trim().parse().ok()?))
    };
    read().ok_or_else(|| String::from("expected COLUMN,ROW, such as 0,0"))
}

impl GridPathsArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let grid = GridGraph::new(self.width, self.height).map_err(failure)?;
        let paths = grid.count(self.from, self.to, self.length).map_err(failure)?;
        if self.json {
            // As text: many readers of JSON are exact only up to 2⁵³.
            return print_json(&json!({ "paths": paths.to_string() }));
        }
        say!("{paths}")
    }
}

fn failure(error: PathCountError) -> Failure {
    match error {
        PathCountError::Outside { .. } | PathCountError::Empty { .. } => Failure::bad(error),
        _ => Failure::failed(error),
    }
}
