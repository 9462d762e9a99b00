//! The connection to a server: how it is made, what is created on the server, and how requests are
//! retried.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{self, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, kv};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, Event};
use serde::{Deserialize, Serialize};
use tesuji_store::JobRecord;
use tesuji_store::key::digest;
use tokio::runtime::Runtime;

use crate::address::{QueueAddress, Secret};
use tesuji_queue::QueueError;

/// The version that a queue sees. Machines that share work must run the same version: only then are
/// results the same.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (queue 1)");

const STREAM: &str = "TESUJI";
const CONSUMER: &str = "workers";
const BLOBS: &str = "tesuji-files";
const WORKERS: &str = "tesuji-workers";
/// The key of the creator's version in the metadata of the stream.
const VERSION_KEY: &str = "tesuji-version";
/// The default time after which a job without a heartbeat is delivered again.
const DEFAULT_LEASE: Duration = Duration::from_secs(30);
/// The time after which the status of a worker expires unless it is renewed.
const STATUS_AGE: Duration = Duration::from_secs(15);
/// The time after which the server deletes files that were left behind.
const FILE_AGE: Duration = Duration::from_secs(30 * 24 * 3600);
/// The number of deliveries of a job is unlimited. With a limit, the server would keep a job that
/// has reached it and deliver it to no worker, and the coordinator would wait forever. Workers
/// count losses themselves and discard a job that has too many.
const UNLIMITED: i64 = -1;
/// The pause between two attempts, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// Receives log messages of one line, such as that the server is unreachable or available again.
pub type LogFn = Arc<dyn Fn(&str) + Send + Sync>;

/// How to connect to a queue.
#[derive(Clone)]
pub struct QueueOptions {
    /// The address of the server.
    pub address: QueueAddress,
    /// A file of NATS credentials, in the format of `nsc`.
    pub credentials: Option<PathBuf>,
    /// A file of CA certificates to trust in addition to those of the system.
    pub ca_file: Option<PathBuf>,
    /// The time after which a job without a heartbeat is delivered to another worker; `None` keeps
    /// the setting of the queue, which is 30 seconds at first.
    pub lease: Option<Duration>,
    /// How long requests to an unreachable server are retried.
    pub retry_timeout: Duration,
    /// The target duration of a job in seconds.
    pub job_seconds: f64,
    /// The version of this program.
    pub version: String,
    /// Receives log messages.
    pub log: LogFn,
}

impl QueueOptions {
    /// The default options.
    pub fn new(address: QueueAddress) -> QueueOptions {
        QueueOptions {
            address,
            credentials: None,
            ca_file: None,
            lease: None,
            retry_timeout: Duration::from_secs(600),
            job_seconds: 5.0,
            version: VERSION.to_string(),
            log: Arc::new(|_| {}),
        }
    }
}

/// The message of a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct JobMessage {
    /// The job's key in the store.
    pub(crate) job: String,
    /// Its run.
    pub(crate) run: String,
    /// The digest of its payload.
    #[serde(rename = "brief")]
    pub(crate) payload: String,
    /// The version of the sender.
    pub(crate) version: String,
    /// Attempts and losses of the job before it was enqueued: the server counts deliveries per
    /// message.
    #[serde(default)]
    pub(crate) before: u32,
}

impl JobMessage {
    /// The message for a job record.
    pub(crate) fn new(job: &JobRecord, version: &str) -> JobMessage {
        JobMessage {
            job: job.key.clone(),
            run: job.run.clone(),
            payload: job.brief.clone(),
            version: version.to_string(),
            before: job.attempts.saturating_add(job.losses),
        }
    }
}

/// A connection to a server on which the stream and buckets exist.
pub struct Connection {
    pub(crate) options: QueueOptions,
    /// The address, without secrets.
    pub(crate) address: String,
    runtime: BackgroundRuntime,
    client: Client,
    context: jetstream::Context,
}

/// A runtime that may be dropped anywhere, even inside another runtime.
struct BackgroundRuntime(Option<Runtime>);

impl BackgroundRuntime {
    fn get(&self) -> &Runtime {
        self.0.as_ref().unwrap_or_else(|| unreachable!("taken only by drop"))
    }
}

