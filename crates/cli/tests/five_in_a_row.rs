//! The players for five in a row: the engine and the Fudan agents, in matches with limits on depth
//! or nodes, which makes them reproducible.

use crate::terminal::Terminal;
use serde_json::Value;

fn play_match(command: &str) -> Value {
    let result = Terminal::new().run(&format!("{command} --json")).json();
    assert_eq!(result["result"]["failures"], 0, "{command}");
    result
}

fn moves(result: &Value) -> Vec<String> {
    let games = result["result"]["games"].as_array().unwrap();
    games.iter().map(|game| game["moves"].as_str().unwrap().to_string()).collect()
}

fn win_draw_loss(result: &Value) -> [u64; 3] {
    ["wins", "draws", "losses"].map(|key| result["result"]["tally"][key].as_u64().unwrap())
}

#[test]
fn matches_of_the_fudan_agents_are_reproducible() {
    let games = "--games 2 --random-plies 3 --seed 5";
    for players in [
        "fudan-alphabeta fudan-naive",
        "fudan-alphabeta:nodes=300 fudan-mcts:playouts=4",
        "fudan-alphabeta:set=pydan2,depth=1,faithful=on fudan-naive:reach=2",
    ] {
        let command = format!("match gomoku:11x11 {players} {games}");
        let first = play_match(&command);
        assert_eq!(moves(&first), moves(&play_match(&command)), "{players}");
    }
}

#[test]
fn the_engine_beats_the_fudan_agents() {
    for opponent in ["fudan-alphabeta", "fudan-naive", "fudan-mcts:playouts=5"] {
        let command = format!(
            "match gomoku gomoku:depth=6,tt=4M {opponent} --games 4 --random-plies 2 --seed 3"
        );
        let result = play_match(&command);
        assert_eq!(win_draw_loss(&result), [4, 0, 0], "{command}");
    }
}

#[test]
fn the_engine_plays_by_every_rule() {
    for game in ["gomoku:9x9,exact", "caro:9x9", "renju:9x9", "mnk:5x12,k=5"] {
        let command =
            format!("match {game} gomoku:depth=2,tt=1M fudan-alphabeta --games 4 --random-plies 3");
        let result = play_match(&command);
        assert_eq!(result["result"]["endings"]["rules"], 4, "{command}");
    }
}

/// All players move in time under a clock. The margin is wide, so that a busy machine causes no
/// failure.
#[test]
fn players_obey_the_clock() {
    for clock in ["--time 30ms", "--game-time 1s", "--game-time 300ms+10ms --time 50ms"] {
        for opponent in ["fudan-alphabeta", "fudan-naive", "fudan-mcts"] {
            let players = format!("gomoku:tt=1M {opponent}");
            let command =
                format!("match gomoku {players} {clock} --margin 20s --games 2 --max-plies 24");
            play_match(&command);
        }
    }
}

#[test]
fn an_analysis_names_the_best_moves() {
    let command = "analyze gomoku h8i9j7 --player gomoku:depth=3,tt=1M,best=5 --json";
    let found = Terminal::new().run(command).json();
    let moves = found["moves"].as_array().unwrap();
    assert_eq!((moves.len(), &found["depth"]), (222, &Value::from(3)), "{found}");
    let (valued, others) = moves.split_at(5);
    assert!(valued.iter().all(|m| m["score"].is_object()), "{found}");
    assert!(others.iter().all(|m| m["score"].is_null()), "{found}");
    let lines = moves[..3].iter().map(|m| m["line"].as_array().unwrap().len());
    assert!(lines.min() >= Some(2), "{found}");
    let four = "analyze gomoku h8a1i8a3j8a5k8a7 --player gomoku:depth=3,tt=1M";
    let text = Terminal::new().run(four).success();
    let rows: Vec<Vec<&str>> =
        text.lines().skip(4).map(|row| row.split_whitespace().collect()).collect();
    let wins = [&rows[0], &rows[1]].map(|row| (row[0], row[1..4].join(" ")));
    assert_eq!(wins.clone().map(|(_, score)| score), ["win in 1", "win in 1"], "{text}");
    assert!(wins.iter().all(|(m, _)| ["g8", "l8"].contains(m)), "{text}");
    assert_eq!(rows.last().unwrap()[1..], ["-"], "{text}");
    let open_three = "analyze gomoku h8a1i8a15j8o1 --player gomoku:depth=4,tt=1M --json";
    let found = Terminal::new().run(open_three).json();
    let best = found["moves"][0]["move"].as_str().unwrap();
    assert!(["g8", "k8"].contains(&best), "{found}");
}
