//! The API for playing: positions of every game, whole games against the computer, analyses, import
//! and export.

use serde_json::{Value, json};

use crate::support::{Person, Server};

/// All games and presets of the server.
async fn games(person: &Person) -> Vec<String> {
    let listed = person.get("/api/games").await.good();
    let names = listed["games"].as_array().unwrap().iter().map(|game| game["name"].as_str());
    names.map(|name| name.unwrap().to_string()).collect()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("no list {name}"))
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name}"))
}

/// Checks the invariants of a position.
fn check_position(shown: &Value) {
    let board = &shown["board"];
    let sizes = ["columns", "rows", "layers"].map(|name| list(board, name).len());
    assert_eq!(list(board, "cells").len(), sizes.iter().product::<usize>(), "{shown}");
    for (name, over) in [("moves", false), ("played", true)] {
        for step in list(shown, name) {
            let cells = list(step, "cells");
            // A pass touches no cells.
            assert!(
                cells.iter().all(|cell| cell.as_u64().unwrap() < list(board, "cells").len() as u64)
            );
            assert!(!text(step, "move").is_empty());
            assert_eq!(step["until"].is_u64(), over);
        }
    }
    assert_eq!(list(shown, "moves").is_empty(), !shown["outcome"].is_null(), "{shown}");
}

/// Checks the side at the bottom, if one side starts below the other.
fn check_bottom(start: &Value) {
    let board = &start["board"];
    let sides: Vec<&Value> =
        list(board, "cells").iter().map(|cell| &cell["piece"]["side"]).collect();
    let columns = list(board, "columns").len();
    let rows = [&sides[..columns], &sides[sides.len() - columns..]];
    let [top, bottom] = rows.map(|row| row.iter().find(|side| !side.is_null()).copied());
    let expected = if top.is_none() { None } else { bottom };
    assert_eq!(start["bottom"].as_str(), expected.and_then(Value::as_str), "{}", start["game"]);
}

#[tokio::test]
async fn every_game_has_positions_and_opponents() {
    let server = Server::new();
    let person = server.stranger();
    let games = games(&person).await;
    assert!(games.len() > 10, "{games:?}");
    for game in games {
        let info = person.ask("/api/game", &[("game", &game)]).await.good();
        assert!(!list(&info, "opponents").is_empty() && !list(&info, "pictures").is_empty());
        for name in ["friendly", "best", "title", "summary", "rules", "material"] {
            assert!(!text(&info, name).is_empty(), "{game}: {name}");
        }
        let mut shown = person.ask("/api/position", &[("game", &game)]).await.good();
        check_bottom(&shown);
        for ply in 0..6 {
            check_position(&shown);
            assert_eq!(list(&shown, "played").len(), ply, "{game}");
            let moves = list(&shown, "moves");
            let m = text(&moves[ply * 7 % moves.len()], "move").to_string();
            let before = text(&shown, "position").to_string();
            let parameters = [("game", &*game), ("moves", &before), ("play", &m)];
            shown = person.ask("/api/position", &parameters).await.good();
            let last = list(&shown, "played").last().unwrap();
            assert_eq!(text(last, "move"), m);
        }
        // Every earlier position is a prefix of the text.
        for (ply, played) in list(&shown, "played").iter().enumerate() {
            let until = played["until"].as_u64().unwrap() as usize;
            let moves = &text(&shown, "position")[..until];
            let earlier =
                person.ask("/api/position", &[("game", &game), ("moves", moves)]).await.good();
            assert_eq!(list(&earlier, "played").len(), ply + 1, "{game} {moves}");
            assert_eq!(text(&earlier, "position"), moves);
        }
    }
}

/// Single-player games are listed separately and have no positions.
#[tokio::test]
async fn single_player_games_are_listed_separately() {
    let server = Server::new();
    let person = server.stranger();
    let listed = person.get("/api/games").await.good();
    let names: Vec<&str> = list(&listed, "puzzles").iter().map(|game| text(game, "name")).collect();
    assert_eq!(names, ["gem-island"]);
    assert!(!games(&person).await.contains(&"gem-island".to_string()));
    for path in ["/api/position", "/api/game"] {
        let refusal = person.ask(path, &[("game", "gem-island")]).await.refusal(400);
        let words = "game 'gem-island': has one player; expected a game of two players";
        assert!(refusal.contains(words), "{path}: {refusal}");
    }
}

