//! `tesuji forest`: files of forests, looked into, checked and written.

mod export;
mod import;
mod show;
mod test;

use std::io;
use std::path::Path;

use clap::{Args, Subcommand};
use tesuji_learn::forest::xml;
use tesuji_learn::{Model, ModelError};
use tesuji_store::safe_file::Existing;

use tesuji_search::Registry;

use crate::examples;
use crate::failure::Failure;

/// Look into forests, and take them from and to other programs
///
/// A forest is an XML file by the definition of Loos's thesis (2012); docs/formats.md describes it.
#[derive(Args)]
#[command(after_help = examples::help(examples::FOREST))]
pub(crate) struct Forest {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Show(show::Show),
    Export(export::Export),
    Import(import::Import),
    Test(Box<test::Test>),
}

impl Forest {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        match self.what {
            What::Show(verb) => verb.run(),
            What::Export(verb) => verb.run(),
            What::Import(verb) => verb.run(games),
            What::Test(verb) => verb.run(games),
        }
    }
}

/// The forest in a file.
fn load(path: &Path) -> Result<tesuji_learn::Forest, Failure> {
    xml::load(path).map_err(in_words)
}

/// The game that a forest or network was made for.
fn game_of(path: &Path) -> Result<String, Failure> {
    let model = Model::load(path).map_err(in_words)?;
    match model.game() {
        "" => Err(Failure::in_file(path, "it does not say for which game; give --game")),
        game => Ok(game.to_string()),
    }
}

/// What becomes of a file that is there already.
fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

/// Whether it is the user's fault or the machine's is the difference between the exit codes 2 and 1.
fn in_words(error: ModelError) -> Failure {
    match error {
        ModelError::Refused(why) => Failure::BadInput(why),
        ModelError::Unread(path, error) | ModelError::Unwritten(path, error) => {
            of_file(&path, &error)
        }
    }
}

fn of_file(path: &Path, error: &io::Error) -> Failure {
    use io::ErrorKind::*;
    match error.kind() {
        AlreadyExists => {
            Failure::in_file(path, format!("{error}; name another file or give --force"))
        }
        NotFound | PermissionDenied | InvalidInput | IsADirectory | NotADirectory
        | ReadOnlyFilesystem => Failure::in_file(path, error),
        _ => Failure::Undone(format!("{}: {error}", path.display())),
    }
}
