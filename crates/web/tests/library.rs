//! The library without a socket: pages and single games of a real store.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tesuji_games::{Outcome, Side};
use tesuji_store::{Ending, EndingKind, GameRecord, PlayerRecord, Record};
use tesuji_web::{AppState, ServerOptions, app};
use tower::ServiceExt;

async fn get(state: &AppState, path: &str) -> (StatusCode, Value) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let answer = app(state.clone()).oneshot(request).await.unwrap();
    let status = answer.status();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// 25 games: tic-tac-toe and Connect Four alternating, oldest first.
fn games() -> Vec<Record> {
    let who = |name: &str| PlayerRecord { name: name.to_string(), spec: format!("{name}:depth=2") };
    (0..25)
        .map(|n| {
            let connect4 = n % 2 == 1;
            Record::Game(GameRecord {
                key: format!("key {n}"),
                event: if n < 10 { "web" } else { "cup" }.to_string(),
                game: if connect4 { "connect4" } else { "tictactoe" }.to_string(),
                players: [who(if n % 5 == 0 { "Human" } else { "pvs" }), who("mcts")],
                pair: None,
                seed: 0,
                start: None,
                moves: if connect4 { "4453" } else { "b2a1c3" }.to_string(),
                opening_plies: 0,
                outcome: [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)]
                    [n % 3],
                ending: Ending::plain(EndingKind::Rules),
                thoughts: Vec::new(),
                played_at: 1000 + n as u64,
            })
        })
        .collect()
}

fn place() -> (tempfile::TempDir, AppState) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("games.db").display().to_string();
    tesuji_store::open(&store).unwrap().add(&games()).unwrap();
    let registry = tesuji_builtin::registry();
    let options = ServerOptions { registry, store: Some(store), ..ServerOptions::default() };
    (folder, AppState::new(options).unwrap())
}

fn numbers(page: &Value) -> Vec<u64> {
    let key = |game: &Value| game["key"].as_str().unwrap().strip_prefix("key ").unwrap().parse();
    page["games"].as_array().unwrap().iter().map(|game| key(game).unwrap()).collect()
}

#[tokio::test]
async fn pages_go_from_the_newest_game_to_the_oldest() {
    let (_folder, state) = place();
    let mut seen = Vec::new();
    let mut path = "/api/library?limit=10".to_string();
    loop {
        let (status, page) = get(&state, &path).await;
        assert_eq!(status, StatusCode::OK);
        seen.extend(numbers(&page));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/library?limit=10&before={}", next.replace(' ', "%20"));
    }
    assert_eq!(seen, (0..25).rev().collect::<Vec<u64>>());
}

#[tokio::test]
async fn filters_are_combined() {
    let (_folder, state) = place();
    for (query, expected) in [
        ("game=connect4&event=web", vec![9, 7, 5, 3, 1]),
        ("player=HUM", vec![20, 15, 10, 5, 0]),
        ("player=depth%3D2&event=web&result=draw", vec![7, 4, 1]),
        ("opening=44%205&result=first&event=cup", vec![21, 15]),
        ("opening=b2&event=web&player=", vec![8, 6, 4, 2, 0]),
        ("game=chess", vec![]),
        ("before=nothing", vec![]),
    ] {
        let (status, page) = get(&state, &format!("/api/library?{query}")).await;
        assert_eq!((status, numbers(&page)), (StatusCode::OK, expected), "{query}");
    }
    let (_, page) = get(&state, "/api/library?limit=1").await;
    let game = &page["games"][0];
    assert_eq!((&game["plies"], &game["moves"]), (&json!(3), &json!("b2a1c3")));
    for query in [
        "result=lost".to_string(),
        "limit=many".to_string(),
        format!("player={}", "x".repeat(3000)),
    ] {
        assert_eq!(get(&state, &format!("/api/library?{query}")).await.0, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn a_game_is_found_by_its_key() {
    let (_folder, state) = place();
    let (_, whole) = get(&state, "/api/library/game?key=key%207").await;
    assert_eq!((&whole["record"]["key"], &whole["moves"]), (&json!("key 7"), &json!("4453")));
    for path in ["/api/library/game?key=none", "/api/library/game?key=%00"] {
        assert_eq!(get(&state, path).await.0, StatusCode::NOT_FOUND);
    }
    assert_eq!(get(&state, "/api/library/game").await.0, StatusCode::BAD_REQUEST);
    let (_, info) = get(&state, "/api/library/info").await;
    assert_eq!((&info["place"], &info["count"]), (&json!("games.db"), &json!(25)));
    assert_eq!(info["games"], json!({ "connect4": 12, "tictactoe": 13 }));
}

#[tokio::test]
async fn without_a_store_the_library_is_empty() {
    let state = AppState::new(ServerOptions {
        registry: tesuji_builtin::registry(),
        ..ServerOptions::default()
    })
    .unwrap();
    assert_eq!(get(&state, "/api/library").await.1["games"], json!([]));
    assert_eq!(get(&state, "/api/library/info").await.1["place"], json!(null));
    assert_eq!(get(&state, "/api/library/game?key=x").await.0, StatusCode::NOT_FOUND);
}
