//! Guests cannot open files: a player text that names a file is refused without opening it, in
//! every request. A FIFO detects an opened file, because opening it for writing succeeds only with
//! a reader.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::OFlags;
use serde_json::{Value, json};
use tesuji_play::OptionInfo;
use tesuji_players::gem_island::AGENTS;

use crate::support::{Answer, Person, Server};

/// More than any refusal takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The options of a player or agent that name files, as `name:key=`.
fn files(name: &str, options: &[OptionInfo]) -> Vec<String> {
    let files = options.iter().filter(|option| option.is_file());
    files.map(|option| format!("{name}:{}=", option.key)).collect()
}

/// All options of players that name files.
fn options() -> impl Iterator<Item = String> {
    tesuji_players::roster().all().flat_map(|kind| files(kind.name, kind.options))
}

/// The method and path of all requests with a player, from the API description.
fn questions() -> BTreeSet<(String, String)> {
    let description: Value = serde_json::from_str(include_str!("../openapi.json")).unwrap();
    let resolved = |schema: &Value| match schema["$ref"].as_str() {
        Some(name) => description.pointer(name.trim_start_matches('#')).unwrap().clone(),
        None => schema.clone(),
    };
    let mut found = BTreeSet::new();
    // The library filters by player names and does not parse them.
    let paths = description["paths"].as_object().unwrap().iter();
    for (path, methods) in paths.filter(|(path, _)| *path != "/api/library") {
        for (method, operation) in methods.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            let takes_player = parameters.iter().any(|it| resolved(it)["name"] == "player")
                || resolved(body)["properties"]["player"].is_object();
            if takes_player {
                found.insert((method.clone(), path.clone()));
            }
        }
    }
    found
}

/// Sends a request with a player.
async fn ask(person: &Person, method: &str, path: &str, player: &str) -> Answer {
    match method {
        "get" => person.ask(path, &[("game", "gomoku"), ("player", player)]).await,
        _ => person.post(path, &json!({ "game": "gomoku", "player": player })).await,
    }
}

/// Names a file in every request with a player, an agent or settings.
async fn name_everywhere(server: &Server, file: &str) {
    let person = server.person().await;
    let questions = questions();
    assert!(questions.len() > 10, "{questions:?}");
    for option in options() {
        for spelled in [format!("{option}{file}"), format!("{option}\"{file}\",seed=1")] {
            for (method, path) in &questions {
                let answer = ask(&person, method, path, &spelled).await;
                let line = answer.refusal(400);
                assert!(!line.contains("os error"), "{method} {path} {spelled}: {line}");
            }
            let (first, second) = ("human", &spelled);
            let game = json!({ "game": "tictactoe", "moves": "a1a2b1b2c1", "first": first,
                               "second": second, "resigned": null, "receipts": [] });
            let recorded = server.person().await.post("/api/records", &game).await;
            assert_eq!(recorded.status.as_u16(), 400, "{}", recorded.text());
        }
    }
    for option in options() {
        start_job(server, &format!("{option}{file}")).await;
    }
    // Undeclared options are refused as well.
    for player in ["random", "pvs", "gomoku", "mcts", "solver"] {
        for key in ["log", "file", "dir", "cmd", "nosuch"] {
            for (method, path) in &questions {
                ask(&person, method, path, &format!("{player}:{key}={file}")).await.refusal(400);
            }
        }
    }
    let begun = person.post("/api/gems", &json!({ "level": 1 })).await.good();
    let game = format!("/api/gems/{}", begun["id"].as_str().unwrap());
    for option in AGENTS.iter().flat_map(|kind| files(kind.name, kind.options)) {
        let agent = json!({ "agent": format!("{option}{file},eval=nn-outcome") });
        for action in ["hint", "auto"] {
            person.post(&format!("{game}/{action}"), &agent).await.refusal(400);
        }
    }
}

/// Jobs from pages cannot name files either, even with the token.
async fn start_job(server: &Server, player: &str) {
    let player = player.replace('"', "\\\"");
    let cup = format!("name='x'\ngame='gomoku'\nplayers=['random',\"{player}\"]");
    let one = format!("game='gomoku'\nfirst='random'\nsecond=\"{player}\"");
    let training = format!("game='gomoku'\n[evolution.scenarios]\nrivals=[\"{player}\"]");
    for (kind, toml) in [("tournament", cup), ("match", one), ("train", training)] {
        let wanted = json!({ "kind": kind, "toml": toml });
        server.operator().await.post("/api/lab/jobs", &wanted).await.refusal(400);
    }
}

