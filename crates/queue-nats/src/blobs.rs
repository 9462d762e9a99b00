//! Briefs on their way: a list of contents and the files it names, each an object under its digest. Those of a run
//! stand under the run's name, so that they can be taken away when its jobs are done.

use std::collections::BTreeMap;
use std::path::Path;

use async_nats::jetstream::object_store::{GetErrorKind, ObjectStore};
use serde::{Deserialize, Serialize};
use tesuji_store::key;
use tesuji_store::safe_file::{self, Existing};
use tokio::io::AsyncReadExt;

use crate::line::{Hitch, Line};
use tesuji_queue::{Brief, Parcel, QueueError, Trouble};

/// Larger files in the cache are not used.
const LARGEST_FILE: u64 = 4 << 30;

/// What a brief is made of.
#[derive(Serialize, Deserialize)]
struct Contents {
    /// Who wrote it: what another version makes of the same settings may be something else.
    version: String,
    task: String,
    text: String,
    /// Digests, by the names that the task knows.
    files: BTreeMap<String, String>,
}

/// A brief, ready to be sent.
pub(crate) struct Packed {
    /// Names all of it.
    pub(crate) digest: String,
    objects: BTreeMap<String, Vec<u8>>,
}

impl Packed {
    pub(crate) fn of(brief: Brief, version: &str) -> Packed {
        let mut objects = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (name, bytes) in brief.files {
            let digest = digest_of(&bytes);
            files.insert(name, digest.clone());
            objects.insert(digest, bytes);
        }
        let (version, task) = (version.to_string(), brief.task.to_string());
        let contents = Contents { version, task, text: brief.text, files };
        let list = serde_json::to_vec(&contents)
            .unwrap_or_else(|error| unreachable!("a list of texts: {error}"));
        let digest = digest_of(&list);
        objects.insert(digest.clone(), list);
        Packed { digest, objects }
    }

    /// Sends what is not there already.
    pub(crate) fn send(&self, line: &Line, run: &str) -> Result<(), QueueError> {
        for (digest, bytes) in &self.objects {
            line.patiently(|| put(line, name(run, digest), bytes))?;
        }
        Ok(())
    }

    /// Takes it away. Not to be found is as good, and so is a server that does not answer: what is left lying
    /// there goes by itself in the end.
    pub(crate) fn remove(&self, line: &Line, run: &str) {
        line.wait(async {
            let Ok(store) = line.blobs().await else { return };
            for digest in self.objects.keys() {
                _ = store.delete(name(run, digest)).await;
            }
        });
    }
}

async fn put(line: &Line, name: String, bytes: &[u8]) -> Result<(), Hitch> {
    let store = line.blobs().await?;
    if store.info(&name).await.is_ok_and(|info| !info.deleted && info.size == bytes.len()) {
        return Ok(());
    }
    let mut rest = bytes;
    store.put(name.as_str(), &mut rest).await.map(drop).map_err(Hitch::of_server)
}

/// How a brief arrived.
pub(crate) enum Bringing {
    /// The name of its task, and all of it.
    Here(String, Parcel),
    /// Nobody has sent it, or it was taken away.
    Missing,
}

/// Brings a brief to this machine's disk, as far as it is not there.
pub(crate) fn bring(
    line: &Line,
    cache: &Path,
    run: &str,
    digest: &str,
) -> Result<Bringing, QueueError> {
    let Some(list) = bring_one(line, cache, run, digest)? else { return Ok(Bringing::Missing) };
    let contents: Contents = serde_json::from_slice(&list)
        .map_err(|error| Trouble(format!("what was sent for {run} cannot be read: {error}")))?;
    let mut files = BTreeMap::new();
    for (name, digest) in contents.files {
        if bring_one(line, cache, run, &digest)?.is_none() {
            return Ok(Bringing::Missing);
        }
        files.insert(name, cache.join(digest));
    }
    Ok(Bringing::Here(contents.task, Parcel { text: contents.text, files }))
}

/// One object: from the cache, or from the server.
fn bring_one(
    line: &Line,
    cache: &Path,
    run: &str,
    digest: &str,
) -> Result<Option<Vec<u8>>, QueueError> {
    let place = cache.join(digest);
    if let Ok(bytes) = safe_file::read(&place, LARGEST_FILE)
        && digest_of(&bytes) == digest
    {
        return Ok(Some(bytes));
    }
    let found = line.patiently(|| async { get(&line.blobs().await?, &name(run, digest)).await })?;
    let Some(bytes) = found else { return Ok(None) };
    if digest_of(&bytes) != digest {
        // What a job needs is damaged, not this worker: the job fails and the worker goes on.
        return Err(Trouble(format!("a file of {run} does not match its digest")).into());
    }
    let failed = |why: std::io::Error| {
        Trouble(format!("cannot keep a file in {}: {why}; give another --cache", cache.display()))
    };
    std::fs::create_dir_all(cache).map_err(failed)?;
    let written = safe_file::write(&place, Existing::Replace, |file| file.write_all(&bytes));
    written.map_err(failed)?;
    Ok(Some(bytes))
}

async fn get(store: &ObjectStore, name: &str) -> Result<Option<Vec<u8>>, Hitch> {
    let mut object = match store.get(name).await {
        Ok(object) => object,
        Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Hitch::of_server(error)),
    };
    let mut bytes = Vec::new();
    let read = object.read_to_end(&mut bytes).await;
    read.map_err(|why| Hitch::Passing(format!("a file did not arrive: {why}")))?;
    Ok(Some(bytes))
}

fn name(run: &str, digest: &str) -> String {
    format!("{}-{digest}", key::digest(&[run]))
}

fn digest_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
