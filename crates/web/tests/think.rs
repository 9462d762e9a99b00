//! The visualizations over the router: every one has the expected format, and invalid requests get
//! a one-line error.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tesuji_web::{AppState, ServerOptions, app};
use tower::ServiceExt;

fn router() -> axum::Router {
    let registry = tesuji_builtin::registry();
    let options = ServerOptions {
        registry,
        requests_per_second: 1e6,
        searches: 2,
        ..ServerOptions::default()
    };
    app(AppState::new(options).expect("the server can be set up"))
}

async fn answer(request: Request<Body>) -> (StatusCode, String) {
    let response = router().oneshot(request).await.expect("the router answers");
    let status = response.status();
    let body = response.into_body().collect().await.expect("the body arrives").to_bytes();
    (status, String::from_utf8(body.to_vec()).expect("answers are text"))
}

async fn get(address: &str) -> (StatusCode, String) {
    answer(Request::get(address).body(Body::empty()).unwrap()).await
}

async fn picture(address: &str) -> Value {
    let (status, body) = get(address).await;
    assert_eq!(status, StatusCode::OK, "{address}: {body}");
    serde_json::from_str(&body).unwrap()
}

async fn posted(address: &str, question: Value) -> (StatusCode, Value) {
    let request = Request::post(address).header("content-type", "application/json");
    let (status, body) = answer(request.body(Body::from(question.to_string())).unwrap()).await;
    (status, serde_json::from_str(&body).unwrap_or_else(|_| panic!("{address}: {body}")))
}

/// The names and data of the events of a stream.
async fn events(address: &str) -> Vec<(String, Value)> {
    let (status, body) = get(address).await;
    assert_eq!(status, StatusCode::OK, "{address}: {body}");
    let event = |text: &str| {
        let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start));
        let name = line("event:")?.trim().to_string();
        Some((name, serde_json::from_str(line("data:")?).unwrap()))
    };
    body.split("\n\n").filter_map(event).collect()
}

fn array<'v>(value: &'v Value, key: &str) -> &'v Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("{key} is no list in {value}"))
}

/// Checks the fields of a move.
fn assert_is_move(value: &Value) {
    assert!(value["move"].is_string() && value["cells"].is_array(), "{value}");
}

#[tokio::test]
async fn a_tree_has_nodes_and_counts() {
    for ordered in ["true", "false"] {
        let address =
            format!("/api/think/tree?game=tictactoe&moves=b2a1&depth=3&ordered={ordered}");
        let tree = picture(&address).await;
        let nodes = array(&tree, "nodes");
        assert_eq!(
            (&tree["depth"], &tree["to_move"], &tree["complete"]),
            (&json!(3), &json!("first"), &json!(true))
        );
        assert_eq!(
            (&nodes[0]["id"], &nodes[0]["parent"], &nodes[0]["step"]),
            (&json!(0), &Value::Null, &Value::Null)
        );
        assert_is_move(&nodes[1]["step"]);
        for key in ["alpha", "beta", "value", "entered", "left", "cut", "skipped"] {
            assert!(nodes.iter().all(|node| node.get(key).is_some()), "{key}");
        }
        let counts: Vec<(&str, u64)> = array(&tree, "counts")
            .iter()
            .map(|count| (count["algorithm"].as_str().unwrap(), count["nodes"].as_u64().unwrap()))
            .collect();
        let names: Vec<&str> = counts.iter().map(|count| count.0).collect();
        assert_eq!(names, ["minimax", "alphabeta", "ordered", "table"]);
        let drawn = if ordered == "true" { counts[2].1 } else { counts[1].1 };
        assert_eq!((nodes.len() as u64, tree["best"][0].as_u64()), (drawn, Some(0)));
    }
}

