//! What a worker can do, by name.

use std::sync::Arc;

use std::collections::BTreeMap;
use std::path::PathBuf;

use tesuji_store::safe_file;

use crate::{Bench, Trouble};

/// Larger files are refused.
const LARGEST_FILE: u64 = 4 << 30;

/// A brief as it arrives: its files lie on this machine's disk.
#[derive(Clone, PartialEq, Debug)]
pub struct Parcel {
    /// Settings and the like.
    pub text: String,
    /// Where the files are, by their names in the brief.
    pub files: BTreeMap<String, PathBuf>,
}

impl Parcel {
    /// A file's bytes.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, Trouble> {
        let path = self
            .files
            .get(name)
            .ok_or_else(|| Trouble(format!("'{name}' is missing from what was sent")))?;
        safe_file::read(path, LARGEST_FILE)
            .map_err(|why| Trouble(format!("{}: {why}", path.display())))
    }
}

/// Makes benches of briefs.
#[derive(Clone)]
pub struct Task {
    name: &'static str,
    open: Arc<Opener>,
}

/// Makes the bench that was written down.
type Opener = dyn Fn(&Parcel) -> Result<Box<dyn Bench>, Trouble> + Send + Sync;

impl Task {
    /// What briefs call it, and what makes the bench that was written down.
    pub fn new(
        name: &'static str,
        open: impl Fn(&Parcel) -> Result<Box<dyn Bench>, Trouble> + Send + Sync + 'static,
    ) -> Task {
        Task { name, open: Arc::new(open) }
    }
}

/// All that a worker can do.
#[derive(Clone, Default)]
pub struct Tasks(Vec<Task>);

impl Tasks {
    /// All of these.
    pub fn new(tasks: impl IntoIterator<Item = Task>) -> Tasks {
        Tasks(tasks.into_iter().collect())
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|task| task.name)
    }

    /// Makes the bench of a task.
    pub fn open(&self, task: &str, parcel: &Parcel) -> Result<Box<dyn Bench>, Trouble> {
        match self.0.iter().find(|known| known.name == task) {
            Some(known) => (known.open)(parcel),
            None => {
                let known = self.names().collect::<Vec<_>>().join(", ");
                Err(Trouble(format!("this worker cannot do '{task}'; it knows {known}")))
            }
        }
    }
}
