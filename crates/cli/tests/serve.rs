//! `tesuji serve` as a process: it prints its address, answers requests, stores every acknowledged
//! record, and ends on SIGTERM.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tesuji_store::{RecordKind, Selection};

/// The longest time that a server may take to end, even on a slow machine.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct Server {
    process: Child,
    address: String,
    /// The token, if the server generated one.
    token: Option<String>,
}

impl Server {
    fn start(folder: &Path, options: &[&str]) -> Server {
        Server::start_with(folder, options, &[])
    }

    /// Starts the server with more environment variables.
    fn start_with(folder: &Path, options: &[&str], variables: &[(&str, &str)]) -> Server {
        let tesuji = Path::new(env!("CARGO_BIN_EXE_tesuji"));
        Server::of_program(tesuji, folder, options, variables)
    }

    /// Starts the server of another program that has the verb `serve`.
    pub(crate) fn of_program(
        program: &Path,
        folder: &Path,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Server {
        let mut process = Command::new(program)
            .args(["serve", "--addr", "127.0.0.1:0", "--json"])
            .args(options)
            .current_dir(folder)
            .env_remove("TESUJI_STORE")
            .env_remove("TESUJI_TOKEN")
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = String::new();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        while serde_json::from_str::<Value>(&output).is_err() {
            assert_ne!(lines.read_line(&mut output).unwrap(), 0, "it ended with {output:?}");
        }
        let report: Value = serde_json::from_str(&output).unwrap();
        let address = report["address"].as_str().unwrap().strip_prefix("http://").unwrap();
        let token = report["token"].as_str().map(str::to_string);
        Server { process, address: address.to_string(), token }
    }

    /// Sends a request; returns the status and the body of the response.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let (head, body) = self.exchange(method, path, "", body);
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
    }

    /// Sends a request with the token.
    fn ask_with_token(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let header = format!("authorization: Bearer {}\r\n", self.token.as_ref().unwrap());
        let (head, body) = self.exchange(method, path, &header, body);
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
    }

    /// Sends a request with more headers; returns the head and the body of the response.
    fn exchange(&self, method: &str, path: &str, headers: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{headers}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_string(), body.to_string())
    }

    /// Opens a connection and sends a text over it.
    fn send(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// A value of `/proc/PID/status` in MiB: `VmRSS` is the memory in use, `VmHWM` its peak.
    fn memory(&self, line: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.unwrap();
        let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
        let kib: u64 = value.trim_matches([':', ' ', '\t', 'k', 'B']).parse().unwrap();
        kib >> 10
    }

    fn end(mut self) -> ExitStatus {
        let process = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &process]).status().unwrap().success());
        let started = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < SHUTDOWN_TIMEOUT, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Usually it has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_game_of_a_human_is_stored_before_the_server_ends() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--store", "web.db"]);
    let (status, page) = server.ask("GET", "/", "");
    assert_eq!(status, 200);
    assert!(page.contains("<!doctype html>"), "{page}");
    let game = json!({ "game": "tictactoe", "moves": "a1a2b1b2c1", "first": "human",
                       "second": "human", "resigned": null });
    let (status, answer) = server.ask("POST", "/api/records", &game.to_string());
    assert_eq!(status, 200, "{answer}");
    assert!(server.end().success());
    let place = folder.path().join("web.db");
    let store = tesuji_store::open(place.to_str().unwrap()).unwrap();
    let kept = store.games(&Selection::all(RecordKind::Game)).unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].moves.as_str(), kept[0].event.as_str()), ("a1a2b1b2c1", "web"));
}

#[test]
fn without_a_store_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--no-store"]);
    assert_eq!(server.ask("GET", "/api/recording", "").1, r#"{"on":false}"#);
    assert!(server.end().success());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_address_in_use_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--no-store"]);
    let second = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["serve", "--no-store", "--addr", &server.address])
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    let stderr = String::from_utf8(second.stderr).unwrap();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains(&server.address) && stderr.contains("in use"), "{stderr}");
}

