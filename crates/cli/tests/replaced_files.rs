//! Stored games are identified by the contents of the players' files: a replaced model or engine
//! plays new games, and games of unchanged players are not played again.

use std::fs;
use std::path::Path;

use crate::terminal::Terminal;

const GAMES: u64 = 4;

/// The number of games of a match that came from the store.
fn resumed(terminal: &Terminal, player: &str) -> u64 {
    let games = GAMES.to_string();
    let words = ["match", "tictactoe", player, "random", "--games", &games, "--json"];
    let words: Vec<&str> = words.into_iter().chain(["--store", "games.db"]).collect();
    let result = terminal.run_words(&words, b"").json();
    result["result"]["resumed"].as_u64().unwrap()
}

/// Plays with the first content, with the second, and with the first again.
fn check(terminal: &Terminal, player: &str, put: &dyn Fn(usize)) {
    put(0);
    assert_eq!(resumed(terminal, player), 0, "{player}");
    assert_eq!(resumed(terminal, player), GAMES, "{player}: nothing changed");
    put(1);
    assert_eq!(resumed(terminal, player), 0, "{player}: its file was replaced");
    put(0);
    assert_eq!(resumed(terminal, player), GAMES, "{player}: the first content again");
}

#[test]
fn a_replaced_model_plays_new_games() {
    let terminal = Terminal::new();
    for depth in ["1", "2"] {
        let build = format!("book build tictactoe {depth}.book --plies 1 --player");
        terminal.run(&format!("{build} alphabeta:depth={depth}")).success();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let put = |folder: &Path, names: [&str; 2], number: usize| {
        fs::copy(folder.join(names[number]), terminal.folder().join("file")).unwrap();
    };
    let names = ["models/tictactoe.xml.gz", "examples/forest.xml"];
    check(&terminal, "forest:file=file", &|number| put(&root, names, number));
    let names = ["1.book", "2.book"];
    for player in ["pvs:depth=2,book=file", "forest:depth=1,book=file", "weights:depth=1,book=file"]
    {
        check(&terminal, player, &|number| put(terminal.folder(), names, number));
    }
}

/// The engine is an executable file, or a script that an interpreter runs.
#[test]
fn a_replaced_engine_plays_new_games() {
    use std::os::unix::fs::PermissionsExt;
    let terminal = Terminal::new();
    let engine = terminal.folder().join("engine.sh");
    let put = |number: usize| {
        let player = ["random", "heuristic"][number];
        let program = env!("CARGO_BIN_EXE_tesuji");
        let text = format!("#!/bin/sh\nexec {program} engine --protocol lines --player {player}\n");
        fs::write(&engine, text).unwrap();
        fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    };
    check(&terminal, "external:cmd=./engine.sh", &put);
    check(&terminal, "external:cmd=sh engine.sh", &put);
    check(&terminal, "external:cmd=sh engine.sh --log=engine.log", &|number| {
        put(number);
        // A log file that the engine writes does not change its identity.
        let lines = fs::read_to_string(terminal.folder().join("engine.log")).unwrap_or_default();
        fs::write(terminal.folder().join("engine.log"), lines + "a line\n").unwrap();
    });
}

/// A tournament plays only the games of the replaced player again.
#[test]
fn a_tournament_keeps_the_games_of_unchanged_players() {
    let terminal = Terminal::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let put = |name: &str| {
        fs::copy(root.join(name), terminal.folder().join("file")).unwrap();
    };
    let text = "name = 'cup'\ngame = 'tictactoe'\npairs = 1\n\
                players = ['forest:file=file', 'random', 'heuristic', 'alphabeta:depth=2']\n";
    fs::write(terminal.folder().join("cup.toml"), text).unwrap();
    let resumed = || {
        let result = terminal.run("tournament cup.toml --store games.db --json").json();
        result["resumed"].as_u64().unwrap()
    };
    put("models/tictactoe.xml.gz");
    assert_eq!((resumed(), resumed()), (0, 12));
    put("examples/forest.xml");
    assert_eq!((resumed(), resumed()), (6, 12));
}
