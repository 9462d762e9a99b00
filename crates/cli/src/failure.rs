//! How the program fails: one line on stderr, and an exit code that says whose fault it was.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use tesuji_games::registry::PuzzleCommands;
use tesuji_games::{NotationError, SpecError};
use tesuji_play::{ArenaError, Invalid};
use tesuji_store::StoreError;
use tesuji_store::exchange::ExchangeError;
use tesuji_train::{FolderError, TrainError};

use crate::examples;

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
    Undone(String),
    /// Nobody reads the output any more: not our problem, so a quiet success.
    ReaderGone,
}

impl Failure {
    /// Names a file in front of what was wrong with its contents.
    pub(crate) fn in_file(path: &std::path::Path, what: impl std::fmt::Display) -> Failure {
        Failure::BadInput(format!("{}: {what}", path.display()))
    }

    /// Names a file in front of a failure that its contents caused.
    pub(crate) fn within(self, path: &std::path::Path) -> Failure {
        let placed = |message: String| format!("{}: {message}", path.display());
        match self {
            Failure::BadInput(message) => Failure::BadInput(placed(message)),
            Failure::Undone(message) => Failure::Undone(placed(message)),
            Failure::OnePlayer { message, commands } => {
                Failure::OnePlayer { message: placed(message), commands }
            }
            Failure::ReaderGone => Failure::ReaderGone,
        }
    }

    /// Adds what there is for a game of one player in place of the verb that refused it.
    pub(crate) fn or_for_one_player(
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
            Failure::ReaderGone => return ExitCode::SUCCESS,
            Failure::BadInput(message) | Failure::OnePlayer { message, .. } => (message, 2),
            Failure::Undone(message) => (message, 1),
        };
        // A message may quote input with line breaks or terminal codes in it; the promise is one line.
        let line = message.replace(char::is_control, " ");
        // If stderr is closed too, the exit code must do.
        let _ = writeln!(io::stderr(), "error: {line}");
        ExitCode::from(code)
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
        Failure::BadInput(error.to_string())
    }
}

impl From<Invalid> for Failure {
    fn from(error: Invalid) -> Self {
        Failure::BadInput(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::BadPlace { .. } | StoreError::Unfit { .. } => {
                Failure::BadInput(error.to_string())
            }
            _ => Failure::Undone(error.to_string()),
        }
    }
}

impl From<ArenaError> for Failure {
    fn from(error: ArenaError) -> Self {
        match error {
            ArenaError::Spec(error) => error.into(),
            ArenaError::Store(error) => error.into(),
            ArenaError::Queue(error) => Failure::Undone(error.to_string()),
        }
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::Folder(error) => error.into(),
            TrainError::Store(error) => error.into(),
            TrainError::Settings(_) => Failure::BadInput(error.to_string()),
            _ => Failure::Undone(error.to_string()),
        }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Taken(_) | FolderError::NoRun(_) | FolderError::Format(..) => {
                Failure::BadInput(error.to_string())
            }
            FolderError::Busy(_) | FolderError::File { .. } => Failure::Undone(error.to_string()),
        }
    }
}

impl From<ExchangeError> for Failure {
    fn from(error: ExchangeError) -> Self {
        match error {
            ExchangeError::Store(error) => error.into(),
            ExchangeError::Io(error) => error.into(),
            _ => Failure::BadInput(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Undone(error.to_string()),
        }
    }
}

/// What clap has to say, in one line; help and version are no failures.
pub(crate) fn of_arguments(error: clap::Error) -> Result<(), Failure> {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Ok(write!(io::stdout(), "{}", error.render().ansi_if_terminal())?);
    }
    let verb = std::env::args_os().nth(1);
    let example = examples::of_verb(verb.as_ref().and_then(|verb| verb.to_str()));
    let problem = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            "a verb is missing (tesuji --help lists them)".to_string()
        }
        _ => first_paragraph(&error.render().to_string()),
    };
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

/// Rendering with colour where stdout shows it.
trait AnsiIfTerminal {
    fn ansi_if_terminal(&self) -> String;
}

impl AnsiIfTerminal for clap::builder::StyledStr {
    fn ansi_if_terminal(&self) -> String {
        if crate::output::Colour::Auto.is_on() { self.ansi().to_string() } else { self.to_string() }
    }
}
