//! The kinds of jobs that a worker can run, by name.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tesuji_store::safe_file;

use crate::{JobError, JobSpec};

/// The size limit of a file.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// A payload as it arrives: its files are on this machine's disk.
#[derive(Clone, PartialEq, Debug)]
pub struct ReceivedPayload {
    /// Settings.
    pub text: String,
    /// Paths of the files, by their names in the payload.
    pub files: BTreeMap<String, PathBuf>,
}

impl ReceivedPayload {
    /// Reads a file.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, JobError> {
        let path = self
            .files
            .get(name)
            .ok_or_else(|| JobError(format!("payload: file '{name}' is missing")))?;
        safe_file::read(path, MAX_FILE_BYTES)
            .map_err(|why| JobError(format!("{}: {why}", path.display())))
    }
}

/// Builds job specifications from payloads of one kind.
#[derive(Clone)]
pub struct JobKind {
    name: &'static str,
    open: Arc<OpenFn>,
}

/// Builds the specification from a payload.
type OpenFn = dyn Fn(&ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> + Send + Sync;

impl JobKind {
    /// A kind with the name that payloads use and the function that reads them.
    pub fn new(
        name: &'static str,
        open: impl Fn(&ReceivedPayload) -> Result<Box<dyn JobSpec>, JobError> + Send + Sync + 'static,
    ) -> JobKind {
        JobKind { name, open: Arc::new(open) }
    }
}

/// All job kinds of a worker.
#[derive(Clone, Default)]
pub struct JobKinds(Vec<JobKind>);

impl JobKinds {
    /// Collects job kinds.
    pub fn new(kinds: impl IntoIterator<Item = JobKind>) -> JobKinds {
        JobKinds(kinds.into_iter().collect())
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|kind| kind.name)
    }

    /// Builds the specification of a job from its payload.
    pub fn open(
        &self,
        kind: &str,
        payload: &ReceivedPayload,
    ) -> Result<Box<dyn JobSpec>, JobError> {
        match self.0.iter().find(|known| known.name == kind) {
            Some(known) => (known.open)(payload),
            None => {
                let names = self.names().collect::<Vec<_>>().join(", ");
                Err(JobError(format!("job kind '{kind}': unknown; expected one of {names}")))
            }
        }
    }
}
