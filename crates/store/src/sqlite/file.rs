//! Opens the file: checks that it is a store, whether it is writable, and migrates its tables. A
//! file of another program is never modified.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::errors::{NO_DATABASE, SqliteError};
use crate::migrations;
use crate::open::Access;

/// The application id of a store: `TESU` in ASCII.
const APPLICATION_ID: i32 = 0x5445_5355;

/// How long a process waits for another that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The file of a store, from which connections are opened.
pub(crate) struct StoreFile {
    path: PathBuf,
    mode: Mode,
}

/// How readers open the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Concurrently with a writer in this or another process.
    Shared,
    /// The folder is not writable either, so readers and writers could not synchronize: SQLite
    /// assumes that the file does not change.
    Immutable,
}

impl StoreFile {
    /// Opens or creates the file. The connection is for writing; `None` if that is not permitted.
    pub(crate) fn open(
        path: &Path,
        access: Access,
    ) -> Result<(StoreFile, Option<Connection>), SqliteError> {
        let path =
            std::path::absolute(path).map_err(|why| SqliteError::NotOpened(why.to_string()))?;
        check_path(&path, access)?;
        check_header(&path)?;
        // Inspected through a read-only connection, so that foreign files are not modified.
        let inspected = inspect(&path);
        if let Ok((Contents::Foreign(why), _)) = inspected {
            return Err(SqliteError::Foreign(why));
        }
        match open_for_writing(&path, access) {
            Ok(connection) => Ok((StoreFile { path, mode: Mode::Shared }, Some(connection))),
            Err(error) if is_write_denied(&error) => {
                let (contents, mode) = inspected.map_err(|_| error)?;
                contents.must_be_current()?;
                Ok((StoreFile { path, mode }, None))
            }
            Err(error) => Err(error),
        }
    }

    /// Opens a connection for reading.
    pub(crate) fn reader(&self) -> Result<Connection, SqliteError> {
        open_for_reading(&self.path, self.mode)
    }

    /// Its size on disk, including the write-ahead log.
    pub(crate) fn bytes(&self) -> u64 {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
        size(&self.path) + size(&companion(&self.path, "-wal"))
    }
}

