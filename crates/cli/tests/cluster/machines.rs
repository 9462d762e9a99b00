//! A queue, a database, and programs that use them.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use crate::processes::Program;
use crate::servers::nats::{NatsServer, Options};
use crate::servers::postgres::Postgres;
use crate::terminal::{Answer, Terminal};
use crate::{TIMEOUT, nats, postgres};

/// Both servers and a folder that all programs work in.
pub(crate) struct Machines {
    pub(crate) nats: NatsServer,
    pub(crate) postgres: Postgres,
    folder: TempDir,
}

impl Machines {
    pub(crate) fn new() -> Machines {
        let folder = tempfile::tempdir().unwrap();
        Machines { nats: nats(&Options::default()), postgres: postgres(), folder }
    }

    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.place(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        let path = self.place(name);
        std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
    }

    /// A worker with one thread.
    pub(crate) fn worker(&self, name: &str) -> Program {
        self.start(&format!("worker --threads 1 --name {name} --cache cache-{name}"))
    }

    /// A run whose games the workers play, in small jobs with a short lease.
    pub(crate) fn run(&self, command_line: &str) -> Program {
        self.start(&format!("{command_line} --job-time 200ms --lease 2s"))
    }

    /// Any verb, told where queue and store are.
    pub(crate) fn start(&self, command_line: &str) -> Program {
        let (queue, store) = (self.nats.url(), self.postgres.url());
        let mut words: Vec<&str> = command_line.split_whitespace().collect();
        words.extend(["--queue", &queue, "--store", &store]);
        Program::start(self.folder.path(), &words)
    }

    /// The same run in a process of its own, without queue and servers.
    pub(crate) fn alone(&self, command_line: &str) -> Answer {
        let mut words: Vec<&str> = command_line.split_whitespace().collect();
        let store = self.place("alone.db");
        let store = store.to_str().unwrap();
        if ["tournament", "match"].contains(&words[0]) {
            words.extend(["--store", store]);
        }
        let answer = Program::start(self.folder.path(), &words).wait(TIMEOUT);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer
    }

    /// All games of an event that are in the database, by their keys: the moves and the result.
    pub(crate) fn games(&self, event: &str) -> Vec<(String, Value)> {
        let store = self.postgres.url();
        games(&store, event)
    }

    pub(crate) fn games_alone(&self, event: &str) -> Vec<(String, Value)> {
        games(self.place("alone.db").to_str().unwrap(), event)
    }

    /// Waits until so many are at work.
    pub(crate) fn wait_for_workers(&self, count: usize) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            // The first worker makes the tables of the store.
            let answer = self.start("queue status --json").wait(TIMEOUT);
            let status = serde_json::from_str::<Value>(&answer.stdout).unwrap_or_default();
            if status["workers"].as_array().map_or(0, Vec::len) == count {
                return;
            }
            assert!(Instant::now() < deadline, "{status} {}", answer.stderr);
        }
    }

    /// How the queue stands.
    pub(crate) fn status(&self) -> Value {
        let answer = self.start("queue status --json").wait(TIMEOUT);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        serde_json::from_str(&answer.stdout).unwrap()
    }
}

fn games(store: &str, event: &str) -> Vec<(String, Value)> {
    let terminal = Terminal::new();
    let lines = terminal.run_words(&["store", "export", store, "all.jsonl"], b"");
    assert_eq!(lines.code, 0, "{}", lines.stderr);
    let text = std::fs::read_to_string(terminal.folder().join("all.jsonl")).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut games: Vec<(String, Value)> = records
        .filter_map(|record| record.get("game").cloned())
        .filter(|game| game["event"] == event)
        .map(|mut game| {
            // When and how fast is not what counts.
            for field in ["played_at", "thoughts"] {
                game.as_object_mut().unwrap().remove(field);
            }
            (game["key"].as_str().unwrap().to_string(), game)
        })
        .collect();
    games.sort_by(|a, b| a.0.cmp(&b.0));
    games
}
