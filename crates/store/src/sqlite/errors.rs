//! Converts errors of SQLite to errors of a store.

use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::StoreError;

/// The error text for a file that is not a SQLite database.
pub(crate) const NO_DATABASE: &str = "not a SQLite database, or its header is overwritten; \
                                      expected a store or a new file";

/// An error without the address of the store.
#[derive(Clone, Debug)]
pub(crate) enum SqliteError {
    /// An error of SQLite.
    Sqlite { code: Option<ErrorCode>, extended: i32, message: String },
    /// The file cannot be opened.
    NotOpened(String),
    /// The file is not a store.
    Foreign(String),
    /// The file is read-only.
    ReadOnly(String),
    /// A row cannot be decoded.
    Unreadable(String),
    /// Any other error.
    Failed(String),
}

impl From<rusqlite::Error> for SqliteError {
    fn from(error: rusqlite::Error) -> SqliteError {
        match &error {
            rusqlite::Error::SqliteFailure(failure, message) => SqliteError::Sqlite {
                code: Some(failure.code),
                extended: failure.extended_code,
                message: one_line(message.as_deref().unwrap_or(&error.to_string())),
            },
            // Invalid UTF-8 or a value of the wrong type: a page was overwritten.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::IntegralValueOutOfRange(..) => {
                SqliteError::Unreadable(one_line(&error.to_string()))
            }
            _ => SqliteError::Sqlite {
                code: None,
                extended: 0,
                message: one_line(&error.to_string()),
            },
        }
    }
}

impl SqliteError {
    /// The writer thread has ended.
    pub(crate) fn writer_ended() -> SqliteError {
        SqliteError::Failed("the writer thread has ended; open the store again".to_string())
    }

    /// Whether SQLite reported this code.
    pub(crate) fn is(&self, wanted: ErrorCode) -> bool {
        matches!(self, SqliteError::Sqlite { code: Some(code), .. } if *code == wanted)
    }

    /// The error of an open store.
    pub(crate) fn into_store_error(self, place: &str) -> StoreError {
        let place = place.to_string();
        match self {
            SqliteError::Sqlite { code, extended, message } => {
                of_code(place, code, extended, message)
            }
            SqliteError::NotOpened(why) => StoreError::NotOpened { place, why },
            SqliteError::Foreign(why) => StoreError::WrongSchema { place, why },
            SqliteError::ReadOnly(why) => StoreError::ReadOnly { place, why },
            SqliteError::Unreadable(why) => StoreError::Damaged { place, why },
            SqliteError::Failed(why) => StoreError::Failed { place, why },
        }
    }

    /// The error of a store that is being opened: a file that is not a database is not a damaged
    /// store.
    pub(crate) fn into_open_error(self, place: &str) -> StoreError {
        if self.is(ErrorCode::NotADatabase) {
            return SqliteError::Foreign(NO_DATABASE.to_string()).into_store_error(place);
        }
        self.into_store_error(place)
    }
}

fn of_code(place: String, code: Option<ErrorCode>, extended: i32, message: String) -> StoreError {
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { place, why: message }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { place, why: message }
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { place, why: message },
        // Writes that fail without ENOSPC: a quota or a limit on file sizes. SQLite also reports a
        // full disk under its shared memory this way.
        Some(ErrorCode::SystemIoFailure)
            if matches!(extended, ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE) =>
        {
            let why = format!("{message} while writing (full disk, quota or limit on file sizes)");
            StoreError::Full { place, why }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { place, why: message }
        }
        Some(ErrorCode::CannotOpen) => {
            let why = format!("{message}; expected a writable file and folder");
            StoreError::NotOpened { place, why }
        }
        Some(ErrorCode::SystemIoFailure) => {
            let why = format!("{message} (code {extended}); check the disk");
            StoreError::Failed { place, why }
        }
        _ => StoreError::Failed { place, why: message },
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
