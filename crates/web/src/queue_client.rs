//! Access to the distributed queue: one shared connection, and a short cache of the queue's state.

use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tesuji_queue::QueueError;
use tesuji_queue_nats::{Connection, QueueOptions, QueueStatus};
use tesuji_store::Store;

use crate::errors::ApiError;

/// How to reach a queue.
#[derive(Clone)]
pub struct QueueAccess {
    /// The address and the credentials.
    pub options: QueueOptions,
    /// Environment variables that make a started program use the queue.
    pub environment: Vec<(String, OsString)>,
}

impl fmt::Debug for QueueAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The other fields may contain secrets.
        write!(f, "QueueAccess({})", self.options.address)
    }
}

/// The timeout for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The timeout of a request.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// The shortest time for which the state is cached.
const MIN_CACHE_TIME: Duration = Duration::from_secs(1);
/// The longest time; reading a large store is slow, so its state is cached for longer.
const MAX_CACHE_TIME: Duration = Duration::from_secs(10);
/// The time to wait for workers to leave at once.
const DRAIN_WAIT: Duration = Duration::from_millis(300);

/// A queue with a connection that is opened on demand and again after an error.
pub(crate) struct QueueClient {
    options: QueueOptions,
    connection: Mutex<Option<Arc<Connection>>>,
    /// Locked during an update, so that parallel requests share its result.
    cache: tokio::sync::Mutex<Option<CachedState>>,
}

struct CachedState {
    valid_until: Instant,
    state: Result<QueueStatus, ApiError>,
}

impl QueueClient {
    pub(crate) fn new(access: &QueueAccess) -> QueueClient {
        let options = QueueOptions {
            retry_timeout: CONNECT_TIMEOUT,
            // Errors are returned to the caller; no further notice is needed.
            log: Arc::new(|_| {}),
            ..access.options.clone()
        };
        QueueClient { options, connection: Mutex::default(), cache: tokio::sync::Mutex::default() }
    }

    /// Returns the state of the queue, which may be cached.
    pub(crate) async fn state(
        self: Arc<Self>,
        store: Arc<dyn Store>,
    ) -> Result<QueueStatus, ApiError> {
        detached(async move {
            let mut cache = self.cache.lock().await;
            if let Some(cached) =
                cache.as_ref().filter(|cached| Instant::now() < cached.valid_until)
            {
                return cached.state.clone();
            }
            let began = Instant::now();
            let state = self.work(move |connection| connection.status(&*store)).await;
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

    /// Asks one worker or all to finish their jobs and leave. Returns the workers that have not
    /// left yet.
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

    /// Retries the failed jobs of a run or of all runs. Returns their number.
    pub(crate) async fn retry(
        self: Arc<Self>,
        store: Arc<dyn Store>,
        run: Option<String>,
    ) -> Result<usize, ApiError> {
        detached(async move {
            let jobs = self
                .work(move |connection| connection.retry_failed(&*store, run.as_deref()))
                .await?;
            self.invalidate().await;
            Ok(jobs.len())
        })
        .await
    }

    /// Drops the cached state after a change.
    async fn invalidate(&self) {
        *self.cache.lock().await = None;
    }

    /// Uses the connection on a blocking thread.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T, QueueError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let client = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let connection = client.connection()?;
            work(&connection).inspect_err(|_| client.disconnect(&connection))
        });
        match done.await {
            Ok(done) => done.map_err(ApiError::from),
            Err(_) => Err(ApiError::internal("internal server error; retry")),
        }
    }

    fn connection(&self) -> Result<Arc<Connection>, QueueError> {
        let mut held = self.connection_slot();
        if let Some(connection) = &*held {
            return Ok(connection.clone());
        }
        let connection = Arc::new(Connection::connect(self.options.clone(), false)?);
        *held = Some(connection.clone());
        Ok(connection)
    }

    /// Drops a failed connection; the next request opens a new one.
    fn disconnect(&self, connection: &Arc<Connection>) {
        self.connection_slot().take_if(|held| Arc::ptr_eq(held, connection));
    }

    fn connection_slot(&self) -> MutexGuard<'_, Option<Arc<Connection>>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for work that continues if its client leaves, so that the next client need not start it
/// again.
async fn detached<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::time::timeout(MAX_WAIT, tokio::spawn(work)).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(ApiError::internal("internal server error; retry")),
        Err(_) => Err(ApiError::busy("queue: request timed out; retry in a few seconds")),
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
