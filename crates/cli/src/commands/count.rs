//! `tesuji count`: paths in graphs that are no games.

use tesuji_search::path_count::{GridGraph, GridPoint, PathCountError};

use crate::examples::help;
use crate::prelude::*;

/// For the help of `count`.
pub(crate) const EXAMPLE: &str =
    "tesuji count grid-paths --width 5 --height 5 --from 0,0 --to 4,4 --length 8";

commands! {
    enum CountCommand {
        /// Paths along the lines of a grid, coming back allowed
                GridPaths(GridPathsArgs): help(EXAMPLE),
    }
}

#[derive(clap::Args)]
pub(crate) struct GridPathsArgs {
    /// Points across
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    width: u32,
    /// Points down
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    height: u32,
    /// Where paths begin: column,row from 0,0
    #[arg(long, value_name = "X,Y", value_parser = point)]
    from: GridPoint,
    /// Where they end
    #[arg(long, value_name = "X,Y", value_parser = point)]
    to: GridPoint,
    /// How many steps they have
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
    read().ok_or_else(|| format!("'{text}' is not a point such as 0,0"))
}

impl GridPathsArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let grid = GridGraph::new(self.width, self.height).map_err(failure)?;
        let paths = grid.count(self.from, self.to, self.length).map_err(failure)?;
        if self.json {
            // As text: JSON numbers of many readers end at 2⁵³.
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
