//! `tesuji serve`: the web app.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tesuji_web::{AppState, Options, QueueAccess};

use crate::crew::QueuePlace;
use crate::examples;
use crate::failure::Failure;
use crate::setting;

/// What the queue is for here.
const QUEUE: &str = "Show the workers of a queue in the laboratory, and let them play for what is started there: \
    nats://HOST, tls://HOST, with TOKEN@ or USER:PASSWORD@ before the host where the server wants it";

/// At the end, threads that search or write have this long.
const GRACE_FOR_THREADS: Duration = Duration::from_millis(500);

/// Play, analyse and watch it learn, in a browser
#[derive(Args)]
#[command(
    after_help = examples::help(examples::SERVE),
    mut_arg("queue", |queue| queue.help(QUEUE))
)]
pub(crate) struct Serve {
    /// Where to listen; port 0 lets the system choose
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7800")]
    addr: SocketAddr,
    /// Keep games, scores and runs here: a file, or postgres://…
    #[arg(long, value_name = "STORE", default_value = "tesuji.db", conflicts_with = "no_store")]
    store: String,
    /// Keep nothing
    #[arg(long)]
    no_store: bool,
    /// The folder of training runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// The folder of reports that `tesuji reproduce` writes
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    reports: PathBuf,
    /// Who names this word may start and stop runs from another machine
    #[arg(long, value_name = "WORD", env = "TESUJI_TOKEN", hide_env_values = true)]
    token: Option<String>,
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
    /// Print JSON: one line with the address, once it listens
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    queue: QueuePlace,
}

impl Serve {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let usual = Options::default();
        let queue = match self.queue.is_named() {
            true => {
                let (options, environment) = (self.queue.options()?, self.queue.environment());
                Some(QueueAccess { options, environment })
            }
            false => None,
        };
        let options = Options {
            address: self.addr,
            store: (!self.no_store).then(|| self.store.clone()),
            runs: self.runs.clone(),
            reports: self.reports.clone(),
            program: std::env::current_exe().ok(),
            token: self.token.clone().filter(|token| !token.is_empty()),
            queue,
            searches: self.searches.map_or(usual.searches, usize::from),
            longest_search: self.longest_search,
            requests_per_second: f64::from(self.rate),
            sessions_per_address: self.sessions_per_address as usize,
            ..usual
        };
        let state = AppState::new(options).map_err(|error| Failure::Undone(error.to_string()))?;
        let runtime = tokio::runtime::Runtime::new()?;
        let told = |address| {
            // Nobody may be reading; the server is of use all the same.
            let _ = self.tell(address, state.store_place());
        };
        // A database must not be let go inside the runtime, so `state` outlives what is served.
        let served = runtime.block_on(tesuji_web::serve(state.clone(), told, told_to_stop()));
        // A search that hangs must not keep the program from ending.
        runtime.shutdown_timeout(GRACE_FOR_THREADS);
        served.map_err(|error| Failure::Undone(format!("cannot serve at {}: {error}", self.addr)))
    }

    fn tell(&self, address: SocketAddr, store: Option<&str>) -> Result<(), Failure> {
        if self.json {
            // On one line, so that a program that starts this one reads a line and goes on.
            let told = serde_json::json!({ "address": format!("http://{address}") });
            return Ok(writeln!(io::stdout(), "{told}")?);
        }
        writeln!(io::stdout(), "http://{address}")?;
        if !address.ip().is_loopback() {
            let who = "everybody who reaches this address can play here";
            writeln!(io::stderr(), "{who}; runs can be started with the token only")?;
        }
        match store {
            Some(place) => {
                writeln!(io::stderr(), "games are recorded in {place}; end with Ctrl-C")?
            }
            None => writeln!(io::stderr(), "nothing is recorded; end with Ctrl-C")?,
        }
        Ok(())
    }
}

/// Is there when somebody presses Ctrl-C or the system says so.
async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let pressed = tokio::signal::ctrl_c();
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => tokio::select! {
            _ = pressed => (),
            _ = terminated.recv() => (),
        },
        Err(_) => drop(pressed.await),
    }
}
