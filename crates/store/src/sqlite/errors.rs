//! What SQLite complains about, as the errors of a store.

use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::StoreError;

/// What to say about a file that is none of SQLite's.
pub(crate) const NO_DATABASE: &str = "it is no SQLite database, or its beginning was overwritten; \
                                      name a store, or a file that does not exist yet";

/// What went wrong, before it is known to whom and where it must be told.
#[derive(Clone, Debug)]
pub(crate) enum SqliteError {
    /// SQLite said so.
    Sqlite { code: Option<ErrorCode>, extended: i32, message: String },
    /// The file cannot be opened, and why.
    NotOpened(String),
    /// The file is no store of ours, and why.
    Foreign(String),
    /// It may only be read, and why.
    ReadOnly(String),
    /// A row holds what no store wrote.
    Unreadable(String),
    /// Anything else, and what would help.
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
            // Text that is not UTF-8, a number where text belongs: a page was overwritten.
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
    /// The thread that writes has ended.
    pub(crate) fn writer_ended() -> SqliteError {
        SqliteError::Failed("its writer has ended; open it again".to_string())
    }

    /// Whether this is SQLite's code.
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

    /// The error of a store that is being opened. What is no database at all is no damaged store.
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
        // Writes that fail without ENOSPC: a quota, a limit on the size of files. SQLite reports a
        // full disk under its shared memory like this too.
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
            let why = format!("{message}; check that the file and its folder may be written");
            StoreError::NotOpened { place, why }
        }
        Some(ErrorCode::SystemIoFailure) => {
            let why = format!("{message} (code {extended}); check the disk it is on");
            StoreError::Failed { place, why }
        }
        _ => StoreError::Failed { place, why: message },
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
