//! `tesuji forest`: files of forests, looked into, checked and written.

mod export;
mod import;
mod show;
mod test;

use std::io;
use std::path::Path;

use tesuji_learn::forest::xml;
use tesuji_learn::{Model, ModelError};

use crate::examples::help;
use crate::failure::Failure;

/// For the help of `forest` and its verb `show`.
pub(crate) const EXAMPLE: &str = "tesuji forest show examples/forest.xml --trees 3";

commands! {
    enum ForestCommand {
        Show(show::ShowArgs): help(EXAMPLE),
        Export(export::ExportArgs): help("tesuji forest export examples/forest.xml other.xml"),
        Import(import::ImportArgs): help("tesuji forest import foreign.xml --game mnk:10x10,k=5 -o forest.xml"),
        Test(Box<test::TestArgs>): help("tesuji forest test examples/forest.xml --vs random --depths 0..2 --games 20"),
    }
}

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

/// Whether it is the user's fault or the machine's is the difference between the exit codes 2 and 1.
fn in_words(error: ModelError) -> Failure {
    match error {
        ModelError::Invalid(why) => Failure::bad(why),
        ModelError::Read(path, error) | ModelError::Write(path, error) => of_file(&path, &error),
    }
}

fn of_file(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::in_file(path, format!("{error}; name another file or give --force"))
        }
        _ => Failure::of_file(path, error),
    }
}
