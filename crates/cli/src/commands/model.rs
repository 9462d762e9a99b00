//! `tesuji model`: inspects and exports models.

use std::path::{Path, PathBuf};

use clap::Args;
use tesuji_learn::model_file::{ModelFile, ModelFileError, ModelInfo};
use tesuji_play::quantity::grouped;
use tesuji_store::safe_file;

use crate::examples::help;
use crate::output::existing;
use crate::prelude::*;

commands! {
    enum ModelCommand {
        Info(InfoArgs): help("tesuji model info models/critic-gomoku-15x15.net --json"),
        Export(ExportArgs): help("tesuji model export models/gomoku.lines lines.safetensors"),
    }
}

/// Show the kind, game, size, tensors and origin of a model
#[derive(Args)]
pub(crate) struct InfoArgs {
    /// The model
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl InfoArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let info = load(&self.file)?.info();
        if self.json {
            return print_json(&info);
        }
        let unknown = || "unknown".to_string();
        let size = grouped(info.size as u128);
        let rows = [
            ("kind", info.kind.to_string()),
            ("game", info.game.clone().unwrap_or_else(unknown)),
            ("learner", info.learner.map_or_else(unknown, str::to_string)),
            (if info.tensors.is_empty() { "trees" } else { "numbers" }, size),
            ("made", info.made.clone().unwrap_or_else(unknown)),
        ];
        print_table(&rows.map(|(name, text)| [name.to_string(), text]))?;
        print_tensors(&info)
    }
}

/// Prints the first tensors; n-tuple networks have hundreds.
fn print_tensors(info: &ModelInfo) -> Result<(), Failure> {
    const LIMIT: usize = 20;
    if info.tensors.is_empty() {
        return Ok(());
    }
    let rows = info.tensors.iter().take(LIMIT).map(|tensor| {
        let shape: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
        [format!("  {}", tensor.name), tensor.dtype.to_string(), shape.join(" x ")]
    });
    say!("\ntensors:")?;
    print_table(&rows.collect::<Vec<_>>())?;
    match info.tensors.len().saturating_sub(LIMIT) {
        0 => Ok(()),
        more => say!("  and {more} more; --json lists all"),
    }
}

/// Write a network as safetensors, for PyTorch, NumPy and other programs
///
/// docs/formats.md lists the tensors of each kind of network. For a forest use tesuji forest
/// export.
#[derive(Args)]
pub(crate) struct ExportArgs {
    /// The network
    file: PathBuf,
    /// The file to write, with a name that ends in .safetensors
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

impl ExportArgs {
    fn run(self, _: &Registry) -> Result<(), Failure> {
        let existing = existing(self.force);
        if self.output.extension().is_none_or(|ending| ending != "safetensors") {
            let problem = "unknown format; expected a name that ends in .safetensors";
            return Err(Failure::in_file(&self.output, problem));
        }
        safe_file::check(&self.output, existing)
            .map_err(|error| Failure::of_output(&self.output, &error))?;
        let model = load(&self.file)?;
        let tensors = match model.export(&self.output, existing) {
            Ok(tensors) => tensors,
            Err(ModelFileError::Io(error)) => return Err(Failure::of_output(&self.output, &error)),
            Err(error) => return Err(Failure::in_file(&self.file, error)),
        };
        let numbers = grouped(model.info().size as u128);
        let output = self.output.display();
        say!("{output}: {tensors} tensors, {numbers} numbers")
    }
}

fn load(path: &Path) -> Result<ModelFile, Failure> {
    ModelFile::load(path).map_err(|error| match error {
        ModelFileError::Io(error) => Failure::of_file(path, &error),
        error => Failure::in_file(path, error),
    })
}
