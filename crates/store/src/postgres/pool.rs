//! A connection pool with retries: once on a new connection if the old one is lost, a few times if
//! two writers conflict. All operations here are safe to repeat.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::errors::PostgresError;
use super::session::{Server, Session};
use crate::StoreError;

/// The most idle connections that are kept.
const MAX_IDLE: usize = 4;

/// The most conflicts of one operation before it fails.
const MAX_CONFLICTS: u32 = 10;

/// A pool of connections.
pub(crate) struct Pool {
    state: Mutex<PoolState>,
    returned: Condvar,
}

struct PoolState {
    idle: Vec<Session>,
    /// How many more operations may run.
    free: usize,
}

impl Pool {
    /// A pool that runs at most `limit` operations at once; further callers wait.
    pub(crate) fn with_limit(limit: usize) -> Pool {
        Pool {
            state: Mutex::new(PoolState { idle: Vec::new(), free: limit }),
            returned: Condvar::new(),
        }
    }

    /// A pool without a limit.
    pub(crate) fn without_limit() -> Pool {
        Pool::with_limit(usize::MAX)
    }

    /// Keeps a connection for the next call.
    pub(crate) fn keep(&self, session: Session) {
        let mut state = self.lock();
        if state.idle.len() < MAX_IDLE && !session.client.is_closed() {
            state.idle.push(session);
        }
    }

    /// Runs an operation on a connection.
    pub(crate) fn run<T>(
        &self,
        server: &Server,
        work: impl FnMut(&mut Session) -> Result<T, PostgresError>,
    ) -> Result<T, StoreError> {
        let permit = Permit::acquire(self);
        let idle = permit.pool.lock().idle.pop();
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
        let mut conflicts = 0;
        loop {
            let error = match work(&mut session) {
                Ok(answer) => {
                    self.keep(session);
                    return Ok(answer);
                }
                Err(error) => error,
            };
            // Players that the failed transaction inserted were rolled back.
            session.players.clear();
            if error.is_lost_connection() && !has_reconnected {
                has_reconnected = true;
                self.lock().idle.clear();
                session = server.connect_again()?;
            } else if error.is_conflict() && conflicts < MAX_CONFLICTS {
                conflicts += 1;
            } else {
                self.keep(session);
                return Err(error);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Permission to run an operation; released when dropped, even on a panic.
struct Permit<'a> {
    pool: &'a Pool,
}

impl<'a> Permit<'a> {
    fn acquire(pool: &'a Pool) -> Permit<'a> {
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
