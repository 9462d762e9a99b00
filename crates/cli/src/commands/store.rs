//! `tesuji store`: inspects, exports, imports and merges stores.

mod export;
mod games;
mod import;
mod info;
mod merge;
mod ratings;

use std::path::Path;

use tesuji_store::exchange::{ExchangeError, Format};
use tesuji_store::{RecordKind, Selection, StoreError};

use crate::examples::{STORE_EXPORT, help};
use crate::failure::Failure;

commands! {
    enum StoreCommand {
        Info(info::InfoArgs): help("tesuji store info games.db"),
        Games(games::GamesArgs): help("tesuji store games games.db --event cup --limit 10"),
        Export(export::ExportArgs): STORE_EXPORT,
        Import(import::ImportArgs): help("tesuji store import games.db games.jsonl more.sgf"),
        Merge(merge::MergeArgs): help("tesuji store merge all.db monday.db tuesday.db"),
        Ratings(ratings::RatingsArgs): help("tesuji store ratings games.db --game connect4 --anchor random"),
    }
}

/// Opens an existing store, so that a mistyped name does not create an empty one.
fn open_existing(place: &str) -> Result<Box<dyn tesuji_store::Store>, Failure> {
    tesuji_store::open_existing(place).map_err(|error| match error {
        StoreError::NotOpened { .. } if !place.contains("://") && !Path::new(place).exists() => {
            Failure::bad(error)
        }
        error => error.into(),
    })
}

/// The records of a kind, optionally of one game or event.
fn selection(kind: RecordKind, game: &Option<String>, event: &Option<String>) -> Selection {
    Selection { game: game.clone(), event: event.clone(), ..Selection::all(kind) }
}

/// Parses a format for clap.
fn format(text: &str) -> Result<Format, String> {
    let words = Format::ALL.map(Format::word).join(", ");
    Format::of_word(text).ok_or_else(|| format!("expected one of {words}"))
}

/// The failure of a file, which the message names.
fn in_file(path: &Path, error: ExchangeError) -> Failure {
    match error {
        ExchangeError::Store(error) => error.into(),
        ExchangeError::Io(error) => Failure::of_file(path, &error),
        error => Failure::in_file(path, error),
    }
}
