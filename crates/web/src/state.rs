//! What all requests share.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tesuji_search::{Game, Registry};
use tesuji_store::{Store, StoreError};
use tokio::sync::watch;

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

/// How the server is to be run.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The games that can be played.
    pub registry: Registry,
    /// Where it listens.
    pub address: SocketAddr,
    /// Where games, scores and runs are kept: a file, or `postgres://…`; `None`: nowhere.
    pub store: Option<String>,
    /// The folder of training runs.
    pub runs: PathBuf,
    /// The folder of reports that were made here beside published numbers.
    pub reports: PathBuf,
    /// The program that trains and plays tournaments: this one, usually. `None`: no run can be started.
    pub program: Option<PathBuf>,
    /// What starts, stops and changes something in the laboratory needs this word, from every
    /// address. `None`: nothing can be started, stopped or changed.
    pub token: Option<String>,
    /// Jobs of the laboratory may also name programs and files of this machine.
    pub allow_programs: bool,
    /// The queue of many machines, which the laboratory shows, and whose workers may play for what is started there.
    pub queue: Option<QueueAccess>,
    /// Searches at once.
    pub searches: usize,
    /// The longest time that a search may be asked to take.
    pub longest_search: Duration,
    /// Bytes that players of games under way may hold while they wait for their next move. 0: every
    /// move is made by a new player.
    pub player_cache_memory: u64,
    /// Requests a second that one session may send in the long run.
    pub requests_per_second: f64,
    /// How many sessions' worth of every limit one address may use. Behind a reverse proxy all
    /// clients have one address.
    pub sessions_per_address: usize,
    /// How long a client may take to send the head of a request or the next request, or to take any
    /// part of an answer.
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

/// Why the server cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system has no source of chance.
    #[error("the system gives no random numbers, and sessions cannot be told apart without")]
    NoRandomness,
}

/// What all requests share; copies share the same.
#[derive(Clone)]
pub struct AppState(Arc<StateInner>);

struct StateInner {
    options: ServerOptions,
    secret: Secret,
    search_queue: SearchQueue,
    store: Option<Arc<dyn Store>>,
    queue_client: Option<Arc<QueueClient>>,
    player_cache: PlayerCache,
    rate_limiter: RateLimiter,
    closing: watch::Sender<bool>,
    /// Who can play which game: found out by asking every player, so remembered.
    opponents: Mutex<HashMap<String, Opponents>>,
    /// Held while that is found out, for one game at a time: the memory that it takes does not grow
    /// with the clients.
    asking: tokio::sync::Mutex<()>,
    gems: Gems,
    lab: Lab,
}

/// So many games' opponents are remembered.
const MAX_GAMES: usize = 200;

impl AppState {
    /// Opens the store and makes ready. Not on a thread of an asynchronous runtime: opening a store waits for the disk.
    pub fn new(options: ServerOptions) -> Result<AppState, SetupError> {
        let store = options.store.as_deref().map(tesuji_store::open).transpose()?;
        Ok(AppState(Arc::new(StateInner {
            secret: Secret::new().ok_or(SetupError::NoRandomness)?,
            search_queue: SearchQueue::new(options.searches, options.sessions_per_address),
            store: store.map(Arc::from),
            queue_client: options.queue.as_ref().map(|access| Arc::new(QueueClient::new(access))),
            player_cache: PlayerCache::new(options.player_cache_memory),
            rate_limiter: RateLimiter::new(&options),
            closing: watch::Sender::new(false),
            opponents: Mutex::new(HashMap::new()),
            asking: tokio::sync::Mutex::new(()),
            gems: Gems::new(options.sessions_per_address),
            lab: Lab::new(options.sessions_per_address),
            options,
        })))
    }

    /// How the server is run.
    pub fn options(&self) -> &ServerOptions {
        &self.0.options
    }

    /// Opens a game by its name.
    pub(crate) fn open(&self, game: &str) -> Result<Game, ApiError> {
        Ok(self.0.options.registry.open(game)?)
    }

    /// The players of games under way.
    pub(crate) fn player_cache(&self) -> &PlayerCache {
        &self.0.player_cache
    }

    /// Lets go of players whose games are not gone on with, for as long as it runs.
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

    /// Where records are kept, without a password.
    pub fn store_place(&self) -> Option<&str> {
        self.0.store.as_deref().map(|store| store.place())
    }

    pub(crate) fn store(&self) -> Option<Arc<dyn Store>> {
        self.0.store.clone()
    }

    /// The queue of many machines.
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

    /// Who can play a game.
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

    /// Does something that waits for the disk or takes a moment, off the server's own threads.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|_| Err(ApiError::internal("something went wrong here; try again")))
    }

    /// Ends all thinking and all streams, for good, and asks the jobs of the laboratory to stop.
    pub(crate) fn close(&self) {
        self.0.closing.send_replace(true);
        self.0.player_cache.clear();
        self.0.lab.jobs().stop_all();
    }

    /// Waits until the jobs of the laboratory have stopped; after `grace` they are killed.
    pub(crate) async fn end_jobs(&self, grace: Duration) {
        self.lab().jobs().end_all(grace).await;
    }

    /// Is there when the server is about to stop.
    pub(crate) fn closing(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.0.closing.subscribe();
        async move {
            // The sender lives as long as the state; if it is gone, all is over as well.
            drop(closing.wait_for(|closing| *closing).await);
        }
    }
}

/// How often a client may do what: its session, and its address with all sessions that are there.
pub(crate) struct RateLimiter {
    requests: TokenBuckets<u64>,
    requests_of_addresses: TokenBuckets<IpAddr>,
    /// Entries into lists that others see.
    posts: TokenBuckets<u64>,
    posts_of_addresses: TokenBuckets<IpAddr>,
}

/// The published game's server took one score in two seconds.
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

    /// Whether the client may ask once more.
    pub(crate) fn allow(&self, client: &Client) -> bool {
        // The session first: what it is refused costs the others at its address nothing.
        self.requests.take(client.session) && self.requests_of_addresses.take(client.network())
    }

    /// Whether the client may enter something into a list that others see.
    pub(crate) fn allow_post(&self, client: &Client) -> bool {
        self.posts.take(client.session) && self.posts_of_addresses.take(client.network())
    }
}
