//! The distributed queue in the lab: none, an unavailable one, authorization; and jobs with and
//! without remote workers.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tesuji_queue_nats as nats;
use tesuji_web::{QueueAccess, ServerOptions};

use crate::support::{Answer, Person, Server};

/// The access to a queue, with the environment of programs.
fn access(url: &str) -> QueueAccess {
    let options = nats::QueueOptions::new(url.parse().unwrap());
    let variable = |name: &str, value: &str| (name.to_string(), value.into());
    let environment = vec![variable("TESUJI_QUEUE", url), variable("TESUJI_QUEUE_CA", "ca.pem")];
    QueueAccess { options, environment }
}

/// The address of a queue without a listener.
fn nowhere() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("nats://s3cret@127.0.0.1:{port}")
}

/// Sends a request with or without a token.
async fn ask_with(person: &Person, path: &str, body: Option<Value>, word: &str) -> Answer {
    let request = match body {
        Some(_) => Request::post(path),
        None => Request::get(path),
    };
    let mut request = request.header("content-type", "application/json");
    if !word.is_empty() {
        request = request.header("authorization", format!("Bearer {word}"));
    }
    let body = body.map_or(Body::empty(), |body| Body::from(body.to_string()));
    person.send(request.body(body).unwrap()).await
}

#[tokio::test]
async fn a_server_without_a_queue_reports_that() {
    let server = Server::new();
    let person = server.operator().await;
    let view = person.get("/api/lab/queue").await.good();
    assert_eq!((&view["state"], &view["queue"]), (&json!("none"), &Value::Null));
    assert!(view["why"].as_str().unwrap().contains("--queue nats://HOST"), "{view}");
    for path in ["/api/lab/queue/drain", "/api/lab/queue/retry"] {
        assert!(person.post(path, &json!({})).await.refusal(409).contains("--queue nats://HOST"));
    }
    assert_eq!(person.get("/api/lab/jobs").await.good()["workers"], false);
    let wanted = json!({ "example": "training/tictactoe.toml", "workers": true });
    let refused = person.post("/api/lab/jobs", &wanted).await.refusal(409);
    assert!(refused.contains("--queue nats://HOST"), "{refused}");
    assert_eq!(person.get("/lab/queue").await.status, 200);
}

#[tokio::test]
async fn a_server_without_a_store_reports_that() {
    let server = Server::with(|options| {
        options.store = None;
        options.queue = Some(access(&nowhere()));
    });
    let person = server.operator().await;
    let view = person.get("/api/lab/queue").await.good();
    assert_eq!(view["state"], "none");
    assert!(view["why"].as_str().unwrap().contains("--store"), "{view}");
    assert_eq!(person.get("/api/lab/jobs").await.good()["workers"], false);
}

#[tokio::test]
async fn an_unavailable_queue_is_reported_without_secrets() {
    let server = Server::with(|options| options.queue = Some(access(&nowhere())));
    let person = server.operator().await;
    let began = Instant::now();
    let (first, second) = tokio::join!(person.get("/api/lab/queue"), person.get("/api/lab/queue"));
    assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    let view = first.good();
    assert_eq!((&view["state"], &view["allowed"]), (&json!("away"), &json!(true)));
    let why = view["why"].as_str().unwrap();
    assert!(why.contains("cannot be reached") && why.contains("nats-server"), "{why}");
    assert_eq!(second.good()["why"], view["why"]);
    for (path, body) in [
        ("/api/lab/queue/drain", json!({})),
        ("/api/lab/queue/drain", json!({ "worker": "ann" })),
        ("/api/lab/queue/retry", json!({ "run": "cup" })),
    ] {
        let refused = person.post(path, &body).await;
        assert!(refused.refusal(503).contains("cannot be reached"), "{}", refused.text());
        assert!(!refused.text().contains("s3cret"));
    }
    assert!(!first.text().contains("s3cret"), "{}", first.text());
    let seen = ask_with(&server.person().await, "/api/lab/queue", None, "").await;
    assert!(!seen.text().contains("127.0.0.1"), "{}", seen.text());
}

#[tokio::test]
async fn queue_changes_need_the_token() {
    let server = Server::new();
    let person = server.person().await;
    for path in ["/api/lab/queue/drain", "/api/lab/queue/retry"] {
        for word in ["", "wort"] {
            let answer = ask_with(&person, path, Some(json!({})), word).await;
            assert!(answer.refusal(401).contains("token"));
        }
        // The token is valid, but there is no queue.
        ask_with(&person, path, Some(json!({})), "word").await.refusal(409);
    }
    let view = ask_with(&person, "/api/lab/queue", None, "").await.good();
    assert_eq!((&view["allowed"], &view["token"]), (&json!(false), &json!(true)));
    let view = ask_with(&person, "/api/lab/queue", None, "word").await.good();
    assert_eq!((&view["allowed"], &view["refusal"]), (&json!(true), &Value::Null));
}

/// Prints its arguments and its environment.
const PROGRAM: &str = r#"#!/bin/sh
echo "queue=$TESUJI_QUEUE ca=$TESUJI_QUEUE_CA store=$TESUJI_STORE arguments=$*"
"#;

fn with_program(options: &mut ServerOptions) {
    let program = options.runs.with_file_name("program");
    fs::write(&program, PROGRAM).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    options.program = Some(program);
    options.queue = Some(access("nats://s3cret@queue.example"));
}

#[tokio::test]
async fn remote_workers_are_used_only_on_request() {
    let server = Server::with(with_program);
    let person = server.operator().await;
    assert_eq!(person.get("/api/lab/jobs").await.good()["workers"], true);
    let store = server.folder.path().join("games.db").display().to_string();
    let toml = "game = 'tictactoe'";
    for (name, workers) in [("here", false), ("everywhere", true)] {
        let wanted = json!({ "kind": "train", "toml": toml, "name": name, "workers": workers });
        person.post("/api/lab/jobs", &wanted).await.good();
        let said = fs::read_to_string(server.folder.path().join(format!("runs/{name}/output.txt")));
        let said = said.unwrap();
        let (environment, arguments) = said.split_once(" arguments=").unwrap();
        let expected = match workers {
            true => format!("queue=nats://s3cret@queue.example ca=ca.pem store={store}"),
            false => "queue= ca= store=".to_string(),
        };
        assert_eq!(environment, expected, "{said}");
        assert!(!arguments.contains("s3cret") && !arguments.contains(&store), "{said}");
        let jobs = person.get("/api/lab/jobs").await.good();
        let jobs = jobs["jobs"].as_array().unwrap();
        let job = jobs.iter().find(|job| job["id"] == name).unwrap();
        assert_eq!(job["workers"], workers, "{job}");
    }
}