/// Plays a whole game: an arbitrary first side against the computer.
async fn play(person: &Person, game: &str, player: &str) -> Value {
    let mut shown = person.ask("/api/position", &[("game", game)]).await.good();
    for turn in 0.. {
        if !shown["outcome"].is_null() {
            break;
        }
        let position = text(&shown, "position").to_string();
        if shown["to_move"] == "first" {
            let moves = list(&shown, "moves");
            let m = text(&moves[turn * 5 % moves.len()], "move").to_string();
            let parameters = [("game", game), ("moves", &position), ("play", &m)];
            shown = person.ask("/api/position", &parameters).await.good();
        } else {
            let question = json!({ "game": game, "moves": position, "player": player });
            let answer = person.post("/api/move", &question).await.good();
            let legal = list(&shown, "moves").iter().any(|m| m["move"] == answer["choice"]["move"]);
            assert!(legal, "{answer}");
            assert_eq!(text(&answer, "receipt").len(), 32);
            shown = answer["position"].clone();
        }
        check_position(&shown);
    }
    shown
}

#[tokio::test]
async fn whole_games_are_played_to_their_end() {
    let server = Server::new();
    let person = server.person().await;
    for (game, player) in [
        ("tictactoe", "pvs:depth=1"),
        ("tictactoe3d", "random"),
        ("connect4", "pvs:depth=1"),
        ("mnk:6x6,k=4", "random"),
        ("othello:6x6", "random"),
        ("checkers", "random"),
        ("chess", "random"),
        ("connect6", "random"),
        ("gomoku", "pvs:depth=1"),
    ] {
        let end = play(&person, game, player).await;
        assert!(!list(&end, "played").is_empty(), "{game}");
        let question = json!({ "game": game, "moves": end["position"], "player": player });
        let over = person.post("/api/move", &question).await.refusal(409);
        assert!(over.contains("the game is over"), "{over}");
    }
}

#[tokio::test]
async fn progress_is_streamed_before_the_move() {
    let server = Server::new();
    let person = server.person().await;
    let parameters =
        [("game", "gomoku"), ("moves", "h8"), ("player", "pvs:tt=1M"), ("seconds", "0.3")];
    let events = person.ask("/api/thinking", &parameters).await.events();
    let (last, before) = events.split_last().unwrap();
    assert!(!before.is_empty() && before.iter().all(|(name, _)| name == "progress"), "{events:?}");
    assert_eq!(last.0, "move");
    assert_eq!(list(&last.1["position"], "played").len(), 2);
    let over = [("game", "tictactoe"), ("moves", "a1a2b1b2c1"), ("player", "random")];
    let events = person.ask("/api/thinking", &over).await.events();
    assert_eq!(events[0].0, "problem", "{events:?}");
}

#[tokio::test]
async fn analyses_are_exact_where_they_can_be() {
    let server = Server::new();
    let person = server.person().await;
    let question = json!({ "game": "tictactoe", "moves": "a1b1" });
    let table = person.post("/api/analysis", &question).await.good();
    assert_eq!((table["exact"].as_bool(), list(&table, "moves").len()), (Some(true), 7));
    assert_eq!(table["moves"][0]["score"], json!({ "win_in": 5 }), "{table}");
    let parameters = [("game", "tictactoe"), ("moves", "a1b1")];
    let events = person.ask("/api/analysis", &parameters).await.events();
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["moves"]), ("done", &table["moves"]));
    let events =
        person.ask("/api/chart", &[("game", "tictactoe"), ("moves", "a1b1b2")]).await.events();
    let points: Vec<_> = events.iter().filter(|(name, _)| name == "point").collect();
    assert_eq!((points.len(), events.last().unwrap().0.as_str()), (4, "done"));
}

