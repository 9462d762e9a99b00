//! The laws of a store, kept by SQLite files.

mod laws;

use tempfile::TempDir;
use tesuji_store::Store;

/// Runs a law with a new file.
fn with_file(law: fn(laws::Open<'_>)) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.db");
    law(&|| -> Box<dyn Store> { tesuji_store::open(path.to_str().unwrap()).unwrap() });
}

#[test]
fn records_come_back_as_they_were() {
    with_file(laws::records_come_back_as_they_were);
}
