//! Files into a store. Every file is read twice: first to see that all of it is good, then to write. So a
//! file that is cut off or broken anywhere changes nothing, however long it is, and no more than a batch
//! of it is ever in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::merge::Batch;
use super::read::Each;
use super::{ExchangeError, Format, ReadOptions, ReadSummary, json_lines, pgn, psq, sgf};
use crate::{AddCounts, Record, Store, safe_file, validation};

/// Files that were found good, ready to be written to a store.
#[derive(Debug)]
pub struct Import {
    files: Vec<Checked>,
    options: ReadOptions,
}

#[derive(Debug)]
struct Checked {
    path: PathBuf,
    format: Format,
    tally: ReadSummary,
}

/// What an import changed.
#[derive(Debug, Default)]
pub struct ImportSummary {
    /// Records that were new, and records that were there already.
    pub added: AddCounts,
    /// Lines or games that were left out of a partial import.
    pub left_out: u64,
    /// Variations that were left out of games.
    pub variations: u64,
}

impl Import {
    /// An import without files.
    pub fn new(options: ReadOptions) -> Import {
        Import { files: Vec::new(), options }
    }

    /// Reads a whole file and keeps it in mind if it is good. `progress` is called with the number of
    /// records that were read.
    pub fn check(
        &mut self,
        path: &Path,
        format: Format,
        progress: &mut dyn FnMut(u64),
    ) -> Result<&ReadSummary, ExchangeError> {
        let mut seen = self.records();
        let tally = read(path, format, &self.options, &mut |record| {
            check_fitness(&record)?;
            seen += 1;
            progress(seen);
            Ok(())
        })?;
        self.files.push(Checked { path: path.to_path_buf(), format, tally });
        Ok(&self.files[self.files.len() - 1].tally)
    }

    /// Records in all files.
    pub fn records(&self) -> u64 {
        self.files.iter().map(|file| file.tally.records).sum()
    }

    /// The first line or game that was left out of a partial reading, with its file.
    pub fn first_left_out(&self) -> Option<(&Path, &ExchangeError)> {
        self.files.iter().find_map(|file| Some((file.path.as_path(), file.tally.why.as_ref()?)))
    }

    /// Writes all files to a store. `progress` is called with the number of records that were written. An
    /// error comes with the file it happened at.
    pub fn write(
        &self,
        store: &dyn Store,
        progress: &mut dyn FnMut(u64),
    ) -> Result<ImportSummary, (PathBuf, ExchangeError)> {
        let mut imported = ImportSummary::default();
        let mut done = 0;
        for file in &self.files {
            let mut report = |records: u64| {
                done += records;
                progress(done);
            };
            let added = self
                .write_file(file, store, &mut report)
                .map_err(|error| (file.path.clone(), error))?;
            imported.added += added;
            imported.left_out += file.tally.left_out;
            imported.variations += file.tally.variations;
        }
        Ok(imported)
    }

    fn write_file(
        &self,
        file: &Checked,
        store: &dyn Store,
        report: &mut dyn FnMut(u64),
    ) -> Result<AddCounts, ExchangeError> {
        let mut batch = Batch::new(store);
        let again = read(&file.path, file.format, &self.options, &mut |record| {
            check_fitness(&record)?;
            batch.push(record).map(&mut *report)
        });
        match again {
            Ok(tally) if tally.records == file.tally.records => {
                let (added, rest) = batch.finish()?;
                report(rest);
                Ok(added)
            }
            Err(error @ (ExchangeError::Store(_) | ExchangeError::Io(_))) => Err(error),
            _ => Err(ExchangeError::Changed { added: batch.added().new }),
        }
    }
}

/// Whether a store can keep the record. The reader knows its line and leaves it out where it may.
fn check_fitness(record: &Record) -> Result<(), ExchangeError> {
    Ok(validation::check(std::slice::from_ref(record))?)
}

fn read(
    path: &Path,
    format: Format,
    options: &ReadOptions,
    each: &mut Each<'_>,
) -> Result<ReadSummary, ExchangeError> {
    let input: &mut dyn BufRead = &mut open(path)?;
    match format {
        Format::JsonLines => json_lines::read(input, options, each),
        Format::Sgf => sgf::read(input, options, each),
        Format::Psq => psq::read(input, options, each),
        Format::Pgn => pgn::read(input, options, each),
        Format::Csv | Format::Parquet => Err(ExchangeError::OnlyWritten { format: format.word() }),
    }
}

/// Opens a file that can be read twice.
fn open(path: &Path) -> io::Result<BufReader<File>> {
    let file = safe_file::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => {
            let why = "it is read twice, so write it to a file first";
            io::Error::new(error.kind(), format!("{error}; {why}"))
        }
        _ => error,
    })?;
    Ok(BufReader::with_capacity(1 << 16, file))
}
