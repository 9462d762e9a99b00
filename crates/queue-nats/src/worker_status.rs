//! The status of every worker, in a bucket on the server. An entry that is not renewed expires.

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use crate::connection::{Connection, RequestError};

/// The status of a worker, as it reports it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// Jobs that it runs at once.
    pub threads: usize,
    /// The version of its program.
    pub version: String,
    /// Its start, in seconds since 1970.
    pub since: u64,
    /// Finished jobs.
    pub jobs: u64,
    /// Games in finished jobs.
    pub games: u64,
    /// Games per second, averaged over the last minute.
    pub games_per_second: f64,
    /// Keys of the jobs that it runs.
    pub busy: Vec<String>,
    /// Whether it finishes its jobs and takes no more.
    pub draining: bool,
}

impl Connection {
    pub(crate) async fn put_worker_status(
        &self,
        status: &WorkerStatus,
    ) -> Result<(), RequestError> {
        let bytes =
            serde_json::to_vec(status).map_err(|why| RequestError::Permanent(why.to_string()))?;
        let bucket = self.worker_bucket().await?;
        let put = bucket.put(key(&status.name), bytes.into()).await;
        put.map(drop).map_err(RequestError::from_server)
    }

    pub(crate) async fn remove_worker_status(&self, name: &str) -> Result<(), RequestError> {
        self.worker_bucket().await?.purge(key(name)).await.map_err(RequestError::from_server)
    }

    /// The status of all workers, sorted by name.
    pub(crate) async fn workers(&self) -> Result<Vec<WorkerStatus>, RequestError> {
        let bucket = self.worker_bucket().await?;
        let mut keys = bucket.keys().await.map_err(RequestError::from_server)?;
        let mut workers = Vec::new();
        while let Some(key) = keys.next().await {
            let key = key.map_err(RequestError::from_server)?;
            if let Some(bytes) = bucket.get(key).await.map_err(RequestError::from_server)?
                && let Ok(status) = serde_json::from_slice::<WorkerStatus>(&bytes)
            {
                workers.push(status);
            }
        }
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workers)
    }
}

/// The digest of a name: names may contain characters that keys may not.
fn key(name: &str) -> String {
    tesuji_store::key::digest(&[name])
}
