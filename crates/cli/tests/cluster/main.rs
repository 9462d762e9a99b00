//! A cluster on one machine: the program runs as coordinator and as workers, with a private queue
//! and database. Tests kill and restart each of them.

mod faults;
mod harness;
mod kills;
mod lab;
mod machines;
mod processes;
mod secrets;
#[path = "../../../../xtask/src/servers/mod.rs"]
mod servers;
mod sharing;
#[path = "../terminal/mod.rs"]
mod terminal;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use servers::nats::{NatsServer, Options};
use servers::postgres::Postgres;

/// Longer than any step here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Starts a queue for one test.
fn nats(options: &Options) -> NatsServer {
    NatsServer::start(Path::new(&required_variable(servers::NATS_SERVER)), options).unwrap()
}

/// Starts a database server for one test.
fn postgres() -> Postgres {
    Postgres::start(Path::new(&required_variable(servers::POSTGRES_PROGRAMS))).unwrap()
}

fn required_variable(variable: &str) -> OsString {
    std::env::var_os(variable).unwrap_or_else(|| {
        panic!("{variable} is not set; run this suite through `cargo xtask test`")
    })
}
