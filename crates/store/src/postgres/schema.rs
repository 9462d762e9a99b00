//! Checks and migrates the tables of a database. Tables of other programs are never modified.

use postgres::{Client, GenericClient, Transaction};

use super::errors::PostgresError;
use crate::migrations;
use crate::open::Access;

/// The lock for migrations, so that two programs may start at once.
const LOCK: &str = "SELECT pg_advisory_xact_lock(6072327961475141461)";

/// The content of the current schema of a database.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Contents {
    /// Nothing.
    Nothing,
    /// A store with this schema version.
    Store(u32),
    /// Something else, with the text of the error.
    Foreign(String),
}

/// Runs the missing migrations in one transaction.
pub(crate) fn migrate(client: &mut Client, access: Access) -> Result<(), PostgresError> {
    check_encoding(client)?;
    if contents(client)? == Contents::Store(migrations::CURRENT) {
        return Ok(());
    }
    let mut change = client.transaction()?;
    change.execute(LOCK, &[])?;
    let version = match contents(&mut change)? {
        Contents::Store(version) => version,
        Contents::Nothing if access == Access::Create => 0,
        Contents::Nothing => {
            let why = "no store in this database; expected a database with a store".to_string();
            return Err(PostgresError::Foreign(why));
        }
        Contents::Foreign(why) => return Err(PostgresError::Foreign(why)),
    };
    apply_steps(&mut change, version)?;
    Ok(change.commit()?)
}

fn apply_steps(change: &mut Transaction<'_>, version: u32) -> Result<(), PostgresError> {
    if version == 0 {
        change.batch_execute(
            "CREATE TABLE tesuji_store (version bigint NOT NULL); \
             INSERT INTO tesuji_store (version) VALUES (0)",
        )?;
    }
    for step in migrations::after(version) {
        change.batch_execute(step.postgres)?;
        change.execute("UPDATE tesuji_store SET version = $1", &[&i64::from(step.version)])?;
    }
    Ok(())
}

fn check_encoding(client: &mut Client) -> Result<(), PostgresError> {
    let encoding: String = client.query_one("SHOW server_encoding", &[])?.try_get(0)?;
    if encoding == "UTF8" {
        return Ok(());
    }
    let why = format!("encoding is {encoding}; expected UTF8, as of createdb -E UTF8 -T template0");
    Err(PostgresError::Foreign(why))
}

fn contents(client: &mut impl GenericClient) -> Result<Contents, PostgresError> {
    let schema: Option<String> = client.query_one("SELECT current_schema()", &[])?.try_get(0)?;
    if schema.is_none() {
        let why = "no schema of the search_path exists; create one with CREATE SCHEMA";
        return Ok(Contents::Foreign(why.to_string()));
    }
    match version(client)? {
        Some(version) => Ok(of_version(version)),
        None => Ok(match foreign_table(client)? {
            None => Contents::Nothing,
            Some(table) => Contents::Foreign(format!(
                "has the table '{table}' of another program; expected an empty database or a store"
            )),
        }),
    }
}

fn of_version(version: i64) -> Contents {
    match u32::try_from(version) {
        Ok(version @ 1..=migrations::CURRENT) => Contents::Store(version),
        Ok(version) if version > 0 => Contents::Foreign(migrations::too_new(version)),
        _ => Contents::Foreign(format!("schema version {version} is invalid; expected 1 or more")),
    }
}

/// The schema version of the store, if there is one.
fn version(client: &mut impl GenericClient) -> Result<Option<i64>, PostgresError> {
    // Read from the catalog itself: lookups such as `to_regclass` may use a snapshot from before
    // the lock.
    let ours = "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                WHERE n.nspname = current_schema() AND c.relname = 'tesuji_store')";
    if !client.query_one(ours, &[])?.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    Ok(Some(client.query_one("SELECT version FROM tesuji_store", &[])?.try_get(0)?))
}

/// A table of another program; tables of extensions do not count.
fn foreign_table(client: &mut impl GenericClient) -> Result<Option<String>, PostgresError> {
    let found = client.query_opt(
        "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
         AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass \
         AND d.objid = c.oid AND d.deptype = 'e') LIMIT 1",
        &[],
    )?;
    Ok(found.map(|row| row.try_get(0)).transpose()?)
}
