//! A visitor that sends malformed requests of many kinds.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr};

use serde_json::{Value, json};

use super::chance::Chance;
use super::http::{Visitor, connect, escaped};
use super::malformed::Report;

/// Whether the sender closes its side of the connection after a request. The server may then close
/// the connection, too.
#[derive(PartialEq, Eq)]
enum WriteSide {
    Open,
    Closed,
}

/// A visitor that sends malformed requests.
pub(super) struct MalformedVisitor<'a> {
    server: SocketAddr,
    chance: Chance,
    addresses: &'a [(String, String)],
    pub(super) report: Report,
}

impl<'a> MalformedVisitor<'a> {
    pub(super) fn new(
        server: SocketAddr,
        chance: Chance,
        addresses: &'a [(String, String)],
    ) -> Self {
        MalformedVisitor { server, chance, addresses, report: Report::default() }
    }

    pub(super) fn send_one(&mut self, number: usize) {
        match number % 8 {
            0 => self.send_noise(),
            1 => self.send_broken_head(),
            2 | 3 => self.send_query(),
            4 => self.send_forgery(),
            _ => self.send_body(),
        }
    }

    /// Sends random bytes.
    fn send_noise(&mut self) {
        let length = 1 + self.chance.below(2000);
        let noise: Vec<u8> = (0..length).map(|_| self.chance.number() as u8).collect();
        self.send_raw(&noise, WriteSide::Closed);
    }

