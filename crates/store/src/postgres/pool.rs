//! Connections that wait for work, and how work is tried again: once on a new connection where the old
//! one was lost, a few times where two writers were in each other's way. All work here may be repeated.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::errors::PostgresError;
use super::session::{Server, Session};
use crate::StoreError;

/// Connections that are kept for the next call.
const IDLE: usize = 4;

/// How often two writers may collide before one gives up.
const COLLISIONS: u32 = 10;

/// A set of connections.
pub(crate) struct Pool {
    state: Mutex<State>,
    returned: Condvar,
}

struct State {
    idle: Vec<Session>,
    /// How many more may be at work.
    free: usize,
}

impl Pool {
    /// No more than so many are at work at once; further callers wait.
    pub(crate) fn with_limit(limit: usize) -> Pool {
        Pool {
            state: Mutex::new(State { idle: Vec::new(), free: limit }),
            returned: Condvar::new(),
        }
    }

    /// As many as are wanted.
    pub(crate) fn without_limit() -> Pool {
        Pool::with_limit(usize::MAX)
    }

    /// Keeps a connection for the next call.
    pub(crate) fn keep(&self, session: Session) {
        let mut state = self.lock();
        if state.idle.len() < IDLE && !session.client.is_closed() {
            state.idle.push(session);
        }
    }

    /// Does the work on a connection.
    pub(crate) fn run<T>(
        &self,
        server: &Server,
        work: impl FnMut(&mut Session) -> Result<T, PostgresError>,
    ) -> Result<T, StoreError> {
        let place = Permit::take(self);
        let idle = place.pool.lock().idle.pop();
        self.run_on(idle, server, work).map_err(|error| error.into_store_error(&server.place))
    }

    fn run_on<T>(
        &self,
        idle: Option<Session>,
        server: &Server,
        mut work: impl FnMut(&mut Session) -> Result<T, PostgresError>,
    ) -> Result<T, PostgresError> {
        let mut session = match idle {
            Some(session) => session,
            None => server.connect()?,
        };
        let mut has_reconnected = false;
        let mut collisions = 0;
        loop {
            let error = match work(&mut session) {
                Ok(answer) => {
                    self.keep(session);
                    return Ok(answer);
                }
                Err(error) => error,
            };
            // Players that the failed transaction has entered are gone with it.
            session.players.clear();
            if error.is_lost_connection() && !has_reconnected {
                has_reconnected = true;
                self.lock().idle.clear();
                session = server.connect_again()?;
            } else if error.is_conflict() && collisions < COLLISIONS {
                collisions += 1;
            } else {
                self.keep(session);
                return Err(error);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to be at work; given back when dropped, also when the work panics.
struct Permit<'a> {
    pool: &'a Pool,
}

impl<'a> Permit<'a> {
    fn take(pool: &'a Pool) -> Permit<'a> {
        let mut state = pool
            .returned
            .wait_while(pool.lock(), |state| state.free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        state.free -= 1;
        Permit { pool }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.pool.lock().free += 1;
        self.pool.returned.notify_one();
    }
}
