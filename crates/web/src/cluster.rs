//! The queue of many machines, for those who look at it and after it: one line to it for all requests, and how it stood
//! a moment ago.

use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tesuji_queue::QueueError;
use tesuji_queue_nats::{Connection, QueueOptions, QueueStatus};
use tesuji_store::Store;

use crate::errors::ApiError;

/// How the server reaches a queue.
#[derive(Clone)]
pub struct QueueAccess {
    /// Where it is, and who we are there.
    pub options: QueueOptions,
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
const PATIENCE: Duration = Duration::from_secs(2);
/// No request waits longer for an answer.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How it stands is not asked more often.
const LASTS: Duration = Duration::from_secs(1);
/// A look into a large store takes its time, and so is taken more seldom; but not more seldom than this.
const LASTS_AT_MOST: Duration = Duration::from_secs(10);
/// So long it is seen whether workers leave at once.
const A_MOMENT: Duration = Duration::from_millis(300);

/// A queue, with one line to it that is made when somebody asks, and made anew when it failed.
pub(crate) struct Cluster {
    options: QueueOptions,
    line: Mutex<Option<Arc<Connection>>>,
    /// Held while somebody looks, so that all others wait for the same look.
    lately: tokio::sync::Mutex<Option<Look>>,
}

struct Look {
    fresh_until: Instant,
    state: Result<QueueStatus, ApiError>,
}

impl Cluster {
    pub(crate) fn new(access: &QueueAccess) -> Cluster {
        let options = QueueOptions {
            retry_timeout: PATIENCE,
            // Who looks is told; nobody else needs to know.
            log: Arc::new(|_| {}),
            ..access.options.clone()
        };
        Cluster { options, line: Mutex::default(), lately: tokio::sync::Mutex::default() }
    }

    /// How it stands, or stood a moment ago.
    pub(crate) async fn state(
        self: Arc<Self>,
        store: Arc<dyn Store>,
    ) -> Result<QueueStatus, ApiError> {
        finished(async move {
            let mut lately = self.lately.lock().await;
            if let Some(look) = lately.as_ref().filter(|look| Instant::now() < look.fresh_until) {
                return look.state.clone();
            }
            let began = Instant::now();
            let state = self.work(move |line| line.status(&*store)).await;
            let lasts = match state {
                Ok(_) => (4 * began.elapsed()).clamp(LASTS, LASTS_AT_MOST),
                Err(_) => LASTS,
            };
            *lately = Some(Look { fresh_until: Instant::now() + lasts, state: state.clone() });
            state
        })
        .await
    }

    /// Asks a worker, or all, to finish what they are at and leave. Returns who has not left at once.
    pub(crate) async fn drain(
        self: Arc<Self>,
        worker: Option<String>,
    ) -> Result<Vec<String>, ApiError> {
        finished(async move {
            let there = self.work(move |line| line.drain(worker.as_deref(), A_MOMENT)).await?;
            self.look_anew().await;
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
        finished(async move {
            let jobs = self.work(move |line| line.retry_failed(&*store, run.as_deref())).await?;
            self.look_anew().await;
            Ok(jobs.len())
        })
        .await
    }

    /// Something was changed.
    async fn look_anew(&self) {
        *self.lately.lock().await = None;
    }

    /// Does something with the line, off the server's own threads.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T, QueueError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let cluster = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let line = cluster.line()?;
            work(&line).inspect_err(|_| cluster.hang_up(&line))
        });
        match done.await {
            Ok(done) => done.map_err(ApiError::from),
            Err(_) => Err(ApiError::internal("something went wrong here; try again")),
        }
    }

    fn line(&self) -> Result<Arc<Connection>, QueueError> {
        let mut held = self.held();
        if let Some(line) = &*held {
            return Ok(line.clone());
        }
        let line = Arc::new(Connection::connect(self.options.clone(), false)?);
        *held = Some(line.clone());
        Ok(line)
    }

    /// The next one who asks makes a new line.
    fn hang_up(&self, line: &Arc<Connection>) {
        self.held().take_if(|held| Arc::ptr_eq(held, line));
    }

    fn held(&self) -> MutexGuard<'_, Option<Arc<Connection>>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for work that goes on when the one who asked for it leaves, so that it is not begun anew by everybody who comes.
async fn finished<T: Send + 'static>(
    work: impl Future<Output = Result<T, ApiError>> + Send + 'static,
) -> Result<T, ApiError> {
    match tokio::time::timeout(LONGEST_WAIT, tokio::spawn(work)).await {
        Ok(Ok(done)) => done,
        Ok(Err(_)) => Err(ApiError::internal("something went wrong here; try again")),
        Err(_) => Err(ApiError::busy("the queue takes long to answer; look again in a moment")),
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
