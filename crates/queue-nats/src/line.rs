//! The line to a server: how it is made, what is set up at its other end, and how often what fails is tried again.

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

use crate::address::{Address, Secret};
use tesuji_queue::QueueError;

/// What this program is to a queue. Machines that share work must be of one version: the same work comes out the same
/// only then.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (queue 1)");

const STREAM: &str = "TESUJI";
const CONSUMER: &str = "workers";
const BLOBS: &str = "tesuji-files";
const WORKERS: &str = "tesuji-workers";
/// The key of the stream's metadata under which it says who made it.
const MADE_BY: &str = "tesuji-version";
/// How long a job may go without a sign of life, unless somebody says otherwise.
const LEASE: Duration = Duration::from_secs(30);
/// A card of a worker that is not renewed is gone after so long.
const CARD: Duration = Duration::from_secs(15);
/// Files that nobody took away.
const OLDEST_FILE: Duration = Duration::from_secs(30 * 24 * 3600);
/// How often the server hands a job out: without limit. It would keep a job that has reached a
/// limit and give it to no worker, and the coordinator would wait for it forever. Workers count
/// losses themselves and put a job aside.
const UNLIMITED: i64 = -1;
/// Between two attempts, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Hears in one line what is worth knowing while it goes on: a server that is away, and that it is back.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// How to reach a queue.
#[derive(Clone)]
pub struct Options {
    /// Where it is.
    pub address: Address,
    /// A file of NATS credentials, as `nsc` makes them.
    pub credentials: Option<PathBuf>,
    /// Certificates of who may vouch for the server, beside those of the system.
    pub authorities: Option<PathBuf>,
    /// How long a job may go without a sign of life; `None` leaves it as it is, 30 seconds at first.
    pub lease: Option<Duration>,
    /// How long a server that is away is waited for.
    pub patience: Duration,
    /// Seconds that a job should take.
    pub job_seconds: f64,
    /// What this program says it is.
    pub version: String,
    /// Who hears what happens.
    pub notice: Notice,
}

impl Options {
    /// With everything as usual.
    pub fn new(address: Address) -> Options {
        Options {
            address,
            credentials: None,
            authorities: None,
            lease: None,
            patience: Duration::from_secs(600),
            job_seconds: 5.0,
            version: VERSION.to_string(),
            notice: Arc::new(|_| {}),
        }
    }
}

/// What is sent for a job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    /// The job's key in the store.
    pub(crate) job: String,
    /// The run it belongs to.
    pub(crate) run: String,
    /// The digest of what one must know.
    pub(crate) brief: String,
    /// Who asks.
    pub(crate) version: String,
    /// Attempts and losses of the job when it was put into the queue: the server's count of
    /// deliveries begins with each message.
    #[serde(default)]
    pub(crate) before: u32,
}

impl Order {
    /// The message for a job as the store has it.
    pub(crate) fn of(job: &JobRecord, version: &str) -> Order {
        Order {
            job: job.key.clone(),
            run: job.run.clone(),
            brief: job.brief.clone(),
            version: version.to_string(),
            before: job.attempts.saturating_add(job.losses),
        }
    }
}

/// A line to a server on which everything is set up.
pub struct Line {
    pub(crate) options: Options,
    pub(crate) place: String,
    runtime: Background,
    client: Client,
    context: jetstream::Context,
}

/// A runtime that may be dropped anywhere, also inside another one.
struct Background(Option<Runtime>);

