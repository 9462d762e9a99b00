//! `tesuji store export`: records into files.

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

/// Write records to a file, for a backup or for another program
///
/// jsonl holds everything and is read again without loss. sgf holds games for board programs, pgn games of
/// chess for chess programs, psq games of Gomoku for Piskvork, one a file: FILE is a folder then, or ends in
/// .psq for a single game. csv and parquet hold one kind of record as a table; they are not imported again.
/// The file appears when it is complete.
#[derive(clap::Args)]
pub(crate) struct ExportArgs {
    /// The store: a file, or postgres://USER@HOST/DATABASE
    store: String,
    /// The file or folder to write; - for stdout
    file: PathBuf,
    /// jsonl, sgf, psq, pgn, csv or parquet [default: what the name of the file ends in]
    #[arg(long, value_name = "FORMAT", value_parser = super::format)]
    format: Option<Format>,
    /// Only this game, written as tesuji store info shows it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Only this match or tournament
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Only this kind of record [default: all for jsonl, games for the others]
    #[arg(long, value_name = "KIND", value_parser = kinds())]
    kind: Option<&'static [RecordKind]>,
    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
}

/// The kinds of records by their words; several for all of them.
fn kinds() -> impl TypedValueParser<Value = &'static [RecordKind]> {
    const WORDS: [&str; 8] =
        ["all", "games", "samples", "runs", "jobs", "metrics", "ratings", "humans"];
    PossibleValuesParser::new(WORDS).map(|word| {
        let place = WORDS.iter().position(|known| *known == word).unwrap_or_default();
        if place == 0 { &RecordKind::ALL } else { &RecordKind::ALL[place - 1..place] }
    })
}

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
                format!("; {others} of other games left out, {word} holds {only} only")
            }
        };
        say!("{}: {written} {what}{left_out}", self.file.display())
    }

    fn is_stdout(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    fn format(&self) -> Result<Format, Failure> {
        let by_name = Format::of_path(&self.file);
        let usual = self.is_stdout().then_some(Format::JsonLines);
        self.format.or(by_name).or(usual).ok_or_else(|| {
            let what = "cannot tell the format; expected a name that ends in .jsonl, .sgf, .psq, .pgn, .csv or .parquet, or --format";
            Failure::in_file(&self.file, what)
        })
    }

    fn target(&self, format: Format) -> Result<Target, Failure> {
        let single = Format::of_path(&self.file) == Some(Format::Psq);
        match (self.is_stdout(), format) {
            (true, Format::Psq) => {
                Err(Failure::bad("psq has one game a file; name a folder instead of -"))
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
                "holds one kind of record; expected --kind games, samples, runs, jobs, metrics, ratings or humans"
                    .to_string(),
            ),
            (_, [kind]) => {
                Some(format!("holds games only, no {}; expected --format jsonl", kind.plural()))
            }
            _ => Some("holds games only; expected --kind games or --format jsonl".to_string()),
        };
        if let Some(problem) = problem {
            return Err(Failure::BadInput(format!("{} {problem}", format.word())));
        }
        let of_kind = |kind: &RecordKind| super::selection(*kind, &self.game, &self.event);
        Ok(kinds.iter().map(of_kind).collect())
    }

    /// Whether the target may be written, before any work is done.
    fn check(&self, target: &Target) -> Result<(), Failure> {
        let checked = match target {
            Target::File => safe_file::check(&self.file, existing(self.force)).map_err(|error| {
                let hint = if self.file.is_file() { "; give --force to replace it" } else { "" };
                format!("{error}{hint}")
            }),
            Target::Folder if self.file.exists() => {
                Err("it is there already; name a folder that is not".to_string())
            }
            _ => Ok(()),
        };
        checked.in_file(&self.file)
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
            self.found(exported, format)
        })
    }

    fn to_folder(
        &self,
        store: &dyn Store,
        selections: &[Selection],
    ) -> Result<ExportSummary, ExchangeError> {
        let progress = Progress::new(None, "games");
        let mut show = |done| progress.show(done, || format!("{done} games"));
        let beside = folder_beside(&self.file)?;
        let exported = exchange::export_folder(store, selections, beside.path(), &mut show)?;
        let exported = self.found(exported, Format::Psq)?;
        fs::rename(beside.path(), &self.file)?;
        // It has another name now; there is nothing left to remove.
        let _ = beside.keep();
        Ok(exported)
    }

    /// Nothing at all is most likely a mistyped name; only a backup of everything may be empty.
    fn found(
        &self,
        exported: ExportSummary,
        format: Format,
    ) -> Result<ExportSummary, ExchangeError> {
        let asked = self.game.is_some()
            || self.event.is_some()
            || self.kind.is_some_and(|kinds| kinds != RecordKind::ALL);
        let everything = format == Format::JsonLines && !asked;
        if exported.written == 0 && !everything {
            let what =
                "nothing: no record of the store fits; tesuji store info shows what there is";
            return Err(ExchangeError::Empty { what });
        }
        Ok(exported)
    }
}

/// A folder of which nobody knows yet, beside the one that it becomes.
fn folder_beside(path: &Path) -> io::Result<tempfile::TempDir> {
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
