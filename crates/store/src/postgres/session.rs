//! A server, and one connection to it with what is remembered about it.

use std::collections::HashMap;
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use postgres::config::Host;
use postgres::{Client, Config, NoTls, Statement, Transaction};

use super::errors::PostgresError;
use super::password;
use crate::{PlayerRecord, StoreError};

/// How long to wait for a server that does not answer, that starts again, or for a lock of somebody else.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a server may be silent while it owes an answer to the network itself, not to a query.
const SILENCE: Duration = Duration::from_secs(30);

/// Where the database is, and how to get in.
pub(crate) struct Server {
    config: Config,
    /// Fit to be shown: without the password.
    pub(crate) place: String,
}

impl Server {
    pub(crate) fn parse(url: &str) -> Result<Server, StoreError> {
        // What is wrong with the URL is not shown: a piece of a password may be a part of it.
        let bad = || StoreError::InvalidAddress { place: "postgres://…".to_string() };
        let mut config = Config::from_str(url).map_err(|_| bad())?;
        if has_bare_at_sign(url) {
            return Err(bad());
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        if config.get_tcp_user_timeout().is_none() {
            // A machine that vanished says nothing: its silence must be noticed here.
            config.tcp_user_timeout(SILENCE);
            config.keepalives_idle(SILENCE / 3).keepalives_interval(SILENCE / 3);
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

    /// A new connection. Commits on it are on the server's disk before they are acknowledged, whatever
    /// the server's own setting, and locks are not waited for without end.
    pub(crate) fn connect(&self) -> Result<Session, PostgresError> {
        let mut client = self.config.connect(NoTls)?;
        client.batch_execute(&format!(
            "SET synchronous_commit = on; SET lock_timeout = {}",
            PATIENCE.as_millis()
        ))?;
        Ok(Session { client, statements: HashMap::new(), players: HashMap::new() })
    }

    /// A new connection after one was lost: the server may need a moment to come back.
    pub(crate) fn connect_again(&self) -> Result<Session, PostgresError> {
        let deadline = Instant::now() + PATIENCE;
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

/// An `@` that belongs to a password must be written `%40`: else what follows it is read, and shown, as the
/// name of a host.
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

/// One connection.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// What the server has prepared on it.
    pub(crate) statements: Statements,
    /// The numbers of players that are known to be in the table.
    pub(crate) players: Players,
}

pub(crate) type Statements = HashMap<&'static str, Statement>;
pub(crate) type Players = HashMap<PlayerRecord, i64>;

/// The prepared form of a statement.
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
    fn what_cannot_be_read_is_not_repeated() {
        for url in [
            "postgres://me:sec@ret@host/x",
            "postgres://me:sec@a/ret@host/x",
            "postgres://me:sec@a?ret@host/x",
            "postgres://me:secret@host:port/x",
        ] {
            let message = Server::parse(url).err().unwrap().to_string();
            assert!(message.contains("is not a store"), "{message}");
            assert!(!message.contains("sec") && !message.contains("ret@"), "{message}");
        }
    }
}
