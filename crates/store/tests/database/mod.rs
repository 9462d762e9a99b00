//! A PostgreSQL database for one test.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};
use tesuji_store::Store;

/// A database that is dropped with the value.
pub(crate) struct Database {
    name: String,
    pub(crate) url: String,
}

impl Database {
    /// Creates an empty database.
    pub(crate) fn new() -> Database {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("tesuji_test_{}_{number}", std::process::id());
        administrator().batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        let url = administrative_url();
        let (server, _) = url.rsplit_once('/').unwrap();
        Database { url: format!("{server}/{name}"), name }
    }

    /// The store in it.
    pub(crate) fn open(&self) -> Box<dyn Store> {
        tesuji_store::open(&self.url).unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        let gone = administrator().batch_execute(&sql);
        if !std::thread::panicking() {
            gone.unwrap();
        }
    }
}

fn administrative_url() -> String {
    std::env::var("TESUJI_POSTGRES")
        .expect("TESUJI_POSTGRES is not set; run this suite through `cargo xtask test`")
}

/// An administrative connection, with retries while the server recovers from a crash.
pub(crate) fn administrator() -> Client {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match Client::connect(&administrative_url(), NoTls) {
            Ok(client) => return client,
            Err(why) if Instant::now() > deadline => panic!("no connection: {why}"),
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}