/// A list of the players for a game creates no player: requests for many games by many clients at
/// once take little memory.
#[cfg(target_os = "linux")]
#[test]
fn requests_about_games_take_little_memory() {
    const MAX_GROWTH_MIB: u64 = 200;
    let folder = tempfile::tempdir().unwrap();
    let limits = ["--rate", "1000000", "--sessions-per-address", "100"];
    let server = Server::start(folder.path(), &[&["--no-store"], &limits[..]].concat());
    let before = server.memory("VmRSS");
    let sizes = (5..=20).flat_map(|width| (5..=20).map(move |height| (width, height)));
    let games: Vec<String> = sizes
        .flat_map(|(width, height)| {
            ["k=5", "k=6,p=2,q=1"].map(|rule| format!("mnk:{width}x{height},{rule}"))
        })
        .filter(|game| game != "mnk:5x5,k=6,p=2,q=1")
        .take(450)
        .collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..150 {
            scope.spawn(|| {
                while let Some(game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (status, answer) = server.ask("GET", &format!("/api/game?game={game}"), "");
                    assert_eq!(status, 200, "{game}: {answer}");
                }
            });
        }
    });
    let (peak, after) = (server.memory("VmHWM"), server.memory("VmRSS"));
    assert!(
        peak <= before + MAX_GROWTH_MIB,
        "{before} MiB before, up to {peak} MiB, {after} MiB after"
    );
    assert!(server.end().success());
}

/// An incomplete request, unread streams and a search that stops late do not delay the end of the
/// program.
#[test]
fn the_server_ends_within_five_seconds_despite_open_requests() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--store", "web.db", "--searches", "2"]);
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let slow_search = "/api/thinking?game=renju:20x20&player=flat-ucb:sims=1000000000000,depth=all";
    let _open: Vec<TcpStream> = [
        "GET / HTTP/1.1\r\nhost: local".to_string(),
        get(slow_search),
        get("/api/think/visits?game=gomoku&seconds=20"),
        get("/api/think/visits?game=gomoku&seconds=20"),
    ]
    .iter()
    .map(|text| server.send(text))
    .collect();
    // A response to a later request shows that the others have started.
    assert_eq!(server.ask("GET", "/api/recording", "").0, 200);
    std::thread::sleep(Duration::from_millis(500));
    let started = Instant::now();
    assert!(server.end().success());
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

/// A match that runs until it is stopped.
fn long_match() -> String {
    let toml = "game = 'gomoku'\nfirst = 'pvs:depth=3'\nsecond = 'pvs:depth=3'\ngames = 100000";
    json!({ "kind": "match", "toml": toml, "name": "long" }).to_string()
}

/// The child processes of a process, and their command lines.
fn children(of: u32) -> Vec<(u32, String)> {
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |number: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let parent = stat.rsplit(')').next().unwrap_or_default().split_whitespace().nth(1);
        parent.and_then(|parent| parent.parse().ok()) == Some(of)
    };
    numbers.filter(is_child).map(|number| (number, command_line(number))).collect()
}

fn command_line(process: u32) -> String {
    std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default()
}

