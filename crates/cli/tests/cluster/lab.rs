//! The laboratory with a real queue: it shows a worker, starts a match that the worker plays, and
//! drains the worker.

#[path = "../browser/http.rs"]
#[allow(dead_code, reason = "the browser's tests use the rest")]
mod http;

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::processes::Program;
use crate::servers::nats::Options;
use crate::{TIMEOUT, nats, postgres};

/// The token for requests to the laboratory.
const TOKEN: &str = "word";

/// Runs the program with a command line.
fn start(folder: &Path, line: &str) -> Program {
    Program::start(folder, &line.split(' ').collect::<Vec<_>>())
}

/// The address of a server that was just started.
fn address_of(server: &mut Program) -> SocketAddr {
    server.wait_for("}", TIMEOUT);
    let output = server.output();
    let report: Value = serde_json::from_str(output.lines().next().unwrap()).unwrap();
    report["address"].as_str().unwrap().trim_start_matches("http://").parse().unwrap()
}

/// Repeats a request until the response meets the condition.
#[track_caller]
fn until(server: SocketAddr, path: &str, condition: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let answer = http::ask_with_token(server, TOKEN, "GET", path, None).json();
        if condition(&answer) {
            return answer;
        }
        assert!(Instant::now() < deadline, "{path}: {answer:#}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[track_caller]
fn post(server: SocketAddr, path: &str, body: &Value) -> Value {
    let answer = http::ask_with_token(server, TOKEN, "POST", path, Some(body));
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.json()
}

#[test]
fn a_server_with_a_database_shows_no_password_and_ends_cleanly() {
    let (database, folder) = (postgres(), tempfile::tempdir().unwrap());
    let url = database.url();
    let mut server = start(folder.path(), &format!("serve --addr 127.0.0.1:0 --store {url}"));
    server.wait_for("games are stored in postgres://tesuji@127.0.0.1", TIMEOUT);
    server.signal("TERM");
    let answer = server.wait(TIMEOUT);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
}

#[test]
fn the_laboratory_shows_uses_and_drains_a_worker() {
    const QUEUE: &str = "/api/lab/queue";
    let mut queue = nats(&Options::default());
    let folder = tempfile::tempdir().unwrap();
    let access = format!("--queue {} --store games.db", queue.url());
    let mut server = start(
        folder.path(),
        &format!("serve --addr 127.0.0.1:0 --json --runs runs --token {TOKEN} {access}"),
    );
    let lab = address_of(&mut server);
    let empty = until(lab, QUEUE, |view| view["state"] == "there");
    assert_eq!(empty["queue"]["workers"], json!([]));
    assert_eq!(empty["queue"]["queue"], queue.url());

    let worker = format!("worker --name ann --threads 1 --cache cache {access}");
    let mut worker = start(folder.path(), &worker);
    let view = until(lab, QUEUE, |view| view["queue"]["workers"][0]["name"] == "ann");
    let worker_view = &view["queue"]["workers"][0];
    assert_eq!((&worker_view["threads"], &worker_view["draining"]), (&json!(1), &json!(false)));

    let toml = "game = 'tictactoe'\nfirst = 'random'\nsecond = 'minimax:depth=2'\ngames = 20";
    let job_spec = json!({ "kind": "match", "toml": toml, "name": "shared", "workers": true });
    post(lab, "/api/lab/jobs", &job_spec);
    let jobs = until(lab, "/api/lab/jobs", |jobs| jobs["jobs"][0]["state"] != "running");
    let job = &jobs["jobs"][0];
    assert_eq!((&job["state"], &job["workers"]), (&json!("finished"), &json!(true)), "{job:#}");
    let view = until(lab, QUEUE, |view| view["queue"]["runs"][0]["done"].as_u64() > Some(0));
    let run = &view["queue"]["runs"][0];
    let counts = ["units", "open", "poisoned"].map(|name| run[name].as_u64().unwrap());
    assert_eq!(counts, [20, 0, 0], "{run}");
    until(lab, QUEUE, |view| view["queue"]["workers"][0]["games"] == 20);
    let retried = post(lab, "/api/lab/queue/retry", &json!({ "run": run["run"] }));
    assert_eq!(retried, json!({ "retried": 0 }));

    queue.kill().unwrap();
    let unreachable = until(lab, QUEUE, |view| view["state"] == "away");
    assert!(unreachable["why"].as_str().unwrap().starts_with("queue"), "{unreachable}");
    queue.start_again().unwrap();
    until(lab, QUEUE, |view| view["queue"]["workers"][0]["name"] == "ann");

    let unknown = json!({ "worker": "bob" });
    let drain = "/api/lab/queue/drain";
    assert_eq!(http::ask(lab, "POST", drain, Some(&unknown)).status, 401);
    assert_eq!(http::ask_with_token(lab, TOKEN, "POST", drain, Some(&unknown)).status, 404);
    assert!(worker.is_running());
    post(lab, "/api/lab/queue/drain", &json!({ "worker": "ann" }));
    assert_eq!(worker.wait(TIMEOUT).code, 0);
    until(lab, QUEUE, |view| view["queue"]["workers"] == json!([]));
    server.signal("TERM");
    assert_eq!(server.wait(TIMEOUT).code, 0);
}
