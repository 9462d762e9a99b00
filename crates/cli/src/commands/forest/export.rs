//! `tesuji forest export`: writes a forest with its document type definition.

use std::path::PathBuf;

use tesuji_learn::forest::xml;

use super::{load, model_failure};
use crate::output::existing;
use crate::prelude::*;

/// Write a forest as XML with its definition, for other programs
#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// The forest
    file: PathBuf,
    /// The file to write
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl ExportArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let forest = load(&self.file)?;
        xml::save(&forest, &self.output, existing(self.force)).map_err(model_failure)?;
        say!("{}: {} trees", self.output.display(), forest.trees.len())
    }
}