#[test]
fn command_lines_of_processes_do_not_contain_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s3cret.db").display().to_string();
    let server = Server::start_with(folder.path(), &[], &[("TESUJI_STORE", &store)]);
    assert_eq!(server.ask("GET", "/api/recording", "").1, r#"{"on":true}"#);
    let (status, answer) = server.ask_with_token("POST", "/api/lab/jobs", &long_match());
    assert_eq!(status, 200, "{answer}");
    let processes = children(server.process.id());
    let [(child, line)] = &processes[..] else { panic!("{processes:?}") };
    assert!(line.contains("match\0"), "{line}");
    for line in [line, &command_line(server.process.id())] {
        assert!(!line.contains("s3cret"), "{line}");
    }
    let environment = std::fs::read(format!("/proc/{child}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains(&format!("TESUJI_STORE={store}\0")), "{environment}");
    assert!(!environment.contains("TESUJI_TOKEN="), "{environment}");
    let games = || {
        let store = tesuji_store::open(&store).unwrap();
        store.games(&Selection::all(RecordKind::Game)).unwrap().len()
    };
    let started = std::time::Instant::now();
    while games() == 0 {
        assert!(started.elapsed().as_secs() < 60, "the job records nothing in the store");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(server.end().success());
}

#[test]
fn options_override_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let variables = [("TESUJI_STORE", "named.db")];
    let server = Server::start_with(folder.path(), &["--store", "given.db"], &variables);
    assert!(server.end().success());
    let server = Server::start_with(folder.path(), &["--no-store"], &variables);
    assert_eq!(server.ask("GET", "/api/recording", "").1, r#"{"on":false}"#);
    assert!(server.end().success());
    assert!(folder.path().join("given.db").exists() && !folder.path().join("named.db").exists());
}

/// The address does not identify the owner: another user of this machine, or a client behind a
/// proxy, has the same one.
#[test]
fn jobs_need_the_token_and_external_programs_an_option() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--no-store"]);
    let trace = folder.path().join("trace");
    let script = folder.path().join("program");
    std::fs::write(&script, format!("#!/bin/sh\ntouch {}\n", trace.display())).unwrap();
    let toml = format!(
        "game = 'gomoku'\nfirst = 'external:cmd=sh {},timeout=1s'\nsecond = 'random'\ngames = 2",
        script.display()
    );
    let job_spec = json!({ "kind": "match", "toml": toml }).to_string();
    let (status, answer) = server.ask("POST", "/api/lab/jobs", &job_spec);
    assert_eq!(status, 401, "{answer}");
    assert!(answer.contains("the link that `tesuji serve` printed"), "{answer}");
    let (status, answer) = server.ask_with_token("POST", "/api/lab/jobs", &job_spec);
    assert_eq!(status, 403, "{answer}");
    assert!(answer.contains("--allow-programs") && !trace.exists(), "{answer}");
    assert!(server.end().success());

    let server = Server::start(folder.path(), &["--no-store", "--allow-programs"]);
    assert_eq!(server.ask("POST", "/api/lab/jobs", &job_spec).0, 401);
    server.ask_with_token("POST", "/api/lab/jobs", &job_spec);
    let started = std::time::Instant::now();
    while !trace.exists() {
        assert!(started.elapsed().as_secs() < 60, "the program was not started");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(server.end().success());
}

#[test]
fn the_printed_link_contains_the_token_and_opens_the_laboratory() {
    let folder = tempfile::tempdir().unwrap();
    let start = |options: &[&str]| {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["serve", "--no-store", "--addr", "127.0.0.1:0"])
            .args(options)
            .current_dir(folder.path())
            .env_remove("TESUJI_TOKEN")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let place = line.trim().strip_prefix("http://").unwrap();
        let (address, token) = match place.split_once("/?token=") {
            Some((address, token)) => (address, Some(token.to_string())),
            None => (place, None),
        };
        Server { process, address: address.to_string(), token }
    };
    let server = start(&[]);
    let token = server.token.clone().unwrap();
    assert!(token.len() >= 32, "{token}");
    let (head, _) = server.exchange("GET", &format!("/?token={token}"), "", "");
    assert!(head.starts_with("HTTP/1.1 303") && head.contains("location: /\r\n"), "{head}");
    assert!(!head.contains(&token), "{head}");
    let port = server.address.rsplit(':').next().unwrap();
    let name = format!("set-cookie: tesuji-token{port}=");
    let cookie = head.lines().find_map(|line| line.strip_prefix(&name)).unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let header = format!("cookie: tesuji-token{port}={cookie}\r\n");
    let (_, jobs) = server.exchange("GET", "/api/lab/jobs", &header, "");
    assert!(jobs.contains(r#""allowed":true"#), "{jobs}");
    assert!(server.ask("GET", "/api/lab/jobs", "").1.contains(r#""allowed":false"#));
    assert!(server.end().success());

    let server = start(&["--token", "chosen"]);
    assert_eq!(server.token, None, "a token from the command line is not printed");
    let header = "authorization: Bearer chosen\r\n";
    let (_, jobs) = server.exchange("GET", "/api/lab/jobs", header, "");
    assert!(jobs.contains(r#""allowed":true"#), "{jobs}");
    assert!(server.end().success());
}
