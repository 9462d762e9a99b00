//! QueueOptions for the work queue: the threads of this process, or workers on other machines.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tesuji_queue::{Pool, QueueError, WorkQueue};
use tesuji_queue_nats::{Connection, LogFn, NatsQueue, QueueAddress, QueueOptions};
use tesuji_store::{Access, Store, StoreError, open_with_retry};

use crate::arguments;
use crate::failure::Failure;

/// The options that name a queue.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct ServerArgs {
    /// Run the jobs on the workers of this queue: nats://HOST or tls://HOST, with TOKEN@ or
    /// USER:PASSWORD@ before the host if the server requires it
    #[arg(long, value_name = "URL", env = "TESUJI_QUEUE", hide_env_values = true)]
    queue: Option<String>,
    /// Log in to the queue with this credentials file, as written by nsc
    #[arg(long, value_name = "FILE", env = "TESUJI_QUEUE_CREDS")]
    queue_creds: Option<PathBuf>,
    /// Trust the CA certificates of this file, in addition to the system's
    #[arg(long, value_name = "FILE", env = "TESUJI_QUEUE_CA")]
    queue_ca: Option<PathBuf>,
}

/// The options that name a queue and say how long to wait for it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct ConnectionArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// Wait this long for an unreachable queue or database
    #[arg(long, value_name = "T", default_value = "10m", value_parser = arguments::duration)]
    queue_wait: Duration,
}

impl ServerArgs {
    pub(crate) fn is_named(&self) -> bool {
        self.queue.is_some()
    }

    /// The connection options; an error if no queue is named.
    pub(crate) fn options(&self) -> Result<QueueOptions, Failure> {
        let address = self.queue.as_ref().ok_or_else(|| {
            Failure::bad("queue: missing; expected --queue nats://HOST or TESUJI_QUEUE")
        })?;
        let address: QueueAddress =
            address.parse().map_err(|error| Failure::BadInput(format!("--queue: {error}")))?;
        Ok(QueueOptions {
            credentials: self.queue_creds.clone(),
            ca_file: self.queue_ca.clone(),
            log: notice(),
            ..QueueOptions::new(address)
        })
    }

    /// The same options as environment variables, for child processes.
    pub(crate) fn environment(&self) -> Vec<(String, OsString)> {
        let ServerArgs { queue, queue_creds, queue_ca } = self.clone();
        let variables = [
            ("TESUJI_QUEUE", queue.map(OsString::from)),
            ("TESUJI_QUEUE_CREDS", queue_creds.map(OsString::from)),
            ("TESUJI_QUEUE_CA", queue_ca.map(OsString::from)),
        ];
        variables.into_iter().filter_map(|(name, it)| Some((name.to_string(), it?))).collect()
    }
}

impl ConnectionArgs {
    /// The connection options; an error if no queue is named.
    pub(crate) fn options(&self) -> Result<QueueOptions, Failure> {
        Ok(QueueOptions { retry_timeout: self.queue_wait, ..self.server.options()? })
    }

    /// Connects to the queue for its administration.
    pub(crate) fn connect(&self) -> Result<Connection, Failure> {
        Ok(Connection::connect(self.options()?, false)?)
    }

    /// Opens a store; waits while its database is unreachable.
    pub(crate) fn open_store(
        &self,
        place: &str,
        access: Access,
    ) -> Result<Box<dyn Store>, StoreError> {
        let notice = notice();
        let notice = Box::new(move |text: &str| notice(text));
        Ok(Box::new(open_with_retry(place, access, self.queue_wait, notice)?))
    }
}

/// The options of commands that run jobs on a queue.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct QueueArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// Size jobs to take about this long
    #[arg(long, value_name = "T", default_value = "5s", value_parser = arguments::duration)]
    job_time: Duration,
    /// Reassign a job after this long without a heartbeat [default: the queue's current value, at
    /// first 30s]
    #[arg(long, value_name = "T", value_parser = arguments::duration)]
    lease: Option<Duration>,
}

impl QueueArgs {
    pub(crate) fn is_remote(&self) -> bool {
        self.connection.server.is_named()
    }

    /// Opens the store of a run; with a queue, waits while its database is unreachable.
    pub(crate) fn open_store(
        &self,
        place: &str,
        access: Access,
    ) -> Result<Box<dyn Store>, StoreError> {
        match self.is_remote() {
            true => self.connection.open_store(place, access),
            false => tesuji_store::open_with(place, access),
        }
    }

    /// Opens the queue: a pool of threads in this process or the named queue, which needs the store
    /// of the run.
    pub(crate) fn open_queue(
        &self,
        threads: usize,
        place: Option<&str>,
    ) -> Result<Arc<dyn WorkQueue>, Failure> {
        if !self.is_remote() {
            return Ok(Arc::new(Pool::new(threads)));
        }
        // Commands that need a store only for the queue take it from the environment as well.
        let place = place.map(str::to_string).or_else(arguments::store_of_environment);
        let place = place.ok_or_else(|| {
            Failure::bad(
                "--queue: no store; expected --store postgres://USER@HOST/DATABASE, which the workers \
                 can write to",
            )
        })?;
        let options = QueueOptions {
            job_seconds: self.job_time.as_secs_f64(),
            lease: self.lease,
            ..self.connection.options()?
        };
        let store = Arc::from(self.connection.open_store(&place, Access::Create)?);
        Ok(Arc::new(NatsQueue::connect(options, store)?))
    }
}

/// Logs the warnings of a connection.
fn notice() -> LogFn {
    Arc::new(|text| tracing::warn!(target: "queue", "{text}"))
}

impl From<QueueError> for Failure {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Store(error) => error.into(),
            error => Failure::failed(error),
        }
    }
}
