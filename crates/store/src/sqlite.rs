//! A store in a SQLite file. One thread owns the only connection that writes (`sqlite/writer.rs`).
//! Readers have separate connections, so readers and the writer do not block each other.

mod errors;
mod file;
mod insert;
mod writer;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, Row, TransactionBehavior, params_from_iter};

use self::errors::SqliteError;
use self::file::StoreFile;
use self::writer::Writer;
use crate::columns::{self, Columns, Parameter, unsigned};
use crate::open::Access;
use crate::{
    AddCounts, Counts, Record, RecordKind, Selection, Store, StoreError, StoreInfo, migrations,
    validation,
};

/// The most idle read connections that are kept; more are opened if more threads read at once.
const IDLE_READERS: usize = 4;

/// A store in a file.
pub(crate) struct SqliteStore {
    place: String,
    file: StoreFile,
    // Closed before the writer: the last connection cleans up, which requires write access.
    readers: Mutex<Vec<Connection>>,
    /// `None` for a read-only file.
    writer: Option<Writer>,
}

impl SqliteStore {
    /// Opens the file and migrates its tables.
    pub(crate) fn open(path: PathBuf, access: Access) -> Result<SqliteStore, StoreError> {
        let place = path.display().to_string();
        let (file, connection) =
            StoreFile::open(&path, access).map_err(|error| error.into_open_error(&place))?;
        let writer = connection
            .map(Writer::start)
            .transpose()
            .map_err(|error| error.into_open_error(&place))?;
        Ok(SqliteStore { place, file, readers: Mutex::default(), writer })
    }

    /// Reads with a separate connection, so that `work` may call the store.
    fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, SqliteError>,
    ) -> Result<T, StoreError> {
        let idle = self.lock_readers().pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => self.file.reader().map_err(|error| error.into_store_error(&self.place))?,
        };
        let answer = reader
            .transaction_with_behavior(TransactionBehavior::Deferred)
            .map_err(SqliteError::from)
            .and_then(|snapshot| work(&snapshot))
            .map_err(|error| error.into_store_error(&self.place))?;
        let mut readers = self.lock_readers();
        if readers.len() < IDLE_READERS {
            readers.push(reader);
        }
        Ok(answer)
    }

    fn lock_readers(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for SqliteStore {
    fn place(&self) -> &str {
        &self.place
    }

    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError> {
        validation::check(records)?;
        if records.is_empty() {
            return Ok(AddCounts::default());
        }
        let Some(writer) = &self.writer else {
            return Err(StoreError::ReadOnly {
                place: self.place.clone(),
                why: "this user may not write the file or its folder".to_string(),
            });
        };
        writer.add(records.to_vec()).map_err(|error| error.into_store_error(&self.place))
    }

    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.read(|snapshot| {
            let query = columns::query(selection, among);
            let mut statement = snapshot.prepare(&query.sql)?;
            let mut rows = statement.query(params_from_iter(query.parameters))?;
            while let Some(row) = rows.next()? {
                let record =
                    columns::record(selection.kind, row).map_err(SqliteError::Unreadable)?;
                if each(record).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    fn info(&self) -> Result<StoreInfo, StoreError> {
        let (counts, games, events) = self.read(|snapshot| {
            let mut counts = Counts::new();
            for kind in RecordKind::ALL {
                let sql = format!("SELECT count(*) FROM {}", columns::table(kind));
                let count = snapshot.query_row(&sql, [], |row| row.get(0))?;
                counts.insert(kind, unsigned(count));
            }
            Ok((counts, games_by(snapshot, "game")?, games_by(snapshot, "event")?))
        })?;
        Ok(StoreInfo {
            place: self.place.clone(),
            engine: format!("SQLite {}", rusqlite::version()),
            schema: migrations::CURRENT,
            bytes: self.file.bytes(),
            counts,
            games,
            events,
        })
    }
}

/// A list of texts is passed as JSON.
fn among(column: &str, number: usize) -> String {
    format!("{column} IN (SELECT value FROM json_each(${number}))")
}

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Parameter::Text(text) => text.to_sql(),
            Parameter::Texts(texts) => Ok(serde_json::json!(texts).to_string().into()),
        }
    }
}

/// Games for each value of a column.
fn games_by(snapshot: &Connection, column: &str) -> Result<BTreeMap<String, u64>, SqliteError> {
    let sql = format!("SELECT {column}, count(*) FROM games GROUP BY {column}");
    let mut statement = snapshot.prepare(&sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, unsigned(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl Columns for Row<'_> {
    fn integer(&self, index: usize) -> Result<i64, String> {
        column(self, index)
    }
    fn real(&self, index: usize) -> Result<f64, String> {
        column(self, index)
    }
    fn text(&self, index: usize) -> Result<String, String> {
        column(self, index)
    }
    fn flag(&self, index: usize) -> Result<bool, String> {
        column(self, index)
    }
    fn optional_integer(&self, index: usize) -> Result<Option<i64>, String> {
        column(self, index)
    }
    fn optional_real(&self, index: usize) -> Result<Option<f64>, String> {
        column(self, index)
    }
    fn optional_text(&self, index: usize) -> Result<Option<String>, String> {
        column(self, index)
    }
}

fn column<T: rusqlite::types::FromSql>(row: &Row<'_>, index: usize) -> Result<T, String> {
    row.get(index).map_err(|why| why.to_string())
}
