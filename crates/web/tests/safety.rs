//! Security: refused requests, limits, response headers; malformed requests never cause a server
//! error.

#[path = "support/hostile.rs"]
mod hostile;
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_TYPE, HOST, IF_NONE_MATCH, ORIGIN};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tesuji_games::random::seeded;
use tower::ServiceExt;

use crate::support::{Answer, Server, address, encoded};
use hostile::{described, hostile_request};

const ALWAYS: [&str; 6] = [
    "content-security-policy",
    "x-content-type-options",
    "x-frame-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
];

#[track_caller]
fn check_headers(what: &str, answer: &Answer) {
    for name in ALWAYS {
        assert!(answer.headers.contains_key(name), "{what} has no {name}");
    }
    let policy = answer.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'self'") && policy.contains("frame-ancestors 'none'"));
    assert!(!policy.contains("unsafe"), "{policy}");
}

#[tokio::test]
async fn all_responses_have_security_headers() {
    let server = Server::new();
    let person = server.person().await;
    for path in [
        "/",
        "/play/connect4",
        "/gems",
        "/lab",
        "/library",
        "/scores",
        "/nowhere",
        "/pages/nothing.js",
        "/api/nowhere",
        "/api/games",
        "/api/openapi.json",
        "/api/board.svg?game=chess",
        "/api/position",
        "/api/position?game=chess",
        "/api/thinking?game=tictactoe&player=random",
    ] {
        let answer = person.get(path).await;
        check_headers(path, &answer);
        if path.starts_with("/api/") {
            assert_eq!(answer.headers["cache-control"], "no-store", "{path}");
        }
    }
    let refused = person.post_text("/api/move", "{").await;
    check_headers("a refusal", &refused);
    refused.refusal(400);
    let large = person.post_text("/api/move", "x".repeat(70_000)).await;
    check_headers("too much", &large);
    let wrong = Request::delete("/api/games").body(Body::empty()).unwrap();
    let wrong = person.send(wrong).await;
    check_headers("a wrong method", &wrong);
    wrong.refusal(405);
}

#[tokio::test]
async fn pages_have_tags_and_unknown_paths_are_not_found() {
    let server = Server::new();
    let person = server.person().await;
    for path in ["/", "/play/connect4", "/play/mnk:10x10,k=5", "/scores"] {
        let page = person.get(path).await;
        assert_eq!(
            (page.status.as_u16(), page.headers[CONTENT_TYPE].to_str().unwrap()),
            (200, "text/html; charset=utf-8")
        );
        let tag = page.headers["etag"].clone();
        let again = Request::get(path).header(IF_NONE_MATCH, &tag).body(Body::empty()).unwrap();
        let again = person.send(again).await;
        assert_eq!(
            (again.status.as_u16(), again.bytes.len(), &again.headers["etag"]),
            (304, 0, &tag)
        );
        check_headers(path, &again);
    }
    for path in [
        "/nowhere",
        "/pages/",
        "/pages/nothing.js",
        "/pages/../Cargo.toml",
        "/pages/..%2fCargo.toml",
        "/pages/..%2f..%2f..%2fCargo.toml",
        "/pages/%2fetc%2fpasswd",
        "/pages//etc/passwd",
        "/api/",
        "/api/nowhere",
        "/index.html%00",
    ] {
        let answer = person.get(path).await;
        answer.refusal(404);
    }
    let zipped =
        Request::get("/api/games").header(ACCEPT_ENCODING, "gzip").body(Body::empty()).unwrap();
    let zipped = person.send(zipped).await;
    assert_eq!(zipped.headers["content-encoding"], "gzip");
    assert!(zipped.bytes.len() * 2 < person.get("/api/games").await.bytes.len());
}

#[tokio::test]
async fn browsers_get_an_error_page() {
    let server = Server::new();
    let ask = async |path: &str, accept: &str| {
        let request = Request::get(path).header("accept", accept).header(IF_NONE_MATCH, "x");
        let answer = server.stranger().send(request.body(Body::empty()).unwrap()).await;
        let kind = answer.headers[CONTENT_TYPE].to_str().unwrap().to_string();
        check_headers(path, &answer);
        (answer.status.as_u16(), kind)
    };
    let (page, json) = ("text/html; charset=utf-8".to_string(), "application/json".to_string());
    for path in ["/nonsense", "/play", "/lab-notes", "/apiary"] {
        assert_eq!(ask(path, "text/html,*/*;q=0.8").await, (404, page.clone()), "{path}");
        assert_eq!(ask(path, "*/*").await, (404, json.clone()), "{path}");
    }
    assert_eq!(ask("/api/nonsense", "text/html").await, (404, json));
}

