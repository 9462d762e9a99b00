//! `tesuji serve`: the web app.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use tesuji_web::{AppState, QueueAccess, ServerOptions};

use crate::prelude::*;
use crate::queue_args::ServerArgs;

/// What the queue is for here.
const QUEUE: &str = "Show the workers of a queue in the laboratory, and let them play for what is started there: \
    nats://HOST, tls://HOST, with TOKEN@ or USER:PASSWORD@ before the host where the server wants it";

/// Play, analyse and watch it learn, in a browser
#[derive(clap::Args)]
#[command(mut_arg("queue", |queue| queue.help(QUEUE)))]
pub(crate) struct ServeArgs {
    /// Where to listen; port 0 lets the system choose
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7800")]
    addr: SocketAddr,
    /// Keep games, scores and runs here: a file, or postgres://… [default: tesuji.db] [env:
    /// TESUJI_STORE=]
    #[arg(long, value_name = "STORE", conflicts_with = "no_store")]
    store: Option<String>,
    /// Keep nothing
    #[arg(long)]
    no_store: bool,
    /// The folder of training runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// The folder of reports that `tesuji reproduce` writes
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    reports: PathBuf,
    /// Require this token to start or stop jobs [default: random, printed as part of the link]
    #[arg(long, value_name = "TOKEN", env = "TESUJI_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Let jobs of the laboratory start programs (external:) and name files of this machine
    #[arg(long)]
    allow_programs: bool,
    /// Searches at once [default: as many as the machine runs threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    searches: Option<u16>,
    /// The longest time that a search may take
    #[arg(long, value_name = "T", default_value = "30s", value_parser = setting::duration)]
    longest_search: Duration,
    /// Requests a second that one visitor may send in the long run
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    rate: u32,
    /// Sessions' worth of every limit that one address may use; raise it behind a reverse proxy
    #[arg(long, value_name = "N", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    sessions_per_address: u32,
    /// Print JSON: one line with the address and the token, once it listens
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue: ServerArgs,
}

impl ServeArgs {
    pub(crate) fn run(self, games: &Registry) -> Result<(), Failure> {
        let usual = ServerOptions::default();
        let access = |options| QueueAccess { options, environment: self.queue.environment() };
        let queue = self.queue.is_named().then(|| self.queue.options().map(access)).transpose()?;
        // A token that was given is known to those who may have it, and stays out of logs.
        let (token, shown) = match self.token.clone().filter(|token| !token.is_empty()) {
            Some(token) => (token, None),
            None => {
                let token = tesuji_web::new_token().map_err(Failure::failed)?;
                (token.clone(), Some(token))
            }
        };
        let store = self.store.clone().or_else(setting::store_of_environment);
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
            searches: self.searches.map_or(usual.searches, usize::from),
            longest_search: self.longest_search,
            requests_per_second: f64::from(self.rate),
            sessions_per_address: self.sessions_per_address as usize,
            ..usual
        };
        let state = AppState::new(options).map_err(Failure::failed)?;
        let runtime = tokio::runtime::Runtime::new()?;
        let told = |address| {
            // Nobody may be reading; the server is of use all the same.
            let _ = self.tell(address, shown.as_deref(), state.store_place());
        };
        // A database must not be let go inside the runtime, so `state` outlives what is served.
        let stopped = {
            let _entered = runtime.enter();
            told_to_stop()?
        };
        let served = runtime.block_on(tesuji_web::serve(state.clone(), told, stopped));
        // A search that hangs must not keep the program from ending: threads that search or write have this long.
        runtime.shutdown_timeout(Duration::from_millis(500));
        served.map_err(|error| Failure::Failed(format!("cannot serve at {}: {error}", self.addr)))
    }

    /// Prints the address, and as a link with the token where it was made here.
    fn tell(
        &self,
        address: SocketAddr,
        token: Option<&str>,
        store: Option<&str>,
    ) -> Result<(), Failure> {
        let address = reachable(address);
        if self.json {
            // On one line, so that a program that starts this one reads a line and goes on.
            let address = format!("http://{address}");
            return say!("{}", json!({ "address": address, "token": token }));
        }
        let with_token = token.map(|token| format!("/?token={token}")).unwrap_or_default();
        say!("http://{address}{with_token}")?;
        let who = match self.addr.ip().is_loopback() {
            true => "every user of this machine",
            false => "everyone who reaches this address",
        };
        let how = if token.is_some() { "this link" } else { "the token" };
        writeln!(io::stderr(), "{who} can play here; only {how} lets you start and stop jobs")?;
        let what = match store {
            Some(place) => format!("games are recorded in {place}"),
            None => "nothing is recorded".to_string(),
        };
        Ok(writeln!(io::stderr(), "{what}; end with Ctrl-C")?)
    }
}

/// An address that a browser on this machine can open: the one that stands for all addresses cannot
/// be.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if !ip.is_unspecified() => {}
        IpAddr::V4(_) => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(_) => address.set_ip(Ipv6Addr::LOCALHOST.into()),
    }
    address
}

/// Ends when Ctrl-C is pressed or the system ends the program. Signals are heard from this call on, which needs a
/// runtime.
fn told_to_stop() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut pressed = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = pressed.recv() => (),
            _ = terminated.recv() => (),
        }
    })
}
