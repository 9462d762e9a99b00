//! Where a player's model comes from: the options `file` and `model`.

use tesuji_games::SpecError;
use tesuji_play::PlayerFile;
use tesuji_play::options::{OptionInfo, PlayerOptions, ValueType, option};

use crate::searching::bad_value;

/// The option `model`.
pub(super) const MODEL: OptionInfo = option(
    "model",
    ValueType::Text { name: "NAME" },
    "name of a shipped model, if the game has several",
);

/// Where the model comes from; without file and name, the best shipped model for the game.
#[derive(Clone, Debug)]
pub(super) struct ModelSource {
    player: &'static str,
    /// The model is in this file.
    pub(super) file: Option<PlayerFile>,
    /// The model is shipped under this name.
    pub(super) name: Option<String>,
}

impl ModelSource {
    pub(super) fn read(options: &PlayerOptions) -> Result<ModelSource, SpecError> {
        let (file, name) = (options.file("file"), options.text_of("model"));
        if let (Some(_), Some(name)) = (&file, name) {
            return Err(options.bad_value("model", name, "a file or a model, not both"));
        }
        Ok(ModelSource { player: options.owner, file, name: name.map(str::to_string) })
    }

    /// Finds the shipped model that the options name; `None` if they name none.
    pub(super) fn named<T>(
        &self,
        models: impl Iterator<Item = &'static T> + Clone,
        name: impl Fn(&T) -> &'static str,
    ) -> Result<Option<&'static T>, SpecError> {
        let Some(wanted) = &self.name else { return Ok(None) };
        let found = models.clone().find(|model| name(model) == wanted);
        let names = || models.map(&name).collect::<Vec<_>>().join(", ");
        found.map(Some).ok_or_else(|| self.unusable(&format!("one of {}", names())))
    }

    /// Makes the error of a player that cannot use the model.
    pub(super) fn unusable(&self, expected: &str) -> SpecError {
        let (option, value) = match (&self.file, &self.name) {
            (None, Some(name)) => ("model", name.as_str()),
            (file, _) => ("file", file.as_ref().map_or("", PlayerFile::name)),
        };
        bad_value(self.player, option, value, expected)
    }
}
