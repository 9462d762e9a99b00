//! `tesuji serve` as a process: it tells its address, answers there, keeps what it acknowledged, and ends when told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tesuji_store::{Kind, Selection};

/// No server takes longer to end, however slow the machine is.
const LONGEST_END: Duration = Duration::from_secs(30);

struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path, options: &[&str]) -> Server {
        let mut process = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["serve", "--addr", "127.0.0.1:0", "--json"])
            .args(options)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = String::new();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        while serde_json::from_str::<Value>(&told).is_err() {
            assert_ne!(lines.read_line(&mut told).unwrap(), 0, "it ended with {told:?}");
        }
        let told: Value = serde_json::from_str(&told).unwrap();
        let address = told["address"].as_str().unwrap().strip_prefix("http://").unwrap();
        Server { process, address: address.to_string() }
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_string())
    }

    /// A connection over which something was sent.
    fn send(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    /// A line of the system's account of the process, in MiB: `VmRSS` is the memory in use, `VmHWM`
    /// the most so far.
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
        let asked = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(asked.elapsed() < LONGEST_END, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already gone, in the usual case.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_game_of_a_person_is_kept_when_the_server_ends() {
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
    let kept = store.games(&Selection::all(Kind::Game)).unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].moves.as_str(), kept[0].event.as_str()), ("a1a2b1b2c1", "web"));
}

#[test]
fn without_a_store_nothing_is_made_and_nothing_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--no-store"]);
    assert_eq!(server.ask("GET", "/api/recording", "").1, r#"{"on":false}"#);
    assert!(server.end().success());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_address_that_is_taken_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--no-store"]);
    let second = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["serve", "--no-store", "--addr", &server.address])
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(1));
    let complaint = String::from_utf8(second.stderr).unwrap();
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    assert!(complaint.contains(&server.address) && complaint.contains("in use"), "{complaint}");
}

/// Finding out who can play a game makes no player: many games by many clients at once take little
/// memory.
#[cfg(target_os = "linux")]
#[test]
fn games_that_are_asked_about_leave_nothing_behind() {
    const MOST_MIB: u64 = 200;
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
    let (most, after) = (server.memory("VmHWM"), server.memory("VmRSS"));
    assert!(most <= before + MOST_MIB, "{before} MiB before, up to {most} MiB, {after} MiB after");
    assert!(server.end().success());
}

/// Half a request, streams that are not read and a search that hardly stops do not keep the program
/// from ending.
#[test]
fn the_end_comes_in_five_seconds_whatever_clients_do() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--store", "web.db", "--searches", "2"]);
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let stubborn = "/api/thinking?game=renju:20x20&player=flat-ucb:sims=1000000000000,depth=all";
    let _open: Vec<TcpStream> = [
        "GET / HTTP/1.1\r\nhost: local".to_string(),
        get(stubborn),
        get("/api/think/visits?game=gomoku&seconds=20"),
        get("/api/think/visits?game=gomoku&seconds=20"),
    ]
    .iter()
    .map(|text| server.send(text))
    .collect();
    // They are under way when a request after them is answered.
    assert_eq!(server.ask("GET", "/api/recording", "").0, 200);
    std::thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    assert!(server.end().success());
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
}
