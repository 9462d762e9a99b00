//! `tesuji store import`: imports files into a store.

use std::fs;
use std::path::{Path, PathBuf};

use tesuji_play::quantity::grouped;
use tesuji_store::exchange::{Format, Import, ImportSummary, ReadOptions};

use super::in_file;
use crate::prelude::*;

/// Import the records of files into a store
///
/// All files are read completely before anything is written, so a damaged or truncated file changes
/// nothing. Existing records stay unchanged; an import can be repeated.
#[derive(clap::Args)]
pub(crate) struct ImportArgs {
    /// The store: a file, or postgres://USER@HOST/DATABASE; created if it does not exist
    store: String,
    /// Files that end in .jsonl, .sgf, .psq or .pgn, or folders of .psq files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Read this format: jsonl, sgf, psq or pgn [default: the ending of each file]
    #[arg(long, value_name = "FORMAT", value_parser = super::format)]
    format: Option<Format>,
    /// Import what can be read and leave out the rest; also accepts plain lists of records
    #[arg(long)]
    partial: bool,
    /// Set the game of SGF and PSQ files of other programs [default: as the file says]
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
}

impl ImportArgs {
    pub(super) fn run(self, games: &Registry) -> Result<(), Failure> {
        if let Some(game) = &self.game {
            games.open(game)?;
        }
        let files = self.all_files()?;
        let reading =
            ReadOptions { partial: self.partial, game: self.game.clone(), unfinished: false };
        // All files are checked before anything is written.
        let mut import = Import::new(reading);
        let progress = Progress::new(None, "records checked");
        for (path, format) in &files {
            let mut show = |seen| progress.show(seen, || format!("{seen} records checked"));
            import.check(path, *format, &mut show).map_err(|error| in_file(path, error))?;
        }
        drop(progress);
        let store = tesuji_store::open(&self.store)?;
        let progress = Progress::new(Some(import.records()), "records");
        let imported = import
            .write(&*store, &mut |done| progress.show(done, String::new))
            .map_err(|(path, error)| in_file(&path, error))?;
        drop(progress);
        report(store.place(), &imported, &import)
    }

    /// All files with their formats; a folder stands for the PSQ files in it.
    fn all_files(&self) -> Result<Vec<(PathBuf, Format)>, Failure> {
        let mut all = Vec::new();
        for path in &self.files {
            let format = self.format.or_else(|| Format::of_path(path));
            if path.is_dir() && matches!(format, None | Some(Format::Psq)) {
                all.extend(psq_files(path)?.into_iter().map(|path| (path, Format::Psq)));
                continue;
            }
            let format = format.ok_or_else(|| {
                let problem = match path.exists() {
                    true => {
                        "unknown format; expected --format or a name that ends in .jsonl, .sgf, \
                         .psq or .pgn"
                    }
                    false => "does not exist; expected a file or a folder",
                };
                Failure::in_file(path, problem)
            })?;
            all.push((path.clone(), format));
        }
        Ok(all)
    }
}

/// The PSQ files of a folder, sorted by name.
fn psq_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .in_file(folder)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| Format::of_path(path) == Some(Format::Psq))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(Failure::in_file(
            folder,
            "folder without .psq files; expected a file, or a folder of .psq files",
        ));
    }
    Ok(files)
}

fn report(place: &str, imported: &ImportSummary, import: &Import) -> Result<(), Failure> {
    let [new, known] =
        [imported.added.new, imported.added.known].map(|count| grouped(u128::from(count)));
    say!("{place}: {new} new records, {known} already there")?;
    if let Some((path, why)) = import.first_left_out() {
        let left_out = grouped(u128::from(imported.left_out));
        say!("{left_out} left out, the first of them: {}: {why}", path.display())?;
    }
    if imported.variations > 0 {
        let variations = grouped(u128::from(imported.variations));
        say!("{variations} variations left out, as a record has one line of moves")?;
    }
    Ok(())
}