/// In every event the first move is the one that the computer plays, and moves that were not
/// searched have no score.
#[tokio::test]
async fn an_analysis_begins_with_the_played_win() {
    let server = Server::new();
    let person = server.person().await;
    for (game, moves) in [
        ("gomoku", "h8a1i8a2j8a3k8a4"),
        ("gomoku", "h7i10c10i6k1k8j7j9l7i7i8h9k6j11j5k12g8"),
        ("renju", "h8a1i8a3j8a5k8a7"),
        ("connect6", "j10a1b3k10l10c5d8m10n10e11f13"),
    ] {
        let parameters = [("game", game), ("moves", moves), ("seconds", "0.3")];
        let events = person.ask("/api/analysis", &parameters).await.events();
        let tables: Vec<&Value> = events.iter().map(|(_, table)| table).collect();
        let question = json!({ "game": game, "moves": moves, "player": "pvs:depth=1" });
        let played = person.post("/api/move", &question).await.good();
        assert_eq!(played["choice"]["score"], json!({ "win_in": 1 }), "{played}");
        for table in tables {
            let listed = list(table, "moves");
            assert_eq!(listed[0]["score"], json!({ "win_in": 1 }), "{table}");
            let choice = listed.iter().find(|m| m["move"] == played["choice"]["move"]).unwrap();
            assert_eq!(choice["score"], json!({ "win_in": 1 }), "{table}");
            // Elsewhere the other moves are proven to win later or to lose.
            let quiet = game == "renju";
            assert!(!quiet || listed.last().unwrap()["score"].is_null(), "{table}");
        }
    }
}

/// The pages use the scale by which the server finds mistakes.
#[test]
fn pages_and_reviews_use_one_scale() {
    use tesuji_app::position_view::review::{CLEAR_ADVANTAGES, DEFAULT_CLEAR_ADVANTAGE};
    let words = include_str!("../pages/lib/format.js");
    let table = words.split("const CLEAR = ").nth(1).unwrap().split("});").next().unwrap();
    let row = |line: &str| {
        let (name, clear) = line.trim().trim_end_matches(',').split_once(": ")?;
        Some((name.to_string(), clear.parse::<i32>().ok()?))
    };
    let drawn: Vec<(String, i32)> = table.lines().filter_map(row).collect();
    let judged = CLEAR_ADVANTAGES.map(|(name, clear)| (name.to_string(), clear));
    assert_eq!(drawn, judged);
    assert!(words.contains(&format!("?? {DEFAULT_CLEAR_ADVANTAGE};")));
}