fn server() -> Server {
    Server::with(|options| options.program = Some("/bin/true".into()))
}

#[test]
fn no_file_that_a_guest_names_is_opened() {
    let place = tempfile::tempdir().unwrap();
    let fifo = place.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let (stop, opened) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let writer = std::thread::spawn({
        let (fifo, stop, opened) = (fifo.clone(), stop.clone(), opened.clone());
        move || {
            while !stop.load(Ordering::Relaxed) {
                if has_reader(&fifo) {
                    opened.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    });
    let ended = within_deadline(async move {
        name_everywhere(&server(), fifo.to_str().unwrap()).await;
    });
    stop.store(true, Ordering::Relaxed);
    writer.join().unwrap();
    assert!(!opened.load(Ordering::Relaxed), "a file that a guest named was opened");
    ended.unwrap();
}

/// Without a reader a FIFO cannot be opened for writing without blocking.
fn has_reader(fifo: &Path) -> bool {
    let flags = OFlags::NONBLOCK.bits() as i32;
    OpenOptions::new().write(true).custom_flags(flags).open(fifo).is_ok()
}

#[test]
fn a_device_does_not_block_the_server() {
    within_deadline(async { name_everywhere(&server(), "/dev/ptmx").await }).unwrap();
}

/// A file, a folder and a missing file give the same error.
#[tokio::test]
async fn refusals_do_not_depend_on_files() {
    let person = server().person().await;
    for option in options() {
        let mut lines = BTreeSet::new();
        for file in ["/etc/passwd", "/etc", "/nowhere", "runs/x", "../secret"] {
            let answer = ask(&person, "post", "/api/move", &format!("{option}{file}")).await;
            lines.insert(answer.refusal(400));
        }
        assert_eq!(lines.len(), 1, "{lines:?}");
    }
}

/// Only models of runs can be used, whatever other files contain.
#[tokio::test]
async fn only_models_of_a_run_are_read() {
    let server = Server::new();
    let run = server.folder.path().join("runs/a");
    std::fs::create_dir_all(&run).unwrap();
    std::fs::write(run.join("settings.toml"), "game = 'tictactoe'").unwrap();
    for name in ["output.txt", "secret.xml", "best.tuples", "best.net"] {
        std::fs::write(run.join(name), "secret words\n").unwrap();
    }
    std::fs::copy("../../examples/forest.xml", run.join("best.xml")).unwrap();
    let person = server.person().await;
    let play = async |file: &str| {
        let name = if file.ends_with(".tuples") { "weights" } else { "forest" };
        let player = format!("{name}:depth=1,board=any,file=\"{}\"", run.join(file).display());
        person.post("/api/move", &json!({ "game": "gomoku", "player": player })).await
    };
    play("best.xml").await.good();
    for file in ["output.txt", "secret.xml", "settings.toml", "best.net", "../a/output.txt"] {
        let line = play(file).await.refusal(400);
        assert!(!line.contains("secret words") && line.contains("model of a run"), "{line}");
    }
    let damaged = play("best.tuples").await;
    assert!(
        damaged.status.is_client_error() && !damaged.text().contains("secret"),
        "{}",
        damaged.text()
    );
    std::fs::remove_file(run.join("best.xml")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(run.join("best.xml")).status();
    assert!(fifo.unwrap().success());
    play("best.xml").await.refusal(400);
    person.get("/api/lab/runs/a/forest").await.refusal(404);
}

/// Runs on its own threads, which are abandoned if they hang.
fn within_deadline(work: impl Future<Output = ()> + Send + 'static) -> Result<(), String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let work = runtime.spawn(work);
    let ended = runtime.block_on(async { tokio::time::timeout(PATIENCE, work).await });
    runtime.shutdown_background();
    match ended {
        Err(_) => Err("the server hangs".to_string()),
        Ok(ended) => ended.map_err(|panicked| panicked.to_string()),
    }
}
