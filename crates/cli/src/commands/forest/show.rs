//! `tesuji forest show`: draws patterns and rules.

use std::path::PathBuf;

use tesuji_learn::forest::picture::{ForestPicture, PictureOptions};

use super::load;
use crate::output::{existing, write_file};
use crate::prelude::*;

/// Draw the patterns of a forest and its shortest rules
///
/// For each tree: the cells of its pattern, its error and size, and the rules for a win and for a
/// loss that test the fewest cells.
#[derive(clap::Args)]
pub(crate) struct ShowArgs {
    /// The forest
    file: PathBuf,
    /// Draw this many trees, from the first
    #[arg(long, value_name = "N", default_value_t = PictureOptions::default().trees)]
    trees: usize,
    /// Print this many rules for a win, and as many for a loss
    #[arg(long, value_name = "N", default_value_t = PictureOptions::default().rules)]
    rules: usize,
    /// Write an SVG to this file instead
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "svg")]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ShowArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let extent = PictureOptions { trees: self.trees, rules: self.rules };
        let picture = ForestPicture::of(&load(&self.file)?, extent);
        if let Some(path) = &self.svg {
            write_file(path, existing(self.force), picture.svg().as_bytes())
                .map_err(|error| Failure::of_output(path, &error))?;
        }
        if self.json {
            return print_json(&picture);
        }
        match &self.svg {
            Some(path) => say!("{}: {} trees", path.display(), picture.trees.len()),
            None => print(picture.text()),
        }
    }
}
