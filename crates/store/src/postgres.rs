//! A store in a PostgreSQL database, for many machines. Calls block; asynchronous programs must
//! make them on a separate thread.

mod errors;
mod insert;
mod password;
mod pool;
mod schema;
mod session;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use postgres::types::ToSql;
use postgres::{IsolationLevel, Row, Transaction};

use self::errors::PostgresError;
use self::pool::Pool;
use self::session::{Server, Session};
use crate::columns::{self, Columns, Parameter, unsigned};
use crate::open::Access;
use crate::{
    AddCounts, Counts, Record, RecordKind, Selection, Store, StoreError, StoreInfo, migrations,
    validation,
};

/// Concurrent write connections, among which the server shares syncs. Further callers wait.
const WRITERS: usize = 4;

/// Rows that are fetched at once.
const PAGE: i32 = 500;
/// The same for jobs, whose outputs may have megabytes each.
const JOB_PAGE: i32 = 20;

/// A store in a database on a server.
pub(crate) struct PostgresStore {
    server: Server,
    writers: Pool,
    // Separate from the writers and unlimited: a callback of a read may write.
    readers: Pool,
}

impl PostgresStore {
    /// Connects and migrates the tables.
    pub(crate) fn open(url: &str, access: Access) -> Result<PostgresStore, StoreError> {
        let server = Server::parse(url)?;
        let mut session = server.connect().map_err(|why| why.into_open_error(&server.place))?;
        schema::migrate(&mut session.client, access)
            .map_err(|error| error.into_open_error(&server.place))?;
        let writers = Pool::with_limit(WRITERS);
        writers.keep(session);
        Ok(PostgresStore { server, writers, readers: Pool::without_limit() })
    }

    /// Reads one consistent snapshot.
    fn read<T>(
        &self,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, PostgresError>,
    ) -> Result<T, StoreError> {
        self.readers.run(&self.server, |session| {
            let mut snapshot = session
                .client
                .build_transaction()
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true)
                .start()?;
            let answer = work(&mut snapshot)?;
            snapshot.commit()?;
            Ok(answer)
        })
    }
}

impl Store for PostgresStore {
    fn place(&self) -> &str {
        &self.server.place
    }

    fn add(&self, records: &[Record]) -> Result<AddCounts, StoreError> {
        validation::check(records)?;
        if records.is_empty() {
            return Ok(AddCounts::default());
        }
        self.writers.run(&self.server, |session: &mut Session| insert::insert(session, records))
    }

    fn for_each(
        &self,
        selection: &Selection,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut has_begun = false;
        self.read(|snapshot| {
            let result = read_records(snapshot, selection, &mut |record| {
                has_begun = true;
                each(record)
            });
            // A retry would pass on the first records twice.
            result.map_err(|error| if has_begun { error.into_final() } else { error })
        })
    }

    fn info(&self) -> Result<StoreInfo, StoreError> {
        self.read(|snapshot| {
            let mut counts = Counts::new();
            let mut bytes = number(snapshot, "SELECT pg_total_relation_size('players')")?;
            for kind in RecordKind::ALL {
                let table = columns::table(kind);
                counts.insert(kind, number(snapshot, &format!("SELECT count(*) FROM {table}"))?);
                let size = format!("SELECT pg_total_relation_size('{table}')");
                bytes += number(snapshot, &size)?;
            }
            let version: String = snapshot.query_one("SHOW server_version", &[])?.try_get(0)?;
            Ok(StoreInfo {
                place: self.server.place.clone(),
                engine: format!("PostgreSQL {}", version.split(' ').next().unwrap_or_default()),
                schema: migrations::CURRENT,
                bytes,
                counts,
                games: games_by(snapshot, "game")?,
                events: games_by(snapshot, "event")?,
            })
        })
    }
}

fn page(selection: &Selection) -> i32 {
    match selection.kind {
        RecordKind::Job if !selection.without_output => JOB_PAGE,
        _ => PAGE,
    }
}

/// Calls `each` with the selected records, fetched page by page.
fn read_records(
    snapshot: &mut Transaction<'_>,
    selection: &Selection,
    each: &mut dyn FnMut(Record) -> ControlFlow<()>,
) -> Result<(), PostgresError> {
    let among = |column: &str, number: usize| format!("{column} = ANY(${number})");
    let query = columns::query(selection, among);
    let parameters: Vec<&(dyn ToSql + Sync)> = query
        .parameters
        .iter()
        .map(|parameter| match parameter {
            Parameter::Text(text) => text as &(dyn ToSql + Sync),
            Parameter::Texts(texts) => texts,
        })
        .collect();
    let page = page(selection);
    let portal = snapshot.bind(&query.sql, &parameters)?;
    loop {
        let rows = snapshot.query_portal(&portal, page)?;
        for row in &rows {
            let record = columns::record(selection.kind, row).map_err(PostgresError::Unreadable)?;
            if each(record).is_break() {
                return Ok(());
            }
        }
        if rows.len() < page as usize {
            return Ok(());
        }
    }
}

fn number(snapshot: &mut Transaction<'_>, sql: &str) -> Result<u64, PostgresError> {
    Ok(unsigned(snapshot.query_one(sql, &[])?.try_get(0)?))
}

/// Games for each value of a column.
fn games_by(
    snapshot: &mut Transaction<'_>,
    column: &str,
) -> Result<BTreeMap<String, u64>, PostgresError> {
    let sql = format!("SELECT {column}, count(*) FROM games GROUP BY {column}");
    let rows = snapshot.query(&sql, &[])?;
    rows.iter().map(|row| Ok((row.try_get(0)?, unsigned(row.try_get(1)?)))).collect()
}

impl Columns for Row {
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

fn column<'a, T: postgres::types::FromSql<'a>>(row: &'a Row, index: usize) -> Result<T, String> {
    row.try_get(index).map_err(|why| errors::message(&why))
}
