//! Opening the file: is it ours, may it be written, are its tables up to date. A file that is not ours
//! is only ever read.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::errors::{NO_DATABASE, SqliteError};
use crate::migrations;
use crate::open::Access;

/// Marks a SQLite file as a store of ours: `TESU` in ASCII.
const APPLICATION_ID: i32 = 0x5445_5355;

/// How long one process waits for another that is writing.
const PATIENCE: Duration = Duration::from_secs(10);

/// A store's file, for opening more connections to it.
pub(crate) struct StoreFile {
    path: PathBuf,
    mode: Mode,
}

/// How readers open the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Beside a writer, here or in another process.
    Shared,
    /// The folder may not be written either, so that readers and writers could not agree: SQLite is told
    /// that nobody changes the file.
    Immutable,
}

impl StoreFile {
    /// Opens or makes the file. The connection is for writing; there is none where that is forbidden.
    pub(crate) fn open(
        path: &Path,
        access: Access,
    ) -> Result<(StoreFile, Option<Connection>), SqliteError> {
        let path =
            std::path::absolute(path).map_err(|why| SqliteError::NotOpened(why.to_string()))?;
        check_path(&path, access)?;
        check_header(&path)?;
        // Looked at through a connection that cannot write, so that a stranger's file stays as it is.
        let seen = inspect(&path);
        if let Ok((Contents::Foreign(why), _)) = seen {
            return Err(SqliteError::Foreign(why));
        }
        match open_for_writing(&path, access) {
            Ok(connection) => Ok((StoreFile { path, mode: Mode::Shared }, Some(connection))),
            Err(error) if is_write_denied(&error) => {
                let (contents, mode) = seen.map_err(|_| error)?;
                contents.must_be_current()?;
                Ok((StoreFile { path, mode }, None))
            }
            Err(error) => Err(error),
        }
    }

    /// A connection that reads.
    pub(crate) fn reader(&self) -> Result<Connection, SqliteError> {
        open_for_reading(&self.path, self.mode)
    }

    /// Its size on disk, with what is not yet merged into the file itself.
    pub(crate) fn bytes(&self) -> u64 {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
        size(&self.path) + size(&beside(&self.path, "-wal"))
    }
}

/// The name of a file that SQLite keeps beside another.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(ending);
    PathBuf::from(name)
}

fn check_path(path: &Path, access: Access) -> Result<(), SqliteError> {
    if path.is_dir() {
        return Err(SqliteError::NotOpened("it is a folder; name a file".to_string()));
    }
    if path.exists() && !path.is_file() {
        let why = "it is a device or a pipe; expected a regular file";
        return Err(SqliteError::NotOpened(why.to_string()));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
        let why = format!("the folder {} does not exist; create it first", folder.display());
        return Err(SqliteError::NotOpened(why));
    }
    if access == Access::Existing && !path.exists() {
        return Err(SqliteError::NotOpened("there is no such file; check its name".to_string()));
    }
    Ok(())
}

/// Looks at the file before SQLite does, which would take any file of a few bytes for an empty database
/// and write over it, and would read a file that was cut off as far as it goes. No lock protects this
/// look, so another process may be in the middle of making the file: a bad impression must last.
fn check_header(path: &Path) -> Result<(), SqliteError> {
    let mut verdict = check_header_once(path);
    for _ in 0..3 {
        if verdict.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
        verdict = check_header_once(path);
    }
    verdict
}

/// What a file looks like now. A journal means that a transaction is under way or was interrupted; SQLite
/// settles that itself.
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
        Some(promised) if length < promised => Err(SqliteError::Unreadable(format!(
            "it has {length} bytes of {promised}, so it was cut off or not copied to its end"
        ))),
        _ => Ok(()),
    }
}

/// The length that a database has by its own word, where that can be trusted (SQLite's file format,
/// section 1.3: the count of pages is valid when two counters agree).
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

/// Whether writing is what was refused.
fn is_write_denied(error: &SqliteError) -> bool {
    matches!(error, SqliteError::ReadOnly(_))
        || error.is(ErrorCode::ReadOnly)
        || error.is(ErrorCode::CannotOpen)
        || error.is(ErrorCode::PermissionDenied)
}

/// What a file holds.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Contents {
    /// Nothing yet.
    Nothing,
    /// Tables of ours, of this version.
    Store(u32),
    /// Something else, and what to do about it.
    Foreign(String),
}

impl Contents {
    /// What the file holds at one moment, whoever may be making it.
    fn of_file(connection: &Connection) -> Result<Contents, SqliteError> {
        Contents::of(&*connection.unchecked_transaction()?)
    }