#[tokio::test]
async fn exported_games_can_be_imported() {
    let server = Server::new();
    let person = server.person().await;
    for (game, moves, formats) in [
        ("connect4", "4453", "sgf moves"),
        ("gomoku", "h8h9i8", "sgf psq moves"),
        ("gomoku:20x20,exact", "a1", "sgf psq moves"),
        ("chess", "e2e4 e7e5 g1f3", "sgf pgn moves"),
        ("chess", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 e2e4", "sgf pgn moves"),
        ("othello", "d3c3", "sgf moves"),
        ("checkers", "", "sgf moves"),
        ("tictactoe3d", "", "sgf moves"),
        ("renju", "h8", "sgf moves"),
    ] {
        let shown = person.ask("/api/position", &[("game", game), ("moves", moves)]).await.good();
        for format in ["sgf", "psq", "pgn", "moves", "svg"] {
            let wanted = json!({ "game": game, "moves": moves, "format": format, "first": "Ann <b>", "second": "pvs" });
            let answer = person.post("/api/export", &wanted).await;
            if format == "svg" {
                assert!(text(&answer.good(), "text").starts_with("<svg "));
                continue;
            }
            if !formats.contains(format) {
                let line = answer.refusal(400);
                assert!(line.contains("expected one of sgf,") && line.contains(game), "{line}");
                continue;
            }
            let file = answer.good();
            assert!(
                text(&file, "name").starts_with("tesuji-") && !text(&file, "name").contains(':')
            );
            let given = json!({ "text": file["text"], "game": game, "format": if text(&file, "text").is_empty() { "moves".into() } else { Value::Null } });
            let back = person.post("/api/import", &given).await.good();
            let [found] = list(&back, "games") else { panic!("{game} {format}: {back}") };
            for name in ["game", "start", "outcome"] {
                assert_eq!(found[name], shown[name], "{game} {format} {name}");
            }
            assert_eq!(found["moves"], shown["position"], "{game} {format}");
            if format != "moves" {
                assert_eq!((text(found, "first"), text(found, "second")), ("Ann <b>", "pvs"));
            }
        }
    }
}

#[tokio::test]
async fn files_of_other_programs_are_imported() {
    let server = Server::new();
    let person = server.person().await;
    let two = "[White \"Ann\"]\n\n1. e4 e5 1-0\n\n[White \"Bea\"]\n\n1. e5 *\n\n[White \"Cy\"]\n\n1. d4 *\n";
    // The current game of the page is another one.
    let found = person.post("/api/import", &json!({ "text": two, "game": "gomoku" })).await.good();
    assert_eq!((list(&found, "games").len(), &found["left_out"]), (2, &json!(1)));
    assert_eq!(found["games"][0]["outcome"], json!({ "win": "first" }));
    assert_eq!(found["games"][1]["outcome"], Value::Null);
    assert!(text(&found, "why").contains("line 7"), "{found}");
    // A file without a game is read as the requested game.
    let silent = json!({ "text": "(;SZ[7:6];B[df];W[de])", "game": "connect4" });
    let found = person.post("/api/import", &silent).await.good();
    assert_eq!(found["games"][0]["moves"], "44");
    for (text, variations) in [
        ("(;GM[4];B[hh](;W[ii];B[jj])(;W[jj](;B[ii])(;B[gg])))", 2),
        ("(;GM[4];B[hh];W[ii])", 0),
        ("1. e4 e5 (1... c5 2. Nf3 (2. c3)) 2. Nf3 *\n\n1. d4 (1. c4) d5 *", 3),
    ] {
        let found = person.post("/api/import", &json!({ "text": text })).await.good();
        assert_eq!(found["variations"], variations, "{text}");
    }
    let many = "(;GM[4];B[hh])".repeat(500);
    let found = person.post("/api/import", &json!({ "text": many })).await.good();
    assert_eq!((list(&found, "games").len(), &found["more"]), (200, &json!(true)));
    for (text, words) in [
        ("", "text: empty"),
        (" \n", "text: empty"),
        ("hello", "game: missing"),
        ("(;GM[1];B[aa])", "game of Go"),
        ("Piskvorky 15x15", "not PSQ"),
        ("1. e5", "line 1"),
    ] {
        let line = person.post("/api/import", &json!({ "text": text })).await.refusal(400);
        assert!(line.contains(words), "{text}: {line}");
    }
    let picture = json!({ "text": "<svg/>", "format": "svg" });
    assert!(person.post("/api/import", &picture).await.refusal(400).contains("picture"));
}

#[tokio::test]
async fn a_position_is_exported_as_svg() {
    let server = Server::new();
    let parameters = [("game", "connect4"), ("moves", "4453")];
    let answer = server.stranger().ask("/api/board.svg", &parameters).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers["content-type"]),
        (200, &"image/svg+xml".parse().unwrap())
    );
    assert!(
        answer.text().starts_with("<svg ") && answer.text().matches("class=\"piece").count() == 4
    );
    let wrong = [("game", "connect4"), ("moves", "9")];
    server.stranger().ask("/api/board.svg", &wrong).await.refusal(400);
}

/// Replaces the time limit of an opponent by a node limit, so that its games can be repeated.
fn without_clock(player: &str) -> String {
    let bound = if player.contains("mcts") { "sims=150" } else { "nodes=2000" };
    player.replace("time=1s", bound)
}

