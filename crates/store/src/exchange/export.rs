//! Exports records of a store to files.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use super::{ExchangeError, Format, csv, json_lines, parquet, pgn, psq, sgf, table};
use crate::safe_file::{self, IfExists};
use crate::{Record, RecordKind, Selection, Store, StoreError};

/// The result of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExportSummary {
    /// Records that were written.
    pub written: u64,
    /// Games that the format does not support, which were skipped.
    pub left_out: u64,
}

/// Writes the selected records, one selection after the other. SGF supports games only, and PGN
/// chess only. PSQ holds one game of Gomoku; [`export_folder`] writes several. CSV and Parquet hold
/// one kind of record. `progress` is called with the number of written records.
pub fn export(
    store: &dyn Store,
    selections: &[Selection],
    format: Format,
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportSummary, ExchangeError> {
    match format {
        Format::JsonLines => export_lines(store, selections, out, progress),
        Format::Sgf => export_games(store, selections, progress, &mut |_, game| {
            sgf::write(out, game).map(|()| GameExport::Written)
        }),
        Format::Pgn => export_games(store, selections, progress, &mut |_, game| {
            if !pgn::can_hold(&game.game) {
                return Ok(GameExport::Skipped);
            }
            pgn::write(out, game).map(|()| GameExport::Written)
        }),
        Format::Psq => export_games(store, selections, progress, &mut |number, game| {
            if !psq::can_hold(&game.game) {
                return Ok(GameExport::Skipped);
            }
            if number > 0 {
                let why = "several games are selected; expected one game, or a folder".to_string();
                let key = game.key.clone();
                return Err(ExchangeError::Unwritable { key, format: "PSQ", why });
            }
            psq::write(out, game).map(|()| GameExport::Written)
        }),
        Format::Csv => {
            let kind = one_kind(selections, format)?;
            let mut writer = csv::Writer::new(out, table::columns(kind))?;
            let written =
                export_rows(store, selections, progress, &mut |record| writer.write(record))?;
            writer.finish()?;
            Ok(written)
        }
        Format::Parquet => {
            let kind = one_kind(selections, format)?;
            let mut writer = parquet::Writer::new(out, table::columns(kind))?;
            let written =
                export_rows(store, selections, progress, &mut |record| writer.write(record))?;
            writer.finish()?;
            Ok(written)
        }
    }
}

/// The kind of all selections.
fn one_kind(selections: &[Selection], format: Format) -> Result<RecordKind, ExchangeError> {
    let mut kinds: Vec<RecordKind> = selections.iter().map(|selection| selection.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [kind] => Ok(*kind),
        _ => Err(ExchangeError::SeveralKinds { format: format.word(), kinds: kinds.len() }),
    }
}

fn export_rows(
    store: &dyn Store,
    selections: &[Selection],
    progress: &mut dyn FnMut(u64),
    each: &mut dyn FnMut(&Record) -> Result<(), ExchangeError>,
) -> Result<ExportSummary, ExchangeError> {
    let mut written = 0;
    for_each(store, selections, &mut |record| {
        each(&record)?;
        written += 1;
        progress(written);
        Ok(())
    })?;
    Ok(ExportSummary { written, left_out: 0 })
}

/// Writes the selected games of Gomoku to an empty folder, one PSQ file each: `game-000001.psq` and
/// so on.
pub fn export_folder(
    store: &dyn Store,
    selections: &[Selection],
    folder: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportSummary, ExchangeError> {
    export_games(store, selections, progress, &mut |number, game| {
        if !psq::can_hold(&game.game) {
            return Ok(GameExport::Skipped);
        }
        let path = folder.join(format!("game-{:06}.psq", number + 1));
        safe_file::write(&path, IfExists::Keep, |out| psq::write(out, game))?;
        Ok(GameExport::Written)
    })
}

fn export_lines(
    store: &dyn Store,
    selections: &[Selection],
    out: &mut dyn Write,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportSummary, ExchangeError> {
    let mut writer = json_lines::Writer::new(out)?;
    export_rows(store, selections, progress, &mut |record| writer.write(record))?;
    Ok(ExportSummary { written: writer.finish()?, left_out: 0 })
}

/// Whether a game was written.
enum GameExport {
    Written,
    Skipped,
}

type EachGame<'e> = dyn FnMut(u64, &crate::GameRecord) -> Result<GameExport, ExchangeError> + 'e;

fn export_games(
    store: &dyn Store,
    selections: &[Selection],
    progress: &mut dyn FnMut(u64),
    each: &mut EachGame<'_>,
) -> Result<ExportSummary, ExchangeError> {
    let games: Vec<Selection> =
        selections.iter().filter(|selection| selection.kind == RecordKind::Game).cloned().collect();
    let mut exported = ExportSummary::default();
    for_each(store, &games, &mut |record| {
        let Record::Game(game) = record else { return Ok(()) };
        match each(exported.written, &game)? {
            GameExport::Written => exported.written += 1,
            GameExport::Skipped => exported.left_out += 1,
        }
        progress(exported.written);
        Ok(())
    })?;
    Ok(exported)
}

/// [`Store::for_each`] with a fallible callback.
fn for_each(
    store: &dyn Store,
    selections: &[Selection],
    each: &mut dyn FnMut(Record) -> Result<(), ExchangeError>,
) -> Result<(), ExchangeError> {
    let mut failure = None;
    for selection in selections {
        let result: Result<(), StoreError> =
            store.for_each(selection, &mut |record| match each(record) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            });
        if let Some(error) = failure.take() {
            return Err(error);
        }
        result?;
    }
    Ok(())
}
