//! The thread that writes. Callers send it their records and wait; it takes everything that is waiting,
//! writes it in one transaction and answers when the transaction is on the disk. So many threads that add
//! one game each share the price of one sync.

use std::collections::HashMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use rusqlite::{Connection, ErrorCode};

use super::errors::SqliteError;
use super::insert::insert;
use crate::{AddCounts, PlayerRecord, Record};

/// A transaction takes no more waiting callers once it has so many records.
const FULL_GROUP: usize = 10_000;

/// Where to send records. Dropping it ends the thread, after all that was sent is written.
pub(crate) struct Writer {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

/// What one caller wants written, and where it waits.
struct Request {
    records: Vec<Record>,
    answer: Sender<Answer>,
}

type Answer = Result<AddCounts, SqliteError>;

/// The numbers of players that were seen; what is in it is in the table.
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
            .map_err(|why| SqliteError::Failed(format!("its writer cannot be started: {why}")))?;
        Ok(Writer { requests: Some(requests), thread: Some(thread) })
    }

    /// Writes these records; they are on the disk when it returns.
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
            // A panic over there was answered as such; there is nothing left to tell.
            let _ = thread.join();
        }
    }
}

/// What the thread owns.
struct WriterThread {
    connection: Connection,
    players: Players,
}

impl WriterThread {
    fn serve(&mut self, waiting: &Receiver<Request>) {
        while let Ok(first) = waiting.recv() {
            let group = gather(first, waiting);
            let answers = self.write_all(&group);
            for (request, answer) in group.iter().zip(answers) {
                // A caller that no longer waits has no use for an answer.
                let _ = request.answer.send(answer);
            }
        }
    }

    /// Writes a group in one transaction. Where the transaction as a whole fails, each request gets one
    /// of its own, so that nobody fails for what a neighbour sent.
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
                // Should even this fail, the next `BEGIN` reports it.
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

    /// The outer error is one that has cost the whole transaction.
    fn write_one(&mut self, request: &Request) -> Result<Answer, SqliteError> {
        self.connection.execute_batch("SAVEPOINT request")?;
        match insert(&self.connection, &mut self.players, &request.records) {
            Ok(added) => {
                self.connection.execute_batch("RELEASE request")?;
                Ok(Ok(added))
            }
            // A full disk makes SQLite give up everything since `BEGIN`.
            Err(error) if self.connection.is_autocommit() => Err(error),
            Err(error) => {
                self.players.clear();
                self.connection.execute_batch("ROLLBACK TO request; RELEASE request")?;
                Ok(Err(error))
            }
        }
    }
}

fn gather(first: Request, waiting: &Receiver<Request>) -> Vec<Request> {
    let mut records = first.records.len();
    let mut group = vec![first];
    while records < FULL_GROUP {
        let Ok(next) = waiting.try_recv() else { break };
        records += next.records.len();
        group.push(next);
    }
    group
}
