//! Which players a guest may call: none that starts a program or reads a file, except models of
//! runs, and none that needs more memory or threads than a guest may have. The text alone decides:
//! nothing that it names is opened or looked up before it is admitted.

use std::path::{Path, PathBuf};

use tesuji_arena::travel::declared_files;
use tesuji_arena::{PlayerSpec, players};
use tesuji_games::{Spec, SpecError};

use crate::api::model_file;
use crate::errors::ApiError;
use crate::state::AppState;

/// The most bytes of a player's text.
const LONGEST_TEXT: usize = 200;
/// Default memory for known positions, for players that have such a table.
const USUAL_TABLE: &str = "1M";
/// The largest such table that a guest may ask for, in bytes.
const LARGEST_TABLE: u64 = 64 << 20;
/// Default and largest number of nodes of a Monte Carlo tree.
const USUAL_TREE: &str = "1000000";
const LARGEST_TREE: u64 = 4_000_000;

/// Reads a player's text, if a guest may have that player. Models of runs are looked up on a thread
/// that may wait.
pub(crate) async fn admit(state: &AppState, text: &str) -> Result<PlayerSpec, ApiError> {
    let models = check_text(text, &state.options().runs)?;
    if models.is_empty() {
        return parsed(text);
    }
    let (text, runs) = (text.to_string(), state.options().runs.clone());
    let work = move || {
        check_models(&models, &runs)?;
        parsed(&text)
    };
    state.blocking(work).await
}

/// Checks that a player's text names no files but models of runs. They are looked up, so this is
/// not for a thread of the runtime.
pub(crate) fn check_files(text: &str, runs: &Path) -> Result<(), ApiError> {
    check_models(&models_named(text, runs)?, runs)
}

/// A model of a run, and the option that names it.
type Model = (&'static str, PathBuf);

fn check_models(models: &[Model], runs: &Path) -> Result<(), ApiError> {
    match models.iter().find(|(_, file)| !model_file::is_there(file, runs)) {
        Some((key, _)) => Err(not_a_model(key)),
        None => Ok(()),
    }
}

/// Checks everything that the text alone tells, and returns the models of runs that it names.
fn check_text(text: &str, runs: &Path) -> Result<Vec<Model>, ApiError> {
    if text.len() > LONGEST_TEXT {
        return Err(ApiError::bad(format!("player: longer than {LONGEST_TEXT} bytes")));
    }
    let mut spec = Spec::parse(text)?;
    check_name(spec.name())?;
    if ["human", "external"].contains(&spec.name()) {
        let expected = "cannot play from a page; expected a player such as pvs:time=1s";
        return Err(ApiError::bad(format!("{}: {expected}", spec.name())));
    }
    let models = models_named(text, runs)?;
    check_size(&mut spec)?;
    Ok(models)
}

/// The models of runs that a text names, where it names no other files. Nothing is looked up.
fn models_named(text: &str, runs: &Path) -> Result<Vec<Model>, ApiError> {
    let spec = Spec::parse(text)?;
    let model = |(key, file): (&'static str, String)| {
        let path = model_file::named(spec.name(), &file, runs);
        path.map(|path| (key, path)).ok_or_else(|| not_a_model(key))
    };
    declared_files(text, players::all())?.into_iter().map(model).collect()
}

fn not_a_model(key: &str) -> ApiError {
    ApiError::bad(format!("{key}: not a file that can be named here; expected a model of a run"))
}

fn parsed(text: &str) -> Result<PlayerSpec, ApiError> {
    let player: PlayerSpec = text.parse()?;
    Ok(match Spec::parse(text)?.name() {
        "mcts" => player.with_default("nodes", USUAL_TREE),
        _ => player.with_default("tt", USUAL_TABLE),
    })
}

/// A name that no player has, in words for people: the program's own complaint lists every player.
fn check_name(name: &str) -> Result<(), ApiError> {
    match players::all().any(|known| known.name == name) {
        true => Ok(()),
        false => Err(ApiError::bad(format!(
            "player '{name}': unknown; expected a name such as random, pvs or mcts"
        ))),
    }
}

fn check_size(spec: &mut Spec) -> Result<(), ApiError> {
    if let Some(text) = spec.take("tt") {
        let size: tesuji_search::TableSize =
            text.parse().map_err(|_| too_large("tt", &text, "1M to 64M"))?;
        if size.bytes() > LARGEST_TABLE {
            return Err(too_large("tt", &text, "1M to 64M"));
        }
    }
    if spec.name() == "mcts" {
        spec.number("nodes", 1..=LARGEST_TREE)?;
    }
    spec.number("threads", 1..=2)?;
    Ok(())
}

fn too_large(option: &str, value: &str, expected: &str) -> ApiError {
    SpecError::BadValue {
        owner: "a player of a page".to_string(),
        option: option.to_string(),
        value: value.to_string(),
        expected: expected.to_string(),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_may_not_start_programs_or_read_files() {
        let runs = Path::new("/nowhere");
        for text in [
            "human",
            "external:cmd=/bin/sh",
            "forest:file=/etc/passwd",
            "gomoku:weights=/etc/passwd",
            "pvs:book=/etc/passwd",
            "pvs:book=on",
            "pvs:tt=4G",
            "pvs:threads=64",
            "mcts:nodes=1000000000",
            "nobody",
            &"x".repeat(300),
        ] {
            assert!(check_text(text, runs).and_then(|_| parsed(text)).is_err(), "{text}");
        }
        for text in ["random", "pvs:depth=3", "solver:book=off", "mcts:sims=100", "pvs:tt=2M"] {
            assert!(check_text(text, runs).and_then(|_| parsed(text)).is_ok(), "{text}");
        }
    }

    /// What the server itself offers is admitted.
    #[test]
    fn every_opponent_that_is_offered_is_admitted() {
        for opponent in crate::opponents::LADDER {
            assert!(check_text(opponent.player, Path::new("runs")).is_ok(), "{}", opponent.player);
        }
    }
}
