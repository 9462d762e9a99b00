//! Where the model of a player is: the options `file` and `model`.

use tesuji_games::SpecError;
use tesuji_play::PlayerFile;
use tesuji_play::options::{OptionInfo, PlayerOptions, ValueType, option};

use crate::searching::bad_value;

/// The option `model`.
pub(super) const MODEL: OptionInfo = option(
    "model",
    ValueType::Text { name: "NAME" },
    "one that comes with the program, where it has several for the game",
);

/// Where the model is; with neither, in the program: the best for the game.
#[derive(Clone, Debug)]
pub(super) struct Source {
    player: &'static str,
    /// In a file.
    pub(super) file: Option<PlayerFile>,
    /// In the program, under this name.
    pub(super) name: Option<String>,
}

impl Source {
    pub(super) fn read(options: &PlayerOptions) -> Result<Source, SpecError> {
        let (file, name) = (options.file("file"), options.text_of("model"));
        if let (Some(_), Some(name)) = (&file, name) {
            return Err(options.bad_value("model", name, "a file or a model, not both"));
        }
        Ok(Source { player: options.owner, file, name: name.map(str::to_string) })
    }

    /// The one of the program's models that the options name; `None` where they name none.
    pub(super) fn named<T>(
        &self,
        models: &'static [T],
        name: impl Fn(&T) -> &'static str,
    ) -> Result<Option<&'static T>, SpecError> {
        let Some(wanted) = &self.name else { return Ok(None) };
        let found = models.iter().find(|model| name(model) == wanted);
        let names = || models.iter().map(&name).collect::<Vec<_>>().join(", ");
        found.map(Some).ok_or_else(|| self.unusable(&format!("one of {}", names())))
    }

    /// The complaint of a player that cannot use it.
    pub(super) fn unusable(&self, expected: &str) -> SpecError {
        let (option, value) = match (&self.file, &self.name) {
            (None, Some(name)) => ("model", name.as_str()),
            (file, _) => ("file", file.as_ref().map_or("", PlayerFile::name)),
        };
        bad_value(self.player, option, value, expected)
    }
}