/// The first moves of a player against itself with a seed.
async fn opening(person: &Person, game: &str, player: &str, seed: u64, plies: usize) -> String {
    let mut shown = person.ask("/api/position", &[("game", game)]).await.good();
    for _ in 0..plies {
        if !shown["outcome"].is_null() {
            break;
        }
        let moves = &shown["position"];
        let question = json!({ "game": game, "moves": moves, "player": player, "seed": seed });
        shown = person.post("/api/move", &question).await.good()["position"].clone();
    }
    text(&shown, "position").to_string()
}

#[tokio::test]
async fn the_seed_determines_the_game() {
    let server = Server::new();
    let person = server.person().await;
    for (game, plies) in [
        ("tictactoe", 9),
        ("connect4", 9),
        ("gomoku", 4),
        ("mnk:19x19,k=6,p=2,q=1", 4),
        ("othello:6x6", 6),
        ("checkers", 6),
        ("chess", 4),
    ] {
        let info = person.ask("/api/game", &[("game", game)]).await.good();
        for opponent in list(&info, "opponents") {
            let player = without_clock(text(opponent, "player"));
            // On large boards depth 4 takes seconds per move.
            if ["gomoku", "mnk:19x19,k=6,p=2,q=1"].contains(&game) && player == "pvs:depth=4" {
                continue;
            }
            let first = opening(&person, game, &player, 1, plies).await;
            let again = opening(&person, game, &player, 1, plies).await;
            assert_eq!(first, again, "{game}: {player} does not repeat its game");
            let mut differs = false;
            for seed in 2..12 {
                differs = differs || opening(&person, game, &player, seed, plies).await != first;
                if differs {
                    break;
                }
            }
            assert!(differs, "{game}: {player} plays {first} with every seed");
        }
    }
}

#[tokio::test]
async fn no_seed_changes_the_result() {
    let server = Server::new();
    let person = server.person().await;
    for (game, moves, player) in [
        ("tictactoe", "", "solver"),
        ("tictactoe", "b2", "solver"),
        ("tictactoe", "a1b2c3", "solver"),
        ("tictactoe", "a1a2", "pvs:depth=9"),
        ("connect4", "444444222", "solver"),
        ("connect4", "44444", "solver"),
        // A row of three that either end completes or stops.
        ("connect4", "112233", "pvs:depth=4"),
        ("connect4", "1122337", "pvs:depth=4"),
    ] {
        let question = json!({ "game": game, "moves": moves });
        let table = person.post("/api/analysis", &question).await.good();
        assert_eq!(table["exact"], true, "{game} {moves}");
        let best = &table["moves"][0]["score"];
        for seed in 0..12 {
            let question = json!({ "game": game, "moves": moves, "player": player, "seed": seed });
            let answer = person.post("/api/move", &question).await.good();
            let chosen = &answer["choice"]["move"];
            let value = list(&table, "moves").iter().find(|known| known["move"] == *chosen);
            assert_eq!(&value.unwrap()["score"], best, "{game} {moves}: {player} plays {chosen}");
        }
    }
    // In Gomoku an open four is completed with every seed.
    for player in ["pvs:depth=2", "gomoku:nodes=2000", "line-mcts:sims=100", "critic"] {
        for seed in 0..4 {
            let question = json!({
                "game": "gomoku", "moves": "h8a1i8a3j8a5k8a7", "player": player, "seed": seed,
            });
            let answer = person.post("/api/move", &question).await.good();
            assert_eq!(answer["position"]["outcome"], json!({ "win": "first" }), "{player}");
        }
    }
}

#[tokio::test]
async fn a_player_is_checked_before_it_plays() {
    let server = Server::new();
    let person = server.person().await;
    for player in ["random", "pvs:depth=3", "solver", "mcts:sims=10"] {
        let asked = [("game", "connect4"), ("player", player)];
        assert_eq!(text(&person.ask("/api/player", &asked).await.good(), "player"), player);
    }
    for (player, words) in [
        ("nosuch:depth=3", "player 'nosuch': unknown; expected"),
        ("pvs:depth=0", "1 to 255"),
        ("pvs:color=red", "color"),
        ("connect6", "'connect6': does not support 'connect4'"),
        ("human", "cannot play on the server"),
        ("", "no name given"),
    ] {
        let asked = [("game", "connect4"), ("player", player)];
        let line = person.ask("/api/player", &asked).await.refusal(400);
        assert!(line.contains(words) && line.len() < 220, "{player}: {line}");
    }
}