async fn with_header(server: &Server, header: (&'static str, &str)) -> u16 {
    let request = Request::get("/api/recording").header(HOST, "127.0.0.1:7800");
    let mut request = request.body(Body::empty()).unwrap();
    request.headers_mut().insert(header.0, header.1.parse().unwrap());
    server.stranger().send(request).await.status.as_u16()
}

#[tokio::test]
async fn cross_site_requests_and_wrong_hosts_are_refused() {
    let server = Server::new();
    for (name, value, status) in [
        (ORIGIN.as_str(), "http://127.0.0.1:7800", 200),
        (ORIGIN.as_str(), "http://127.0.0.1:7801", 403),
        (ORIGIN.as_str(), "http://evil.example", 403),
        (ORIGIN.as_str(), "null", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-origin", 200),
        (HOST.as_str(), "localhost:7800", 200),
        (HOST.as_str(), "[::1]:7800", 200),
        (HOST.as_str(), "evil.example:7800", 403),
        (HOST.as_str(), "127.0.0.1.evil.example", 403),
        (HOST.as_str(), "", 403),
    ] {
        let name: &'static str = Box::leak(name.to_string().into_boxed_str());
        assert_eq!(with_header(&server, (name, value)).await, status, "{name}: {value}");
    }
    let open = Server::with(|options| options.address = "0.0.0.0:7800".parse().unwrap());
    assert_eq!(with_header(&open, ("host", "games.example")).await, 200);
    assert_eq!(with_header(&open, ("origin", "http://evil.example")).await, 403);
}

#[tokio::test]
async fn bodies_have_a_limit() {
    let server = Server::new();
    let person = server.person().await;
    let padded = |size: usize| {
        format!("{{\"game\":\"tictactoe\",\"player\":\"random\",\"x\":\"{}\"}}", "x".repeat(size))
    };
    assert_eq!(person.post_text("/api/move", padded(60_000)).await.status, 200);
    for path in ["/api/move", "/api/analysis", "/api/records", "/api/export"] {
        person.post_text(path, padded(66_000)).await.refusal(413);
    }
    let text = "(;GM[4];B[hh])".repeat(10_000);
    person.post("/api/import", &json!({ "text": text })).await.good();
    person.post("/api/import", &json!({ "text": "x".repeat(1 << 20) })).await.refusal(413);
}

#[tokio::test]
async fn requests_are_rate_limited() {
    let server = Server::with(|options| options.requests_per_second = 1.0);
    let (greedy, other) = (server.person().await, server.person().await);
    let mut statuses = Vec::new();
    for _ in 0..40 {
        statuses.push(greedy.get("/api/recording").await);
    }
    let refused = statuses.iter().filter(|answer| answer.status == 429).count();
    assert!((20..=36).contains(&refused), "{refused} of 40 were refused");
    let last = statuses.last().unwrap();
    assert!(last.refusal(429).contains("wait") && last.headers.contains_key("retry-after"));
    check_headers("a refusal", last);
    assert_eq!(other.get("/api/recording").await.status, 200);
    assert_eq!(greedy.get("/").await.status, 200, "pages are not counted");
}

#[tokio::test]
async fn disallowed_players_are_refused() {
    let server = Server::new();
    let person = server.person().await;
    for player in [
        "human",
        "external:cmd=/bin/sh",
        "external",
        "forest:file=/etc/passwd",
        "gomoku:weights=/etc/passwd",
        "critic:file=../../secret",
        "pvs:tt=4G",
        "pvs:tt=65M",
        "pvs:threads=64",
        "mcts:nodes=99999999999",
        "mcts:tree-nodes=99999999999",
        "pvs:depth=999999",
        "nobody",
        "",
        "pvs:depth=1,depth",
        "<script>alert(1)</script>",
        &"x".repeat(5000),
    ] {
        for game in ["tictactoe", "gomoku"] {
            let question = json!({ "game": game, "player": player, "seconds": 0.1 });
            person.post("/api/move", &question).await.refusal(400);
            person.post("/api/analysis", &question).await.refusal(400);
        }
    }
    for seconds in [json!(0), json!(-1), json!(1e9), json!(1e308), json!("1"), json!(31)] {
        let question = json!({ "game": "tictactoe", "player": "random", "seconds": seconds });
        let status = person.post("/api/move", &question).await.status.as_u16();
        assert!([400, 422].contains(&status), "{seconds}: {status}");
    }
}

/// Endless searches stop at their time limit.
#[tokio::test]
async fn searches_end_in_time() {
    let server = Server::new();
    let person = server.person().await;
    for (game, player) in [
        ("chess", "solver"),
        ("checkers", "solver"),
        ("chess", "minimax:depth=255"),
        ("othello", "alphabeta:depth=255"),
        ("gomoku", "pvs:depth=255"),
        ("gomoku", "mcts:sims=1000000000"),
        ("tictactoe4d", "solver"),
    ] {
        let began = std::time::Instant::now();
        let question = json!({ "game": game, "player": player, "seconds": 0.2 });
        let answer = person.post("/api/move", &question).await;
        assert!(answer.status.as_u16() < 500, "{game} {player}: {}", answer.text());
        assert!(began.elapsed().as_secs() < 30, "{game} {player}: {:?}", began.elapsed());
    }
}

/// A long search whose events are not read yet.
fn long_search() -> Request<Body> {
    let parameters = [("game", "gomoku"), ("player", "mcts"), ("seconds", "20")];
    Request::get(address("/api/thinking", &parameters)).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn the_search_queue_is_bounded_and_clients_can_leave() {
    let server = Server::with(|options| {
        options.searches = 1;
        options.sessions_per_address = 1_000;
    });
    let greedy = server.person().await;
    let start = async |cookie: &str| {
        let mut request = long_search();
        request.headers_mut().insert("cookie", cookie.parse().unwrap());
        server.router.clone().oneshot(request).await.unwrap()
    };
    let mut held = Vec::new();
    for _ in 0..6 {
        held.push(start(greedy.cookie.as_ref().unwrap()).await);
    }
    assert!(held.iter().all(|response| response.status() == 200));
    assert_eq!(start(greedy.cookie.as_ref().unwrap()).await.status(), 429);
    let mut refused = 0;
    for _ in 0..180 {
        let cookie = server.person().await.cookie.unwrap();
        for _ in 0..6 {
            let response = start(&cookie).await;
            match response.status().as_u16() {
                200 => held.push(response),
                503 => refused += 1,
                other => panic!("{other}"),
            }
        }
    }
    assert_eq!((held.len(), refused), (1001, 180 * 6 + 6 - 1001));
    let mut waiting = held.pop().unwrap().into_body();
    let event = waiting.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(String::from_utf8_lossy(&event).starts_with("event: queued\ndata: {\"ahead\":1000}"));
    drop((held, waiting));
    // Clients that leave are noticed within a moment.
    let question = json!({ "game": "tictactoe", "player": "random" });
    let mut answer = greedy.post("/api/move", &question).await;
    for _ in 0..100 {
        if answer.status == 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        answer = greedy.post("/api/move", &question).await;
    }
    answer.good();
}

#[tokio::test]
async fn malformed_requests_do_no_harm() {
    let server = Server::new();
    let routes = described();
    assert!(routes.len() > 12, "{}", routes.len());
    let rng = &mut seeded(2026);
    let mut statuses = std::collections::BTreeMap::new();
    for number in 0..4000 {
        let request = hostile_request(rng, &routes);
        let what = format!("{number}: {} {:.300}", request.method(), request.uri().to_string());
        let response = server.router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        *statuses.entry(status).or_insert(0) += 1;
        let is_stream =
            response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
        if is_stream {
            continue;
        }
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(status < 500, "{what}: {status} {}", String::from_utf8_lossy(&body));
        if status >= 400 {
            let line: Value = serde_json::from_slice(&body)
                .unwrap_or_else(|_| panic!("{what}: {status} {}", String::from_utf8_lossy(&body)));
            assert!(!line["error"].as_str().unwrap().contains('\n'), "{what}: {line}");
        }
    }
    assert!(statuses[&400] > 1000, "{statuses:?}");
    let person = server.person().await;
    assert_eq!(person.get("/api/statistics").await.good()["rows"], json!([]));
    let question = json!({ "game": "tictactoe", "player": "random" });
    person.post("/api/move", &question).await.good();
}

#[tokio::test]
async fn input_is_never_returned_as_markup() {
    let server = Server::new();
    let person = server.person().await;
    let script = "<script>alert(1)</script>";
    for path in ["/api/position", "/api/game", "/api/board.svg"] {
        let answer = person.ask(path, &[("game", script)]).await;
        answer.refusal(400);
        assert_eq!(answer.headers[CONTENT_TYPE], "application/json");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
    for format in ["sgf", "moves"] {
        let wanted =
            json!({ "game": "tictactoe", "moves": "a1", "format": format, "first": script });
        person.post("/api/export", &wanted).await.good();
    }
    let page = person.get(&format!("/play/{}", encoded(script))).await;
    assert!(!page.text().contains("alert(1)"));
}
