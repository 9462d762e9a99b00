//! `tesuji serve` as a process: it tells its address, answers there, keeps what it acknowledged, and ends when told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use tesuji_store::{Kind, Selection};

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

    fn end(mut self) -> ExitStatus {
        let process = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &process]).status().unwrap().success());
        self.process.wait().unwrap()
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
