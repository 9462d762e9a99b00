//! Matches: results are reproducible, and strong players do not lose to `random`.

use crate::terminal::Terminal;
use serde_json::Value;

/// The moves of every game of a match.
fn games(result: &Value) -> Vec<&str> {
    let games = result["result"]["games"].as_array().unwrap();
    games.iter().map(|game| game["moves"].as_str().unwrap()).collect()
}

fn win_draw_loss(result: &Value) -> [u64; 3] {
    ["wins", "draws", "losses"].map(|key| result["result"]["tally"][key].as_u64().unwrap())
}

#[test]
fn perfect_play_never_loses_and_repeats() {
    let command = "match tictactoe minimax:depth=9 random --games 20 --seed 1";
    let stdout = Terminal::new().run(command).success();
    assert!(stdout.contains("0 lost"), "{stdout}");
    assert_eq!(stdout, Terminal::new().run(command).success());
    let json = |options: &str| Terminal::new().run(&format!("{command} --json {options}")).json();
    let one = json("");
    let [wins, draws, losses] = win_draw_loss(&one);
    assert!(wins > draws && losses == 0 && wins + draws == 20, "{one}");
    assert_eq!(games(&one), games(&json("--concurrency 4")));
    assert_ne!(games(&one), games(&json("--seed 2")));
}

#[test]
fn perfect_players_always_draw() {
    let command = "match tictactoe alphabeta:depth=9 pvs:depth=9 --games 4 --json";
    assert_eq!(win_draw_loss(&Terminal::new().run(command).json()), [0, 4, 0]);
}

/// With random choice among equally good moves, perfect play varies and still never loses.
#[test]
fn random_ties_vary_perfect_play() {
    let command = "match tictactoe minimax:depth=9,ties=random random --games 20 --json";
    let result = Terminal::new().run(command).json();
    assert_eq!(win_draw_loss(&result)[2], 0);
    let firsts = |result: &Value| -> std::collections::BTreeSet<String> {
        games(result).iter().step_by(2).map(|moves| moves[..2].to_string()).collect()
    };
    assert!(firsts(&result).len() > 3, "all nine first moves draw: {:?}", firsts(&result));
    assert_eq!(games(&result), games(&Terminal::new().run(command).json()));
}

