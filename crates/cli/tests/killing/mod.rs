//! A tournament that is killed and resumed many times, with any store.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tesuji_games::random::{below, seeded};

use crate::terminal::Terminal;

/// A tournament of players that play the same games for the same seed.
pub(crate) const TOURNAMENT: &str = "\
name = 'killed'
game = 'tictactoe'
pairs = 160
concurrency = 2
openings = { random-plies = 1 }
players = ['random', 'heuristic', 'minimax:depth=3', 'mcts:sims=50', 'flat-ucb:sims=20']
";

/// Writes a tournament to `t.toml`.
pub(crate) fn write(terminal: &Terminal, text: &str) {
    std::fs::write(terminal.folder().join("t.toml"), text).unwrap();
}

/// Plays the tournament to its end; returns its report.
pub(crate) fn play(terminal: &Terminal, store: &str) -> Value {
    terminal.run(&format!("tournament t.toml --store {store} --json")).json()
}

/// The result without the number of games that came from the store.
pub(crate) fn table(result: &Value) -> Value {
    let mut result = result.clone();
    result.as_object_mut().unwrap().remove("resumed");
    result
}

/// The number of games in a store; 0 if the program was killed before it created the store.
pub(crate) fn games_in(terminal: &Terminal, store: &str) -> u64 {
    if !store.contains("://") && !terminal.folder().join(store).exists() {
        return 0;
    }
    let answer = terminal.run(&format!("store info {store} --json"));
    let not_made_yet = ["file is empty", "no store in this database"];
    if answer.code != 0 && not_made_yet.iter().any(|words| answer.stderr.contains(words)) {
        return 0;
    }
    answer.json()["counts"]["game"].as_u64().unwrap_or(0)
}

/// Kills the tournament at random moments until `kills` kills have hit a running process. `store`
/// returns the store of each round; a complete store ends its round. No stored game is lost, and in
/// the end every table equals that of an undisturbed run.
pub(crate) fn kill_and_resume(
    terminal: &Terminal,
    kills: u64,
    undisturbed: &Value,
    store: impl Fn(u64) -> String,
) {
    let mut rng = seeded(4);
    let (mut killed, mut before, mut round) = (0, 0, 0);
    while killed < kills {
        let after = Duration::from_millis(10 + u64::from(below(&mut rng, 150)));
        killed += u64::from(start_and_kill(terminal.folder(), &store(round), after));
        let stored = games_in(terminal, &store(round));
        assert!(stored >= before, "{stored} games in the store, {before} before");
        before = stored;
        if stored == undisturbed["total"] {
            (round, before) = (round + 1, 0);
        }
    }
    for round in 0..=round {
        let result = play(terminal, &store(round));
        assert_eq!(table(&result), table(undisturbed));
        assert_eq!(games_in(terminal, &store(round)), undisturbed["total"]);
    }
}

/// Starts the tournament and kills it with SIGKILL after a while; true if it was still running.
fn start_and_kill(folder: &Path, store: &str, after: Duration) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["tournament", "t.toml", "--store", store])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

/// The number of kills; `cargo xtask soak` sets a higher one.
pub(crate) fn kills() -> u64 {
    std::env::var("TESUJI_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}