#[tokio::test]
async fn depths_are_streamed_in_order() {
    let address = "/api/think/deepening?game=connect4&moves=44&player=pvs:depth=5";
    let events_received = events(address).await;
    let (last, depths) = events_received.split_last().unwrap();
    assert_eq!(last, &("done".to_string(), json!({})));
    assert!(
        !depths.is_empty() && depths.iter().all(|(name, _)| name == "depth"),
        "{events_received:?}"
    );
    for (place, (_, reached)) in depths.iter().enumerate() {
        assert_eq!(reached["depth"], json!(place + 1));
        assert!(reached["score"].is_object() && reached["nodes"].is_u64());
        assert_is_move(&reached["line"][0]);
    }
    let question = json!({"game": "connect4", "moves": "44", "player": "pvs:depth=5"});
    let (status, whole) = posted("/api/think/deepening", question).await;
    assert_eq!((status, array(&whole, "depths").len()), (StatusCode::OK, depths.len()));
}

#[tokio::test]
async fn visits_grow_until_the_end() {
    let address = "/api/think/visits?game=connect4&moves=4&seconds=0.4";
    let events_received = events(address).await;
    let (name, last) = events_received.last().unwrap();
    assert_eq!((&name[..], array(last, "moves").len()), ("done", 7));
    assert!(events_received.len() > 2, "only {} events", events_received.len());
    let simulations: Vec<u64> =
        events_received.iter().map(|(_, shares)| shares["simulations"].as_u64().unwrap()).collect();
    assert!(simulations.is_sorted());
    for known in array(last, "moves") {
        assert_is_move(known);
        let (share, rate) = (known["share"].as_f64().unwrap(), known["win_rate"].as_f64().unwrap());
        assert!((0.0..=1.0).contains(&share) && (0.0..=1.0).contains(&rate));
    }
    let question = json!({"game": "connect4", "player": "mcts:sims=500"});
    let (status, whole) = posted("/api/think/visits", question).await;
    assert_eq!((status, &whole["simulations"]), (StatusCode::OK, &json!(500)));
}

#[tokio::test]
async fn the_solver_returns_every_move_and_its_source() {
    let events_received = events("/api/think/solver?game=connect4&moves=&seconds=2").await;
    let (name, table) = events_received.last().unwrap();
    assert_eq!(
        (&name[..], &table["exact"], &table["known_from"]),
        ("done", &json!(true), &json!("book"))
    );
    assert_eq!((&table["score"], array(table, "moves").len()), (&json!({"win_in": 41}), 7));
    assert_is_move(&table["moves"][0]["line"][0]);
    let (status, table) = posted("/api/think/solver", json!({"game": "tictactoe"})).await;
    assert_eq!((status, &table["score"]), (StatusCode::OK, &json!({"estimate": 0})));
    assert_eq!(table["known_from"], json!("search"));
    let events_received = events("/api/think/solver?game=chess&moves=&seconds=1").await;
    assert_eq!(events_received.last().unwrap().0, "problem");
    assert!(events_received.last().unwrap().1["error"].is_string());
}

#[tokio::test]
async fn a_forest_shows_its_votes() {
    let votes = picture("/api/think/forest?game=gomoku&moves=h8i9j7g10").await;
    assert_eq!((&votes["model"], &votes["to_move"]), (&json!("gomoku-15x15"), &json!("first")));
    assert_eq!(array(&votes, "cells").len(), 225);
    let placements = array(&votes, "placements");
    for key in ["tree", "cells", "seen", "vote", "counts", "rule"] {
        assert!(placements.iter().all(|placement| placement.get(key).is_some()), "{key}");
    }
    for place in array(&votes, "deciding") {
        assert!((place.as_u64().unwrap() as usize) < placements.len());
    }
    assert_eq!(array(&votes, "moves").len(), 221);
    assert_is_move(&votes["moves"][0]);
    assert!(votes["votes"]["win"].is_u64() && votes["value"]["estimate"].is_i64());
}

#[tokio::test]
async fn a_critic_shows_its_activations() {
    let activations = picture("/api/think/critic?game=gomoku&moves=h8i9j7g10i8").await;
    let inputs = array(&activations, "inputs");
    assert_eq!((inputs.len(), &inputs[80]["name"]), (81, &json!("to move")));
    assert!(inputs.iter().all(|input| input["value"].is_number() && input["side"].is_string()));
    let value = activations["value"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&value));
    let best = &activations["moves"][0];
    assert_is_move(best);
    assert!(array(best, "changed").iter().all(|change| change["input"].as_u64().unwrap() < 81));
}

