//! How the program fails: one line on stderr, and an exit code that says whose fault it was.

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

/// Why a verb ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was asked makes no sense: exit code 2.
    BadInput(String),
    /// The game is one of one player, and the verb is for two: exit code 2.
    OnePlayer {
        /// The line, without what to do instead.
        message: String,
        /// What there is for the game.
        commands: PuzzleCommands,
    },
    /// It made sense and could not be done: exit code 1.
    Failed(String),
    /// Nobody reads the output any more: not our problem, so a quiet success.
    BrokenPipe,
}

impl Failure {
    pub(crate) fn bad(what: impl Display) -> Failure {
        Failure::BadInput(what.to_string())
    }

    pub(crate) fn failed(what: impl Display) -> Failure {
        Failure::Failed(what.to_string())
    }

    /// Names a file in front of what was wrong with its contents.
    pub(crate) fn in_file(path: &Path, what: impl Display) -> Failure {
        Failure::bad(what).within(path)
    }

    /// A file could not be read or written. Whether it is the user's fault or the machine's is the difference between
    /// the exit codes 2 and 1.
    pub(crate) fn of_file(path: &Path, error: &io::Error) -> Failure {
        use io::ErrorKind::*;
        match error.kind() {
            BrokenPipe => Failure::BrokenPipe,
            AlreadyExists | NotFound | PermissionDenied | InvalidInput | IsADirectory
            | NotADirectory | ReadOnlyFilesystem => Failure::in_file(path, error),
            _ => Failure::failed(error).within(path),
        }
    }

    /// Names a file in front of a failure that its contents caused.
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

    /// Adds what there is for a game of one player in place of the verb that refused it.
    pub(crate) fn with_alternative(
        self,
        instead: fn(&PuzzleCommands) -> Option<&'static str>,
    ) -> Failure {
        match self {
            Failure::OnePlayer { message, commands } => {
                Failure::BadInput(match instead(&commands) {
                    Some(command) => format!("{message}, or {command} for this one"),
                    None => message,
                })
            }
            other => other,
        }
    }

    /// Prints the line and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (message, code) = match self {
            Failure::BrokenPipe => return ExitCode::SUCCESS,
            Failure::BadInput(message) | Failure::OnePlayer { message, .. } => (message, 2),
            Failure::Failed(message) => (message, 1),
        };
        // A message may quote input with line breaks or terminal codes in it; the promise is one line.
        let line = message.replace(char::is_control, " ");
        // If stderr is closed too, the exit code must do.
        let _ = writeln!(io::stderr(), "error: {line}");
        ExitCode::from(code)
    }
}

/// Results whose errors are about what stands in a file.
pub(crate) trait InFile<T> {
    /// Names the file in front of the error.
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

/// What clap has to say, in one line; help and version are no failures.
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
            "a verb is missing (tesuji --help lists them)".to_string()
        }
        _ => first_paragraph(&text.to_string()),
    };
    let verb = std::env::args_os().nth(1).unwrap_or_default();
    let example = examples::of_command(&verb.to_string_lossy());
    Err(Failure::BadInput(format!("{problem}; example: {example}")))
}

/// clap's message without its prefix, the usage and the invitation to read the help; tips stay.
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
