//! Work with moods.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
}

/// What the units have in common, and a folder in which they leave traces.
#[derive(Serialize, Deserialize)]
pub(crate) struct Toy {
    moods: Moods,
    folder: PathBuf,
}

pub(crate) const TASK: Task = Task { name: "toy", open };

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

    fn result(&self, unit: u64, life: &Life) -> Result<Option<Product>, Trouble> {
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

/// Deletes all streams of a server.
pub(crate) fn forget_everything(url: &str) {
    use futures_util::StreamExt;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let context = async_nats::jetstream::new(async_nats::connect(url).await.unwrap());
        let names: Vec<_> = context.stream_names().collect().await;
        assert!(names.len() >= 3, "{names:?}");
        for name in names {
            context.delete_stream(name.unwrap()).await.unwrap();
        }
    });
}
