//! The laws of a store, kept by PostgreSQL. `TESUJI_POSTGRES` is the URL of a database in which others
//! may be made; `cargo xtask test` starts a server and sets it.

mod laws;

use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls};
use tesuji_store::Store;

/// A database of its own, gone with the value.
struct Database {
    name: String,
    url: String,
}

impl Database {
    fn new() -> Database {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("tesuji_test_{}_{number}", std::process::id());
        administrator().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        let (server, _) = administrative_url()
            .rsplit_once('/')
            .map(|(a, b)| (a.to_string(), b.to_string()))
            .unwrap();
        Database { url: format!("{server}/{name}"), name }
    }

    fn open(&self) -> Box<dyn Store> {
        tesuji_store::open(&self.url).unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let gone =
            administrator().batch_execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
        if !std::thread::panicking() {
            gone.unwrap();
        }
    }
}

fn administrative_url() -> String {
    std::env::var("TESUJI_POSTGRES")
        .expect("TESUJI_POSTGRES is not set; run this suite through `cargo xtask test`")
}

fn administrator() -> Client {
    Client::connect(&administrative_url(), NoTls).unwrap()
}

/// Runs a law with a new database.
fn with_database(law: fn(laws::Open<'_>)) {
    let database = Database::new();
    law(&|| database.open());
}

laws::every_law!(with_database);
