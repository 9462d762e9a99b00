//! Which players people may call from a page: none that start programs or read files, none that need more memory or
//! threads than a guest may have.

use std::path::Path;

use tesuji_arena::{PlayerSpec, players};
use tesuji_games::{Spec, SpecError};

use crate::errors::ApiError;

/// No player's text is longer.
const LONGEST_TEXT: usize = 200;
/// Memory for known positions, where a player has such a table and its text says nothing.
const USUAL_TABLE: &str = "1M";
/// The largest such table that a guest may ask for, in bytes.
const LARGEST_TABLE: u64 = 64 << 20;
/// Nodes of a Monte Carlo tree, where its text says nothing, and at most.
const USUAL_TREE: &str = "1000000";
const LARGEST_TREE: u64 = 4_000_000;

/// Reads a player's text, if a guest may have that player. Files may come from the folder of runs.
pub(crate) fn admit(text: &str, runs: &Path) -> Result<PlayerSpec, ApiError> {
    if text.len() > LONGEST_TEXT {
        return Err(ApiError::bad(format!(
            "no player's name is longer than {LONGEST_TEXT} letters"
        )));
    }
    let mut spec = Spec::parse(text)?;
    check_name(spec.name())?;
    let player: PlayerSpec = text.parse()?;
    if player.is_human() || spec.name() == "external" {
        let why = "cannot play from a page; right would be one such as pvs:time=1s";
        return Err(ApiError::bad(format!("{} {why}", spec.name())));
    }
    check_files(&mut spec, runs)?;
    check_size(&mut spec)?;
    Ok(match spec.name() {
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

fn check_files(spec: &mut Spec, runs: &Path) -> Result<(), ApiError> {
    let refused = |key: &str| {
        ApiError::bad(format!("a guest's {key} may only be a file of a run in the laboratory"))
    };
    for key in ["file", "weights", "log", "cmd"] {
        if let Some(value) = spec.take(key)
            && !is_inside(Path::new(&value), runs)
        {
            return Err(refused(key));
        }
    }
    match spec.take("book").as_deref() {
        None | Some("on" | "off") => Ok(()),
        Some(_) => Err(refused("book")),
    }
}

/// Whether a file is in a folder, wherever links may lead.
fn is_inside(file: &Path, folder: &Path) -> bool {
    match (file.canonicalize(), folder.canonicalize()) {
        (Ok(file), Ok(folder)) => file.starts_with(folder),
        _ => false,
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
            "pvs:tt=4G",
            "pvs:threads=64",
            "mcts:nodes=1000000000",
            "nobody",
            &"x".repeat(300),
        ] {
            assert!(admit(text, runs).is_err(), "{text}");
        }
        for text in ["random", "pvs:depth=3", "solver:book=off", "mcts:sims=100", "pvs:tt=2M"] {
            assert!(admit(text, runs).is_ok(), "{text}");
        }
    }

    #[test]
    fn files_of_runs_are_found_through_no_detour() {
        let folder = tempfile::tempdir().unwrap();
        let runs = folder.path().join("runs");
        std::fs::create_dir(&runs).unwrap();
        std::fs::write(runs.join("inside"), "").unwrap();
        std::fs::write(folder.path().join("outside"), "").unwrap();
        assert!(is_inside(&runs.join("inside"), &runs));
        assert!(!is_inside(&runs.join("../outside"), &runs));
        assert!(!is_inside(&runs.join("missing"), &runs));
    }
}
