//! `tesuji forest export`: a forest as a file that holds to the definition.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use tesuji_learn::forest::xml;

use super::{existing, in_words, load};
use crate::examples;
use crate::failure::Failure;

/// Write a forest as XML with its definition inside, as other programs want it
#[derive(Args)]
#[command(after_help = examples::help(examples::FOREST_EXPORT))]
pub(super) struct Export {
    /// The forest
    file: PathBuf,
    /// The file to write
    output: PathBuf,
    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
}

impl Export {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let forest = load(&self.file)?;
        xml::save(&forest, &self.output, existing(self.force)).map_err(in_words)?;
        Ok(writeln!(io::stdout(), "{}: {} trees", self.output.display(), forest.woods.len())?)
    }
}