/// The path of a companion file of SQLite, such as the write-ahead log.
fn companion(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

fn check_path(path: &Path, access: Access) -> Result<(), SqliteError> {
    if path.is_dir() {
        return Err(SqliteError::NotOpened("is a folder; expected a file".to_string()));
    }
    if path.exists() && !path.is_file() {
        let why = "is a device or a pipe; expected a regular file";
        return Err(SqliteError::NotOpened(why.to_string()));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
        let why =
            format!("folder {} does not exist; expected an existing folder", folder.display());
        return Err(SqliteError::NotOpened(why));
    }
    if access == Access::Existing && !path.exists() {
        return Err(SqliteError::NotOpened("no such file; expected an existing store".to_string()));
    }
    Ok(())
}

/// Checks the header before SQLite opens the file: SQLite would treat any file of a few bytes as an
/// empty database and overwrite it, and would read a truncated file as far as it goes. No lock
/// protects this check, and another process may be creating the file, so an error must repeat.
fn check_header(path: &Path) -> Result<(), SqliteError> {
    let mut result = check_header_once(path);
    for _ in 0..3 {
        if result.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
        result = check_header_once(path);
    }
    result
}

/// Checks the header once. If there is a journal, a transaction is in progress or was interrupted,
/// and SQLite resolves that itself.
fn check_header_once(path: &Path) -> Result<(), SqliteError> {
    let Ok(mut file) = File::open(path) else { return Ok(()) };
    let mut header = [0; 100];
    let is_whole = file.read_exact(&mut header).is_ok();
    let length = file.metadata().map_or(0, |found| found.len());
    if length == 0 || !has_no_changes_pending(path) {
        return Ok(());
    }
    if !is_whole || !header.starts_with(b"SQLite format 3\0") {
        return Err(SqliteError::Foreign(NO_DATABASE.to_string()));
    }
    match declared_length(&header) {
        Some(declared) if length < declared => Err(SqliteError::Unreadable(format!(
            "the file is truncated: it has {length} of {declared} bytes"
        ))),
        _ => Ok(()),
    }
}

/// The length of the database according to its header, if that is valid (SQLite's file format,
/// section 1.3: the page count is valid if two counters agree).
fn declared_length(header: &[u8; 100]) -> Option<u64> {
    let number = |at: usize| {
        header[at..at + 4].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let page = match number(16) >> 16 {
        1 => 65_536,
        size => size,
    };
    (number(24) == number(92)).then(|| page * number(28))
}

/// Whether the error means that writing is not permitted.
fn is_write_denied(error: &SqliteError) -> bool {
    matches!(error, SqliteError::ReadOnly(_))
        || error.is(ErrorCode::ReadOnly)
        || error.is(ErrorCode::CannotOpen)
        || error.is(ErrorCode::PermissionDenied)
}

/// The content of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Contents {
    /// Nothing.
    Nothing,
    /// A store with this schema version.
    Store(u32),
    /// Something else, with the text of the error.
    Foreign(String),
}

impl Contents {
    /// Reads the content in one transaction, in case another process is creating the file.
    fn of_file(connection: &Connection) -> Result<Contents, SqliteError> {
        Contents::of(&*connection.unchecked_transaction()?)
    }

    /// Reads the content within a transaction.
    fn of(connection: &Connection) -> Result<Contents, SqliteError> {
        let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        let application = number("PRAGMA application_id")?;
        let version = number("PRAGMA user_version")?;
        let tables = number("SELECT count(*) FROM sqlite_master")?;
        if application != i64::from(APPLICATION_ID) {
            return Ok(match (application, version, tables) {
                (0, 0, 0) => Contents::Nothing,
                _ => Contents::Foreign(
                    "is a database of another program; expected a store or a new file".to_string(),
                ),
            });
        }
        Ok(match u32::try_from(version) {
            Ok(version @ 1..=migrations::CURRENT) => Contents::Store(version),
            Ok(version) if version > 0 => Contents::Foreign(migrations::too_new(version)),
            _ => Contents::Foreign(format!(
                "schema version {version} is invalid; expected 1 or more"
            )),
        })
    }

    /// A read-only store cannot be migrated, so it must be current.
    fn must_be_current(&self) -> Result<(), SqliteError> {
        match self {
            Contents::Store(migrations::CURRENT) => Ok(()),
            Contents::Store(version) => Err(SqliteError::ReadOnly(format!(
                "schema version {version} must be migrated to {}; \
                 open the store once with write access",
                migrations::CURRENT
            ))),
            Contents::Nothing => Err(SqliteError::ReadOnly("file is empty".to_string())),
            Contents::Foreign(why) => Err(SqliteError::Foreign(why.clone())),
        }
    }
}

/// Reads the content of a file through a read-only connection.
fn inspect(path: &Path) -> Result<(Contents, Mode), SqliteError> {
    let shared = open_for_reading(path, Mode::Shared).and_then(|seen| Contents::of_file(&seen));
    match shared {
        Ok(contents) => Ok((contents, Mode::Shared)),
        // Shared reading needs a shared-memory file, which cannot be created here. The file can be
        // read as immutable unless a writer has left pending changes.
        Err(error) if is_write_denied(&error) && has_no_changes_pending(path) => {
            let alone = open_for_reading(path, Mode::Immutable)?;
            Ok((Contents::of_file(&alone)?, Mode::Immutable))
        }
        Err(error) => Err(error),
    }
}

fn has_no_changes_pending(path: &Path) -> bool {
    ["-wal", "-journal"].iter().all(|ending| {
        std::fs::metadata(companion(path, ending)).map_or(0, |found| found.len()) == 0
    })
}

fn open_for_reading(path: &Path, mode: Mode) -> Result<Connection, SqliteError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match mode {
        Mode::Shared => Connection::open_with_flags(path, flags)?,
        Mode::Immutable => {
            let uri = format!("file:{}?immutable=1", percent_encoded(path)?);
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
        }
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    harden(&connection)?;
    Ok(connection)
}

fn percent_encoded(path: &Path) -> Result<String, SqliteError> {
    let text = path.to_str();
    let text = text.ok_or_else(|| SqliteError::NotOpened("the path is not UTF-8".to_string()))?;
    Ok(text.bytes().map(escaped).collect())
}

fn escaped(byte: u8) -> String {
    match byte {
        b'/' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

/// Applies SQLite's advice for untrusted files (sqlite.org/security.html): the schema may not call
/// functions with side effects, cells are checked when a page is read, and SQL cannot corrupt the
/// file.
fn harden(connection: &Connection) -> Result<(), SqliteError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(())
}

/// Opens a connection for writing, to a file whose tables are current.
fn open_for_writing(path: &Path, access: Access) -> Result<Connection, SqliteError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, access == Access::Create);
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    harden(&connection)?;
    // Commits are durable before they are acknowledged.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if connection.is_readonly("main")? {
        return Err(SqliteError::ReadOnly("this user may not write the file".to_string()));
    }
    migrate(&mut connection, access)?;
    use_write_ahead_log(&connection)?;
    Ok(connection)
}

