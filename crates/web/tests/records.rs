//! Games of people are verified, recorded once and counted.

use serde_json::{Value, json};

use crate::support::{Person, Server};

/// A finished game with its signatures.
#[derive(Clone)]
struct Played {
    game: String,
    player: String,
    moves: String,
    receipts: Vec<String>,
    outcome: Value,
    seconds: Option<f64>,
}

/// Plays against the computer as the second side, for at most this many moves of the person.
async fn play(person: &Person, game: &str, player: &str, seed: usize, turns: usize) -> Played {
    play_at(person, game, player, seed, turns, None).await
}

/// The same with a requested time per move.
async fn play_at(
    person: &Person,
    game: &str,
    player: &str,
    seed: usize,
    turns: usize,
    seconds: Option<f64>,
) -> Played {
    let mut played = Played {
        game: game.to_string(),
        player: player.to_string(),
        moves: String::new(),
        receipts: Vec::new(),
        outcome: Value::Null,
        seconds,
    };
    for turn in 0..turns {
        let place = [("game", game), ("moves", &*played.moves)];
        let shown = person.ask("/api/position", &place).await.good();
        let moves = shown["moves"].as_array().unwrap();
        let m = moves[(seed + turn) % moves.len()]["move"].as_str().unwrap();
        let parameters = [("game", game), ("moves", &*played.moves), ("play", m)];
        let shown = person.ask("/api/position", &parameters).await.good();
        played.follow(&shown);
        if !played.outcome.is_null() {
            break;
        }
        let mut question = json!({ "game": game, "moves": played.moves, "player": player });
        if let Some(seconds) = seconds {
            question["seconds"] = json!(seconds);
        }
        let answer = person.post("/api/move", &question).await.good();
        played.receipts.push(answer["receipt"].as_str().unwrap().to_string());
        played.follow(&answer["position"]);
        if !played.outcome.is_null() {
            break;
        }
    }
    played
}

impl Played {
    fn follow(&mut self, shown: &Value) {
        self.moves = shown["position"].as_str().unwrap().to_string();
        self.outcome = shown["outcome"].clone();
    }

    fn report(&self) -> Value {
        json!({
            "game": self.game, "moves": self.moves, "first": "human", "second": self.player,
            "resigned": null, "receipts": self.receipts, "seconds": self.seconds,
        })
    }
}

async fn statistics(person: &Person) -> Vec<Value> {
    person.get("/api/statistics").await.good()["rows"].as_array().unwrap().clone()
}

#[tokio::test]
async fn games_are_recorded_once_and_counted() {
    let server = Server::new();
    assert_eq!(server.stranger().get("/api/recording").await.good()["on"], true);
    let mut expected = [0, 0, 0];
    for seed in 0..4 {
        let person = server.person().await;
        let game = play(&person, "tictactoe", "random", seed, usize::MAX).await;
        expected[match game.outcome.as_str() {
            Some("draw") => 1,
            _ if game.outcome["win"] == "second" => 0,
            _ => 2,
        }] += 1;
        let first = person.post("/api/records", &game.report()).await.good();
        assert_eq!(first["new"], true);
        // The same game again, from another session and with another spelling of the moves.
        let mut again = game.report();
        again["moves"] = json!(
            game.moves
                .as_bytes()
                .chunks(2)
                .map(|m| String::from_utf8_lossy(m))
                .collect::<Vec<_>>()
                .join(", ")
        );
        for report in [game.report(), again] {
            let second = server.person().await.post("/api/records", &report).await.good();
            assert_eq!((&second["new"], &second["key"]), (&json!(false), &first["key"]));
        }
    }
    let rows = statistics(&server.stranger()).await;
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((row["game"].as_str(), row["player"].as_str()), (Some("tictactoe"), Some("random")));
    let counted = ["wins", "ties", "losses"].map(|name| row[name].as_u64().unwrap());
    assert_eq!(counted, expected);
}

#[tokio::test]
async fn forged_games_are_refused() {
    let server = Server::new();
    let other_server = Server::new();
    let person = server.person().await;
    let game = play(&person, "connect4", "pvs:depth=1", 0, 3).await;
    let resigned = |change: &dyn Fn(&mut Value)| {
        let mut report = game.report();
        report["resigned"] = json!("first");
        change(&mut report);
        report
    };
    type Change<'c> = &'c dyn Fn(&mut Value);
    let forged: [(&str, Change, &str); 12] = [
        ("not over", &|r| r["resigned"] = Value::Null, "not over"),
        ("the computer resigns", &|r| r["resigned"] = json!("second"), "only the human player"),
        ("no receipts", &|r| r["receipts"] = json!([]), "not made by this server"),
        (
            "one too few",
            &|r| drop(r["receipts"].as_array_mut().unwrap().pop()),
            "not made by this server",
        ),
        (
            "one too many",
            &|r| r["receipts"].as_array_mut().unwrap().push(json!("x")),
            "more signatures",
        ),
        (
            "out of order",
            &|r| r["receipts"].as_array_mut().unwrap().reverse(),
            "not made by this server",
        ),
        ("another player", &|r| r["second"] = json!("solver"), "not made by this server"),
        ("another game", &|r| r["game"] = json!("connect4:8x7"), "not made by this server"),
        ("no person", &|r| r["first"] = json!("random"), "no human player"),
        ("no moves", &|r| r["moves"] = json!(""), "at least one move"),
        ("other moves", &|r| r["moves"] = json!("112233"), "not made by this server"),
        ("nonsense", &|r| r["moves"] = json!("99"), "cannot"),
    ];
    for (what, change, words) in forged {
        let line = server.person().await.post("/api/records", &resigned(change)).await.refusal(400);
        assert!(line.contains(words), "{what}: {line}");
    }
    let elsewhere = other_server.person().await;
    elsewhere.post("/api/records", &resigned(&|_| {})).await.refusal(400);
    assert!(statistics(&person).await.is_empty());
    server.person().await.post("/api/records", &resigned(&|_| {})).await.good();
    assert_eq!(statistics(&person).await[0]["wins"], 1);
}

