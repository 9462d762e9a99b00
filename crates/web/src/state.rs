//! The state that all requests share.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tesuji_search::{Game, Registry};
use tesuji_store::{Store, StoreError};
use tokio::sync::watch;

use crate::answer_cache::AnswerCache;
use crate::api::Lab;
use crate::api::gems::Gems;
use crate::client::Client;
use crate::errors::ApiError;
use crate::limits::{RateLimit, TokenBuckets};
use crate::opponents::Opponents;
use crate::player_cache::{self, PlayerCache};
use crate::queue_client::{QueueAccess, QueueClient};
use crate::search_queue::SearchQueue;
use crate::signature::Secret;

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The games.
    pub registry: Registry,
    /// The address to listen on.
    pub address: SocketAddr,
    /// The store for games, scores and runs: a file or `postgres://…`; `None` for no store.
    pub store: Option<String>,
    /// The folder of training runs.
    pub runs: PathBuf,
    /// The folder of reproduction reports made on this server.
    pub reports: PathBuf,
    /// The program that runs trainings and tournaments, usually this one. `None`: no job can be
    /// started.
    pub program: Option<PathBuf>,
    /// Requests that start, stop or change something in the lab need this token, from every
    /// address. `None`: nothing can be started, stopped or changed.
    pub token: Option<String>,
    /// Whether jobs of the lab may name programs and files of this machine.
    pub allow_programs: bool,
    /// The distributed queue that the lab shows, and whose workers may play the games of jobs.
    pub queue: Option<QueueAccess>,
    /// The most parallel searches.
    pub searches: usize,
    /// The longest time of a search.
    pub longest_search: Duration,
    /// Memory for cached players between their turns, in bytes. 0: every move uses a new player.
    pub player_cache_memory: u64,
    /// The long-term request rate of a session.
    pub requests_per_second: f64,
    /// The limits of an address are this many times those of a session. Behind a reverse proxy all
    /// clients share one address.
    pub sessions_per_address: usize,
    /// The timeout of a client for the head of a request, for the next request, and for reading a
    /// part of a response.
    pub stall: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            registry: Registry::empty(),
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7800),
            store: None,
            runs: PathBuf::from("runs"),
            reports: PathBuf::from("out/reproduce"),
            program: None,
            token: None,
            allow_programs: false,
            queue: None,
            searches: std::thread::available_parallelism().map_or(1, usize::from),
            longest_search: Duration::from_secs(30),
            player_cache_memory: 1 << 30,
            requests_per_second: 40.0,
            sessions_per_address: 8,
            stall: Duration::from_secs(20),
        }
    }
}

/// Why a server cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No system randomness is available.
    #[error("no system randomness available; cannot create session keys")]
    NoRandomness,
}

/// The shared state; clones refer to the same state.
#[derive(Clone)]
pub struct AppState(Arc<StateInner>);

struct StateInner {
    options: ServerOptions,
    secret: Secret,
    search_queue: SearchQueue,
    store: Option<Arc<dyn Store>>,
    queue_client: Option<Arc<QueueClient>>,
    player_cache: PlayerCache,
    answer_cache: AnswerCache,
    rate_limiter: RateLimiter,
    closing: watch::Sender<bool>,
    /// The opponents of each game, cached because every player must be checked.
    opponents: Mutex<HashMap<String, Opponents>>,
    /// Held during that check, for one game at a time, so that its memory does not grow with the
    /// number of clients.
    asking: tokio::sync::Mutex<()>,
    gems: Gems,
    lab: Lab,
}

/// The most games with cached opponents.
const MAX_GAMES: usize = 200;

impl AppState {
    /// Opens the store and creates the state. Blocks for the disk, so do not call it on a thread of
    /// an asynchronous runtime.
    pub fn new(options: ServerOptions) -> Result<AppState, SetupError> {
        let store = options.store.as_deref().map(tesuji_store::open).transpose()?;
        Ok(AppState(Arc::new(StateInner {
            secret: Secret::new().ok_or(SetupError::NoRandomness)?,
            search_queue: SearchQueue::new(options.searches, options.sessions_per_address),
            store: store.map(Arc::from),
            queue_client: options.queue.as_ref().map(|access| Arc::new(QueueClient::new(access))),
            player_cache: PlayerCache::new(options.player_cache_memory),
            answer_cache: AnswerCache::default(),
            rate_limiter: RateLimiter::new(&options),
            closing: watch::Sender::new(false),
            opponents: Mutex::new(HashMap::new()),
            asking: tokio::sync::Mutex::new(()),
            gems: Gems::new(options.sessions_per_address),
            lab: Lab::new(options.sessions_per_address),
            options,
        })))
    }

