//! Malformed requests: random bytes, huge numbers, wrong types, scripts in names, forged games.
//! None may cause a server error or leave a trace in the store, and all valid games played
//! meanwhile must be stored.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::chance::Chance;
use super::http::{Answer, Visitor};
use super::malformed_visitor::MalformedVisitor;
use super::server::Server;

/// Simultaneous visitors.
const AT_ONCE: usize = 8;
/// A valid game is played after this many malformed requests.
const VALID_GAME_EVERY: usize = 250;

/// The results.
#[derive(Default)]
pub(super) struct Report {
    pub(super) statuses: BTreeMap<u16, usize>,
    /// Requests after which the connection was closed without an answer.
    pub(super) unanswered: usize,
    /// The keys of the valid games.
    stored: BTreeSet<String>,
    pub(super) problems: Vec<String>,
}

/// Sends this many requests.
pub(super) fn run(server: &Server, requests: usize, seed: u64) -> Report {
    let sent = AtomicUsize::new(0);
    let (address, counter) = (server.address, &sent);
    let addresses = &known_addresses(address);
    std::thread::scope(|scope| {
        let send_requests = move |number: u64| {
            let mut chance = Chance::new(seed, number);
            let mut attacker =
                MalformedVisitor::new(address, Chance::new(seed ^ 1, number), addresses);
            let mut stored = BTreeSet::new();
            loop {
                let number = counter.fetch_add(1, Ordering::Relaxed);
                if number >= requests {
                    return Report { stored, ..attacker.report };
                }
                if number.is_multiple_of(VALID_GAME_EVERY) {
                    match valid_game(address, &mut chance) {
                        Ok(key) => drop(stored.insert(key)),
                        Err(why) => attacker.report.problems.push(format!("a valid game: {why}")),
                    }
                }
                attacker.send_one(number);
            }
        };
        let threads: Vec<_> =
            (0..AT_ONCE as u64).map(|number| scope.spawn(move || send_requests(number))).collect();
        threads.into_iter().fold(Report::default(), |all, thread| match thread.join() {
            Ok(one) => all.with(one),
            Err(_) => all.with(Report::failed("a thread panicked".to_string())),
        })
    })
}

impl Report {
    fn failed(why: String) -> Report {
        Report { problems: vec![why], ..Report::default() }
    }

    fn with(mut self, other: Report) -> Report {
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.unanswered += other.unanswered;
        self.stored.extend(other.stored);
        self.problems.extend(other.problems);
        self
    }

    /// Prints the answers; returns an error after a server error or a wrong record.
    pub(super) fn check(self, server: &Server) -> Result<(), String> {
        println!("{:>8}  answers", "status");
        for (status, count) in &self.statuses {
            println!("{status:>8}  {count}");
        }
        println!("{:>8}  {}", "none", self.unanswered);
        if let Some(problem) = self.problems.first() {
            return Err(format!("{} problems, such as: {problem}", self.problems.len()));
        }
        self.check_store(&server.records()?)?;
        let mut visitor = Visitor::new(server.address);
        let page = visitor.get("/")?;
        if page.status != 200 {
            return Err(format!("the first page answers {} afterwards; expected 200", page.status));
        }
        Ok(())
    }

    /// Checks that the store has the valid games and no other records, and no text of a script.
    fn check_store(&self, records: &[Value]) -> Result<(), String> {
        let is_suspect = |record: &&Value| {
            let text = record.to_string().to_ascii_lowercase();
            ["<script", "onerror", "drop table", "' or "].iter().any(|bad| text.contains(bad))
        };
        if let Some(record) = records.iter().find(is_suspect) {
            return Err(format!("invalid record stored: {record}"));
        }
        let games: Vec<&Value> = records.iter().map(|record| &record["game"]).collect();
        let keys: BTreeSet<&str> = games.iter().filter_map(|game| game["key"].as_str()).collect();
        println!(
            "{} records in the store; {} valid games were sent",
            records.len(),
            self.stored.len()
        );
        if let Some(stray) = keys.iter().find(|key| !self.stored.contains(**key)) {
            let stray = games.iter().find(|game| game["key"] == **stray);
            return Err(format!("unexpected game stored: {stray:?}"));
        }
        if let Some(lost) = self.stored.iter().find(|key| !keys.contains(key.as_str())) {
            return Err(format!("valid game missing in the store: {lost}"));
        }
        Ok(())
    }
}

/// The addresses of the API: those that it describes, and a fixed list.
fn known_addresses(server: SocketAddr) -> Vec<(String, String)> {
    let described = Visitor::new(server).get("/api/openapi.json");
    let described = described.and_then(|answer: Answer| answer.json()).unwrap_or_default();
    let mut addresses: Vec<(String, String)> =
        KNOWN.iter().map(|(method, address)| (method.to_string(), address.to_string())).collect();
    for (address, methods) in described["paths"].as_object().into_iter().flatten() {
        for method in methods.as_object().into_iter().flatten().map(|(name, _)| name) {
            addresses.push((method.to_ascii_uppercase(), address.clone()));
        }
    }
    addresses.sort();
    addresses.dedup();
    println!("{} addresses of the API", addresses.len());
    addresses
}

/// Methods and addresses that take input.
const KNOWN: &[(&str, &str)] = &[
    ("GET", "/api/game"),
    ("GET", "/api/position"),
    ("POST", "/api/move"),
    ("GET", "/api/thinking"),
    ("GET", "/api/analysis"),
    ("POST", "/api/analysis"),
    ("GET", "/api/chart"),
    ("POST", "/api/records"),
    ("POST", "/api/export"),
    ("POST", "/api/import"),
    ("GET", "/api/think/tree"),
    ("GET", "/api/think/visits"),
    ("GET", "/api/think/forest"),
    ("GET", "/api/think/critic"),
    ("GET", "/api/think/threats"),
    ("GET", "/api/think/solver"),
    ("POST", "/api/gems"),
    ("GET", "/api/gems/{id}"),
    ("POST", "/api/gems/{id}/swap"),
    ("POST", "/api/gems/{id}/hint"),
    ("POST", "/api/gems/{id}/score"),
    ("GET", "/api/scores"),
    ("GET", "/api/lab/runs/{id}"),
    ("GET", "/api/lab/runs/{id}/plots/{name}"),
    ("POST", "/api/lab/jobs"),
    ("POST", "/api/lab/jobs/{id}/stop"),
    ("GET", "/api/library"),
    ("GET", "/api/library/game"),
    ("GET", "/play/{game}"),
    ("GET", "/pages/{file}"),
];

/// Plays and records a valid game between two people, and returns its key.
fn valid_game(server: SocketAddr, chance: &mut Chance) -> Result<String, String> {
    let mut visitor = Visitor::new(server);
    visitor.get("/api/recording")?.json()?;
    let mut position = String::new();
    loop {
        let path = format!("/api/position?game=connect4&moves={position}");
        let now = visitor.get(&path)?.json()?;
        if !now["outcome"].is_null() {
            break;
        }
        let moves = now["moves"].as_array().ok_or("no moves")?;
        position.push_str(chance.one(moves)["move"].as_str().ok_or("no move")?);
    }
    let record = json!({
        "game": "connect4", "moves": position, "first": "human", "second": "human", "resigned": null,
    });
    let answer = visitor.post("/api/records", &record)?.json()?;
    answer["key"].as_str().map(str::to_string).ok_or_else(|| format!("no key in {answer}"))
}
