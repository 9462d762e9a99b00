//! Work with moods.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tesuji_queue::{Bench, Brief, Hand, Life, Parcel, Product, Task, Trouble};
use tesuji_store::{HumanScore, Kind, Record};

/// How units behave.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Moods {
    /// How long each takes.
    pub(crate) millis: u64,
    /// These fail, until somebody mends it.
    pub(crate) bad: Vec<u64>,
    /// These panic.
    pub(crate) panics: Vec<u64>,
    /// These hang the first time, wherever that is.
    pub(crate) hangs_once: Vec<u64>,
    /// These wait until they are told to stop, or until it is mended.
    pub(crate) waits: Vec<u64>,
}

/// What the units have in common, and a folder in which they leave traces.
#[derive(Serialize, Deserialize)]
pub(crate) struct Toy {
    moods: Moods,
    folder: PathBuf,
}

pub(crate) fn task() -> Task {
    Task::new("toy", open)
}

fn open(parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
    let toy: Toy = serde_json::from_str(&parcel.text).map_err(Trouble::of)?;
    assert_eq!(parcel.read("secret")?, SECRET);
    Ok(Box::new(toy))
}

const SECRET: &[u8] = &[7; 300_000];

impl Toy {
    pub(crate) fn new(folder: &Path, moods: Moods) -> Toy {
        Toy { moods, folder: folder.to_path_buf() }
    }

    pub(crate) fn mend(&self) {
        fs::write(self.folder.join("mended"), "").unwrap();
    }

    /// How often a unit that waits was begun.
    pub(crate) fn begun(&self) -> usize {
        fs::read_to_string(self.folder.join("begun")).map_or(0, |lines| lines.lines().count())
    }

    fn note_begin(&self) {
        let path = self.folder.join("begun");
        let file = fs::OpenOptions::new().append(true).create(true).open(path);
        writeln!(file.unwrap(), "begun").unwrap();
    }

    fn result(&self, unit: u64, life: &Life) -> Result<Option<Product>, Trouble> {
        if self.moods.waits.contains(&unit) {
            self.note_begin();
            while !self.folder.join("mended").exists() {
                if life.is_stopped() {
                    return Ok(None);
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        std::thread::sleep(Duration::from_millis(self.moods.millis));
        if self.moods.bad.contains(&unit) && !self.folder.join("mended").exists() {
            return Err(Trouble("a bad unit".to_string()));
        }
        assert!(!self.moods.panics.contains(&unit), "a worse unit");
        if self.moods.hangs_once.contains(&unit)
            && fs::File::create_new(self.folder.join(format!("hung {unit}"))).is_ok()
        {
            while !life.is_stopped() {
                std::thread::sleep(Duration::from_millis(5));
            }
            return Ok(None);
        }
        let record = Record::Human(HumanScore {
            key: format!("unit {unit}"),
            board: "toy".to_string(),
            name: "Ada".to_string(),
            score: unit as i64,
            moves: 1,
            won: true,
            at: 0,
        });
        Ok(Some(Product::kept(vec![record]).with_note(&(unit * unit))))
    }
}

impl Bench for Toy {
    fn brief(&self) -> Result<Brief, Trouble> {
        let text = serde_json::to_string(self).map_err(Trouble::of)?;
        Ok(Brief::new("toy", text).with_file("secret", SECRET.to_vec()))
    }

    fn hand<'a>(&'a self, life: &'a Life) -> Result<Box<dyn Hand + 'a>, Trouble> {
        Ok(Box::new(move |unit| self.result(unit, life)))
    }

    fn records(&self, unit: u64) -> Option<(Kind, Vec<String>)> {
        Some((Kind::Human, vec![format!("unit {unit}")]))
    }
}

fn on_server<F: Future>(url: &str, work: impl FnOnce(jetstream::Context) -> F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { work(jetstream::new(async_nats::connect(url).await.unwrap())).await })
}

/// Puts a message of any content among the jobs.
pub(crate) fn forge(url: &str, number: usize, payload: String) {
    on_server(url, |context| async move {
        let subject = format!("tesuji.jobs.forged.{number}");
        context.publish(subject, payload.into()).await.unwrap().await.unwrap();
    });
}

/// Leaves a consumer as earlier versions made it: the server gives up after a hundred deliveries.
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

/// Takes jobs and refuses each, so often, as long as there are any.
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