#[tokio::test]
async fn threats_of_both_sides_are_found() {
    let threats = picture("/api/think/threats?game=gomoku&moves=h8a1i8a15j8o1").await;
    assert_eq!(
        (&threats["side"], &threats["found"], &threats["kind"]),
        (&json!("first"), &json!(true), &json!("fours"))
    );
    assert_is_move(&threats["line"][0]);
    assert_eq!(
        (&threats["against"]["found"], &threats["against"]["kind"]),
        (&json!(false), &Value::Null)
    );
}

/// All visualizations listed for a game are available at its start and after a move.
#[tokio::test]
async fn every_listed_visualization_is_available() {
    for game in ["tictactoe", "connect4", "gomoku", "renju", "connect6", "othello", "tictactoe3d"] {
        let info = picture(&format!("/api/game?game={game}")).await;
        let start = picture(&format!("/api/position?game={game}&moves=")).await;
        let first = start["moves"][0]["move"].as_str().unwrap().to_string();
        for name in array(&info, "pictures") {
            let name = name.as_str().unwrap();
            // Exact values take more time.
            let seconds = if name == "solver" { "3" } else { "0.3" };
            for moves in ["", &first] {
                let address = format!(
                    "/api/think/{name}?game={game}&moves={moves}&depth=1&seconds={seconds}"
                );
                let (status, body) = get(&address).await;
                assert_eq!(status, StatusCode::OK, "{address}: {body}");
                assert!(!body.contains("event: problem"), "{address}: {body}");
            }
        }
    }
}

/// Invalid requests get a client error of one line.
#[tokio::test]
async fn invalid_requests_are_refused_in_one_line() {
    let pictures = ["tree", "deepening", "visits", "solver", "forest", "critic", "threats"];
    for name in pictures {
        for (query, status) in [
            ("", StatusCode::BAD_REQUEST),
            ("game=nothing", StatusCode::BAD_REQUEST),
            ("game=%F0%9F%A6%80&moves=x", StatusCode::BAD_REQUEST),
            ("game=gomoku&moves=zz99&seconds=0.1", StatusCode::BAD_REQUEST),
            ("game=gomoku&seconds=-1", StatusCode::BAD_REQUEST),
            ("game=gomoku&seconds=NaN", StatusCode::BAD_REQUEST),
            ("game=gomoku&seconds=1e300", StatusCode::BAD_REQUEST),
        ] {
            let address = format!("/api/think/{name}?{query}");
            let (found, body) = get(&address).await;
            // A stream starts before its moves are parsed, so the error is an event.
            let problem_event = found == StatusCode::OK && body.contains("event: problem");
            assert!(found == status || problem_event, "{address}: {found} {body}");
            assert!(body.contains("error") && !body.trim_end().contains("\n\n"), "{body}");
        }
    }
    for address in [
        "/api/think/tree?game=gomoku&depth=5",
        "/api/think/tree?game=gomoku&depth=0",
        "/api/think/tree?game=gomoku&depth=-1",
        "/api/think/tree?game=gomoku&ordered=perhaps",
        "/api/think/forest?game=chess",
        "/api/think/forest?game=gomoku&player=forest:file=/etc/passwd",
        "/api/think/critic?game=othello",
        "/api/think/critic?game=gomoku&player=pvs",
        "/api/think/threats?game=connect4",
        "/api/think/visits?game=connect4&player=external:cmd=sh",
    ] {
        let (status, body) = get(address).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{address}: {body}");
    }
}

#[tokio::test]
async fn a_finished_game_has_no_visualizations() {
    let over = "a1a2b1b2c1";
    for name in ["tree", "forest"] {
        let (status, body) = get(&format!("/api/think/{name}?game=tictactoe&moves={over}")).await;
        assert_eq!(status, StatusCode::CONFLICT, "{name}: {body}");
    }
    let events_received = events(&format!("/api/think/visits?game=tictactoe&moves={over}")).await;
    assert_eq!(events_received.last().unwrap().0, "problem");
}
