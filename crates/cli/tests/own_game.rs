//! A game in a package outside of the workspace supports the same verbs as the built-in games. The
//! test builds and runs `examples/own-game` as a user would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::serve::Server;

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-game")
}

/// Builds the program and returns its path. Third-party crates are shared with the workspace; our
/// own crates are compiled again, without optimization.
fn build_program() -> PathBuf {
    let target = Path::new(env!("CARGO_BIN_EXE_tesuji")).ancestors().nth(2).unwrap().to_path_buf();
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    std::fs::copy(lock, package().join("Cargo.lock")).unwrap();
    let root = std::fs::read_to_string(package().join("../../Cargo.toml")).unwrap();
    let (_, optimized) = root.split_once("[profile.dev.package]\n").unwrap();
    let optimized = optimized.lines().map_while(|line| Some(line.split_once(" = ")?.0.to_string()));
    let searching = ["games", "search", "builtin", "gomoku", "queue"];
    let ours = optimized.chain(searching.map(|name| format!("tesuji-{name}")));
    let unoptimized = ours.map(|name| format!("--config=profile.dev.package.{name}.opt-level=0"));
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--offline", "--quiet", "--target-dir"]).arg(&target).args(unoptimized);
    // `cargo test` sets variables about the package of a test. With these in the environment, build
    // scripts would run again here and in the next build of the workspace.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_")
            || name.to_string_lossy().starts_with("CARGO_MANIFEST_")
        {
            build.env_remove(name);
        }
    }
    let built = build.current_dir(package()).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    target.join("debug/own-game")
}

#[test]
fn a_game_of_another_package_is_played_matched_analyzed_and_solved() {
    let program = build_program();
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| -> Output {
        let words = words.split_whitespace();
        Command::new(&program).args(words).current_dir(folder.path()).output().unwrap()
    };
    let stdout_of = |words: &str| -> String {
        let output = run(words);
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(stdout_of("games").lines().any(|line| line.starts_with("hex ")));
    assert!(stdout_of("perft hex 2").starts_with("600 paths"), "25 times 24");
    assert!(stdout_of("solve hex e1b2b3c5b1e2d2d4a5c3e4a2e5c2").starts_with("first wins"));
    assert!(stdout_of("analyze hex c3 --player pvs:depth=2").contains("move"));
    let played = stdout_of("match hex pvs:depth=2 random --games 4 --store games.db");
    assert!(played.contains("4 games") && played.contains("saved"), "{played}");
    assert!(stdout_of("store games games.db").contains("hex"));
    let over = stdout_of("play hex --first random --second random");
    assert!(over.contains("game over: "), "there are no draws: {over}");
    std::fs::write(folder.path().join("cup.toml"), CUP).unwrap();
    assert!(stdout_of("tournament cup.toml").contains("mcts"));
    let server = Server::of_program(&program, folder.path(), &[], &[]);
    let (status, game) = server.ask("GET", "/api/game?game=hex", "");
    assert!(status == 200 && game.contains("\"friendly\":\"pvs:depth=2\""), "{game}");
    let question = r#"{"game":"hex","moves":"c3","player":"pvs:depth=2"}"#;
    let (status, answer) = server.ask("POST", "/api/move", question);
    assert_eq!(status, 200, "{answer}");
    drop(server);
    // An unknown game is refused as in the main program.
    let refused = run("play chomp");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("game 'chomp': unknown"));
}

const CUP: &str = "
name = 'cup'
game = 'hex'
pairs = 1
store = 'cup.db'
players = ['random', 'mcts:sims=50']
";