impl Drop for BackgroundRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Connection {
    /// Waits for the server and creates what is missing. With `takes_over`, an empty queue of
    /// another version is converted to this one; otherwise it is an error.
    pub fn connect(options: QueueOptions, takes_over: bool) -> Result<Connection, QueueError> {
        let address = options.address.to_string();
        let failed = |reason: String| QueueError::Queue { address: address.clone(), reason };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("tesuji-queue")
            .enable_all()
            .build()
            .map_err(|why| failed(why.to_string()))?;
        let client = runtime.block_on(connect(&options)).map_err(failed)?;
        let context = {
            let _inside = runtime.enter();
            jetstream::new(client.clone())
        };
        let runtime = BackgroundRuntime(Some(runtime));
        let connection = Connection { address, options, runtime, client, context };
        connection.with_retry(|| connection.set_up(takes_over))?;
        Ok(connection)
    }

    /// Runs a future to its end.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        // Boxed: otherwise the runtime would be compiled for each of the futures.
        let future: Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(future);
        self.runtime.get().block_on(future)
    }

    /// Runs a future in the background.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.runtime.get().spawn(future);
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Retries a request, with growing pauses, until it succeeds, fails permanently or
    /// `retry_timeout` has passed.
    pub(crate) fn with_retry<T, F: Future<Output = Result<T, RequestError>>>(
        &self,
        mut request: impl FnMut() -> F,
    ) -> Result<T, QueueError> {
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut has_logged = false;
        loop {
            let why = match self.block_on(request()) {
                Ok(answer) => {
                    if has_logged {
                        (self.options.log)(&format!("queue {}: answers again", self.address));
                    }
                    return Ok(answer);
                }
                Err(RequestError::Permanent(why)) => return Err(self.failed(why)),
                Err(RequestError::Transient(why)) => why,
            };
            if started.elapsed() + pause > self.options.retry_timeout {
                return Err(self.failed(why));
            }
            if !has_logged && started.elapsed() > MAX_PAUSE {
                has_logged = true;
                let message = format!("queue {}: {why}; retrying", self.address);
                (self.options.log)(&message);
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(MAX_PAUSE);
        }
    }

    pub(crate) fn failed(&self, reason: String) -> QueueError {
        QueueError::Queue { address: self.address.clone(), reason }
    }

    async fn set_up(&self, takes_over: bool) -> Result<(), RequestError> {
        let stream = self.context.get_or_create_stream(self.stream_config()).await;
        let stream = stream.map_err(RequestError::from_server)?;
        let info = stream.cached_info();
        let version = info.config.metadata.get(VERSION_KEY).cloned().unwrap_or_default();
        if version != self.options.version {
            if !takes_over || info.state.messages > 0 {
                return Err(RequestError::Permanent(
                    self.other_version(&version, info.state.messages),
                ));
            }
            self.context
                .update_stream(self.stream_config())
                .await
                .map_err(RequestError::from_server)?;
        }
        self.set_up_consumer(&stream).await?;
        if self.context.get_object_store(BLOBS).await.is_err() {
            let config = object_store::Config {
                bucket: BLOBS.to_string(),
                max_age: FILE_AGE,
                storage: StorageType::File,
                ..object_store::Config::default()
            };
            self.context.create_object_store(config).await.map_err(RequestError::from_server)?;
        }
        self.worker_bucket().await.map(drop)
    }

    async fn set_up_consumer(&self, stream: &stream::Stream) -> Result<(), RequestError> {
        let config = |lease| pull::Config {
            durable_name: Some(CONSUMER.to_string()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_deliver: UNLIMITED,
            max_ack_pending: 100_000,
            max_waiting: 10_000,
            ..pull::Config::default()
        };
        let first = config(self.options.lease.unwrap_or(DEFAULT_LEASE));
        let consumer = stream.get_or_create_consumer(CONSUMER, first).await;
        let consumer: PullConsumer = consumer.map_err(RequestError::from_server)?;
        let found = &consumer.cached_info().config;
        let lease = self.options.lease.unwrap_or(found.ack_wait);
        if found.ack_wait == lease && found.max_deliver == UNLIMITED {
            return Ok(());
        }
        stream.update_consumer(config(lease)).await.map(drop).map_err(RequestError::from_server)
    }

    fn stream_config(&self) -> stream::Config {
        stream::Config {
            name: STREAM.to_string(),
            description: Some("Jobs of tesuji".to_string()),
            subjects: vec!["tesuji.jobs.>".to_string()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            metadata: HashMap::from([(VERSION_KEY.to_string(), self.options.version.clone())]),
            ..stream::Config::default()
        }
    }

    pub(crate) fn other_version(&self, theirs: &str, messages: u64) -> String {
        let theirs = if theirs.is_empty() { "of an unknown version" } else { theirs };
        let jobs = match messages {
            0 => String::new(),
            jobs => format!(" and holds {jobs} jobs"),
        };
        format!(
            "belongs to tesuji {theirs}{jobs}; expected tesuji {}, the same version on all machines",
            self.options.version
        )
    }

    pub(crate) async fn jobs(&self) -> Result<stream::Stream, RequestError> {
        self.context.get_stream(STREAM).await.map_err(RequestError::from_server)
    }

    pub(crate) async fn consumer(&self) -> Result<PullConsumer, RequestError> {
        let found = self.context.get_consumer_from_stream(CONSUMER, STREAM).await;
        found.map_err(RequestError::from_server)
    }

    pub(crate) async fn objects(&self) -> Result<ObjectStore, RequestError> {
        self.context.get_object_store(BLOBS).await.map_err(RequestError::from_server)
    }

    pub(crate) async fn worker_bucket(&self) -> Result<kv::Store, RequestError> {
        if let Ok(bucket) = self.context.get_key_value(WORKERS).await {
            return Ok(bucket);
        }
        let config = kv::Config {
            bucket: WORKERS.to_string(),
            history: 1,
            max_age: STATUS_AGE,
            storage: StorageType::Memory,
            ..kv::Config::default()
        };
        self.context.create_key_value(config).await.map_err(RequestError::from_server)
    }

    /// Creates again what the server has lost.
    pub(crate) async fn repair(&self) -> Result<(), RequestError> {
        self.set_up(false).await
    }

    /// Enqueues a job unless it is there.
    pub(crate) async fn enqueue(&self, message: &JobMessage) -> Result<(), RequestError> {
        let bytes =
            serde_json::to_vec(message).map_err(|why| RequestError::Permanent(why.to_string()))?;
        let publish =
            PublishMessage::build().payload(bytes.into()).expected_last_subject_sequence(0);
        let subject = job_subject(&message.run, &message.job);
        let sent = self.context.send_publish(subject, publish).await;
        let confirmed = match sent {
            Ok(sent) => sent.await,
            Err(error) => Err(error),
        };
        match confirmed {
            Ok(_) => Ok(()),
            // It is there.
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(()),
            Err(error) => {
                if error.kind() == PublishErrorKind::StreamNotFound {
                    self.repair().await?;
                }
                Err(RequestError::from_server(error))
            }
        }
    }

    /// Removes all jobs of a run from the queue.
    pub(crate) async fn clear(&self, run: &str) -> Result<u64, RequestError> {
        let purged = self.jobs().await?.purge().filter(job_subject(run, "*")).await;
        Ok(purged.map_err(RequestError::from_server)?.purged)
    }

    /// The number of jobs of a run in the queue, running ones included.
    pub(crate) async fn count(&self, run: &str) -> Result<usize, RequestError> {
        use futures_util::TryStreamExt;
        let jobs = self.jobs().await?;
        let subjects = jobs
            .info_with_subjects(job_subject(run, "*"))
            .await
            .map_err(RequestError::from_server)?;
        let all: Vec<_> = subjects.try_collect().await.map_err(RequestError::from_server)?;
        Ok(all.len())
    }
}

/// Connects, with retries while the server is unreachable.
async fn connect(options: &QueueOptions) -> Result<Client, String> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    let mut has_logged = false;
    loop {
        let error = match connect_once(options).await? {
            Ok(client) => {
                if has_logged {
                    (options.log)(&format!("queue {}: connected", options.address));
                }
                return Ok(client);
            }
            Err(error) => error,
        };
        let why = explanation(&error);
        if !is_transient(&error) || started.elapsed() + pause > options.retry_timeout {
            return Err(why);
        }
        if !has_logged {
            has_logged = true;
            let seconds = options.retry_timeout.as_secs_f64();
            (options.log)(&format!("queue {}: {why}; retrying for {seconds} s", options.address));
        }
        tokio::time::sleep(pause).await;
        pause = (2 * pause).min(MAX_PAUSE);
    }
}

async fn connect_once(options: &QueueOptions) -> Result<Result<Client, ConnectError>, String> {
    let mut config = ConnectOptions::new()
        .name("tesuji")
        .connection_timeout(Duration::from_secs(5))
        .require_tls(options.address.is_encrypted);
    config = match &options.address.secret {
        Some(Secret::Token(token)) => config.token(token.clone()),
        Some(Secret::Password { user, password }) => {
            config.user_and_password(user.clone(), password.clone())
        }
        None => config,
    };
    if let Some(file) = &options.credentials {
        let configured = config.credentials_file(file).await;
        config = configured.map_err(|why| format!("credentials {}: {why}", file.display()))?;
    }
    if let Some(file) = &options.ca_file {
        if !file.is_file() {
            return Err(format!("certificates {}: no such file", file.display()));
        }
        config = config.add_root_certificates(file.clone()).require_tls(true);
    }
    let (log, address) = (options.log.clone(), options.address.to_string());
    let is_lost = AtomicBool::new(false);
    let config = config.event_callback(move |event| {
        match event {
            Event::Disconnected if !is_lost.swap(true, Relaxed) => {
                log(&format!("queue {address}: connection lost; waiting for it"));
            }
            Event::Connected if is_lost.swap(false, Relaxed) => {
                log(&format!("queue {address}: connected again"));
            }
            _ => {}
        }
        std::future::ready(())
    });
    Ok(config.connect(options.address.hosts.clone()).await)
}

/// Whether a later attempt may succeed. An untrusted certificate is reported as an I/O error, too.
fn is_transient(error: &ConnectError) -> bool {
    let kinds = [ConnectErrorKind::Io, ConnectErrorKind::TimedOut, ConnectErrorKind::Dns];
    kinds.contains(&error.kind()) && !is_about_trust(error)
}

fn is_about_trust(error: &ConnectError) -> bool {
    error.kind() == ConnectErrorKind::Tls || with_causes(error).contains("certificate")
}

/// Explains an error and how to correct it.
fn explanation(error: &ConnectError) -> String {
    let causes = with_causes(error);
    if is_about_trust(error) {
        return format!("{causes}; expected a certificate of its authority (--queue-ca FILE)");
    }
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation => {
            "access denied; expected a token (nats://TOKEN@HOST) or a credentials file \
             (--queue-creds FILE)"
                .to_string()
        }
        ConnectErrorKind::Io | ConnectErrorKind::TimedOut => {
            format!("cannot be reached ({causes}); is nats-server running there?")
        }
        _ => causes,
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// Why a request failed.
#[derive(Debug)]
pub(crate) enum RequestError {
    /// Trying again may help.
    Transient(String),
    /// Trying again does not help.
    Permanent(String),
}

impl RequestError {
    pub(crate) fn from_server(error: impl std::error::Error) -> RequestError {
        let why = with_causes(&error);
        if why.contains("jetstream not enabled") {
            return RequestError::Permanent(
                "JetStream is disabled; expected nats-server with a `jetstream` section, see \
                 docs/cluster.md"
                    .to_string(),
            );
        }
        RequestError::Transient(why)
    }
}

/// The subject of a job. It contains digests: keys of jobs and names of runs may have characters
/// that subjects may not.
pub(crate) fn job_subject(run: &str, job: &str) -> String {
    match job {
        "*" => format!("tesuji.jobs.{}.*", digest(&[run])),
        job => format!("tesuji.jobs.{}.{}", digest(&[run]), digest(&[job])),
    }
}

/// The subject of a run's events, to which its coordinator listens.
pub(crate) fn events_subject(run: &str) -> String {
    format!("tesuji.events.{}", digest(&[run]))
}

/// The event of a worker whose store lacks a job, followed by the worker's name.
pub(crate) const OTHER_STORE: &str = "other store at ";

/// The subject on which workers receive the order to drain.
pub(crate) const CONTROL: &str = "tesuji.control";
