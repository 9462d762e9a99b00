//! Model files of runs: their names, the players that read them, and which of them guests may use.

use std::path::{Component, Path, PathBuf};

use tesuji_learn::LEARNERS;
use tesuji_train::LearnerKind;

use super::folders;

/// The folder with the models of single steps.
pub(super) const MODELS: &str = "models";

/// The file name of the best model.
pub(super) fn best(kind: &LearnerKind) -> String {
    format!("best.{}", kind.extension)
}

/// The file of the model of a step.
pub(super) fn of_step(run: &Path, kind: &LearnerKind, step: u32) -> PathBuf {
    run.join(MODELS).join(format!("step-{step:04}.{}", kind.extension))
}

/// Parses the step and the extension of a file in the folder of models.
pub(super) fn step(name: &str) -> Option<(u32, &str)> {
    let (digits, extension) = name.strip_prefix("step-")?.split_once('.')?;
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?;
    Some((number?, extension))
}

/// The path of a model that this player reads, if the text names one as the lab does: inside the
/// folder of runs, by plain names. Looks nothing up.
pub(crate) fn named(player: &str, file: &str, runs: &Path) -> Option<PathBuf> {
    let inside = Path::new(file).strip_prefix(runs).ok()?;
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => {
            name.to_str().filter(|name| folders::is_plain(name)).map(String::from)
        }
        _ => None,
    };
    let names: Vec<String> = inside.components().map(name).collect::<Option<_>>()?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let extension = match &names[..] {
        [_, MODELS, name] | [_, _, MODELS, name] => step(name).map(|(_, extension)| extension),
        [_, name] | [_, _, name] => {
            name.strip_prefix("best.").or_else(|| name.strip_prefix("last."))
        }
        _ => None,
    };
    let reads =
        |kind: &LearnerKind| Some(kind.extension) == extension && kind.players.contains(&player);
    LEARNERS.iter().any(reads).then(|| runs.join(inside))
}

/// Whether the path is a regular file of a run, and no link leads out of the folder of runs.
pub(crate) fn is_there(file: &Path, runs: &Path) -> bool {
    let is_regular = std::fs::symlink_metadata(file).is_ok_and(|about| about.is_file());
    let mut folders = file.ancestors().skip(1).take_while(|folder| *folder != runs);
    is_regular && folders::is_inside(file, runs) && folders.any(folders::holds_run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_models_may_be_named_and_only_by_their_players() {
        let runs = Path::new("/r/runs");
        let is_named = |player: &str, file: &str| named(player, file, runs).is_some();
        for (player, file) in [
            ("forest", "/r/runs/a/best.xml"),
            ("forest", "/r/runs/a/b/best.xml"),
            ("forest", "/r/runs/a/models/step-0012.xml"),
            ("forest", "/r/runs/a/b/models/step-12345.xml"),
            ("weights", "/r/runs/a/best.tuples"),
            ("critic", "/r/runs/a/best.net"),
            ("gomoku", "/r/runs/a run/last.weights"),
            ("line-alphabeta", "/r/runs/a/models/step-0003.lines"),
        ] {
            assert!(is_named(player, file), "{player} {file}");
        }
        for (player, file) in [
            ("forest", "/r/runs/a/output.txt"),
            ("forest", "/r/runs/a/best.net"),
            ("forest", "/r/runs/a/best.tuples"),
            ("weights", "/r/runs/a/best.xml"),
            ("forest", "/r/runs/best.xml"),
            ("forest", "/r/runs/a/b/c/best.xml"),
            ("forest", "/r/runs/a/../b/best.xml"),
            ("forest", "/r/runs/../runs/a/best.xml"),
            ("forest", "/r/runs/.a/best.xml"),
            ("forest", "/r/runs/a/models/step-+1.xml"),
            ("forest", "/r/runs/a/models/../best.xml"),
            ("forest", "/r/runs"),
            ("forest", "/r/other/a/best.xml"),
            ("forest", "best.xml"),
            ("forest", ""),
            ("pvs", "/r/runs/a/best.xml"),
        ] {
            assert!(!is_named(player, file), "{player} {file}");
        }
    }

    #[test]
    fn a_model_is_a_regular_file_of_a_run() {
        let place = tempfile::tempdir().unwrap();
        let runs = place.path().join("runs");
        for run in ["a", "b", "no-run"] {
            fs::create_dir_all(runs.join(run)).unwrap();
        }
        fs::write(runs.join("a/settings.toml"), "").unwrap();
        fs::write(runs.join("b/settings.toml"), "").unwrap();
        fs::write(runs.join("a/best.xml"), "").unwrap();
        fs::write(runs.join("no-run/best.xml"), "").unwrap();
        fs::write(place.path().join("secret"), "").unwrap();
        std::os::unix::fs::symlink(place.path().join("secret"), runs.join("b/best.xml")).unwrap();
        fs::create_dir(place.path().join(MODELS)).unwrap();
        fs::write(place.path().join("models/step-0001.xml"), "").unwrap();
        std::os::unix::fs::symlink(place.path().join(MODELS), runs.join("b").join(MODELS)).unwrap();
        let is_there = |file: &str| is_there(&runs.join(file), &runs);
        assert!(is_there("a/best.xml"));
        for file in ["a/best.tuples", "no-run/best.xml", "b/best.xml", "b/models/step-0001.xml"] {
            assert!(!is_there(file), "{file}");
        }
    }
}