    /// Sends a request with a malformed head.
    fn send_broken_head(&mut self) {
        let junk = self.junk_text();
        let line = match self.chance.below(8) {
            0 => format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(100_000)),
            1 => "POST /api/move HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n".to_string(),
            2 => "POST /api/move HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\nx".to_string(),
            3 => format!("BREW /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", escaped(&junk)),
            4 => format!("GET /pages/../../../../etc/passwd{} HTTP/1.1\r\nHost: localhost\r\n\r\n", escaped(&junk)),
            5 => format!("GET /api/games HTTP/1.1\r\nHost: localhost\r\nCookie: tesuji={}\r\n\r\n", escaped(&junk)),
            6 => format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(2000)),
            _ => format!("GET /{junk} HTTP/9.7\r\n\r\n"),
        };
        self.send_raw(line.as_bytes(), WriteSide::Closed);
    }

    /// Sends malformed parameters to an address of the API.
    fn send_query(&mut self) {
        let (_, address) = self.chance.one(self.addresses).clone();
        let mut pairs = Vec::new();
        for key in ["game", "moves", "player", "seconds", "depth", "level", "play", "limit"] {
            match self.chance.below(3) {
                0 => pairs.push(format!("{key}={}", escaped(&self.junk_text()))),
                1 => pairs.push(format!("{key}={}", self.likely(key))),
                _ => (),
            }
        }
        // One parameter is always wrong, as valid requests would only keep the server busy.
        pairs.push(format!("game={}", escaped(&self.junk_text())));
        let path = format!("{}?{}", self.filled(&address), pairs.join("&"));
        self.send("GET", &path, "", b"");
    }

    /// Sends a malformed body to an address of the API.
    fn send_body(&mut self) {
        let (method, address) = self.chance.one(self.addresses).clone();
        let method = if self.chance.below(4) == 0 { "POST" } else { &method };
        let path = self.filled(&address);
        let (kind, body) = match self.chance.below(6) {
            0 => ("application/json", vec![b'['; 20_000]),
            1 => ("application/json", "x".repeat(70_000).into_bytes()),
            2 => ("application/json", (0..200).map(|_| self.chance.number() as u8).collect()),
            3 => ("text/plain", self.junk_object().to_string().into_bytes()),
            _ => ("application/json", self.junk_object().to_string().into_bytes()),
        };
        self.send(method, &path, &format!("Content-Type: {kind}\r\n"), &body);
    }

    /// Sends a forged game, with plausible receipts.
    fn send_forgery(&mut self) {
        let player =
            *self.chance.one(&["human", "random", "pvs:depth=2", "solver", "external:cmd=sh"]);
        let receipts: Vec<String> =
            (0..4).map(|_| format!("{:032x}", u128::from(self.chance.number()))).collect();
        let moves = *self.chance.one(&["a1 b1 a2 b2 a3", "a1 b1 a2", "a1 a1 a1", "a1 b1 a2 b2"]);
        let name = self.junk_text();
        let body = match self.chance.below(4) {
            0 => {
                json!({ "game": "tictactoe", "moves": moves, "first": player, "second": name, "receipts": receipts })
            }
            1 => {
                json!({ "game": "tictactoe", "moves": moves, "first": "solver", "second": "human", "receipts": receipts })
            }
            2 => {
                json!({ "game": name, "moves": moves, "first": "human", "second": "human", "receipts": receipts })
            }
            _ => {
                json!({ "nickname": name, "score": 1e300, "level": self.chance.number(), "won": true })
            }
        };
        // With a new cookie, as it would otherwise be refused for its rate and not for the forgery.
        let mut visitor = Visitor::new(self.server);
        let answer = match self.chance.below(3) {
            0 => self.forged_score(&mut visitor, &body),
            _ => visitor
                .get("/api/recording")
                .and_then(|_| visitor.post("/api/records", &body))
                .map(|answer| answer.status),
        };
        match answer {
            Ok(status) => self.count(status, body.to_string().as_bytes()),
            Err(why) => self.report.problems.push(why),
        }
    }

    /// Sends a forged score of a started game of Gem Island.
    fn forged_score(&mut self, visitor: &mut Visitor, body: &Value) -> Result<u16, String> {
        let begun = visitor.post("/api/gems", &json!({ "level": 1 }))?;
        let begun: Value = serde_json::from_slice(&begun.body).unwrap_or_default();
        let id = begun["id"].as_str().unwrap_or("0").to_string();
        let swap = json!({ "first": { "row": self.junk_value(), "column": 1 }, "second": { "row": 99, "column": -1 } });
        let swapped = visitor.post(&format!("/api/gems/{id}/swap"), &swap)?;
        if swapped.status == 200 {
            self.report.problems.push(format!("illegal swap accepted: {swap}"));
        }
        Ok(visitor.post(&format!("/api/gems/{id}/score"), body)?.status)
    }

    fn junk_object(&mut self) -> Value {
        let mut object = serde_json::Map::new();
        for key in [
            "game", "moves", "player", "seconds", "first", "second", "receipts", "resigned",
            "text", "level", "nickname", "format", "swap", "config",
        ] {
            match self.chance.below(3) {
                0 => drop(object.insert(key.to_string(), self.junk_value())),
                1 => drop(object.insert(key.to_string(), json!(self.likely(key)))),
                _ => (),
            }
        }
        let wrong = *self.chance.one(&["game", "level"]);
        object.insert(wrong.to_string(), self.junk_value());
        Value::Object(object)
    }

    fn junk_value(&mut self) -> Value {
        match self.chance.below(9) {
            0 => json!(u64::MAX),
            1 => json!(-1e308),
            2 => json!(i64::MIN),
            3 => Value::Null,
            4 => json!([[[[[[[["deep"]]]]]]]]),
            5 => json!({ "$ne": null, "__proto__": { "x": 1 } }),
            6 => json!(true),
            _ => json!(self.junk_text()),
        }
    }

    fn junk_text(&mut self) -> String {
        match self.chance.below(9) {
            0 => "<script>alert(1)</script>".to_string(),
            1 => "\"><img src=x onerror=alert(1)>".to_string(),
            2 => "'; DROP TABLE games; --".to_string(),
            3 => "../../../../etc/passwd".to_string(),
            4 => "9".repeat(400),
            5 => "\u{202e}\u{0}\u{7}\u{1b}[31m\n\r".to_string(),
            6 => "mnk:99999999999x99999999999,k=0,k=1".to_string(),
            7 => "é".repeat(1 + self.chance.below(6000)),
            _ => (0..1 + self.chance.below(60))
                .map(|_| char::from(self.chance.number() as u8))
                .collect(),
        }
    }

    /// A plausible value of a parameter.
    fn likely(&mut self, key: &str) -> &'static str {
        let among: &[&'static str] = match key {
            "game" => &["tictactoe", "connect4", "chess", "gomoku", "othello"],
            "moves" => &["", "44", "a1", "e2e4"],
            "player" | "first" | "second" => &["random", "human", "pvs:depth=1"],
            "seconds" => &["0.01", "1e9", "NaN", "-1"],
            _ => &["1", "2", "sgf"],
        };
        self.chance.one::<&'static str>(among)
    }

    /// An address with junk in place of its variables.
    fn filled(&mut self, address: &str) -> String {
        let mut parts = Vec::new();
        for part in address.split('/') {
            let is_variable = part.starts_with('{');
            parts.push(if is_variable { escaped(&self.junk_text()) } else { part.to_string() });
        }
        parts.join("/")
    }

    fn send(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
            self.server,
            body.len()
        );
        self.send_raw(&[head.as_bytes(), body].concat(), WriteSide::Open);
    }

    /// Sends bytes and reads the first line of the answer, if any.
    fn send_raw(&mut self, bytes: &[u8], write_side: WriteSide) {
        let mut stream = match connect(self.server) {
            Ok(stream) => stream,
            Err(why) => return self.report.problems.push(format!("cannot connect: {why}")),
        };
        // The server may answer and close before it has read all bytes.
        let _ = stream.write_all(bytes);
        if write_side == WriteSide::Closed {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut start = [0; 400];
        let mut length = 0;
        while let Ok(more @ 1..) = stream.read(&mut start[length..]) {
            length += more;
            if length == start.len() || start[..length].contains(&b'\n') {
                break;
            }
        }
        let line = String::from_utf8_lossy(&start[..length]).into_owned();
        match line.split(' ').nth(1).and_then(|word| word.parse().ok()) {
            Some(status) => self.count(status, bytes),
            None => self.report.unanswered += 1,
        }
    }

    fn count(&mut self, status: u16, request: &[u8]) {
        *self.report.statuses.entry(status).or_default() += 1;
        if status >= 500 {
            let request: String = String::from_utf8_lossy(request).chars().take(600).collect();
            self.report.problems.push(format!("{status} for {request:?}"));
        }
    }
}
