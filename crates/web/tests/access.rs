//! Authorization in the lab: only requests with the token may start, stop or change something, from
//! every address. The started program is a script that records its execution.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use axum::body::Body;
use axum::http::Request;
use axum::http::header::{CONTENT_TYPE, LOCATION, SET_COOKIE};
use serde_json::{Value, json};

use crate::support::{Answer, Server, TOKEN};

/// A server with a token and a program, and the file that shows that the program ran.
fn server() -> (Server, PathBuf) {
    let mut trace = PathBuf::new();
    let server = Server::with(|options| {
        let program = options.runs.with_file_name("program");
        trace = options.runs.with_file_name("ran");
        fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", trace.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        options.program = Some(program);
    });
    (server, trace)
}

/// All requests that start, stop or change something, with valid bodies.
fn actions() -> Vec<(&'static str, Value)> {
    let program = "game = 'tictactoe'\nfirst = 'external:cmd=/bin/sh'\nsecond = 'random'\n";
    vec![
        ("/api/lab/jobs", json!({ "example": "match.toml" })),
        ("/api/lab/jobs", json!({ "kind": "match", "toml": program })),
        ("/api/lab/jobs/match/stop", json!({})),
        ("/api/lab/jobs/match/resume", json!({})),
        ("/api/lab/queue/drain", json!({})),
        ("/api/lab/queue/retry", json!({})),
    ]
}

async fn post(server: &Server, path: &str, body: &Value, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::post(path).header(CONTENT_TYPE, "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    server.stranger().send(request.body(Body::from(body.to_string())).unwrap()).await
}

/// Without a socket every request seems to come from this machine, as do those of other users and
/// of a proxy.
#[tokio::test]
async fn changes_need_the_token() {
    let (server, trace) = server();
    for (path, body) in actions() {
        for headers in [
            &[][..],
            &[("host", "127.0.0.1:7800")],
            &[("host", "localhost")],
            &[("x-forwarded-for", "192.0.2.1")],
            &[("authorization", "Bearer wort")],
            &[("authorization", "Bearer ")],
            &[("authorization", TOKEN)],
            &[("cookie", "tesuji-token=word; tesuji-token7800=word")],
        ] {
            let answer = post(&server, path, &body, headers).await;
            let line = answer.refusal(401);
            assert!(line.contains("the link that `tesuji serve` printed"), "{line}");
            assert_eq!(answer.headers["www-authenticate"], "Bearer");
        }
        let asked = format!("{path}?token={TOKEN}");
        post(&server, &asked, &body, &[]).await.refusal(401);
    }
    assert!(!trace.exists(), "a program was started");
    assert_eq!(server.stranger().get("/api/lab/jobs").await.good()["jobs"], json!([]));
}

#[tokio::test]
async fn the_header_authorizes() {
    let (server, trace) = server();
    let right = [("authorization", "Bearer word")];
    let (path, body) = &actions()[0];
    assert_eq!(post(&server, path, body, &right).await.good()["id"], "match");
    assert!(trace.exists());
    for (path, body) in &actions()[2..] {
        let status = post(&server, path, body, &right).await.status.as_u16();
        assert!(![401, 403].contains(&status), "{path}: {status}");
    }
}

/// As with notebooks: a link for one use, a cookie that scripts cannot read, and no token left in
/// the address.
#[tokio::test]
async fn the_link_exchanges_the_token_for_a_cookie() {
    let (server, trace) = server();
    let mut person = server.stranger();
    let entered = person.get("/lab?token=word&view=jobs").await;
    assert_eq!(entered.status.as_u16(), 303);
    assert_eq!(entered.headers[LOCATION], "/lab?view=jobs");
    assert_eq!(entered.headers["referrer-policy"], "no-referrer");
    assert_eq!(entered.headers["cache-control"], "no-store");
    let cookies = entered.headers.get_all(SET_COOKIE).iter().map(|it| it.to_str().unwrap());
    let cookie = cookies.into_iter().find(|it| it.starts_with("tesuji-token")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(TOKEN), "{cookie}");
    person.cookie = Some(cookie.split(';').next().unwrap().to_string());
    assert_eq!(person.get("/lab?view=jobs").await.status, 200);
    assert_eq!(person.get("/api/lab/jobs").await.good()["allowed"], true);
    let (path, body) = &actions()[0];
    person.post(path, body).await.good();
    assert!(trace.exists());

    let refused = server.stranger().get("/lab?token=wort").await;
    assert_eq!(refused.status.as_u16(), 401);
    let cookies = refused.headers.get_all(SET_COOKIE).iter();
    assert!(!cookies.into_iter().any(|it| it.to_str().unwrap().starts_with("tesuji-token")));
    assert!(refused.text().contains("the link that `tesuji serve` printed last"));
}

#[tokio::test]
async fn guests_may_play_analyze_and_watch() {
    let (server, _) = server();
    let guest = server.person().await;
    let question = json!({ "game": "tictactoe", "player": "random" });
    guest.post("/api/move", &question).await.good();
    guest.post("/api/analysis", &json!({ "game": "tictactoe" })).await.good();
    for path in ["/lab", "/api/lab/runs", "/api/lab/examples", "/api/lab/reproduction"] {
        assert_eq!(guest.get(path).await.status, 200, "{path}");
    }
    let jobs = guest.get("/api/lab/jobs").await.good();
    assert_eq!((&jobs["allowed"], &jobs["token"]), (&json!(false), &json!(true)));
    assert!(jobs["why"].as_str().unwrap().contains("`tesuji serve` printed"), "{jobs}");
    let queue = guest.get("/api/lab/queue").await.good();
    assert!(queue["refusal"].as_str().unwrap().contains("`tesuji serve` printed"), "{queue}");
}

#[tokio::test]
async fn a_server_without_a_token_starts_nothing() {
    let server = Server::with(|options| {
        options.token = None;
        options.program = Some("/bin/true".into());
    });
    let (path, body) = &actions()[0];
    for value in ["Bearer ", "Bearer x"] {
        post(&server, path, body, &[("authorization", value)]).await.refusal(401);
    }
    assert_eq!(server.stranger().get("/lab?token=").await.status, 401);
}