    /// The settings.
    pub fn options(&self) -> &ServerOptions {
        &self.0.options
    }

    /// Opens a game by its text.
    pub(crate) fn open(&self, game: &str) -> Result<Game, ApiError> {
        Ok(self.0.options.registry.open(game)?)
    }

    /// The cached players of current games.
    pub(crate) fn player_cache(&self) -> &PlayerCache {
        &self.0.player_cache
    }

    /// The cached moves of the computer.
    pub(crate) fn answer_cache(&self) -> &AnswerCache {
        &self.0.answer_cache
    }

    /// Evicts idle players, forever.
    pub(crate) async fn sweep(self) {
        loop {
            tokio::time::sleep(player_cache::SWEEP_INTERVAL).await;
            self.player_cache().sweep();
        }
    }

    pub(crate) fn secret(&self) -> &Secret {
        &self.0.secret
    }

    pub(crate) fn search_queue(&self) -> &SearchQueue {
        &self.0.search_queue
    }

    /// The address of the store, without a password.
    pub fn store_place(&self) -> Option<&str> {
        self.0.store.as_deref().map(|store| store.place())
    }

    pub(crate) fn store(&self) -> Option<Arc<dyn Store>> {
        self.0.store.clone()
    }

    /// The client of the distributed queue.
    pub(crate) fn queue_client(&self) -> Option<Arc<QueueClient>> {
        self.0.queue_client.clone()
    }

    pub(crate) fn rate_limiter(&self) -> &RateLimiter {
        &self.0.rate_limiter
    }

    pub(crate) fn gems(&self) -> &Gems {
        &self.0.gems
    }

    pub(crate) fn lab(&self) -> &Lab {
        &self.0.lab
    }

    /// Returns the opponents of a game.
    pub(crate) async fn opponents_of(&self, game: &Game) -> Result<Opponents, ApiError> {
        let known = || self.0.opponents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opponents) = known().get(game.name()) {
            return Ok(opponents.clone());
        }
        let _one_at_a_time = self.0.asking.lock().await;
        if let Some(opponents) = known().get(game.name()) {
            return Ok(opponents.clone());
        }
        let asked = game.clone();
        let found = self.blocking(move || Ok(Opponents::of(&asked))).await?;
        let mut known = known();
        if known.len() >= MAX_GAMES {
            known.clear();
        }
        known.insert(game.name().to_string(), found.clone());
        Ok(found)
    }

    /// Runs blocking work on a blocking thread.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|_| Err(ApiError::internal("internal server error; retry")))
    }

    /// Stops all searches and streams for good, and asks all jobs to stop.
    pub(crate) fn close(&self) {
        self.0.closing.send_replace(true);
        self.0.player_cache.clear();
        self.0.lab.jobs().stop_all();
    }

    /// Waits until all jobs have stopped; kills them after `grace`.
    pub(crate) async fn end_jobs(&self, grace: Duration) {
        self.lab().jobs().end_all(grace).await;
    }

    /// Completes when the server is about to stop.
    pub(crate) fn closing(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.0.closing.subscribe();
        async move {
            // The sender lives as long as the state, so an error means the same.
            drop(closing.wait_for(|closing| *closing).await);
        }
    }
}

/// Limits the requests of each session and of each address.
pub(crate) struct RateLimiter {
    requests: TokenBuckets<u64>,
    requests_of_addresses: TokenBuckets<IpAddr>,
    /// Entries in public lists.
    posts: TokenBuckets<u64>,
    posts_of_addresses: TokenBuckets<IpAddr>,
}

/// As in the published game: one score in two seconds.
const BETWEEN_POSTS: Duration = Duration::from_secs(2);

impl RateLimiter {
    fn new(options: &ServerOptions) -> RateLimiter {
        let per_second = options.requests_per_second.max(0.1);
        let requests = RateLimit { burst: 4.0 * per_second, per_second };
        let posts = RateLimit::one_in(BETWEEN_POSTS);
        let sessions = options.sessions_per_address.max(1) as f64;
        RateLimiter {
            requests: TokenBuckets::new(requests),
            requests_of_addresses: TokenBuckets::new(requests.times(sessions)),
            posts: TokenBuckets::new(posts),
            posts_of_addresses: TokenBuckets::new(posts.times(sessions)),
        }
    }

    /// Whether the client may send another request.
    pub(crate) fn allow(&self, client: &Client) -> bool {
        // Check the session first: its refused requests do not count for its address.
        self.requests.take(client.session) && self.requests_of_addresses.take(client.network())
    }

    /// Whether the client may add an entry to a public list.
    pub(crate) fn allow_post(&self, client: &Client) -> bool {
        self.posts.take(client.session) && self.posts_of_addresses.take(client.network())
    }
}
