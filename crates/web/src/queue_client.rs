//! The queue of many machines, for those who cached at it and after it: one line to it for all requests, and how it stood
//! a moment ago.

use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tesuji_queue::QueueError;
use tesuji_queue_nats::{Line, Options, QueueState};
use tesuji_store::Store;

use crate::errors::ApiError;

/// How the server reaches a queue.
#[derive(Clone)]
pub struct QueueAccess {
    /// Where it is, and who we are there.
    pub options: Options,
    /// By this, in its environment, a program that is started here knows that its games are for the workers.
    pub environment: Vec<(String, OsString)>,
}

impl fmt::Debug for QueueAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // There may be secrets in everything else.
        write!(f, "QueueAccess({})", self.options.address)
    }
}

/// So long a server that is away is waited for.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// No request waits longer for an answer.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// How it stands is not asked more often.
const MIN_CACHE_TIME: Duration = Duration::from_secs(1);
/// A cached into a large store takes its time, and so is taken more seldom; but not more seldom than this.
const MAX_CACHE_TIME: Duration = Duration::from_secs(10);
/// So long it is seen whether workers leave at once.
const DRAIN_WAIT: Duration = Duration::from_millis(300);

/// A queue, with one line to it that is made when somebody asks, and made anew when it failed.
pub(crate) struct QueueClient {
    options: Options,
    connection: Mutex<Option<Arc<Line>>>,
    /// Held while somebody looks, so that all others wait for the same cached.
    cache: tokio::sync::Mutex<Option<CachedState>>,
}

struct CachedState {
    valid_until: Instant,
    state: Result<QueueState, ApiError>,
}

impl QueueClient {
    pub(crate) fn new(access: &QueueAccess) -> QueueClient {
        let options = Options {
            patience: CONNECT_TIMEOUT,
            // Who looks is told; nobody else needs to know.
            notice: Arc::new(|_| {}),
            ..access.options.clone()
        };
        QueueClient { options, connection: Mutex::default(), cache: tokio::sync::Mutex::default() }
    }

    /// How it stands, or stood a moment ago.
    pub(crate) async fn state(
        self: Arc<Self>,
        store: Arc<dyn Store>,
    ) -> Result<QueueState, ApiError> {
        detached(async move {
            let mut cache = self.cache.lock().await;
            if let Some(cached) =
                cache.as_ref().filter(|cached| Instant::now() < cached.valid_until)
            {
                return cached.state.clone();
            }
            let began = Instant::now();
            let state = self.work(move |connection| connection.state(&*store)).await;
            let cache_time = match state {
                Ok(_) => (4 * began.elapsed()).clamp(MIN_CACHE_TIME, MAX_CACHE_TIME),
                Err(_) => MIN_CACHE_TIME,
            };
            *cache = Some(CachedState {
                valid_until: Instant::now() + cache_time,
                state: state.clone(),
            });
            state
        })
        .await
    }

    /// Asks a worker, or all, to finish what they are at and leave. Returns who has not left at once.
    pub(crate) async fn drain(
        self: Arc<Self>,
        worker: Option<String>,
    ) -> Result<Vec<String>, ApiError> {
        detached(async move {
            let there = self
                .work(move |connection| connection.drain(worker.as_deref(), DRAIN_WAIT))
                .await?;
            self.invalidate().await;
            Ok(there.into_iter().map(|card| card.name).collect())
        })
        .await
    }

    /// Gives the failed jobs of a run, or of all runs, another chance. Returns how many there were.
    pub(crate) async fn retry(
        self: Arc<Self>,
        store: Arc<dyn Store>,
        run: Option<String>,
    ) -> Result<usize, ApiError> {
        detached(async move {
            let jobs =
                self.work(move |connection| connection.retry(&*store, run.as_deref())).await?;
            self.invalidate().await;
            Ok(jobs.len())
        })
        .await
    }

    /// Something was changed.
    async fn invalidate(&self) {
        *self.cache.lock().await = None;
    }

    /// Does something with the line, off the server's own threads.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Line) -> Result<T, QueueError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let client = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let connection = client.connection()?;
            work(&connection).inspect_err(|_| client.disconnect(&connection))
        });
        match done.await {
            Ok(done) => done.map_err(ApiError::from),
            Err(_) => Err(ApiError::internal("something went wrong here; try again")),
        }
    }

    fn connection(&self) -> Result<Arc<Line>, QueueError> {
        let mut held = self.connection_slot();
        if let Some(connection) = &*held {
            return Ok(connection.clone());
        }
        let connection = Arc::new(Line::connect(self.options.clone(), false)?);
        *held = Some(connection.clone());
        Ok(connection)
    }

    /// The next one who asks makes a new line.
    fn disconnect(&self, connection: &Arc<Line>) {
        self.connection_slot().take_if(|held| Arc::ptr_eq(held, connection));
    }

    fn connection_slot(&self) -> MutexGuard<'_, Option<Arc<Line>>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for work that goes on when the one who asked for it leaves, so that it is not begun anew by everybody who comes.
async fn detached<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::time::timeout(MAX_WAIT, tokio::spawn(work)).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(ApiError::internal("something went wrong here; try again")),
        Err(_) => Err(ApiError::busy("the queue takes long to answer; cached again in a moment")),
    }
}

impl From<QueueError> for ApiError {
    fn from(error: QueueError) -> ApiError {
        match error {
            QueueError::Queue { .. } => ApiError::busy(error.to_string()),
            error => ApiError::internal(error.to_string()),
        }
    }
}
