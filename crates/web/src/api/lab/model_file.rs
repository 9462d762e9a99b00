//! Files of runs that are models: what they are called, which players read them, and which of them
//! a guest may name.

use std::path::{Component, Path, PathBuf};

use super::folders;

/// The best forest of a run, its weights, its critic, the numbers of its engine, its line network.
pub(super) const FOREST: &str = "best.xml";
pub(super) const WEIGHTS: &str = "weights.tuples";
pub(super) const CRITIC: &str = "critic.net";
pub(super) const ENGINE: &str = "gomoku.weights";
pub(super) const LINES: &str = "network.lines";
/// The folder with the best forest of each iteration.
pub(super) const FORESTS: &str = "forests";

/// The file of the best forest of an iteration.
pub(super) fn of_iteration(run: &Path, iteration: u32) -> PathBuf {
    run.join(FORESTS).join(format!("iteration-{iteration:03}.xml"))
}

/// The iteration of a file in the folder of forests.
pub(super) fn iteration(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("iteration-")?.strip_suffix(".xml")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The path of a model of a run that this player reads, if the text names one as the laboratory
/// does: inside the folder of runs, by names alone. Nothing is looked up.
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
    let is_model = match &names[..] {
        [_, FORESTS, name] | [_, _, FORESTS, name] => {
            player == "forest" && iteration(name).is_some()
        }
        [_, name] | [_, _, name] => players_of(name).contains(&player),
        _ => false,
    };
    is_model.then(|| runs.join(inside))
}

/// The players that read a file of this name.
fn players_of(name: &str) -> &'static [&'static str] {
    match name {
        FOREST | WEIGHTS => &["forest"],
        CRITIC => &["critic", "critic-mcts", "uct"],
        ENGINE => &["gomoku"],
        LINES => &["line-mcts", "line-alphabeta"],
        _ => &[],
    }
}

/// Whether such a path is a regular file of a run, and no link leads out of the folder of runs.
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
            ("forest", "/r/runs/a/forests/iteration-012.xml"),
            ("forest", "/r/runs/a/b/forests/iteration-1234.xml"),
            ("forest", "/r/runs/a/weights.tuples"),
            ("uct", "/r/runs/a/critic.net"),
            ("gomoku", "/r/runs/a run/gomoku.weights"),
            ("line-alphabeta", "/r/runs/a/network.lines"),
        ] {
            assert!(is_named(player, file), "{player} {file}");
        }
        for (player, file) in [
            ("forest", "/r/runs/a/output.txt"),
            ("forest", "/r/runs/a/critic.net"),
            ("forest", "/r/runs/best.xml"),
            ("forest", "/r/runs/a/b/c/best.xml"),
            ("forest", "/r/runs/a/../b/best.xml"),
            ("forest", "/r/runs/../runs/a/best.xml"),
            ("forest", "/r/runs/.a/best.xml"),
            ("forest", "/r/runs/a/forests/iteration-+1.xml"),
            ("forest", "/r/runs/a/forests/../best.xml"),
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
        fs::create_dir(place.path().join("forests")).unwrap();
        fs::write(of_iteration(place.path(), 1), "").unwrap();
        std::os::unix::fs::symlink(place.path().join(FORESTS), runs.join("b").join(FORESTS))
            .unwrap();
        let is_there = |file: &str| is_there(&runs.join(file), &runs);
        assert!(is_there("a/best.xml"));
        for file in
            ["a/weights.tuples", "no-run/best.xml", "b/best.xml", "b/forests/iteration-001.xml"]
        {
            assert!(!is_there(file), "{file}");
        }
    }
}
