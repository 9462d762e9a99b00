//! `tesuji forest export`: a forest as a file that holds to the definition.

use std::path::PathBuf;

use tesuji_learn::forest::xml;

use super::{in_words, load};
use crate::output::existing;
use crate::prelude::*;

/// Write a forest as XML with its definition inside, as other programs want it
#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// The forest
    file: PathBuf,
    /// The file to write
    output: PathBuf,
    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
}

impl ExportArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let forest = load(&self.file)?;
        xml::save(&forest, &self.output, existing(self.force)).map_err(in_words)?;
        say!("{}: {} trees", self.output.display(), forest.trees.len())
    }
}