    /// What it holds, asked within a transaction.
    fn of(connection: &Connection) -> Result<Contents, SqliteError> {
        let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        let application = number("PRAGMA application_id")?;
        let version = number("PRAGMA user_version")?;
        let tables = number("SELECT count(*) FROM sqlite_master")?;
        if application != i64::from(APPLICATION_ID) {
            return Ok(match (application, version, tables) {
                (0, 0, 0) => Contents::Nothing,
                _ => Contents::Foreign(
                    "it is the database of another program; name another file".to_string(),
                ),
            });
        }
        Ok(match u32::try_from(version) {
            Ok(version @ 1..=migrations::CURRENT) => Contents::Store(version),
            Ok(version) if version > 0 => Contents::Foreign(migrations::too_new(version)),
            _ => Contents::Foreign(format!("its tables have the impossible version {version}")),
        })
    }

    /// Tables that cannot be written can only be read as they are.
    fn must_be_current(&self) -> Result<(), SqliteError> {
        match self {
            Contents::Store(migrations::CURRENT) => Ok(()),
            Contents::Store(version) => Err(SqliteError::ReadOnly(format!(
                "its tables have version {version} and must be brought to {} first; \
                 open it once where it can be written",
                migrations::CURRENT
            ))),
            Contents::Nothing => Err(SqliteError::ReadOnly("it is empty".to_string())),
            Contents::Foreign(why) => Err(SqliteError::Foreign(why.clone())),
        }
    }
}

/// Looks into a file without being able to change it.
fn inspect(path: &Path) -> Result<(Contents, Mode), SqliteError> {
    let shared = open_for_reading(path, Mode::Shared).and_then(|seen| Contents::of_file(&seen));
    match shared {
        Ok(contents) => Ok((contents, Mode::Shared)),
        // Reading beside writers needs a file of shared memory, which cannot be made here. Alone it
        // can be done, unless a writer has left changes behind.
        Err(error) if is_write_denied(&error) && has_no_changes_pending(path) => {
            let alone = open_for_reading(path, Mode::Immutable)?;
            Ok((Contents::of_file(&alone)?, Mode::Immutable))
        }
        Err(error) => Err(error),
    }
}

fn has_no_changes_pending(path: &Path) -> bool {
    ["-wal", "-journal"]
        .iter()
        .all(|ending| std::fs::metadata(beside(path, ending)).map_or(0, |found| found.len()) == 0)
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
    connection.busy_timeout(PATIENCE)?;
    harden(&connection)?;
    Ok(connection)
}

fn percent_encoded(path: &Path) -> Result<String, SqliteError> {
    let text = path.to_str();
    let text = text.ok_or_else(|| SqliteError::NotOpened("its name is not UTF-8".to_string()))?;
    Ok(text.bytes().map(escaped).collect())
}

fn escaped(byte: u8) -> String {
    match byte {
        b'/' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

/// A file may come from anybody: what SQLite itself advises for such files
/// (sqlite.org/security.html). Its schema may not call functions with side effects, cells are
/// checked when a page is read, and nothing that could damage the file is possible by SQL.
fn harden(connection: &Connection) -> Result<(), SqliteError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(())
}

/// A connection that may write, to a file whose tables are up to date.
fn open_for_writing(path: &Path, access: Access) -> Result<Connection, SqliteError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, access == Access::Create);
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    harden(&connection)?;
    // Every commit is on the disk before it is acknowledged.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if connection.is_readonly("main")? {
        return Err(SqliteError::ReadOnly("the file may not be written by this user".to_string()));
    }
    migrate(&mut connection, access)?;
    use_write_ahead_log(&connection)?;
    Ok(connection)
}

/// Takes the missing steps in one transaction. What the file holds is asked again inside it, because
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
            return Err(SqliteError::Foreign("it is empty; check its name".to_string()));
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

/// Lets readers and the writer work at the same time. Changing to it needs the file alone for a moment,
/// and SQLite does not wait for that by itself.
fn use_write_ahead_log(connection: &Connection) -> Result<(), SqliteError> {
    let deadline = Instant::now() + PATIENCE;
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
                    "the file system cannot hold a write-ahead log (SQLite offers {mode}); \
                     put the store on a local disk"
                )));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `kill -9` cannot show that a commit is on the disk, so the settings that put it there are checked.
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

    /// Whoever looks at a file while another makes it sees no store or a whole one, nothing between.
    #[test]
    fn files_are_made_at_one_stroke() {
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
    fn odd_paths_become_addresses() {
        let encoded = percent_encoded(Path::new("/a b/ü?#%.db")).unwrap();
        assert_eq!(encoded, "/a%20b/%C3%BC%3F%23%25.db");
    }
}
