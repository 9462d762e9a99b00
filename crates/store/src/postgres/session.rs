//! A server, and a connection to it with its cached state.

use std::collections::HashMap;
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use postgres::config::Host;
use postgres::{Client, Config, NoTls, Statement, Transaction};

use super::errors::PostgresError;
use super::password;
use crate::{PlayerRecord, StoreError};

/// How long to wait for an unresponsive or restarting server, or for a lock.
const WAIT_LIMIT: Duration = Duration::from_secs(10);

/// How long the network may take to acknowledge data (not the server to answer a query).
const TCP_TIMEOUT: Duration = Duration::from_secs(30);

/// The address of a database and its credentials.
pub(crate) struct Server {
    config: Config,
    /// The address without the password.
    pub(crate) place: String,
}

impl Server {
    pub(crate) fn parse(url: &str) -> Result<Server, StoreError> {
        // The error does not quote the URL, which may contain a part of a password.
        let bad = || StoreError::InvalidAddress { place: "postgres://…".to_string() };
        let mut config = Config::from_str(url).map_err(|_| bad())?;
        if has_bare_at_sign(url) {
            return Err(bad());
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(WAIT_LIMIT);
        }
        if config.get_tcp_user_timeout().is_none() {
            // A machine that disappears sends nothing, so the loss must be detected here.
            config.tcp_user_timeout(TCP_TIMEOUT);
            config.keepalives_idle(TCP_TIMEOUT / 3).keepalives_interval(TCP_TIMEOUT / 3);
        }
        if config.get_application_name().is_none() {
            config.application_name("tesuji");
        }
        let place = place(&config);
        if config.get_password().is_none() {
            let found = password::find(&config);
            let refused = |why| StoreError::NotOpened { place: place.clone(), why };
            if let Some(password) = found.map_err(refused)? {
                config.password(password);
            }
        }
        Ok(Server { config, place })
    }

    /// Opens a connection. Its commits are durable before they are acknowledged, regardless of the
    /// server's setting, and waits for locks are limited.
    pub(crate) fn connect(&self) -> Result<Session, PostgresError> {
        let mut client = self.config.connect(NoTls)?;
        client.batch_execute(&format!(
            "SET synchronous_commit = on; SET lock_timeout = {}",
            WAIT_LIMIT.as_millis()
        ))?;
        Ok(Session { client, statements: HashMap::new(), players: HashMap::new() })
    }

    /// Opens a connection after one was lost, with retries while the server restarts.
    pub(crate) fn connect_again(&self) -> Result<Session, PostgresError> {
        let deadline = Instant::now() + WAIT_LIMIT;
        loop {
            match self.connect() {
                Err(error) if error.is_lost_connection() && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                answer => return answer,
            }
        }
    }
}

/// Whether a password contains an unescaped `@`. It must be written `%40`; otherwise the text after
/// it would be parsed, and shown, as a host name.
fn has_bare_at_sign(url: &str) -> bool {
    let rest = url.split_once('@').map_or("", |(_, rest)| rest);
    rest.split('?').next().is_some_and(|host| host.contains('@'))
}

fn place(config: &Config) -> String {
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let ports = config.get_ports().iter().map(Some).chain(std::iter::repeat(None));
    let mut hosts = Vec::new();
    let mut folder = String::new();
    for (host, port) in config.get_hosts().iter().zip(ports) {
        match host {
            Host::Tcp(name) => hosts.push(match port {
                Some(5432) | None => name.clone(),
                Some(port) => format!("{name}:{port}"),
            }),
            Host::Unix(path) => folder = format!("?host={}", path.display()),
        }
    }
    let database = config.get_dbname().unwrap_or_default();
    format!("postgres://{user}{}/{database}{folder}", hosts.join(","))
}

/// A connection.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// Its prepared statements.
    pub(crate) statements: Statements,
    /// Cached ids of players; all of them are in the table.
    pub(crate) players: Players,
}

pub(crate) type Statements = HashMap<&'static str, Statement>;
pub(crate) type Players = HashMap<PlayerRecord, i64>;

/// Prepares a statement, or takes it from the cache.
pub(crate) fn prepared(
    statements: &mut Statements,
    transaction: &mut Transaction<'_>,
    sql: &'static str,
) -> Result<Statement, PostgresError> {
    if let Some(statement) = statements.get(sql) {
        return Ok(statement.clone());
    }
    let statement = transaction.prepare(sql)?;
    statements.insert(sql, statement.clone());
    Ok(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_shown_without_passwords() {
        for (url, place) in [
            ("postgres://me:secret@host:5433/games", "postgres://me@host:5433/games"),
            ("postgresql://host/games?user=me&password=secret", "postgres://me@host/games"),
            ("postgres://me:secret@a,b:1/x", "postgres://me@a,b:1/x"),
            ("postgres://me:sec%40re/t@a/x", "postgres://me@a/x"),
            ("postgres://me@%2Ftmp%2Fpg/x", "postgres://me@/x?host=/tmp/pg"),
        ] {
            assert_eq!(Server::parse(url).unwrap().place, place);
        }
    }

    #[test]
    fn invalid_urls_are_not_repeated() {
        for url in [
            "postgres://me:sec@ret@host/x",
            "postgres://me:sec@a/ret@host/x",
            "postgres://me:sec@a?ret@host/x",
            "postgres://me:secret@host:port/x",
        ] {
            let message = Server::parse(url).err().unwrap().to_string();
            assert!(message.contains("unknown kind of address"), "{message}");
            assert!(!message.contains("sec") && !message.contains("ret@"), "{message}");
        }
    }
}
