//! `tesuji model`: files of anything that was learned, described and written for other programs.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use tesuji_learn::model_file::{ModelFile, ModelFileError, ModelInfo};
use tesuji_play::quantity::grouped;
use tesuji_store::safe_file::{self, Existing};

use crate::examples;
use crate::failure::Failure;
use crate::output;

/// How the name of an exported file ends.
const ENDING: &str = "safetensors";

/// Describe learned models, and write networks for other programs
///
/// A model is a forest (.xml, .xml.gz), weights (.tuples), a network (.net) or a line network (.lines).
#[derive(Args)]
#[command(after_help = examples::help(examples::MODEL))]
pub(crate) struct Model {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Info(Info),
    Export(Export),
}

impl Model {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.what {
            What::Info(verb) => verb.run(),
            What::Export(verb) => verb.run(),
        }
    }
}

/// Show what a model file holds: kind, game, size, tensors, how it was made
#[derive(Args)]
#[command(after_help = examples::help(examples::MODEL_INFO))]
struct Info {
    /// The model
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Info {
    fn run(&self) -> Result<(), Failure> {
        let info = load(&self.file)?.info();
        if self.json {
            return output::print_json(&info);
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
        output::print_table(&rows.map(|(name, text)| [name.to_string(), text]))?;
        print_tensors(&info)
    }
}

/// The first tensors; n-tuple networks have hundreds.
fn print_tensors(info: &ModelInfo) -> Result<(), Failure> {
    const MOST: usize = 20;
    if info.tensors.is_empty() {
        return Ok(());
    }
    writeln!(io::stdout(), "\ntensors:")?;
    let shape =
        |sides: &[usize]| sides.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
    let rows: Vec<[String; 3]> = info
        .tensors
        .iter()
        .take(MOST)
        .map(|tensor| {
            [format!("  {}", tensor.name), tensor.dtype.to_string(), shape(&tensor.shape)]
        })
        .collect();
    output::print_table(&rows)?;
    match info.tensors.len().saturating_sub(MOST) {
        0 => Ok(()),
        more => Ok(writeln!(io::stdout(), "  and {more} more; --json lists all")?),
    }
}

/// Write a network as safetensors, for PyTorch, NumPy and others
///
/// docs/formats.md lists the tensors of each kind of network. A forest has none: tesuji forest export
/// writes it for other programs.
#[derive(Args)]
#[command(after_help = examples::help(examples::MODEL_EXPORT))]
struct Export {
    /// The network
    file: PathBuf,
    /// The file to write; its name ends in .safetensors
    output: PathBuf,
    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
}

impl Export {
    fn run(&self) -> Result<(), Failure> {
        let existing = if self.force { Existing::Replace } else { Existing::Keep };
        if self.output.extension().is_none_or(|ending| ending != ENDING) {
            let what = "unknown format; expected a name that ends in .safetensors";
            return Err(Failure::in_file(&self.output, what));
        }
        safe_file::check(&self.output, existing).map_err(|error| in_file(&self.output, error))?;
        let model = load(&self.file)?;
        let tensors = match model.export(&self.output, existing) {
            Ok(tensors) => tensors,
            Err(ModelFileError::Io(error)) => return Err(in_file(&self.output, error)),
            Err(error) => return Err(Failure::in_file(&self.file, error)),
        };
        let numbers = grouped(model.info().size as u128);
        let place = self.output.display();
        Ok(writeln!(io::stdout(), "{place}: {tensors} tensors, {numbers} numbers")?)
    }
}

fn load(path: &Path) -> Result<ModelFile, Failure> {
    ModelFile::load(path).map_err(|error| match error {
        ModelFileError::Io(error) => in_file(path, error),
        error => Failure::in_file(path, error),
    })
}

/// Whether it is the user's fault or the machine's is the difference between the exit codes 2 and 1.
fn in_file(path: &Path, error: io::Error) -> Failure {
    use io::ErrorKind::*;
    match error.kind() {
        AlreadyExists if path.is_file() => {
            Failure::in_file(path, format!("{error}; give --force to replace it"))
        }
        AlreadyExists | NotFound | PermissionDenied | InvalidInput | IsADirectory
        | NotADirectory | ReadOnlyFilesystem => Failure::in_file(path, error),
        _ => Failure::Undone(format!("{}: {error}", path.display())),
    }
}