#[test]
fn openings_come_from_a_file_in_pairs() {
    let terminal = Terminal::new();
    std::fs::write(terminal.folder().join("openings"), "# two\nb2a1\na1b2\n").unwrap();
    let command = "match tictactoe random random --games 6 --openings openings --json";
    let result = terminal.run(command).json();
    let openings: Vec<_> = result["result"]["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| (&game["moves"].as_str().unwrap()[..4], game["opening_plies"].as_u64()))
        .collect();
    let expected =
        ["b2a1", "b2a1", "a1b2", "a1b2", "b2a1", "b2a1"].map(|opening| (opening, Some(2)));
    assert_eq!(openings, expected);
}

#[test]
fn duplicate_games_cause_a_hint() {
    let command = "match tictactoe alphabeta:depth=9 alphabeta:depth=9 --games 10";
    let stdout = Terminal::new().run(command).success();
    assert!(stdout.contains("--random-plies or --openings gives variety"), "{stdout}");
}

/// Every searching player plays a few moves of every game that it supports.
#[test]
fn every_player_plays_every_supported_game() {
    let terminal = Terminal::new();
    let players = terminal.run("games --players --json").json();
    let names: Vec<&str> =
        players.as_array().unwrap().iter().map(|player| player["name"].as_str().unwrap()).collect();
    let critic = tesuji_learn::critic::Critic::random_init(1);
    std::fs::write(terminal.folder().join("some.net"), critic.to_bytes()).unwrap();
    let limited = |name: &str| match name {
        "minimax" | "negamax" | "alphabeta" | "engine" | "pvs" => {
            format!("{name}:depth=2,nodes=2000")
        }
        "determine" => format!("{name}:after=1"),
        "mcts" => format!("{name}:sims=50"),
        "flat-ucb" => format!("{name}:sims=20,depth=2"),
        "forest" | "weights" => format!("{name}:depth=1"),
        "gomoku" | "connect6" => format!("{name}:depth=2,tt=1M"),
        "fudan-alphabeta" | "fudan-naive" => format!("{name}:nodes=20"),
        "fudan-mcts" => format!("{name}:playouts=2"),
        "line-mcts" => format!("{name}:sims=10"),
        "line-alphabeta" => format!("{name}:depth=2,tt=1M"),
        "critic" => format!("{name}:file=some.net"),
        "critic-mcts" | "critic-puct" => format!("{name}:file=some.net,sims=10"),
        _ => name.to_string(),
    };
    for game in [
        "tictactoe",
        "connect4",
        "othello:4x4",
        "checkers",
        "chess",
        "mnk:5x5,k=4",
        "connect6",
        "mnk:6x7,k=5,exact",
        "caro:7x7",
        "renju:7x6",
    ] {
        // The program has a built-in forest or weights for these games.
        let has_forest = ["tictactoe", "connect4", "connect6"].contains(&game);
        let has_weights = ["tictactoe", "connect4"].contains(&game);
        let has_stones = !["othello:4x4", "checkers", "chess"].contains(&game);
        let is_five_in_a_row = ["k=5", "caro", "renju"].iter().any(|word| game.contains(word));
        let fits = |name: &&&str| match **name {
            "human" | "solver" | "external" => false,
            "forest" => has_forest,
            "weights" => has_weights,
            "connect6" => game == "connect6",
            "critic" | "critic-mcts" | "critic-puct" => has_stones,
            "gomoku" | "fudan-alphabeta" | "fudan-naive" | "fudan-mcts" | "line-mcts"
            | "line-alphabeta" => is_five_in_a_row,
            _ => true,
        };
        for name in names.iter().filter(fits) {
            let player = limited(name);
            let command = format!("match {game} {player} random --games 2 --max-plies 8 --json");
            let result = terminal.run(&command).json();
            assert_eq!(result["result"]["failures"], 0, "{command}");
        }
    }
}

#[test]
fn the_solver_beats_random() {
    let stdout = Terminal::new().run("match connect4 solver random --games 10").success();
    assert!(stdout.contains("10 won, 0 drawn, 0 lost"), "{stdout}");
    assert!(stdout.contains("pairs  0 0 0 0 5"), "{stdout}");
}

#[test]
fn a_match_with_a_store_is_resumed() {
    let terminal = Terminal::new();
    let run = |games: u32, more: &str| {
        let players = "heuristic mcts:sims=20";
        let command = format!("match tictactoe {players} --games {games} --random-plies 1 {more}");
        terminal.run(&format!("{command} --json")).json()
    };
    let short = run(10, "--store m.db");
    let long = run(30, "--store m.db --concurrency 2");
    assert_eq!(long["result"]["resumed"], 10);
    assert_eq!(games(&long)[..10], games(&short)[..]);
    assert_eq!(games(&long), games(&run(30, "")));
    // Games under other conditions do not count.
    assert_eq!(run(10, "--store m.db --max-plies 6")["result"]["resumed"], 0);
    assert_eq!(run(10, "--store m.db --seed 2")["result"]["resumed"], 0);
    let info = terminal.run("store info m.db --json").json();
    assert_eq!(info["counts"]["game"], 50);
}

#[test]
fn a_sequential_test_stops_early() {
    let command = "match tictactoe heuristic random --games 1000 --random-plies 2 --sprt 0,100";
    let stdout = Terminal::new().run(command).success();
    assert!(stdout.contains("H1 accepted"), "{stdout}");
    let one = Terminal::new().run(&format!("{command} --json")).json();
    let four = Terminal::new().run(&format!("{command} --json --concurrency 4")).json();
    assert_eq!(games(&one), games(&four));
    assert!(games(&one).len() < 300, "{}", games(&one).len());
    assert_eq!(one["result"]["sprt"]["verdict"], "accepts_h1");
}

#[test]
fn clocks_and_adjudication_end_games() {
    let terminal = Terminal::new();
    let endings = |command: &str| {
        terminal.run(&format!("{command} --json")).json()["result"]["endings"].clone()
    };
    // A search of six million positions obeys the clock, too.
    let timely = endings("match connect4 minimax:depth=8 random --games 2 --time 5ms --margin 5s");
    assert_eq!(timely, serde_json::json!({ "rules": 2 }));
    let solved = endings("match connect4 random random --games 4 --adjudicate 100k,14");
    assert!(solved["solver"].as_u64() > Some(0), "{solved}");
    let agreed =
        endings("match tictactoe minimax:depth=9 pvs:depth=9 --games 2 --even 0,2 --decided 9,2");
    assert_eq!(agreed["agreement"], 2, "{agreed}");
}