/// Returns the searched nodes of a move and the moves after it.
async fn looked_at(
    person: &Person,
    player: &str,
    seed: Option<u64>,
    moves: &str,
) -> (Option<u64>, String) {
    let question =
        json!({ "game": "connect4:5x4", "moves": moves, "player": player, "seed": seed });
    let answer = person.post("/api/move", &question).await.good();
    (answer["choice"]["nodes"].as_u64(), text(&answer["position"], "position").to_string())
}

/// A player with a cached search state searches other nodes than a new one.
#[tokio::test]
async fn a_cached_player_keeps_its_search_state() {
    let server = Server::new();
    let (one, other) = (server.person().await, server.person().await);
    for (player, seed, remembers) in [
        ("pvs:depth=9", None, true),
        ("pvs:depth=9,time=1h", Some(1), true),
        ("solver", Some(1), true),
        ("pvs:depth=9", Some(1), false),
    ] {
        let (_, begun) = looked_at(&one, player, seed, "3").await;
        let next = format!("{begun}1");
        let (fresh, _) = looked_at(&other, player, seed, &next).await;
        let (known, _) = looked_at(&one, player, seed, &next).await;
        assert_eq!(known != fresh, remembers, "{player} {seed:?}: {known:?}, fresh {fresh:?}");
        // The cached player has moved on, so a repeated request gets a new one.
        let (again, _) = looked_at(&one, player, seed, &next).await;
        assert_eq!(again, fresh, "{player} {seed:?}");
    }
}

#[tokio::test]
async fn a_server_without_cache_memory_uses_new_players() {
    let server = Server::with(|options| options.player_cache_memory = 0);
    let (one, other) = (server.person().await, server.person().await);
    let (_, begun) = looked_at(&one, "pvs:depth=9", None, "3").await;
    let next = format!("{begun}1");
    let (fresh, _) = looked_at(&other, "pvs:depth=9", None, &next).await;
    assert_eq!(looked_at(&one, "pvs:depth=9", None, &next).await.0, fresh);
}

/// The times of two searches differ, so equal times show that there was one search.
#[tokio::test]
async fn people_in_the_same_position_share_the_answer() {
    let server = Server::new();
    let seconds = async |player: &str, seed: Option<u64>, moves: &str, is_stream: bool| {
        let person = server.person().await;
        let question =
            json!({ "game": "connect4", "moves": moves, "player": player, "seed": seed });
        let answer = match is_stream {
            false => person.post("/api/move", &question).await.good(),
            true => {
                let seed = seed.map_or(String::new(), |seed| seed.to_string());
                let mut asked = vec![("game", "connect4"), ("moves", moves), ("player", player)];
                if !seed.is_empty() {
                    asked.push(("seed", &seed));
                }
                let events = person.ask("/api/thinking", &asked).await.events();
                events.last().expect("a move").1.clone()
            }
        };
        let stones = moves.replace(" ", "").len() + 1;
        assert_eq!(text(&answer["position"], "position").len(), stones);
        answer["choice"]["seconds"].as_f64().expect("a search")
    };
    for player in ["pvs:depth=6", "mcts:sims=2000"] {
        let first = seconds(player, None, "44", false).await;
        assert_eq!(seconds(player, None, "4 4", false).await, first, "{player}: another spelling");
        assert_eq!(seconds(player, None, "44", true).await, first, "{player}: as a stream");
        let seeded = seconds(player, Some(3), "44", false).await;
        assert_ne!(seeded, first, "{player}: another seed");
        let alike = seconds(player, Some(3 + 16), "44", true).await;
        assert_eq!(alike, seeded, "{player}: a seed with the same choice");
        assert_ne!(seconds(player, None, "45", false).await, first, "{player}: another position");
    }
    let timed = seconds("pvs:time=20ms", None, "44", false).await;
    assert_ne!(seconds("pvs:time=20ms", None, "44", false).await, timed, "a clock is not cached");
}
