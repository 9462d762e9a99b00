//! A queue, a database, and processes that use them.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;

use crate::processes::Program;
use crate::servers::nats::{NatsServer, Options};
use crate::servers::postgres::Postgres;
use crate::terminal::{CommandOutput, Terminal};
use crate::{TIMEOUT, nats, postgres};

/// Both servers, and the folder in which all processes run.
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

    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path_of(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        let path = self.path_of(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Starts a worker with one thread.
    pub(crate) fn worker(&self, name: &str) -> Program {
        self.start(&format!("worker --threads 1 --name {name} --cache cache-{name}"))
    }

    /// Starts a run whose games the workers play, in small jobs with a short lease.
    pub(crate) fn run(&self, command_line: &str) -> Program {
        self.start(&format!("{command_line} --job-time 200ms --lease 2s"))
    }

    /// Starts any verb with the options for queue and store.
    pub(crate) fn start(&self, command_line: &str) -> Program {
        let (queue, store) = (self.nats.url(), self.postgres.url());
        let mut words: Vec<&str> = command_line.split_whitespace().collect();
        words.extend(["--queue", &queue, "--store", &store]);
        Program::start(self.folder.path(), &words)
    }

    /// Does the same run in one process, without queue and servers.
    pub(crate) fn run_locally(&self, command_line: &str) -> CommandOutput {
        let mut words: Vec<&str> = command_line.split_whitespace().collect();
        let store = self.path_of("alone.db");
        let store = store.to_str().unwrap();
        if ["tournament", "match"].contains(&words[0]) {
            words.extend(["--store", store]);
        }
        let answer = Program::start(self.folder.path(), &words).wait(TIMEOUT);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        answer
    }

    /// All games of an event in the database, sorted by key.
    pub(crate) fn games(&self, event: &str) -> Vec<(String, Value)> {
        let store = self.postgres.url();
        games(&store, event)
    }

    /// The games of an event that `run_locally` has played.
    pub(crate) fn local_games(&self, event: &str) -> Vec<(String, Value)> {
        games(self.path_of("alone.db").to_str().unwrap(), event)
    }

    /// Waits until the queue shows `count` workers.
    pub(crate) fn wait_for_workers(&self, count: usize) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            // The command fails until the first worker has created the tables of the store.
            let answer = self.start("queue status --json").wait(TIMEOUT);
            let status = serde_json::from_str::<Value>(&answer.stdout).unwrap_or_default();
            if status["workers"].as_array().map_or(0, Vec::len) == count {
                return;
            }
            assert!(Instant::now() < deadline, "{status} {}", answer.stderr);
        }
    }

    /// The status of the queue.
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
            // Times differ between runs.
            for field in ["played_at", "thoughts"] {
                game.as_object_mut().unwrap().remove(field);
            }
            (game["key"].as_str().unwrap().to_string(), game)
        })
        .collect();
    games.sort_by(|a, b| a.0.cmp(&b.0));
    games
}
