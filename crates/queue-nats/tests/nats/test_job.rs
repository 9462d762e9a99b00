//! A job whose items can be slow, fail, panic, hang or wait.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tesuji_queue::{
    CancelToken, JobError, JobKind, JobRunner, JobSpec, Output, Payload, ReceivedPayload,
};
use tesuji_store::{HumanScore, Record, RecordKind};

/// How items behave.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Behavior {
    /// The duration of each.
    pub(crate) millis: u64,
    /// These fail until [`TestJob::repair`].
    pub(crate) bad: Vec<u64>,
    /// These panic.
    pub(crate) panics: Vec<u64>,
    /// These hang the first time, on any worker.
    pub(crate) hangs_once: Vec<u64>,
    /// These wait until they are canceled, or until [`TestJob::repair`].
    pub(crate) waits: Vec<u64>,
}

/// The job, and a folder for the traces of its items.
#[derive(Serialize, Deserialize)]
pub(crate) struct TestJob {
    behavior: Behavior,
    folder: PathBuf,
}

pub(crate) fn job_kind() -> JobKind {
    JobKind::new("test", open)
}

fn open(payload: &ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> {
    let job: TestJob = serde_json::from_str(&payload.text).map_err(JobError::new)?;
    assert_eq!(payload.read("secret")?, SECRET);
    Ok(Box::new(job))
}

const SECRET: &[u8] = &[7; 300_000];

impl TestJob {
    pub(crate) fn new(folder: &Path, behavior: Behavior) -> TestJob {
        TestJob { behavior, folder: folder.to_path_buf() }
    }

    pub(crate) fn repair(&self) {
        fs::write(self.folder.join("repaired"), "").unwrap();
    }

    /// How often a waiting item was started.
    pub(crate) fn started(&self) -> usize {
        fs::read_to_string(self.folder.join("started")).map_or(0, |lines| lines.lines().count())
    }

    fn note_start(&self) {
        let path = self.folder.join("started");
        let file = fs::OpenOptions::new().append(true).create(true).open(path);
        writeln!(file.unwrap(), "started").unwrap();
    }

    fn result(&self, item: u64, cancel: &CancelToken) -> Result<Option<Output>, JobError> {
        if self.behavior.waits.contains(&item) {
            self.note_start();
            while !self.folder.join("repaired").exists() {
                if cancel.is_canceled() {
                    return Ok(None);
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        std::thread::sleep(Duration::from_millis(self.behavior.millis));
        if self.behavior.bad.contains(&item) && !self.folder.join("repaired").exists() {
            return Err(JobError("a bad item".to_string()));
        }
        assert!(!self.behavior.panics.contains(&item), "a worse item");
        if self.behavior.hangs_once.contains(&item)
            && fs::File::create_new(self.folder.join(format!("hung {item}"))).is_ok()
        {
            while !cancel.is_canceled() {
                std::thread::sleep(Duration::from_millis(5));
            }
            return Ok(None);
        }
        let record = Record::Human(HumanScore {
            key: format!("item {item}"),
            board: "test".to_string(),
            name: "Ada".to_string(),
            score: item as i64,
            moves: 1,
            won: true,
            at: 0,
        });
        Ok(Some(Output::default().with_records(vec![record]).with_note(&(item * item))))
    }
}

impl JobSpec for TestJob {
    fn payload(&self) -> Result<Payload, JobError> {
        let text = serde_json::to_string(self).map_err(JobError::new)?;
        Ok(Payload::new("test", text).with_file("secret", SECRET.to_vec()))
    }

    fn runner<'a>(&'a self, cancel: &'a CancelToken) -> Result<Box<dyn JobRunner + 'a>, JobError> {
        Ok(Box::new(move |item| self.result(item, cancel)))
    }

    fn records(&self, item: u64) -> Option<(RecordKind, Vec<String>)> {
        Some((RecordKind::Human, vec![format!("item {item}")]))
    }
}

fn on_server<F: Future>(url: &str, work: impl FnOnce(jetstream::Context) -> F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { work(jetstream::new(async_nats::connect(url).await.unwrap())).await })
}

/// Enqueues a message with any content.
pub(crate) fn forge(url: &str, number: usize, payload: String) {
    on_server(url, |context| async move {
        let subject = format!("tesuji.jobs.forged.{number}");
        context.publish(subject, payload.into()).await.unwrap().await.unwrap();
    });
}

/// Limits deliveries to 100, as earlier versions did.
pub(crate) fn limit_deliveries(url: &str) {
    on_server(url, |context| async move {
        let config = pull::Config {
            durable_name: Some("workers".to_string()),
            ack_policy: AckPolicy::Explicit,
            max_deliver: 100,
            max_ack_pending: 100_000,
            max_waiting: 10_000,
            ack_wait: Duration::from_secs(1),
            ..pull::Config::default()
        };
        context.get_stream("TESUJI").await.unwrap().update_consumer(config).await.unwrap();
    });
}

/// Receives jobs and refuses each, up to `times` times.
pub(crate) fn refuse(url: &str, times: usize) {
    on_server(url, |context| async move {
        let consumer: PullConsumer =
            context.get_consumer_from_stream("workers", "TESUJI").await.unwrap();
        for _ in 0..times {
            let wait = Duration::from_secs(3);
            let fetched = consumer.fetch().max_messages(1).expires(wait).messages();
            let Some(message) = fetched.await.unwrap().next().await else { return };
            message.unwrap().ack_with(jetstream::AckKind::Nak(None)).await.unwrap();
        }
    });
}

/// Deletes all streams of a server.
pub(crate) fn forget_everything(url: &str) {
    on_server(url, |context| async move {
        let names: Vec<_> = context.stream_names().collect().await;
        assert!(names.len() >= 3, "{names:?}");
        for name in names {
            context.delete_stream(name.unwrap()).await.unwrap();
        }
    });
}
