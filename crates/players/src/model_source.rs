//! Where the model of a player is: the options `file` and `model`.

use tesuji_games::SpecError;

use tesuji_play::PlayerFile;
use tesuji_play::options::{OptionInfo, Options, Takes, option};

/// The option `model`.
pub(super) const MODEL: OptionInfo = option(
    "model",
    Takes::Text { name: "NAME" },
    "one that comes with the program, where it has several for the game",
);

/// Where the model is.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// In a file.
    File(PlayerFile),
    /// In the program, under this name.
    Named(String),
    /// In the program: the first for the game.
    Any,
}

impl Source {
    pub(super) fn read(options: &Options) -> Result<Source, SpecError> {
        match (options.file("file"), options.text_of("model")) {
            (Some(file), None) => Ok(Source::File(file)),
            (None, Some(name)) => Ok(Source::Named(name.to_string())),
            (None, None) => Ok(Source::Any),
            (Some(_), Some(name)) => {
                Err(options.bad_value("model", name, "a file or a model, not both"))
            }
        }
    }

    /// The complaint of a player that cannot use it.
    pub(super) fn unusable(&self, player: &str, expected: &str) -> SpecError {
        let (option, value) = match self {
            Source::File(file) => ("file", file.name()),
            Source::Named(name) => ("model", name.as_str()),
            Source::Any => ("file", ""),
        };
        SpecError::BadValue {
            owner: player.to_string(),
            option: option.to_string(),
            value: value.to_string(),
            expected: expected.to_string(),
        }
    }
}
