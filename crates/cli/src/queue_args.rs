//! Who does the work of a run: the threads of this process, or workers on other machines.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tesuji_queue::{Pool, QueueError, WorkQueue};
use tesuji_queue_nats::{Connection, LogFn, NatsQueue, QueueAddress, QueueOptions};
use tesuji_store::{Access, Store, StoreError, open_with_retry};

use crate::failure::Failure;
use crate::setting;

/// Where the queue is, for every verb that uses one.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct ServerArgs {
    /// Have the games played by workers: nats://HOST, tls://HOST, with TOKEN@ or USER:PASSWORD@ before the host where
    /// the server wants it
    #[arg(long, value_name = "URL", env = "TESUJI_QUEUE", hide_env_values = true)]
    queue: Option<String>,
    /// Credentials for the queue, a file as nsc makes them
    #[arg(long, value_name = "FILE", env = "TESUJI_QUEUE_CREDS")]
    queue_creds: Option<PathBuf>,
    /// Certificates of who may vouch for the queue, beside those of the system
    #[arg(long, value_name = "FILE", env = "TESUJI_QUEUE_CA")]
    queue_ca: Option<PathBuf>,
}

/// The same for verbs that wait for it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct ConnectionArgs {
    #[command(flatten)]
    place: ServerArgs,
    /// How long a queue or database that is away is waited for
    #[arg(long, value_name = "T", default_value = "10m", value_parser = setting::duration)]
    queue_wait: Duration,
}

impl ServerArgs {
    pub(crate) fn is_named(&self) -> bool {
        self.queue.is_some()
    }

    /// How to reach it; an error where none is named.
    pub(crate) fn options(&self) -> Result<QueueOptions, Failure> {
        let address = self.queue.as_ref().ok_or_else(|| {
            Failure::bad("no queue is named; give --queue nats://HOST, or set TESUJI_QUEUE")
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

    /// The same as variables of the environment, for programs that this one starts.
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
    /// How to reach it; an error where none is named.
    pub(crate) fn options(&self) -> Result<QueueOptions, Failure> {
        Ok(QueueOptions { retry_timeout: self.queue_wait, ..self.place.options()? })
    }

    /// A line to it, to look after it.
    pub(crate) fn line(&self) -> Result<Connection, Failure> {
        Ok(Connection::connect(self.options()?, false)?)
    }

    /// Opens a store that is waited for where its database is away.
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

/// Who plays, for verbs that play many games.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct QueueArgs {
    #[command(flatten)]
    access: ConnectionArgs,
    /// How long a worker's job should take
    #[arg(long, value_name = "T", default_value = "5s", value_parser = setting::duration)]
    job_time: Duration,
    /// A job whose worker shows no sign of life for so long goes to another [default: as it is, 30s at first]
    #[arg(long, value_name = "T", value_parser = setting::duration)]
    lease: Option<Duration>,
}

impl QueueArgs {
    pub(crate) fn is_remote(&self) -> bool {
        self.access.place.is_named()
    }

    /// Opens the store of a run; with a queue it is waited for where its database is away.
    pub(crate) fn open_store(
        &self,
        place: &str,
        access: Access,
    ) -> Result<Box<dyn Store>, StoreError> {
        match self.is_remote() {
            true => self.access.open_store(place, access),
            false => tesuji_store::open_with(place, access),
        }
    }

    /// The queue: this process with so many threads, or the one that was named, which needs the run's store.
    pub(crate) fn open_queue(
        &self,
        threads: usize,
        place: Option<&str>,
    ) -> Result<Arc<dyn WorkQueue>, Failure> {
        if !self.is_remote() {
            return Ok(Arc::new(Pool::new(threads)));
        }
        // Verbs that need a store for the queue alone have it from the environment as well.
        let place = place.map(str::to_string).or_else(setting::store_of_environment);
        let place = place.ok_or_else(|| {
            Failure::bad(
                "--queue needs a store that the workers write to as well; give --store \
                 postgres://USER@HOST/DATABASE",
            )
        })?;
        let options = QueueOptions {
            job_seconds: self.job_time.as_secs_f64(),
            lease: self.lease,
            ..self.access.options()?
        };
        let store = Arc::from(self.access.open_store(&place, Access::Create)?);
        Ok(Arc::new(NatsQueue::connect(options, store)?))
    }
}

/// Logs what is worth knowing.
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
