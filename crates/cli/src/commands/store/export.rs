//! `tesuji store export`: writes records to files.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tesuji_play::quantity::grouped;
use tesuji_store::exchange::{self, ExchangeError, ExportSummary, Format};
use tesuji_store::safe_file;
use tesuji_store::{RecordKind, Selection, Store};

use super::in_file;
use crate::output::existing;
use crate::prelude::*;

/// Export records to a file, for a backup or for another program
///
/// jsonl holds all records and can be imported without loss. sgf holds games for board programs,
/// pgn chess games for chess programs, psq Gomoku games for Piskvork. A psq file holds one game:
/// FILE is a folder, or ends in .psq for a single game. csv and parquet hold one kind of record as
/// a table and cannot be imported. The file is written atomically.
#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// The store: a file, or postgres://USER@HOST/DATABASE
    store: String,
    /// The file or folder to write; - for stdout
    file: PathBuf,
    /// Write this format: jsonl, sgf, psq, pgn, csv or parquet [default: the ending of FILE]
    #[arg(long, value_name = "FORMAT", value_parser = super::format)]
    format: Option<Format>,
    /// Export only this game, written as in tesuji store info
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Export only this match or tournament
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Export only this kind of record [default: all for jsonl, games for other formats]
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    kind: Option<&'static [RecordKind]>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Parses `all` or the name of a kind of record.
fn kinds() -> impl TypedValueParser<Value = &'static [RecordKind]> {
    const WORDS: [&str; 8] =
        ["all", "games", "samples", "runs", "jobs", "metrics", "ratings", "humans"];
    PossibleValuesParser::new(WORDS).map(|word| {
        let index = WORDS.iter().position(|known| *known == word).unwrap_or_default();
        if index == 0 { &RecordKind::ALL } else { &RecordKind::ALL[index - 1..index] }
    })
}

/// Where the records go.
enum Target {
    Stdout,
    File,
    Folder,
}

impl ExportArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let format = self.format()?;
        let target = self.target(format)?;
        let selections = self.selections(format)?;
        self.check(&target)?;
        let store = super::open_existing(&self.store)?;
        let exported = match target {
            Target::Stdout => {
                let mut out = BufWriter::new(io::stdout().lock());
                let done = exchange::export(&*store, &selections, format, &mut out, &mut |_| {});
                done.map_err(|error| in_file(&self.file, error))?;
                return Ok(out.flush()?);
            }
            Target::File => self.to_file(&*store, &selections, format),
            Target::Folder => self.to_folder(&*store, &selections),
        };
        let exported = exported.map_err(|error| in_file(&self.file, error))?;
        let written = grouped(u128::from(exported.written));
        let what = match (format, selections.as_slice()) {
            (Format::JsonLines, _) => "records",
            (_, [selection]) => selection.kind.plural(),
            _ => "games",
        };
        let left_out = match exported.left_out {
            0 => String::new(),
            others => {
                let (word, only) = (format.word(), format.only().unwrap_or("some games"));
                format!("; {others} of other games left out, as {word} holds only {only}")
            }
        };
        say!("{}: {written} {what}{left_out}", self.file.display())
    }

    fn is_stdout(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    fn format(&self) -> Result<Format, Failure> {
        let by_name = Format::of_path(&self.file);
        let default = self.is_stdout().then_some(Format::JsonLines);
        self.format.or(by_name).or(default).ok_or_else(|| {
            let problem = "unknown format; expected --format or a name that ends in .jsonl, .sgf, .psq, \
                           .pgn, .csv or .parquet";
            Failure::in_file(&self.file, problem)
        })
    }

    fn target(&self, format: Format) -> Result<Target, Failure> {
        let single = Format::of_path(&self.file) == Some(Format::Psq);
        match (self.is_stdout(), format) {
            (true, Format::Psq) => {
                Err(Failure::bad("psq: holds one game per file; expected a folder instead of -"))
            }
            (true, _) => Ok(Target::Stdout),
            (false, Format::Psq) if !single => Ok(Target::Folder),
            _ => Ok(Target::File),
        }
    }

    fn selections(&self, format: Format) -> Result<Vec<Selection>, Failure> {
        let kinds = self.kind.unwrap_or(match format {
            Format::JsonLines => &RecordKind::ALL,
            _ => &[RecordKind::Game],
        });
        let problem = match (format, kinds) {
            (Format::JsonLines, _) | (_, [RecordKind::Game]) => None,
            (Format::Csv | Format::Parquet, [_]) => None,
            (Format::Csv | Format::Parquet, _) => Some(
                "holds only one kind of record; expected --kind games, samples, runs, jobs, metrics, ratings or humans"
                    .to_string(),
            ),
            (_, [kind]) => {
                Some(format!("holds only games, not {}; expected --format jsonl", kind.plural()))
            }
            _ => Some("holds only games; expected --kind games or --format jsonl".to_string()),
        };
        if let Some(problem) = problem {
            return Err(Failure::BadInput(format!("{}: {problem}", format.word())));
        }
        let of_kind = |kind: &RecordKind| super::selection(*kind, &self.game, &self.event);
        Ok(kinds.iter().map(of_kind).collect())
    }

    /// Checks that the target can be written, before any work.
    fn check(&self, target: &Target) -> Result<(), Failure> {
        match target {
            Target::File => safe_file::check(&self.file, existing(self.force))
                .map_err(|error| Failure::of_output(&self.file, &error)),
            Target::Folder if self.file.exists() => {
                let problem = "already exists; expected the path of a new folder";
                Err(Failure::in_file(&self.file, problem))
            }
            _ => Ok(()),
        }
    }

    fn to_file(
        &self,
        store: &dyn Store,
        selections: &[Selection],
        format: Format,
    ) -> Result<ExportSummary, ExchangeError> {
        let progress = Progress::new(None, "records");
        let mut show = |done| progress.show(done, || format!("{done} records"));
        safe_file::write(&self.file, existing(self.force), |out| {
            let exported = exchange::export(store, selections, format, out, &mut show)?;
            self.check_not_empty(exported, format)
        })
    }

    fn to_folder(
        &self,
        store: &dyn Store,
        selections: &[Selection],
    ) -> Result<ExportSummary, ExchangeError> {
        let progress = Progress::new(None, "games");
        let mut show = |done| progress.show(done, || format!("{done} games"));
        let temporary = temporary_folder(&self.file)?;
        let exported = exchange::export_folder(store, selections, temporary.path(), &mut show)?;
        let exported = self.check_not_empty(exported, Format::Psq)?;
        fs::rename(temporary.path(), &self.file)?;
        // The folder has its final name and must not be removed.
        let _ = temporary.keep();
        Ok(exported)
    }

    /// Returns an error if no record was written, most likely because of a mistyped name. Only a
    /// backup of all records may be empty.
    fn check_not_empty(
        &self,
        exported: ExportSummary,
        format: Format,
    ) -> Result<ExportSummary, ExchangeError> {
        let is_filtered = self.game.is_some()
            || self.event.is_some()
            || self.kind.is_some_and(|kinds| kinds != RecordKind::ALL);
        let is_backup = format == Format::JsonLines && !is_filtered;
        if exported.written == 0 && !is_backup {
            let what = "nothing; expected a game, an event or a kind of tesuji store info";
            return Err(ExchangeError::Empty { what });
        }
        Ok(exported)
    }
}

/// A temporary folder next to the final one.
fn temporary_folder(path: &Path) -> io::Result<tempfile::TempDir> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    builder.tempdir_in(parent)
}
