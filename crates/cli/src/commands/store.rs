//! `tesuji store`: look into, move and merge what was kept.

mod export;
mod games;
mod import;
mod info;
mod merge;
mod ratings;

use std::io;
use std::path::Path;

use clap::{Args, Subcommand};
use tesuji_store::StoreError;
use tesuji_store::exchange::{ExchangeError, Format};

use tesuji_search::Registry;

use crate::examples;
use crate::failure::Failure;

/// Look into a store, and get records in and out of it
///
/// A store is a file such as games.db, or postgres://USER@HOST/DATABASE.
#[derive(Args)]
#[command(after_help = examples::help(examples::STORE))]
pub(crate) struct Store {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Info(info::Info),
    Games(games::Games),
    Export(export::Export),
    Import(import::ImportFiles),
    Merge(merge::Merge),
    Ratings(ratings::Ratings),
}

impl Store {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        match self.what {
            What::Info(verb) => verb.run(),
            What::Games(verb) => verb.run(games),
            What::Export(verb) => verb.run(),
            What::Import(verb) => verb.run(games),
            What::Merge(verb) => verb.run(),
            What::Ratings(verb) => verb.run(),
        }
    }
}

/// Opens a store that must be there: a mistyped name must not leave an empty store behind.
fn open_existing(place: &str) -> Result<Box<dyn tesuji_store::Store>, Failure> {
    tesuji_store::open_existing(place).map_err(|error| match error {
        StoreError::NotOpened { .. } if !is_url(place) && !Path::new(place).exists() => {
            Failure::BadInput(error.to_string())
        }
        error => error.into(),
    })
}

fn is_url(place: &str) -> bool {
    place.contains("://")
}

/// clap's reader of a format.
fn format(text: &str) -> Result<Format, String> {
    let words = Format::ALL.map(Format::word).join(", ");
    Format::of_word(text).ok_or_else(|| format!("expected one of {words}"))
}

/// What went wrong with a file, with its name in front. Whether it is the user's fault or the machine's is
/// the difference between the exit codes 2 and 1.
fn in_file(path: &Path, error: ExchangeError) -> Failure {
    use io::ErrorKind::*;
    match error {
        ExchangeError::Store(error) => error.into(),
        ExchangeError::Io(error) => match error.kind() {
            BrokenPipe => Failure::ReaderGone,
            NotFound | PermissionDenied | AlreadyExists | InvalidInput | IsADirectory
            | NotADirectory | ReadOnlyFilesystem => Failure::in_file(path, error),
            _ => Failure::Undone(format!("{}: {error}", path.display())),
        },
        error => Failure::in_file(path, error),
    }
}
