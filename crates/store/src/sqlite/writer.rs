//! The writer thread. Callers send it records and wait. It writes all waiting records in one
//! transaction and answers when the transaction is durable, so threads that add one game each share
//! the cost of a sync.

use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use rusqlite::{Connection, ErrorCode};

use super::errors::SqliteError;
use super::insert::insert;
use crate::{AddCounts, PlayerRecord, Record};

/// A transaction with this many records takes no further requests.
const GROUP_RECORDS: usize = 10_000;

/// Sends records to the writer thread. Dropping it ends the thread after all requests are written.
pub(crate) struct Writer {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

/// The records of one caller, and the channel of the answer.
struct Request {
    records: Vec<Record>,
    answer: Sender<Answer>,
}

type Answer = Result<AddCounts, SqliteError>;

/// Cached ids of players; all of them are in the table.
pub(crate) type Players = HashMap<PlayerRecord, i64>;

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(connection: Connection) -> Result<Writer, SqliteError> {
        connection.set_prepared_statement_cache_capacity(32);
        let (requests, waiting) = mpsc::channel();
        let mut inserter = WriterThread { connection, players: HashMap::new() };
        let thread = std::thread::Builder::new()
            .name("store writer".to_string())
            .spawn(move || inserter.serve(&waiting))
            .map_err(|why| {
                SqliteError::Failed(format!("the writer thread cannot be started: {why}"))
            })?;
        Ok(Writer { requests: Some(requests), thread: Some(thread) })
    }

    /// Writes records; they are durable when it returns.
    pub(crate) fn add(&self, records: Vec<Record>) -> Answer {
        let (answer, answered) = mpsc::channel();
        let requests = self.requests.as_ref().ok_or_else(SqliteError::writer_ended)?;
        requests.send(Request { records, answer }).map_err(|_| SqliteError::writer_ended())?;
        answered.recv().map_err(|_| SqliteError::writer_ended())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // Callers have seen a panic as an error already.
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct WriterThread {
    connection: Connection,
    players: Players,
}

impl WriterThread {
    fn serve(&mut self, waiting: &Receiver<Request>) {
        while let Ok(first) = waiting.recv() {
            let group = collect_group(first, waiting);
            let answers = self.write_all(&group);
            for (request, answer) in group.iter().zip(answers) {
                // The caller may no longer wait.
                let _ = request.answer.send(answer);
            }
        }
    }

    /// Writes a group in one transaction. If it fails as a whole, each request gets a separate
    /// transaction, so that no caller fails because of another's records.
    fn write_all(&mut self, group: &[Request]) -> Vec<Answer> {
        match self.write_group(group) {
            Ok(answers) => answers,
            Err(error) if group.len() == 1 || error.is(ErrorCode::DatabaseBusy) => {
                group.iter().map(|_| Err(error.clone())).collect()
            }
            Err(_) => group.iter().map(|request| self.write_alone(request)).collect(),
        }
    }

    fn write_alone(&mut self, request: &Request) -> Answer {
        let answers = self.write_group(std::slice::from_ref(request))?;
        answers.into_iter().next().unwrap_or_else(|| Err(SqliteError::writer_ended()))
    }

    fn write_group(&mut self, group: &[Request]) -> Result<Vec<Answer>, SqliteError> {
        let result = self.try_group(group);
        if result.is_err() {
            self.players.clear();
            if !self.connection.is_autocommit() {
                // If this fails too, the next `BEGIN` reports it.
                let _ = self.connection.execute_batch("ROLLBACK");
            }
        }
        result
    }

    fn try_group(&mut self, group: &[Request]) -> Result<Vec<Answer>, SqliteError> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut answers = Vec::with_capacity(group.len());
        for request in group {
            answers.push(self.write_one(request)?);
        }
        self.connection.execute_batch("COMMIT")?;
        Ok(answers)
    }

    /// The outer error means that the whole transaction was rolled back.
    fn write_one(&mut self, request: &Request) -> Result<Answer, SqliteError> {
        self.connection.execute_batch("SAVEPOINT request")?;
        match insert(&self.connection, &mut self.players, &request.records) {
            Ok(added) => {
                self.connection.execute_batch("RELEASE request")?;
                Ok(Ok(added))
            }
            // On a full disk SQLite rolls back everything since `BEGIN`.
            Err(error) if self.connection.is_autocommit() => Err(error),
            Err(error) => {
                self.players.clear();
                self.connection.execute_batch("ROLLBACK TO request; RELEASE request")?;
                Ok(Err(error))
            }
        }
    }
}

fn collect_group(first: Request, waiting: &Receiver<Request>) -> Vec<Request> {
    let mut records = first.records.len();
    let mut group = vec![first];
    while records < GROUP_RECORDS {
        let Ok(next) = waiting.try_recv() else { break };
        records += next.records.len();
        group.push(next);
    }
    group
}
