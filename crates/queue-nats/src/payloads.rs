//! Payloads on the server: a manifest and the files that it lists, each an object named by its
//! digest. The name also contains the run, so the objects of a run can be deleted with its jobs.

use std::collections::BTreeMap;
use std::path::Path;

use async_nats::jetstream::object_store::{GetErrorKind, ObjectStore};
use serde::{Deserialize, Serialize};
use tesuji_store::key;
use tesuji_store::safe_file::{self, IfExists};
use tokio::io::AsyncReadExt;

use crate::connection::{Connection, RequestError};
use tesuji_queue::{JobError, Payload, QueueError, ReceivedPayload};

/// The size limit of a file in the cache.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// What a payload consists of.
#[derive(Serialize, Deserialize)]
struct Manifest {
    /// The version of the writer: other versions may read the same settings differently.
    version: String,
    #[serde(rename = "task")]
    kind: String,
    text: String,
    /// Digests, by the names that the job kind uses.
    files: BTreeMap<String, String>,
}

/// A payload, ready to be sent.
pub(crate) struct PackedPayload {
    /// The digest of the manifest, which identifies the whole payload.
    pub(crate) digest: String,
    objects: BTreeMap<String, Vec<u8>>,
}

impl PackedPayload {
    pub(crate) fn new(payload: Payload, version: &str) -> PackedPayload {
        let mut objects = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (name, bytes) in payload.files {
            let digest = digest_of(&bytes);
            files.insert(name, digest.clone());
            objects.insert(digest, bytes);
        }
        let (version, kind) = (version.to_string(), payload.kind.to_string());
        let manifest = Manifest { version, kind, text: payload.text, files };
        let json = serde_json::to_vec(&manifest)
            .unwrap_or_else(|error| unreachable!("a manifest is plain text: {error}"));
        let digest = digest_of(&json);
        objects.insert(digest.clone(), json);
        PackedPayload { digest, objects }
    }

    /// Sends the objects that the server lacks.
    pub(crate) fn send(&self, connection: &Connection, run: &str) -> Result<(), QueueError> {
        for (digest, bytes) in &self.objects {
            connection.with_retry(|| put(connection, name(run, digest), bytes))?;
        }
        Ok(())
    }

    /// Deletes the objects. Errors are ignored: the server drops old objects by itself.
    pub(crate) fn remove(&self, connection: &Connection, run: &str) {
        connection.block_on(async {
            let Ok(store) = connection.objects().await else { return };
            for digest in self.objects.keys() {
                _ = store.delete(name(run, digest)).await;
            }
        });
    }
}

async fn put(connection: &Connection, name: String, bytes: &[u8]) -> Result<(), RequestError> {
    let store = connection.objects().await?;
    if store.info(&name).await.is_ok_and(|info| !info.deleted && info.size == bytes.len()) {
        return Ok(());
    }
    let mut rest = bytes;
    store.put(name.as_str(), &mut rest).await.map(drop).map_err(RequestError::from_server)
}

/// Fetches a payload to this machine's disk, unless it is cached. Returns the name of its job kind
/// and the payload; `None` if it was not sent or is already deleted.
pub(crate) fn fetch_payload(
    connection: &Connection,
    cache: &Path,
    run: &str,
    digest: &str,
) -> Result<Option<(String, ReceivedPayload)>, QueueError> {
    let Some(json) = fetch_object(connection, cache, run, digest)? else { return Ok(None) };
    let manifest: Manifest = serde_json::from_slice(&json)
        .map_err(|error| JobError(format!("payload of {run}: cannot be read: {error}")))?;
    let mut files = BTreeMap::new();
    for (name, digest) in manifest.files {
        if fetch_object(connection, cache, run, &digest)?.is_none() {
            return Ok(None);
        }
        files.insert(name, cache.join(digest));
    }
    Ok(Some((manifest.kind, ReceivedPayload { text: manifest.text, files })))
}

/// Fetches one object from the cache or the server.
fn fetch_object(
    connection: &Connection,
    cache: &Path,
    run: &str,
    digest: &str,
) -> Result<Option<Vec<u8>>, QueueError> {
    let path = cache.join(digest);
    if let Ok(bytes) = safe_file::read(&path, MAX_FILE_BYTES)
        && digest_of(&bytes) == digest
    {
        return Ok(Some(bytes));
    }
    let found = connection
        .with_retry(|| async { get(&connection.objects().await?, &name(run, digest)).await })?;
    let Some(bytes) = found else { return Ok(None) };
    if digest_of(&bytes) != digest {
        // The payload is damaged, not this worker: the job fails and the worker continues.
        return Err(JobError(format!("file of {run}: does not match its digest")).into());
    }
    let failed = |why: std::io::Error| {
        JobError(format!("cache {}: {why}; expected a writable --cache", cache.display()))
    };
    std::fs::create_dir_all(cache).map_err(failed)?;
    let written = safe_file::write(&path, IfExists::Replace, |file| file.write_all(&bytes));
    written.map_err(failed)?;
    Ok(Some(bytes))
}

async fn get(store: &ObjectStore, name: &str) -> Result<Option<Vec<u8>>, RequestError> {
    let mut object = match store.get(name).await {
        Ok(object) => object,
        Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(RequestError::from_server(error)),
    };
    let mut bytes = Vec::new();
    let read = object.read_to_end(&mut bytes).await;
    read.map_err(|why| RequestError::Transient(format!("a file did not arrive: {why}")))?;
    Ok(Some(bytes))
}

fn name(run: &str, digest: &str) -> String {
    format!("{}-{digest}", key::digest(&[run]))
}

fn digest_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
