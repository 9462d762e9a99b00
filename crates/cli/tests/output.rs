//! The output of the verbs, for cases small enough to check by hand.

use std::io::Read;
use std::process::{Command, Stdio};

use crate::error_texts::{check, refuses};
use crate::terminal::Terminal;
use serde_json::json;

/// Every verb's help ends with an example, and every example works.
#[test]
fn every_example_in_the_help_works() {
    let terminal = Terminal::new();
    // The files that the examples of `store`, `tournament` and `forest` read.
    tesuji_store::open(terminal.folder().join("games.db").to_str().unwrap()).unwrap();
    let path = |name: &str| terminal.folder().join(name);
    for name in ["examples/training", "examples/experiments", "models"] {
        std::fs::create_dir_all(path(name)).unwrap();
    }
    let files = ["tictactoe.toml", "training/tictactoe.toml", "forest.xml", "gem-cases.json"];
    let files = files.map(|name| format!("examples/{name}"));
    for name in files.iter().map(String::as_str).chain(["models/gomoku.lines"]) {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        std::fs::copy(source, path(name)).unwrap();
    }
    // A smaller version of the real file.
    let small = "seeds = [1]\n[match]\ngame = 'tictactoe'\nplayer = 'mcts'\nopponents = ['random']\n\
                 games = 2\n[grid]\nsims = [5, 10]\n";
    std::fs::write(path("examples/experiments/forest-size.toml"), small).unwrap();
    let overview = terminal.run("--help").success();
    let verbs: Vec<&str> = overview
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .map_while(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .collect();
    assert!(verbs.contains(&"play") && verbs.contains(&"match"), "{overview}");
    for verb in verbs {
        let help = terminal.run(&format!("{verb} --help")).success();
        let example = help.lines().last().and_then(|line| line.trim().strip_prefix("tesuji "));
        let example = example.unwrap_or_else(|| panic!("{verb} has no example: {help}"));
        assert!(example.starts_with(verb), "{example}");
        // A server runs until it is stopped: serve.rs tests it. Workers need a queue: cluster/ has
        // one.
        if !["serve", "worker", "queue"].contains(&verb) {
            terminal.run(example).success();
        }
    }
}

#[test]
fn games_are_listed_with_their_capabilities() {
    let terminal = Terminal::new();
    let list = terminal.run("games").success();
    for name in ["tictactoe", "connect4", "othello", "gomoku", "connect6", "chess", "gem-island"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
    }
    let gems = terminal.run("games gem-island").success();
    for words in ["gem-island: ", "Swap two neighboring gems", "medals=N", "tesuji gem --help"] {
        assert!(gems.contains(words), "{words}: {gems}");
    }
    let described = terminal.run("games gem-island:level=2 --json").json();
    assert_eq!(
        (&described["game"]["name"], &described["start"]),
        (&json!("gem-island"), &json!(null))
    );
    assert_eq!(
        (&described["settings"]["medals"], &described["settings"]["moves"]),
        (&json!(4), &json!(25))
    );
    let all = terminal.run("games --json").json();
    let names: Vec<_> =
        all.as_array().unwrap().iter().map(|entry| &entry["game"]["name"]).collect();
    assert!(names.contains(&&json!("tictactoe")), "{names:?}");
    let last = all.as_array().unwrap().last().unwrap();
    assert_eq!((&last["game"], &last["start"]), (&described["game"], &json!(null)));
    let expected = "\
tictactoe: Tic-tac-toe: three in a row on 3x3
capabilities: Heuristic, MoveOrder, Notation, Draw, Symmetry, Tactics, RowPosition, FindsWins
players: human, random, heuristic, minimax, negamax, alphabeta, engine, pvs, determine, mcts, flat-ucb, solver, forest, weights, external
moves at the start: 9

3 . . .
2 . . .
1 . . .
  a b c
";
    assert_eq!(terminal.run("games tictactoe").success(), expected);
}

#[test]
fn players_are_listed_with_their_options() {
    let list = Terminal::new().run("games --players").success();
    for words in ["human", "random", "pvs", "tt=SIZE", "mcts", "sims=N", "flat-ucb"] {
        assert!(list.contains(words), "{words} in {list}");
    }
}

#[test]
fn statistics_of_tic_tac_toe() {
    let found = Terminal::new().run("stats tictactoe --json").json();
    assert_eq!(
        found["games"],
        json!({ "total": 255_168, "first": 131_184, "second": 77_904, "draw": 46_080 })
    );
    assert_eq!(found["states"], 5_478);
    let classes = &found["up_to_symmetry"];
    assert_eq!(classes["states"], 765);
    assert_eq!(
        classes["terminal_states"],
        json!({ "total": 138, "first": 91, "second": 44, "draw": 3 })
    );
    assert_eq!(classes["games_with_merged_children"]["total"], 26_830);
    let text = Terminal::new().run("stats tictactoe").success();
    assert!(text.contains("255,168  131,184     77,904       46,080"), "{text}");
}

#[test]
fn a_game_too_large_to_count_is_refused() {
    refuses(&Terminal::new(), "output", 1, "stats connect4 --max-states 10k");
    Terminal::new().run("stats connect4 --plies 4").success();
}

#[test]
fn perft_counts_paths() {
    let terminal = Terminal::new();
    assert!(terminal.run("perft tictactoe 9").success().starts_with("127872 paths of 9 moves"));
    let count = |command: &str| terminal.run(&format!("{command} --json")).json()["paths"].clone();
    assert_eq!(count("perft tictactoe 9"), 127_872);
    // The 255,168 games are the paths of full length and the games that end earlier.
    assert_eq!(count("perft tictactoe 9 --finished"), 255_168);
    assert_eq!(count("perft tictactoe 0"), 1);
    assert_eq!(count("perft tictactoe 3 b2a1 --threads 2"), 210);
    assert_eq!(count("perft tictactoe 3 a1a2b1b2c1"), 0, "a finished game has no paths");
    let divided = terminal.run("perft tictactoe 4 b2 --divide --json").json();
    let parts = divided["divide"].as_object().unwrap();
    assert_eq!(parts.len(), 8);
    assert_eq!(parts.values().map(|n| n.as_u64().unwrap()).sum::<u64>(), divided["paths"]);
}

#[test]
fn grid_paths_are_counted() {
    let terminal = Terminal::new();
    let count = |options: &str| terminal.run(&format!("count grid-paths {options}"));
    let square = "--width 5 --height 5 --from 0,0 --to 4,4";
    assert_eq!(count(&format!("{square} --length 8")).success(), "70\n");
    assert_eq!(count(&format!("{square} --length 7")).success(), "0\n");
    let json = count(&format!("{square} --length 8 --json")).json();
    assert_eq!(json, json!({ "paths": "70" }));
    refuses(&terminal, "output", 1, &format!("count grid-paths {square} --length 1000"));
}

#[test]
fn analysis_values_every_move() {
    let terminal = Terminal::new();
    for player in ["pvs", "minimax", "negamax", "alphabeta", "engine:tt=1M,order=on"] {
        let command = format!("analyze tictactoe b2a2 --player {player} --depth 9 --json");
        let found = terminal.run(&command).json();
        let moves = found["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 7, "{player}");
        // After an edge reply to the center every move but the opposite edge wins.
        let c2 = moves.iter().find(|entry| entry["move"] == "c2").unwrap();
        assert_eq!(c2["score"], json!({ "estimate": 0 }), "{player}");
        assert_eq!(moves[0]["score"], json!({ "win_in": 5 }), "{player}: {}", moves[0]);
        assert_eq!(moves[0]["line"].as_array().unwrap()[0], moves[0]["move"], "{player}");
        assert!(
            moves[0]["line"].is_array() && moves[6]["line"].is_null(),
            "three lines by default"
        );
    }
    let text = terminal.run("analyze tictactoe a1a2b1b2 --depth 9 --multipv 1").success();
    assert!(text.contains("tictactoe after a1a2b1b2, first to move"), "{text}");
    assert!(text.contains("c1    win in 1"), "{text}");
}

#[test]
fn monte_carlo_analysis_counts_visits() {
    let command = "analyze tictactoe a1a2b1b2 --player mcts:sims=500,solver=off --json";
    let found = Terminal::new().run(command).json();
    assert_eq!(found["moves"][0]["move"], "c1");
    let visits = |entry: &serde_json::Value| entry["visits"].as_u64().unwrap_or(0);
    let total: u64 = found["moves"].as_array().unwrap().iter().map(visits).sum();
    assert!((490..=500).contains(&total), "{total}");
    assert_eq!(found["moves"], Terminal::new().run(command).json()["moves"], "same seed");
}

#[test]
fn small_games_are_solved() {
    let terminal = Terminal::new();
    let solve = |options: &str| terminal.run(&format!("solve {options} --json")).json();
    assert_eq!(solve("tictactoe")["value"], "draw");
    let found = solve("tictactoe b2a2 --moves");
    assert_eq!(found["value"], "win");
    assert_eq!(found["best"].as_array().unwrap().len(), 6, "all but the opposite edge");
    assert_eq!(found["moves"]["c2"]["value"], "draw");
    assert_eq!(solve("connect4:4x4")["value"], "draw");
    assert_eq!(solve("othello:4x4")["value"], "loss");
    assert_eq!(solve("mnk:4x4,k=3")["value"], "win");
    assert_eq!(solve("mnk:4x4,k=4")["value"], "draw");
    assert_eq!(solve("tictactoe3d")["value"], "win");
    assert_eq!(solve("tictactoe b2a2 --wins first")["wins"], "proven");
    assert_eq!(solve("tictactoe --wins second")["wins"], "disproven");
    let text = terminal.run("solve tictactoe b2a2").success();
    assert!(text.starts_with("first wins\nbest  "), "{text}");
    assert!(
        terminal
            .run("solve tictactoe a1b2 --wins second")
            .success()
            .starts_with("second does not win")
    );
}

#[test]
fn an_unfinished_proof_is_unknown() {
    let terminal = Terminal::new();
    for options in ["--no-book", "--wins first"] {
        let answer = terminal.run(&format!("solve connect4 --nodes 1000 {options}"));
        assert_eq!((answer.code, answer.stderr.lines().count()), (1, 1), "{answer:?}");
        assert!(answer.stderr.starts_with("error: unknown: no proof within"), "{answer:?}");
        assert_eq!(answer.stdout, "");
    }
    let answer = terminal.run("solve connect4 --nodes 1000 --no-book --json");
    assert_eq!(answer.code, 1);
    let found: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(found["value"], json!(null));
}

#[test]
fn the_solver_analyzes_exactly() {
    let found = Terminal::new().run("analyze tictactoe b2 --player solver --json").json();
    let of = |m: &str| {
        let moves = found["moves"].as_array().unwrap();
        moves.iter().find(|entry| entry["move"] == m).unwrap()["score"].clone()
    };
    assert_eq!(of("a1"), json!({ "estimate": 0 }));
    assert!(of("a2")["loss_in"].is_number(), "{found}");
}

#[test]
fn positions_may_be_several_words() {
    let terminal = Terminal::new();
    let fen = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1";
    let words: Vec<&str> = "perft chess 1".split(' ').chain(fen.split(' ')).collect();
    assert_eq!(terminal.run_words(&words, b"").code, 0);
    let one_word = ["analyze", "chess", fen, "--depth", "2", "--json"];
    let answer = terminal.run_words(&one_word, b"").json();
    assert_eq!(answer["moves"][0]["score"], json!({ "win_in": 1 }));
    assert_eq!(answer["position"], fen);
    assert_eq!(
        terminal.run("perft tictactoe 2 b2 a1 --json").json()["paths"],
        terminal.run("perft tictactoe 2 b2a1 --json").json()["paths"]
    );
}

#[test]
fn a_book_is_built_extended_and_used() {
    let terminal = Terminal::new();
    let build = "book build tictactoe t.book --player minimax:depth=9 --plies";
    terminal.run(&format!("{build} 1")).success();
    let positions =
        |terminal: &Terminal| terminal.run("book info t.book --json").json()["positions"].clone();
    assert_eq!(positions(&terminal), 1 + 3, "the start and three first moves up to symmetry");
    terminal.run(&format!("{build} 2")).success();
    assert_eq!(positions(&terminal), 1 + 3 + 12);
    let command = "match tictactoe pvs:depth=1,book=t.book solver --games 2 --json";
    let result = terminal.run(command).json();
    assert_eq!(
        result["result"]["games"][0]["thoughts"][0]["depth"], 9,
        "the first move comes from the book"
    );
    refuses(&terminal, "output", 2, "match connect4 pvs:book=t.book random");
}

/// A depth counts the own move, which the depth of Anigmo's example does not: its player of depth 5
/// plays column 4, and a player of depth 5 column 3.
#[test]
fn the_session_of_anigmo_is_played_in_the_terminal() {
    let terminal = Terminal::new();
    let first_move = |player: &str| {
        let answer = terminal.run(&format!("analyze connect4 --player {player} --json")).json();
        answer["moves"][0]["move"].clone()
    };
    assert_eq!(first_move("determine:after=5"), "4");
    assert_eq!(first_move("alphabeta:depth=6"), "4");
    let help = terminal.run("games --players").stdout;
    let depths = help.lines().filter(|line| line.contains("search depth in plies"));
    assert!(depths.clone().count() > 3, "{help}");
    for line in depths {
        assert!(line.contains("the own move included"), "{line}");
    }
}

/// `tesuji games | head -1`: the reader closes the pipe, and the program prints no error.
#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["play", "connect4", "--first", "random", "--second", "random"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn version_and_help_succeed() {
    let terminal = Terminal::new();
    assert!(terminal.run("--version").success().starts_with("tesuji "));
    assert!(terminal.run("count grid-paths --help").success().contains("Example:"));
}

#[test]
fn a_file_of_known_values_is_checked() {
    let terminal = Terminal::new();
    let write = |text: &str| std::fs::write(terminal.folder().join("values"), text).unwrap();
    // An edge loses against the center, a corner holds the draw.
    write("b2a2 1\n\nb2a1 0\na1b1c3a3b2 -2\n");
    let solve = "solve tictactoe --file values";
    let refuses = |code: i32, what: &str| {
        let label = format!("{solve} # {what}");
        check(&terminal, "output", code, &label, &terminal.run(solve));
    };
    refuses(2, "a finished game");
    write("b2a2 1\n\nb2a1 0\n");
    let result = terminal.run("solve tictactoe --file values --json").json();
    assert_eq!((&result["correct"], &result["total"]), (&2.into(), &2.into()));
    write("b2a2 1\nb2a1 -7\n");
    refuses(1, "b2a1 -7");
    for text in ["", "b2\n", "b2 win\n", "zz 1"] {
        write(text);
        refuses(2, text);
    }
}
