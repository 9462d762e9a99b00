//! Admission of players. Guests may not use players that start programs, read files other than
//! models of runs, or exceed the limits of memory and threads. Only the text decides: no file that
//! it names is opened or looked up before.

use std::path::{Path, PathBuf};

use tesuji_games::{Spec, SpecError};
use tesuji_play::PlayerSpec;

use crate::api::model_file;
use crate::errors::ApiError;
use crate::state::AppState;

/// The longest text of a player.
const MAX_TEXT_BYTES: usize = 200;
/// The default size of the transposition table.
const DEFAULT_TABLE: &str = "1M";
/// The largest transposition table of a guest, in bytes.
const MAX_TABLE_BYTES: u64 = 64 << 20;
/// The option for the number of nodes of a Monte Carlo tree, its default and its largest value.
const TREE_SIZE_KEY: &str = "tree-nodes";
const DEFAULT_TREE: &str = "1000000";
const MAX_TREE_NODES: u64 = 4_000_000;

/// Parses the text of a player and checks that a guest may use it. Models of runs are looked up on
/// a blocking thread.
pub(crate) async fn admit(state: &AppState, text: &str) -> Result<PlayerSpec, ApiError> {
    let runs = &state.options().runs;
    let player = check_text(text, runs)?;
    if player.files().next().is_none() {
        return Ok(player);
    }
    let runs = runs.clone();
    let work = move || check_models(&models_named(&player, &runs)?, &runs).map(|()| player);
    state.blocking(work).await
}

/// Checks that the text of a player names no files except models of runs. Blocks for file lookups.
pub(crate) fn check_files(text: &str, runs: &Path) -> Result<(), ApiError> {
    check_models(&models_named(&tesuji_players::player(text)?, runs)?, runs)
}

/// An option that names a model, and the file of the model.
type NamedModel = (String, PathBuf);

fn check_models(models: &[NamedModel], runs: &Path) -> Result<(), ApiError> {
    match models.iter().find(|(_, file)| !model_file::is_there(file, runs)) {
        Some((key, _)) => Err(not_a_model(key)),
        None => Ok(()),
    }
}

/// Checks the text alone, and returns the player with the defaults for guests.
fn check_text(text: &str, runs: &Path) -> Result<PlayerSpec, ApiError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(ApiError::bad(format!(
            "player: too long; expected at most {MAX_TEXT_BYTES} bytes"
        )));
    }
    check_name(Spec::parse(text)?.name())?;
    let player: PlayerSpec = tesuji_players::player(text)?;
    models_named(&player, runs)?;
    check_size(&player)?;
    Ok(match player.name() {
        "mcts" => player.with_default(TREE_SIZE_KEY, DEFAULT_TREE),
        _ => player.with_default("tt", DEFAULT_TABLE),
    })
}

/// The models of runs that a player names; an error if it names other files. Looks nothing up.
fn models_named(player: &PlayerSpec, runs: &Path) -> Result<Vec<NamedModel>, ApiError> {
    let models = player.files().map(|file| {
        let path = model_file::named(player.name(), file.name(), runs);
        let path = path.ok_or_else(|| not_a_model(file.key()))?;
        Ok((file.key().to_string(), path))
    });
    models.collect()
}

fn not_a_model(key: &str) -> ApiError {
    ApiError::bad(format!("{key}: file not allowed; expected a model of a run"))
}

/// Checks the name of a player. The message is shorter than the program's own, which lists all
/// players.
fn check_name(name: &str) -> Result<(), ApiError> {
    if ["human", "external"].contains(&name) {
        let problem = "cannot play on the server; expected a player such as pvs:time=1s";
        return Err(ApiError::bad(format!("player '{name}': {problem}")));
    }
    match tesuji_players::roster().all().any(|known| known.has_name(name)) {
        true => Ok(()),
        false => Err(ApiError::bad(format!(
            "player '{name}': unknown; expected a name such as random, pvs or mcts"
        ))),
    }
}

/// Checks the options for memory and threads.
fn check_size(player: &PlayerSpec) -> Result<(), ApiError> {
    let largest_tree = if player.name() == "mcts" { MAX_TREE_NODES } else { u64::MAX };
    for (key, most, expected) in [
        ("tt", MAX_TABLE_BYTES, "1M to 64M"),
        (TREE_SIZE_KEY, largest_tree, "1000 to 4000000"),
        ("threads", 2, "1 or 2"),
    ] {
        if let Some(amount) = player.amount(key).filter(|amount| *amount > most) {
            return Err(too_large(key, &amount.to_string(), expected));
        }
    }
    Ok(())
}

fn too_large(option: &str, value: &str, expected: &str) -> ApiError {
    SpecError::BadValue {
        owner: "a guest's player".to_string(),
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
            "mcts:tree-nodes=1000000000",
            "nobody",
            &"x".repeat(300),
        ] {
            assert!(check_text(text, runs).is_err(), "{text}");
        }
        for text in ["random", "pvs:depth=3", "solver:book=off", "mcts:sims=100", "pvs:tt=2M"] {
            assert!(check_text(text, runs).is_ok(), "{text}");
        }
    }

    #[test]
    fn every_offered_opponent_is_admitted() {
        for opponent in crate::opponents::OPPONENTS {
            assert!(check_text(opponent.player, Path::new("runs")).is_ok(), "{}", opponent.player);
        }
    }
}
