//! `tesuji serve`: runs the web app.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use tesuji_web::{AppState, QueueAccess, ServerOptions};

use crate::prelude::*;
use crate::queue_args::ServerArgs;

/// The help of --queue for this command.
const QUEUE: &str = "Show the workers of this queue in the laboratory, and run its jobs on them: \
    nats://HOST or tls://HOST, with TOKEN@ or USER:PASSWORD@ before the host if the server requires it";

/// Serve the web app: play, analyze and train in a browser
#[derive(clap::Args)]
#[command(mut_arg("queue", |queue| queue.help(QUEUE)))]
pub(crate) struct ServeArgs {
    /// Listen on this address; port 0 lets the system choose one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7800")]
    addr: SocketAddr,
    /// Store games, scores and runs here: a file, or postgres://… [default: tesuji.db] [env:
    /// TESUJI_STORE=]
    #[arg(long, value_name = "STORE", conflicts_with = "no_store")]
    store: Option<String>,
    /// Store nothing
    #[arg(long)]
    no_store: bool,
    /// Show the training runs of this folder
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// Show the reports of tesuji reproduce in this folder
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    reports: PathBuf,
    /// Require this token to start or stop jobs [default: random, printed as part of the link]
    #[arg(long, value_name = "TOKEN", env = "TESUJI_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Let jobs of the laboratory start programs (external:) and read files of this machine
    #[arg(long)]
    allow_programs: bool,
    /// Run this many searches at once [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    searches: Option<u16>,
    /// Limit a search to this time
    #[arg(long, value_name = "T", default_value = "30s", value_parser = arguments::duration)]
    longest_search: Duration,
    /// Limit a session to this many requests per second on average
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Limit an address to this many times the limits of a session; raise it behind a reverse proxy
    #[arg(long, value_name = "N", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    sessions_per_address: u32,
    /// Print the address and the token as one line of JSON when ready
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue: ServerArgs,
}

impl ServeArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let default = ServerOptions::default();
        let queue_access = |options| QueueAccess { options, environment: self.queue.environment() };
        let queue =
            self.queue.is_named().then(|| self.queue.options().map(queue_access)).transpose()?;
        // A given token stays out of logs; only a new one is printed.
        let (token, new_token) = match self.token.clone().filter(|token| !token.is_empty()) {
            Some(token) => (token, None),
            None => {
                let token = tesuji_web::new_token().map_err(Failure::failed)?;
                (token.clone(), Some(token))
            }
        };
        let store = self.store.clone().or_else(arguments::store_of_environment);
        let store = store.unwrap_or("tesuji.db".to_string());
        let options = ServerOptions {
            registry: games.clone(),
            address: self.addr,
            store: (!self.no_store).then_some(store),
            runs: self.runs.clone(),
            reports: self.reports.clone(),
            program: std::env::current_exe().ok(),
            token: Some(token),
            allow_programs: self.allow_programs,
            queue,
            searches: self.searches.map_or(default.searches, usize::from),
            longest_search: self.longest_search,
            requests_per_second: f64::from(self.rate),
            sessions_per_address: self.sessions_per_address as usize,
            ..default
        };
        let state = AppState::new(options).map_err(Failure::failed)?;
        let runtime = tokio::runtime::Runtime::new()?;
        let on_listen = |address| {
            // The server runs even if stdout is closed.
            let _ = self.print_address(address, new_token.as_deref(), state.store_place());
        };
        // A database must not be dropped inside the runtime, so `state` outlives the server.
        let stopped = {
            let _entered = runtime.enter();
            stop_signal()?
        };
        let served = runtime.block_on(tesuji_web::serve(state.clone(), on_listen, stopped));
        // Threads that search or write get this time to end; one that hangs must not block the
        // exit.
        runtime.shutdown_timeout(Duration::from_millis(500));
        served.map_err(|error| Failure::Failed(format!("--addr {}: {error}", self.addr)))
    }

    /// Prints the address, as a link with the token if it is new.
    fn print_address(
        &self,
        address: SocketAddr,
        token: Option<&str>,
        store: Option<&str>,
    ) -> Result<(), Failure> {
        let address = reachable(address);
        if self.json {
            // One line, so that a parent process can read a line and continue.
            let address = format!("http://{address}");
            return say!("{}", json!({ "address": address, "token": token }));
        }
        let with_token = token.map(|token| format!("/?token={token}")).unwrap_or_default();
        say!("http://{address}{with_token}")?;
        let who = match self.addr.ip().is_loopback() {
            true => "every user of this machine",
            false => "everyone who can reach this address",
        };
        let how = if token.is_some() { "this link" } else { "the token" };
        writeln!(io::stderr(), "{who} can play here; only {how} lets you start and stop jobs")?;
        let what = match store {
            Some(place) => format!("games are stored in {place}"),
            None => "games are not stored".to_string(),
        };
        Ok(writeln!(io::stderr(), "{what}; press Ctrl-C to stop")?)
    }
}

/// An address that a browser on this machine can open: loopback in place of the unspecified
/// address.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if !ip.is_unspecified() => {}
        IpAddr::V4(_) => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(_) => address.set_ip(Ipv6Addr::LOCALHOST.into()),
    }
    address
}

/// Resolves on SIGINT or SIGTERM. Signals are handled from this call on, which needs a runtime.
fn stop_signal() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => (),
            _ = terminated.recv() => (),
        }
    })
}
