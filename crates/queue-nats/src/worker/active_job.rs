//! A job that this worker has received and not yet acknowledged.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_nats::jetstream::AckKind;
use tesuji_store::JobRecord;

use tesuji_queue::{CancelToken, JobSpec};

/// A job that this worker has received.
pub(super) struct ActiveJob {
    pub(super) message: jetstream::Message,
    /// The job as the store had it.
    pub(super) record: JobRecord,
    /// Its specification. Set after the job becomes active, since building it may take a while.
    spec: OnceLock<Arc<dyn JobSpec>>,
    progress: Mutex<JobProgress>,
}

struct JobProgress {
    /// The token of its runner; `None` while it waits for a runner or for its acknowledgment.
    cancel: Option<CancelToken>,
    heartbeats: u64,
    last_change: Instant,
    /// It made no progress for too long and was canceled.
    has_stalled: bool,
}

impl ActiveJob {
    pub(super) fn new(message: jetstream::Message, record: JobRecord) -> ActiveJob {
        let progress = Mutex::new(JobProgress {
            cancel: None,
            heartbeats: 0,
            last_change: Instant::now(),
            has_stalled: false,
        });
        ActiveJob { message, record, spec: OnceLock::new(), progress }
    }

    pub(super) fn set_spec(&self, spec: Arc<dyn JobSpec>) {
        self.spec.get_or_init(|| spec);
    }

    /// The specification; jobs are sent to runners only after it is set.
    pub(super) fn spec(&self) -> &Arc<dyn JobSpec> {
        self.spec.get().unwrap_or_else(|| unreachable!("runners get jobs with a specification"))
    }

    fn progress(&self) -> MutexGuard<'_, JobProgress> {
        self.progress.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Marks the job as running.
    pub(super) fn begin(&self, cancel: &CancelToken) {
        let (heartbeats, cancel) = (cancel.heartbeats(), Some(cancel.clone()));
        let last_change = Instant::now();
        *self.progress() = JobProgress { cancel, heartbeats, last_change, has_stalled: false };
    }

    /// Marks the job as not running.
    pub(super) fn end(&self) {
        self.progress().cancel = None;
    }

    /// Whether the job waits, or made progress within `timeout`. Otherwise it is canceled.
    pub(super) fn is_live(&self, timeout: Duration) -> bool {
        let mut progress = self.progress();
        let Some(cancel) = progress.cancel.clone() else { return true };
        if cancel.heartbeats() != progress.heartbeats {
            progress.heartbeats = cancel.heartbeats();
            progress.last_change = Instant::now();
        }
        let is_live = progress.last_change.elapsed() < timeout;
        if !is_live {
            progress.has_stalled = true;
            cancel.cancel();
        }
        is_live
    }

    /// Whether it was canceled because it made no progress.
    pub(super) fn has_stalled(&self) -> bool {
        self.progress().has_stalled
    }

    pub(super) fn is_running(&self) -> bool {
        self.progress().cancel.is_some()
    }

    pub(super) fn cancel(&self) {
        if let Some(cancel) = &self.progress().cancel {
            cancel.cancel();
        }
    }

    /// Sends an acknowledgment of any kind. A lost one does no harm: the store is authoritative.
    pub(super) async fn ack(&self, kind: AckKind) {
        _ = self.message.ack_with(kind).await;
    }
}
