//! Opens a store by its address: a path is a SQLite file, a `postgres://` URL a PostgreSQL
//! database.

use std::path::PathBuf;

#[cfg(feature = "postgres")]
use crate::postgres::PostgresStore;
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteStore;
use crate::{Store, StoreError};

/// What to do if the store does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Create it.
    Create,
    /// Fail: for commands that read, so that a mistyped name does not create a file.
    Existing,
}

/// Opens a store, and creates it if it does not exist. Tables of earlier versions are migrated.
pub fn open(place: &str) -> Result<Box<dyn Store>, StoreError> {
    open_with(place, Access::Create)
}

/// Opens a store that exists.
pub fn open_existing(place: &str) -> Result<Box<dyn Store>, StoreError> {
    open_with(place, Access::Existing)
}

/// Opens a store.
pub fn open_with(place: &str, access: Access) -> Result<Box<dyn Store>, StoreError> {
    match Address::parse(place)? {
        #[cfg(feature = "sqlite")]
        Address::File(path) => Ok(Box::new(SqliteStore::open(path, access)?)),
        #[cfg(not(feature = "sqlite"))]
        Address::File(_) => Err(not_built_in(place, access, "sqlite")),
        #[cfg(feature = "postgres")]
        Address::Server(url) => Ok(Box::new(PostgresStore::open(&url, access)?)),
        #[cfg(not(feature = "postgres"))]
        Address::Server(_) => Err(not_built_in("postgres://…", access, "postgres")),
    }
}

/// The error if the program was built without this kind of store.
#[cfg(not(all(feature = "sqlite", feature = "postgres")))]
fn not_built_in(place: &str, _: Access, feature: &str) -> StoreError {
    let why =
        format!("not supported; expected a build with the feature '{feature}' of tesuji-store");
    StoreError::NotOpened { place: place.escape_debug().to_string(), why }
}

/// The address of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Address {
    File(PathBuf),
    Server(String),
}

impl Address {
    fn parse(place: &str) -> Result<Address, StoreError> {
        if place.starts_with("postgres://") || place.starts_with("postgresql://") {
            return Ok(Address::Server(place.to_string()));
        }
        let path = match place.strip_prefix("sqlite:") {
            Some(rest) => rest.strip_prefix("//").unwrap_or(rest),
            None if place.contains("://") => return Err(invalid(place)),
            None => place,
        };
        if path.is_empty() || path == ":memory:" || path.contains('\0') {
            return Err(invalid(place));
        }
        Ok(Address::File(PathBuf::from(path)))
    }
}

/// The error of an invalid address. An address with a user may contain a password, so only its
/// scheme is shown.
fn invalid(place: &str) -> StoreError {
    let shown = match place.split_once("://") {
        Some((scheme, rest)) if rest.contains('@') => format!("{scheme}://…"),
        _ => place.to_string(),
    };
    StoreError::InvalidAddress { place: shown.escape_debug().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_urls_are_distinguished() {
        let file = |path: &str| Address::File(PathBuf::from(path));
        for (place, address) in [
            ("games.db", file("games.db")),
            ("sqlite:games.db", file("games.db")),
            ("sqlite:///var/games.db", file("/var/games.db")),
            ("/var/a b?.db", file("/var/a b?.db")),
            ("postgres://me@host/db", Address::Server("postgres://me@host/db".to_string())),
            ("postgresql:///db", Address::Server("postgresql:///db".to_string())),
        ] {
            assert_eq!(Address::parse(place).unwrap(), address, "{place}");
        }
    }

    #[test]
    fn invalid_addresses_are_refused_without_their_password() {
        for place in ["", "sqlite:", ":memory:", "mysql://me:secret@host/db", "a\0b"] {
            let message = Address::parse(place).unwrap_err().to_string();
            assert!(message.contains("unknown kind of address"), "{message}");
            assert!(!message.contains("secret") && !message.contains('\0'), "{message}");
        }
    }
}
