//! Who works: every worker keeps a card on the server, which vanishes when it is not renewed.

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use crate::line::{Hitch, Line};

/// What a worker says about itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkerCard {
    /// Its name.
    pub name: String,
    /// Jobs at once.
    pub threads: usize,
    /// Which program it is.
    pub version: String,
    /// Seconds since 1970 when it began.
    pub since: u64,
    /// Jobs that it has done.
    pub jobs: u64,
    /// Games in them.
    pub games: u64,
    /// Games a second during the last minute or so.
    pub games_per_second: f64,
    /// What it is at.
    pub busy: Vec<String>,
    /// It finishes what it is at and takes nothing more.
    pub draining: bool,
}

impl Line {
    pub(crate) async fn show(&self, card: &WorkerCard) -> Result<(), Hitch> {
        let bytes = serde_json::to_vec(card).map_err(|why| Hitch::Final(why.to_string()))?;
        let cards = self.cards().await?;
        cards.put(key(&card.name), bytes.into()).await.map(drop).map_err(Hitch::of_server)
    }

    pub(crate) async fn take_away(&self, name: &str) -> Result<(), Hitch> {
        self.cards().await?.purge(key(name)).await.map_err(Hitch::of_server)
    }

    /// The cards of all workers, by name.
    pub(crate) async fn workers(&self) -> Result<Vec<WorkerCard>, Hitch> {
        let cards = self.cards().await?;
        let mut keys = cards.keys().await.map_err(Hitch::of_server)?;
        let mut workers = Vec::new();
        while let Some(key) = keys.next().await {
            let key = key.map_err(Hitch::of_server)?;
            if let Some(bytes) = cards.get(key).await.map_err(Hitch::of_server)?
                && let Ok(card) = serde_json::from_slice::<WorkerCard>(&bytes)
            {
                workers.push(card);
            }
        }
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workers)
    }
}

/// Names may hold anything, keys may not.
fn key(name: &str) -> String {
    tesuji_store::key::digest(&[name])
}
