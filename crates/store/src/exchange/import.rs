//! Imports files into a store. Every file is read twice: first to check all of it, then to write
//! it. So a truncated or malformed file changes nothing, and only one batch is in memory at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::merge::Batch;
use super::read::Each;
use super::{ExchangeError, Format, ReadOptions, ReadSummary, json_lines, pgn, psq, sgf};
use crate::{AddCounts, Record, Store, safe_file, validation};

/// Checked files, ready to be written to a store.
#[derive(Debug)]
pub struct Import {
    files: Vec<CheckedFile>,
    options: ReadOptions,
}

#[derive(Debug)]
struct CheckedFile {
    path: PathBuf,
    format: Format,
    summary: ReadSummary,
}

/// The result of an import.
#[derive(Debug, Default)]
pub struct ImportSummary {
    /// New records, and records that were stored already.
    pub added: AddCounts,
    /// Lines or games that a partial import skipped.
    pub left_out: u64,
    /// Variations of games, which are not imported.
    pub variations: u64,
}

impl Import {
    /// An import without files.
    pub fn new(options: ReadOptions) -> Import {
        Import { files: Vec::new(), options }
    }

    /// Reads a whole file and adds it to the import if it is valid. `progress` is called with the
    /// number of records that were read.
    pub fn check(
        &mut self,
        path: &Path,
        format: Format,
        progress: &mut dyn FnMut(u64),
    ) -> Result<&ReadSummary, ExchangeError> {
        let mut count = self.records();
        let summary = read(path, format, &self.options, &mut |record| {
            check_record(&record)?;
            count += 1;
            progress(count);
            Ok(())
        })?;
        self.files.push(CheckedFile { path: path.to_path_buf(), format, summary });
        Ok(&self.files[self.files.len() - 1].summary)
    }

    /// The number of records in all files.
    pub fn records(&self) -> u64 {
        self.files.iter().map(|file| file.summary.records).sum()
    }

    /// The first line or game that a partial import skips, with its file.
    pub fn first_left_out(&self) -> Option<(&Path, &ExchangeError)> {
        self.files.iter().find_map(|file| Some((file.path.as_path(), file.summary.why.as_ref()?)))
    }

    /// Writes all files to a store. `progress` is called with the number of written records. An
    /// error comes with its file.
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
            imported.left_out += file.summary.left_out;
            imported.variations += file.summary.variations;
        }
        Ok(imported)
    }

    fn write_file(
        &self,
        file: &CheckedFile,
        store: &dyn Store,
        report: &mut dyn FnMut(u64),
    ) -> Result<AddCounts, ExchangeError> {
        let mut batch = Batch::new(store);
        let again = read(&file.path, file.format, &self.options, &mut |record| {
            check_record(&record)?;
            batch.push(record).map(&mut *report)
        });
        match again {
            Ok(summary) if summary.records == file.summary.records => {
                let (added, rest) = batch.finish()?;
                report(rest);
                Ok(added)
            }
            Err(error @ (ExchangeError::Store(_) | ExchangeError::Io(_))) => Err(error),
            _ => Err(ExchangeError::Changed { added: batch.added().new }),
        }
    }
}

/// Checks whether a store accepts the record. The reader adds the line, and skips the record in a
/// partial import.
fn check_record(record: &Record) -> Result<(), ExchangeError> {
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

/// Opens a file, which must be readable twice.
fn open(path: &Path) -> io::Result<BufReader<File>> {
    let file = safe_file::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => {
            let why = "it is read twice, so save it as a file first";
            io::Error::new(error.kind(), format!("{error}; {why}"))
        }
        _ => error,
    })?;
    Ok(BufReader::with_capacity(1 << 16, file))
}
