//! Converts errors of PostgreSQL to errors of a store. No message contains a password: none quotes
//! the URL, and the server does not repeat passwords.

use std::error::Error as _;

use postgres::error::SqlState;

use crate::StoreError;

/// An error without the address of the store.
#[derive(Debug)]
pub(crate) enum PostgresError {
    /// An error of the server or the connection.
    Server(postgres::Error),
    /// The same, not to be retried.
    Final(postgres::Error),
    /// The database is not a store.
    Foreign(String),
    /// A row cannot be decoded.
    Unreadable(String),
    /// Any other error.
    Failed(String),
}

impl From<postgres::Error> for PostgresError {
    fn from(error: postgres::Error) -> PostgresError {
        PostgresError::Server(error)
    }
}

impl PostgresError {
    /// Whether the connection is lost, so that a new one may succeed.
    pub(crate) fn is_lost_connection(&self) -> bool {
        let PostgresError::Server(error) = self else { return false };
        match error.code() {
            Some(code) => is_going_down(code),
            None => error.is_closed() || is_io_error(error),
        }
    }

    /// Whether two writers conflicted, so that a retry helps.
    pub(crate) fn is_conflict(&self) -> bool {
        let PostgresError::Server(error) = self else { return false };
        error.code().is_some_and(|code| CONFLICTS.contains(code))
    }

    /// Marks the error as not to be retried.
    pub(crate) fn into_final(self) -> PostgresError {
        match self {
            PostgresError::Server(error) => PostgresError::Final(error),
            other => other,
        }
    }

    /// The error of an open store.
    pub(crate) fn into_store_error(self, place: &str) -> StoreError {
        let place = place.to_string();
        match self {
            PostgresError::Server(error) | PostgresError::Final(error) => of_server(place, &error),
            PostgresError::Foreign(why) => StoreError::WrongSchema { place, why },
            PostgresError::Unreadable(why) => StoreError::Damaged { place, why },
            PostgresError::Failed(why) => StoreError::Failed { place, why },
        }
    }

    /// The error of a store that is being opened.
    pub(crate) fn into_open_error(self, place: &str) -> StoreError {
        match &self {
            PostgresError::Server(error)
                if error.code() == Some(&SqlState::INVALID_CATALOG_NAME) =>
            {
                let why = format!("{}; create it with createdb", message(error));
                StoreError::NotOpened { place: place.to_string(), why }
            }
            _ => self.into_store_error(place),
        }
    }
}

/// Conflicts between two writers.
const CONFLICTS: [SqlState; 2] =
    [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];

/// Whether the server is stopping, is starting, or has closed an idle connection.
fn is_going_down(code: &SqlState) -> bool {
    let codes = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    code.code().starts_with("08") || codes.contains(code)
}

/// Whether the user or the password was refused.
fn is_refusal(code: &SqlState) -> bool {
    code.code().starts_with("28")
}

fn is_io_error(error: &postgres::Error) -> bool {
    error.source().is_some_and(|source| source.is::<std::io::Error>())
}

fn of_server(place: String, error: &postgres::Error) -> StoreError {
    let why = message(error);
    let Some(code) = error.code() else {
        if error.is_closed() || is_io_error(error) {
            let why = format!("{why}; expected a running, reachable server");
            return StoreError::Unreachable { place, why };
        }
        return StoreError::Failed { place, why };
    };
    if is_going_down(code) {
        return StoreError::Unreachable { place, why };
    }
    if is_refusal(code) {
        return StoreError::NotOpened { place, why };
    }
    let is = |codes: &[SqlState]| codes.contains(code);
    if is(&[SqlState::DISK_FULL]) {
        StoreError::Full { place, why }
    } else if is(&[SqlState::READ_ONLY_SQL_TRANSACTION, SqlState::INSUFFICIENT_PRIVILEGE]) {
        StoreError::ReadOnly { place, why }
    } else if is(&[SqlState::LOCK_NOT_AVAILABLE, SqlState::TOO_MANY_CONNECTIONS]) || is(&CONFLICTS)
    {
        StoreError::Busy { place, why }
    } else if is(&[SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED]) {
        StoreError::Damaged { place, why }
    } else if is(&[SqlState::UNDEFINED_TABLE, SqlState::UNDEFINED_COLUMN]) {
        let why = format!("{why}; the tables were modified by another program");
        StoreError::WrongSchema { place, why }
    } else {
        StoreError::Failed { place, why }
    }
}

/// The message of an error with its causes, on one line.
pub(crate) fn message(error: &postgres::Error) -> String {
    let text = match error.as_db_error() {
        Some(error) => match error.hint() {
            Some(hint) => format!("{} ({hint})", error.message()),
            None => error.message().to_string(),
        },
        None => match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