/// Runs the missing migrations in one transaction. The content is read again inside it, because
/// another process may be doing the same.
fn migrate(connection: &mut Connection, access: Access) -> Result<(), SqliteError> {
    if Contents::of_file(connection)? == Contents::Store(migrations::CURRENT) {
        return Ok(());
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version = match Contents::of(&change)? {
        Contents::Store(version) => version,
        Contents::Nothing if access == Access::Create => 0,
        Contents::Nothing => {
            return Err(SqliteError::Foreign("file is empty; expected a store".to_string()));
        }
        Contents::Foreign(why) => return Err(SqliteError::Foreign(why)),
    };
    for step in migrations::after(version) {
        change.execute_batch(step.sqlite)?;
        change.pragma_update(None, "user_version", step.version)?;
    }
    change.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(change.commit()?)
}

/// Enables the write-ahead log, so that readers and the writer run concurrently. The change needs
/// exclusive access for a moment, and SQLite does not wait for that by itself.
fn use_write_ahead_log(connection: &Connection) -> Result<(), SqliteError> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let answer = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))
            .map_err(SqliteError::from);
        match answer {
            Err(error) if error.is(ErrorCode::DatabaseBusy) && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error),
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                return Err(SqliteError::NotOpened(format!(
                    "the file system does not support a write-ahead log (SQLite offers {mode}); \
                     expected a local disk"
                )));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `kill -9` cannot show that a commit is durable, so the settings for it are checked.
    #[test]
    fn commits_are_synced() {
        let folder = tempfile::TempDir::new().unwrap();
        let connection = open_for_writing(&folder.path().join("games.db"), Access::Create).unwrap();
        let setting = |name: &str| {
            connection
                .pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
                .unwrap()
        };
        assert_eq!(setting("synchronous"), 2.into());
        assert_eq!(setting("journal_mode"), "wal".to_string().into());
        assert_eq!(setting("foreign_keys"), 1.into());
    }

    #[test]
    fn files_are_not_trusted() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("games.db");
        let writer = open_for_writing(&path, Access::Create).unwrap();
        let reader = open_for_reading(&path, Mode::Shared).unwrap();
        for connection in [writer, reader] {
            let on = |name: &str| {
                connection.pragma_query_value(None, name, |row| row.get::<_, bool>(0)).unwrap()
            };
            assert!(!on("trusted_schema") && on("cell_size_check"));
            assert!(connection.db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE).unwrap());
        }
    }

    /// A process that inspects a file while another creates it sees no store or a complete one.
    #[test]
    fn files_are_created_atomically() {
        for _ in 0..40 {
            let folder = tempfile::TempDir::new().unwrap();
            let path = folder.path().join("games.db");
            std::fs::write(&path, "").unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| open_for_writing(&path, Access::Create).unwrap());
                loop {
                    match inspect(&path).unwrap().0 {
                        Contents::Nothing => {}
                        Contents::Store(version) => break assert_eq!(version, migrations::CURRENT),
                        Contents::Foreign(why) => panic!("{why}"),
                    }
                }
            });
        }
    }

    #[test]
    fn paths_are_percent_encoded() {
        let encoded = percent_encoded(Path::new("/a b/ü?#%.db")).unwrap();
        assert_eq!(encoded, "/a%20b/%C3%BC%3F%23%25.db");
    }
}
