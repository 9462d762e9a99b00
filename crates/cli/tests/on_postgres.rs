//! Matches, tournaments and the verb `store` with a real PostgreSQL.

#[path = "../../store/tests/database/mod.rs"]
#[allow(dead_code, reason = "the suites of the store use the rest")]
mod database;
mod killing;
mod terminal;

use database::Database;
use killing::{TOURNAMENT, games_in, kill_and_resume, kills, play, table, write};
use terminal::Terminal;

#[test]
fn a_killed_tournament_is_resumed() {
    let terminal = Terminal::new();
    write(&terminal, TOURNAMENT);
    let undisturbed = play(&terminal, "calm.db");
    // A kill may come after the last game, so that each round may need a new database.
    let databases: Vec<Database> = (0..=kills()).map(|_| Database::new()).collect();
    kill_and_resume(&terminal, kills(), &undisturbed, |round| {
        databases[round as usize].url.clone()
    });
}

/// Records stay the same from file to server, from server to file, and through export and import.
#[test]
fn records_move_between_a_file_and_a_server() {
    let terminal = Terminal::new();
    let database = Database::new();
    let url = &database.url;
    write(&terminal, &TOURNAMENT.replace("160", "3"));
    let in_file = play(&terminal, "t.db");
    let added = terminal.run(&format!("store merge {url} t.db")).success();
    assert!(added.contains("60"), "{added}");
    let on_server = play(&terminal, url);
    assert_eq!(on_server["resumed"], in_file["total"]);
    assert_eq!(table(&on_server), table(&in_file));
    terminal.run(&format!("store export {url} server.jsonl --kind games")).success();
    terminal.run("store export t.db file.jsonl --kind games").success();
    let text = |name: &str| std::fs::read_to_string(terminal.folder().join(name)).unwrap();
    assert_eq!(text("server.jsonl"), text("file.jsonl"));
    terminal.run("store import back.db server.jsonl").success();
    assert_eq!(games_in(&terminal, "back.db"), 60);
}

#[test]
fn a_match_is_resumed() {
    let terminal = Terminal::new();
    let database = Database::new();
    let command = |games: u32| {
        format!("match tictactoe heuristic random --games {games} --json --store {}", database.url)
    };
    let short = terminal.run(&command(10)).json();
    let long = terminal.run(&command(30)).json();
    assert_eq!((&short["result"]["resumed"], &long["result"]["resumed"]), (&0.into(), &10.into()));
    let games = |result: &serde_json::Value| result["result"]["games"].as_array().unwrap().clone();
    assert_eq!(games(&short)[..], games(&long)[..10]);
}

#[test]
fn the_error_about_an_unreachable_server_omits_the_password() {
    let answer = Terminal::new()
        .run("match tictactoe random random --store postgres://me:secret@127.0.0.1:1/games");
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("127.0.0.1"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("secret"), "{}", answer.stderr);
}