impl Background {
    fn get(&self) -> &Runtime {
        self.0.as_ref().unwrap_or_else(|| unreachable!("it is there until the end"))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Line {
    /// Waits until the server is there, and sets up what is missing. `takes_over`: a queue that another version has
    /// left empty becomes ours; otherwise that is an error.
    pub fn connect(options: Options, takes_over: bool) -> Result<Line, QueueError> {
        let place = options.address.to_string();
        let failed = |why: String| QueueError::Queue { place: place.clone(), why };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("tesuji-queue")
            .enable_all()
            .build()
            .map_err(|why| failed(why.to_string()))?;
        let client = runtime.block_on(dial(&options)).map_err(failed)?;
        let context = {
            let _inside = runtime.enter();
            jetstream::new(client.clone())
        };
        let runtime = Background(Some(runtime));
        let line = Line { place, options, runtime, client, context };
        line.patiently(|| line.set_up(takes_over))?;
        Ok(line)
    }

    /// Does something that takes the server's answer.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        // Boxed: otherwise the runtime would be compiled for each of the futures.
        let future: Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(future);
        self.runtime.get().block_on(future)
    }

    /// Goes on beside everything else.
    pub(crate) fn beside(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.runtime.get().spawn(future);
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Tries again and again, more and more seldom, until it works or patience is at its end.
    pub(crate) fn patiently<T, F: Future<Output = Result<T, Hitch>>>(
        &self,
        mut work: impl FnMut() -> F,
    ) -> Result<T, QueueError> {
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut has_told = false;
        loop {
            let why = match self.wait(work()) {
                Ok(answer) => {
                    if has_told {
                        (self.options.notice)(&format!("the queue {} answers again", self.place));
                    }
                    return Ok(answer);
                }
                Err(Hitch::Final(why)) => return Err(self.failed(why)),
                Err(Hitch::Passing(why)) => why,
            };
            if started.elapsed() + pause > self.options.patience {
                return Err(self.failed(why));
            }
            if !has_told && started.elapsed() > LONGEST_PAUSE {
                has_told = true;
                let notice = format!("the queue {}: {why}; trying again", self.place);
                (self.options.notice)(&notice);
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    pub(crate) fn failed(&self, why: String) -> QueueError {
        QueueError::Queue { place: self.place.clone(), why }
    }

    async fn set_up(&self, takes_over: bool) -> Result<(), Hitch> {
        let stream = self.context.get_or_create_stream(self.stream_config()).await;
        let stream = stream.map_err(Hitch::of_server)?;
        let info = stream.cached_info();
        let made_by = info.config.metadata.get(MADE_BY).cloned().unwrap_or_default();
        if made_by != self.options.version {
            if !takes_over || info.state.messages > 0 {
                return Err(Hitch::Final(self.other_version(&made_by, info.state.messages)));
            }
            self.context.update_stream(self.stream_config()).await.map_err(Hitch::of_server)?;
        }
        self.set_up_consumer(&stream).await?;
        if self.context.get_object_store(BLOBS).await.is_err() {
            let config = object_store::Config {
                bucket: BLOBS.to_string(),
                max_age: OLDEST_FILE,
                storage: StorageType::File,
                ..object_store::Config::default()
            };
            self.context.create_object_store(config).await.map_err(Hitch::of_server)?;
        }
        self.cards().await.map(drop)
    }

    async fn set_up_consumer(&self, stream: &stream::Stream) -> Result<(), Hitch> {
        let config = |lease| pull::Config {
            durable_name: Some(CONSUMER.to_string()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_deliver: UNLIMITED,
            max_ack_pending: 100_000,
            max_waiting: 10_000,
            ..pull::Config::default()
        };
        let first = config(self.options.lease.unwrap_or(LEASE));
        let consumer = stream.get_or_create_consumer(CONSUMER, first).await;
        let consumer: PullConsumer = consumer.map_err(Hitch::of_server)?;
        let found = &consumer.cached_info().config;
        let lease = self.options.lease.unwrap_or(found.ack_wait);
        if found.ack_wait == lease && found.max_deliver == UNLIMITED {
            return Ok(());
        }
        stream.update_consumer(config(lease)).await.map(drop).map_err(Hitch::of_server)
    }

    fn stream_config(&self) -> stream::Config {
        stream::Config {
            name: STREAM.to_string(),
            description: Some("Jobs of tesuji that are to be done".to_string()),
            subjects: vec!["tesuji.jobs.>".to_string()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            metadata: HashMap::from([(MADE_BY.to_string(), self.options.version.clone())]),
            ..stream::Config::default()
        }
    }

    pub(crate) fn other_version(&self, theirs: &str, messages: u64) -> String {
        let theirs = if theirs.is_empty() { "something else" } else { theirs };
        let jobs = match messages {
            0 => String::new(),
            jobs => format!(" and holds {jobs} of its jobs"),
        };
        format!(
            "it belongs to tesuji {theirs}{jobs}, this is tesuji {}; use the same version on all machines",
            self.options.version
        )
    }

    pub(crate) async fn jobs(&self) -> Result<stream::Stream, Hitch> {
        self.context.get_stream(STREAM).await.map_err(Hitch::of_server)
    }

    pub(crate) async fn consumer(&self) -> Result<PullConsumer, Hitch> {
        let found = self.context.get_consumer_from_stream(CONSUMER, STREAM).await;
        found.map_err(Hitch::of_server)
    }

    pub(crate) async fn blobs(&self) -> Result<ObjectStore, Hitch> {
        self.context.get_object_store(BLOBS).await.map_err(Hitch::of_server)
    }

    pub(crate) async fn cards(&self) -> Result<kv::Store, Hitch> {
        if let Ok(cards) = self.context.get_key_value(WORKERS).await {
            return Ok(cards);
        }
        let config = kv::Config {
            bucket: WORKERS.to_string(),
            history: 1,
            max_age: CARD,
            storage: StorageType::Memory,
            ..kv::Config::default()
        };
        self.context.create_key_value(config).await.map_err(Hitch::of_server)
    }

    /// Sets up again what a server has lost.
    pub(crate) async fn mend(&self) -> Result<(), Hitch> {
        self.set_up(false).await
    }

    /// Puts a job into the queue, unless it is there.
    pub(crate) async fn put(&self, order: &Order) -> Result<(), Hitch> {
        let bytes = serde_json::to_vec(order).map_err(|why| Hitch::Final(why.to_string()))?;
        let message =
            PublishMessage::build().payload(bytes.into()).expected_last_subject_sequence(0);
        let subject = subject(&order.run, &order.job);
        let sent = self.context.send_publish(subject, message).await;
        let confirmed = match sent {
            Ok(sent) => sent.await,
            Err(error) => Err(error),
        };
        match confirmed {
            Ok(_) => Ok(()),
            // There is one already.
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(()),
            Err(error) => {
                if error.kind() == PublishErrorKind::StreamNotFound {
                    self.mend().await?;
                }
                Err(Hitch::of_server(error))
            }
        }
    }

    /// Takes all jobs of a run out of the queue.
    pub(crate) async fn clear(&self, run: &str) -> Result<u64, Hitch> {
        let purged = self.jobs().await?.purge().filter(subject(run, "*")).await;
        Ok(purged.map_err(Hitch::of_server)?.purged)
    }

    /// How many jobs of a run are in the queue, also those that somebody is at.
    pub(crate) async fn count(&self, run: &str) -> Result<usize, Hitch> {
        use futures_util::TryStreamExt;
        let jobs = self.jobs().await?;
        let subjects =
            jobs.info_with_subjects(subject(run, "*")).await.map_err(Hitch::of_server)?;
        let all: Vec<_> = subjects.try_collect().await.map_err(Hitch::of_server)?;
        Ok(all.len())
    }
}

/// Makes the line, and keeps trying while there is nobody at the other end.
async fn dial(options: &Options) -> Result<Client, String> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    let mut has_told = false;
    loop {
        let error = match dial_once(options).await? {
            Ok(client) => {
                if has_told {
                    (options.notice)(&format!("the queue {} is there", options.address));
                }
                return Ok(client);
            }
            Err(error) => error,
        };
        let why = explained(&error);
        if !may_pass(&error) || started.elapsed() + pause > options.patience {
            return Err(why);
        }
        if !has_told {
            has_told = true;
            let patience = options.patience.as_secs_f64();
            (options.notice)(&format!(
                "the queue {}: {why}; trying again for {patience} s",
                options.address
            ));
        }
        tokio::time::sleep(pause).await;
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
}

async fn dial_once(options: &Options) -> Result<Result<Client, ConnectError>, String> {
    let mut how = ConnectOptions::new()
        .name("tesuji")
        .connection_timeout(Duration::from_secs(5))
        .require_tls(options.address.is_encrypted);
    how = match &options.address.secret {
        Some(Secret::Token(token)) => how.token(token.clone()),
        Some(Secret::Password { user, password }) => {
            how.user_and_password(user.clone(), password.clone())
        }
        None => how,
    };
    if let Some(file) = &options.credentials {
        let with = how.credentials_file(file).await;
        how = with.map_err(|why| format!("the credentials in {}: {why}", file.display()))?;
    }
    if let Some(file) = &options.authorities {
        if !file.is_file() {
            return Err(format!("there is no file of certificates {}", file.display()));
        }
        how = how.add_root_certificates(file.clone()).require_tls(true);
    }
    let (notice, place) = (options.notice.clone(), options.address.to_string());
    let was_away = AtomicBool::new(false);
    let how = how.event_callback(move |event| {
        match event {
            Event::Disconnected if !was_away.swap(true, Relaxed) => {
                notice(&format!("the queue {place} is away; waiting for it"));
            }
            Event::Connected if was_away.swap(false, Relaxed) => {
                notice(&format!("the queue {place} is there again"));
            }
            _ => {}
        }
        std::future::ready(())
    });
    Ok(how.connect(options.address.hosts.clone()).await)
}

/// Whether somebody may be there later. A certificate that we do not trust comes as a failure of the line, too.
fn may_pass(error: &ConnectError) -> bool {
    let kinds = [ConnectErrorKind::Io, ConnectErrorKind::TimedOut, ConnectErrorKind::Dns];
    kinds.contains(&error.kind()) && !is_about_trust(error)
}

fn is_about_trust(error: &ConnectError) -> bool {
    error.kind() == ConnectErrorKind::Tls || with_causes(error).contains("certificate")
}

/// What a refusal means, in words that say what would help.
fn explained(error: &ConnectError) -> String {
    let causes = with_causes(error);
    if is_about_trust(error) {
        return format!("{causes}; give the certificate of who vouches for it (--queue-ca)");
    }
    match error.kind() {
        ConnectErrorKind::AuthorizationViolation => {
            "it does not let us in; give a token (nats://TOKEN@HOST) or a file of credentials \
             (--queue-creds)"
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

/// What went wrong with a request.
#[derive(Debug)]
pub(crate) enum Hitch {
    /// Trying again may help.
    Passing(String),
    /// It will not.
    Final(String),
}

impl Hitch {
    pub(crate) fn of_server(error: impl std::error::Error) -> Hitch {
        let why = with_causes(&error);
        if why.contains("jetstream not enabled") {
            return Hitch::Final(
                "its JetStream is switched off; start nats-server with a `jetstream` section, see \
                 docs/cluster.md"
                    .to_string(),
            );
        }
        Hitch::Passing(why)
    }
}

/// The subject of a job. Keys of jobs and names of runs may hold anything, subjects may not.
pub(crate) fn subject(run: &str, job: &str) -> String {
    match job {
        "*" => format!("tesuji.jobs.{}.*", digest(&[run])),
        job => format!("tesuji.jobs.{}.{}", digest(&[run]), digest(&[job])),
    }
}

/// Where those who coordinate a run hear of its jobs.
pub(crate) fn news(run: &str) -> String {
    format!("tesuji.news.{}", digest(&[run]))
}

/// News of a worker whose store does not have a job, before the worker's name.
pub(crate) const OTHER_STORE: &str = "other store at ";

/// Where workers hear that they are to leave.
pub(crate) const CONTROL: &str = "tesuji.control";