/// The signature covers the time of the computer, so a game without thinking time does not count as
/// one at full strength.
#[tokio::test]
async fn games_with_a_requested_time_are_not_counted() {
    let server = Server::new();
    let person = server.person().await;
    let game = play_at(&person, "connect4", "solver", 0, 3, Some(1e-9)).await;
    let mut honest = game.report();
    honest["resigned"] = json!("first");
    for claimed in [Value::Null, json!(1.0), json!(1e-8)] {
        let mut forged = honest.clone();
        forged["seconds"] = claimed;
        let line = server.person().await.post("/api/records", &forged).await.refusal(400);
        assert!(line.contains("with these settings"), "{line}");
    }
    assert!(statistics(&person).await.is_empty());
    let kept = server.person().await.post("/api/records", &honest).await.good();
    let key = kept["key"].as_str().unwrap();
    let record = person.ask("/api/library/game", &[("key", key)]).await.good();
    assert!(record.to_string().contains("solver, 0.000000001 s a move"), "{record}");
    assert!(statistics(&person).await.is_empty(), "it was not the computer's own strength");
}

/// Only offered opponents count; custom players may be arbitrarily weak.
#[tokio::test]
async fn only_offered_opponents_are_counted() {
    let server = Server::new();
    for (game, player, counts) in [
        ("tictactoe", "pvs:depth=1", true),
        ("tictactoe", "pvs:depth=1,tt=2M", false),
        ("tictactoe", "random:seed=3", false),
        ("tictactoe", "solver", true),
        ("gomoku", "solver:nodes=1", false),
    ] {
        let person = server.person().await;
        let mut report = play(&person, game, player, 1, 1).await.report();
        report["resigned"] = json!("first");
        person.post("/api/records", &report).await.good();
        let is_counted = statistics(&person).await.iter().any(|row| row["player"] == player);
        assert_eq!(is_counted, counts, "{game} {player}");
    }
}

/// The seed does not depend on the spelling of the moves.
#[tokio::test]
async fn the_spelling_of_moves_does_not_choose_the_seed() {
    let person = Server::new().person().await;
    let mut answers = Vec::new();
    for moves in ["a1b1", "a1 b1", "a1, b1"] {
        let question = json!({ "game": "gomoku", "moves": moves, "player": "random" });
        let answer = person.post("/api/move", &question).await.good();
        answers.push((answer["choice"]["move"].clone(), answer["receipt"].clone()));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[tokio::test]
async fn two_people_are_recorded_and_not_counted() {
    let server = Server::new();
    let report = json!({ "game": "tictactoe", "moves": "a1a2b1b2c1", "first": "human", "second": "human", "resigned": null });
    assert_eq!(server.person().await.post("/api/records", &report).await.good()["new"], true);
    assert!(statistics(&server.stranger()).await.is_empty());
}

#[tokio::test]
async fn one_game_in_two_seconds() {
    let server = Server::new();
    let person = server.person().await;
    let report = json!({ "game": "tictactoe", "moves": "a1a2b1b2c1", "first": "human", "second": "human", "resigned": null });
    person.post("/api/records", &report).await.good();
    let answer = person.post("/api/records", &report).await;
    assert!(answer.refusal(429).contains("two seconds"));
    assert!(answer.headers.contains_key("retry-after"));
    server.person().await.post("/api/records", &report).await.good();
}

#[tokio::test]
async fn nothing_is_recorded_without_a_store() {
    let server = Server::with(|options| options.store = None);
    let person = server.person().await;
    assert_eq!(person.get("/api/recording").await.good()["on"], false);
    let report = json!({ "game": "tictactoe", "moves": "a1a2b1b2c1", "first": "human", "second": "human", "resigned": null });
    person.post("/api/records", &report).await.refusal(409);
    assert!(statistics(&person).await.is_empty());
}

#[tokio::test]
async fn records_outlive_the_server_and_signatures_do_not() {
    let server = Server::new();
    let person = server.person().await;
    let game = play(&person, "tictactoe", "random", 1, usize::MAX).await;
    let later = play(&person, "tictactoe", "random", 2, usize::MAX).await;
    person.post("/api/records", &game.report()).await.good();
    let rows = statistics(&person).await;
    let store = server.folder.path().join("games.db").to_string_lossy().into_owned();
    let again = Server::with(|options| options.store = Some(store));
    assert_eq!(statistics(&again.stranger()).await, rows);
    again.person().await.post("/api/records", &later.report()).await.refusal(400);
}
