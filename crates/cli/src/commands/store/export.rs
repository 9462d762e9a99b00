//! `tesuji store export`: records into files.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tesuji_play::quantity::grouped;
use tesuji_store::exchange::{self, ExchangeError, Exported, Format};
use tesuji_store::safe_file::{self, Existing};
use tesuji_store::{Kind, Selection, Store};

use super::in_file;
use crate::examples;
use crate::failure::Failure;
use crate::progress::Progress;

/// Write records to a file, for a backup or for another program
///
/// jsonl holds everything and is read again without loss. sgf holds games for board programs, pgn games of
/// chess for chess programs, psq games of Gomoku for Piskvork, one a file: FILE is a folder then, or ends in
/// .psq for a single game. csv and parquet hold one kind of record as a table; they are not imported again.
/// The file appears when it is complete.
#[derive(Args)]
#[command(after_help = examples::STORE_EXPORT_MORE)]
pub(super) struct Export {
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
    #[arg(long, value_name = "KIND")]
    kind: Option<KindWord>,
    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
}

/// The kinds of records, as words.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindWord {
    All,
    Games,
    Samples,
    Runs,
    Jobs,
    Metrics,
    Ratings,
    Humans,
}

impl KindWord {
    fn kinds(self) -> &'static [Kind] {
        match self {
            KindWord::All => &Kind::ALL,
            KindWord::Games => &[Kind::Game],
            KindWord::Samples => &[Kind::Sample],
            KindWord::Runs => &[Kind::Run],
            KindWord::Jobs => &[Kind::Job],
            KindWord::Metrics => &[Kind::Metric],
            KindWord::Ratings => &[Kind::Rating],
            KindWord::Humans => &[Kind::Human],
        }
    }
}

/// Where it goes.
enum Target {
    Stdout,
    File,
    Folder,
}

impl Export {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let format = self.format()?;
        let target = self.target(format)?;
        let selections = self.selections(format)?;
        self.check(&target)?;
        let store = super::open_existing(&self.store)?;
        let exported = match target {
            Target::Stdout => return self.to_stdout(&*store, &selections, format),
            Target::File => self.to_file(&*store, &selections, format)?,
            Target::Folder => self.to_folder(&*store, &selections)?,
        };
        let written = grouped(u128::from(exported.written));
        let what = match (format, selections.as_slice()) {
            (Format::JsonLines, _) => "records",
            (_, [selection]) => selection.kind.plural(),
            _ => "games",
        };
        write!(io::stdout(), "{}: {written} {what}", self.file.display())?;
        match exported.left_out {
            0 => writeln!(io::stdout())?,
            others => {
                let (word, only) = (format.word(), format.only().unwrap_or("some games"));
                writeln!(
                    io::stdout(),
                    "; {others} of other games left out, {word} holds {only} only"
                )?
            }
        }
        Ok(())
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
        match (format, self.is_stdout()) {
            (Format::Psq, true) => {
                let what = "psq has one game a file; name a folder instead of -".to_string();
                Err(Failure::BadInput(what))
            }
            (_, true) => Ok(Target::Stdout),
            (Format::Psq, false) if !single => Ok(Target::Folder),
            _ => Ok(Target::File),
        }
    }

    fn selections(&self, format: Format) -> Result<Vec<Selection>, Failure> {
        let word = self.kind.unwrap_or(match format {
            Format::JsonLines => KindWord::All,
            _ => KindWord::Games,
        });
        let kinds = word.kinds();
        let problem = match (format, kinds) {
            (Format::JsonLines, _) | (_, [Kind::Game]) => None,
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
        let of_kind = |kind| Selection {
            game: self.game.clone(),
            event: self.event.clone(),
            ..Selection::all(kind)
        };
        Ok(kinds.iter().copied().map(of_kind).collect())
    }

    /// Whether the target may be written, before any work is done.
    fn check(&self, target: &Target) -> Result<(), Failure> {
        let problem = match target {
            Target::Stdout => None,
            Target::File => safe_file::check(&self.file, self.existing()).err().map(|error| {
                let hint = if self.file.is_file() { "; give --force to replace it" } else { "" };
                format!("{error}{hint}")
            }),
            Target::Folder => self
                .file
                .exists()
                .then(|| "it is there already; name a folder that is not".to_string()),
        };
        problem.map_or(Ok(()), |problem| Err(Failure::in_file(&self.file, problem)))
    }

    fn existing(&self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }

    fn to_stdout(
        &self,
        store: &dyn Store,
        selections: &[Selection],
        format: Format,
    ) -> Result<(), Failure> {
        let mut out = BufWriter::new(io::stdout().lock());
        exchange::export(store, selections, format, &mut out, &mut |_| {})
            .map_err(|error| in_file(&self.file, error))?;
        Ok(out.flush()?)
    }

    fn to_file(
        &self,
        store: &dyn Store,
        selections: &[Selection],
        format: Format,
    ) -> Result<Exported, Failure> {
        let progress = Progress::new(None, "records");
        let mut show = |done| progress.show(done, || format!("{done} records"));
        safe_file::write(&self.file, self.existing(), |out| {
            let exported = exchange::export(store, selections, format, out, &mut show)?;
            self.found(exported, format)
        })
        .map_err(|error| in_file(&self.file, error))
    }

    fn to_folder(&self, store: &dyn Store, selections: &[Selection]) -> Result<Exported, Failure> {
        let progress = Progress::new(None, "games");
        let mut show = |done| progress.show(done, || format!("{done} games"));
        let mut work = || -> Result<Exported, ExchangeError> {
            let beside = folder_beside(&self.file)?;
            let exported = exchange::export_folder(store, selections, beside.path(), &mut show)?;
            let exported = self.found(exported, Format::Psq)?;
            fs::rename(beside.path(), &self.file)?;
            // It has another name now; there is nothing left to remove.
            let _ = beside.keep();
            Ok(exported)
        };
        work().map_err(|error| in_file(&self.file, error))
    }

    /// Nothing at all is most likely a mistyped name; only a backup of everything may be empty.
    fn found(&self, exported: Exported, format: Format) -> Result<Exported, ExchangeError> {
        let kind = self.kind.filter(|kind| *kind != KindWord::All);
        let asked = self.game.is_some() || self.event.is_some() || kind.is_some();
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
