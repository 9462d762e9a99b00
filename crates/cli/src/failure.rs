//! Failures: one line on stderr and an exit code, 2 for bad input and 1 for a failed command.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use tesuji_games::registry::PuzzleCommands;
use tesuji_games::{NotationError, SpecError};
use tesuji_play::{EventError, InvalidInput};
use tesuji_store::StoreError;
use tesuji_store::exchange::ExchangeError;
use tesuji_train::{FolderError, TrainError};

use crate::examples;
use crate::output::{self, ColorChoice};

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is invalid: exit code 2.
    BadInput(String),
    /// The game has one player and the command needs two: exit code 2.
    OnePlayer {
        /// The error, without the alternative.
        message: String,
        /// The commands for the game.
        commands: PuzzleCommands,
    },
    /// The input is valid and the command failed: exit code 1.
    Failed(String),
    /// The reader of the output has closed it: exit code 0, without a message.
    BrokenPipe,
}

impl Failure {
    pub(crate) fn bad(problem: impl Display) -> Failure {
        Failure::BadInput(problem.to_string())
    }

    pub(crate) fn failed(problem: impl Display) -> Failure {
        Failure::Failed(problem.to_string())
    }

    /// Bad input in a file, which the message names.
    pub(crate) fn in_file(path: &Path, problem: impl Display) -> Failure {
        Failure::bad(problem).within(path)
    }

    /// A file that could not be read or written: bad input if the path is the cause, otherwise a
    /// failed command.
    pub(crate) fn of_file(path: &Path, error: &io::Error) -> Failure {
        use io::ErrorKind::*;
        match error.kind() {
            BrokenPipe => Failure::BrokenPipe,
            AlreadyExists | NotFound | PermissionDenied | InvalidInput | IsADirectory
            | NotADirectory | ReadOnlyFilesystem => {
                Failure::in_file(path, file_problem(path, error))
            }
            _ => Failure::failed(error).within(path),
        }
    }

    /// Like [`of_file`](Self::of_file), for files that --force replaces.
    pub(crate) fn of_output(path: &Path, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::AlreadyExists if path.is_file() => {
                Failure::in_file(path, "already exists; expected another path or --force")
            }
            _ => Failure::of_file(path, error),
        }
    }

    /// Adds the name of the file that caused the failure.
    pub(crate) fn within(mut self, path: &Path) -> Failure {
        match &mut self {
            Failure::BadInput(message)
            | Failure::Failed(message)
            | Failure::OnePlayer { message, .. } => {
                *message = format!("{}: {message}", path.display());
            }
            Failure::BrokenPipe => {}
        }
        self
    }

    /// Adds the command for games of one player, where there is one.
    pub(crate) fn with_alternative(
        self,
        alternative: fn(&PuzzleCommands) -> Option<&'static str>,
    ) -> Failure {
        match self {
            Failure::OnePlayer { message, commands } => {
                Failure::BadInput(match alternative(&commands) {
                    Some(command) => format!("{message}, or {command} for this one"),
                    None => message,
                })
            }
            other => other,
        }
    }

    /// Prints the error and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (message, code) = match self {
            Failure::BrokenPipe => return ExitCode::SUCCESS,
            Failure::BadInput(message) | Failure::OnePlayer { message, .. } => (message, 2),
            Failure::Failed(message) => (message, 1),
        };
        // A message may quote input with line breaks or terminal codes; an error is one line.
        let line = message.replace(char::is_control, " ");
        // If stderr is closed too, only the exit code is left.
        let _ = writeln!(io::stderr(), "error: {line}");
        ExitCode::from(code)
    }
}

/// The text of an error of a file. An error of a temporary file names its path, so its text is
/// replaced.
pub(crate) fn file_problem(path: &Path, error: &io::Error) -> String {
    let problem = match error.kind() {
        io::ErrorKind::AlreadyExists if path.is_dir() => "is a folder; expected a file",
        io::ErrorKind::AlreadyExists if path.is_file() => "already exists; expected another path",
        io::ErrorKind::NotFound if error.raw_os_error().is_none() => {
            "cannot be created; expected a path in an existing folder"
        }
        io::ErrorKind::NotFound => "does not exist; expected an existing file",
        _ => return error.to_string(),
    };
    problem.to_string()
}

/// Results whose errors are about the content of a file.
pub(crate) trait InFile<T> {
    /// Adds the name of the file to the error.
    fn in_file(self, path: &Path) -> Result<T, Failure>;
}

impl<T, E: Display> InFile<T> for Result<T, E> {
    fn in_file(self, path: &Path) -> Result<T, Failure> {
        self.map_err(|error| Failure::in_file(path, error))
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        let message = error.to_string();
        match error {
            SpecError::OnePlayer { commands, .. } => Failure::OnePlayer { message, commands },
            _ => Failure::BadInput(message),
        }
    }
}

impl From<NotationError> for Failure {
    fn from(error: NotationError) -> Self {
        Failure::bad(error)
    }
}

impl From<InvalidInput> for Failure {
    fn from(error: InvalidInput) -> Self {
        Failure::bad(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::InvalidAddress { .. } | StoreError::InvalidRecord { .. } => {
                Failure::bad(error)
            }
            _ => Failure::failed(error),
        }
    }
}

impl From<EventError> for Failure {
    fn from(error: EventError) -> Self {
        match error {
            EventError::Spec(error) => error.into(),
            EventError::Store(error) => error.into(),
            error => Failure::failed(error),
        }
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        use FolderError::{Format, NoRun, Taken};
        match error {
            TrainError::Store(error) => error.into(),
            TrainError::Settings(_) | TrainError::Folder(Taken(_) | NoRun(_) | Format(..)) => {
                Failure::bad(error)
            }
            _ => Failure::failed(error),
        }
    }
}

impl From<ExchangeError> for Failure {
    fn from(error: ExchangeError) -> Self {
        match error {
            ExchangeError::Store(error) => error.into(),
            ExchangeError::Io(error) => error.into(),
            _ => Failure::bad(error),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::failed(error),
        }
    }
}

/// Turns an error of clap into one line; help and version are printed and succeed.
pub(crate) fn from_clap(error: clap::Error) -> Result<(), Failure> {
    let text = error.render();
    let problem = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            return if ColorChoice::Auto.is_on() {
                output::print(text.ansi())
            } else {
                output::print(text)
            };
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "command: missing; expected one of those that --help lists".to_string()
        }
        _ => first_paragraph(&text.to_string()),
    };
    let command = std::env::args_os().nth(1).unwrap_or_default();
    let example = examples::of_command(&command.to_string_lossy());
    Err(Failure::BadInput(format!("{problem}; example: {example}")))
}

/// clap's message without its prefix, the usage and the pointer to the help; tips stay.
fn first_paragraph(rendered: &str) -> String {
    let text = rendered.strip_prefix("error: ").unwrap_or(rendered);
    let mut paragraphs = text.split("\n\n");
    let joined = |paragraph: &str| {
        paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_string()
    };
    let first = joined(paragraphs.next().unwrap_or_default());
    let tip = paragraphs.map(joined).find_map(|p| p.strip_prefix("tip: ").map(str::to_string));
    match tip {
        Some(tip) => format!("{first} ({tip})"),
        None => first,
    }
}
