//! What the workshop remembers: games, training samples, runs with their metrics, ratings, and the scores
//! of people. One contract, [`Store`]; behind it a SQLite file (the default) or a PostgreSQL database.
//!
//! Everything that is kept is a [`Record`]. A record has a key, and a key is kept once: writing twice what
//! was written before changes nothing, so results may be sent again after any kind of failure.

mod columns;
pub mod exchange;
mod fitness;
pub mod key;
mod later;
mod migrations;
pub mod open;
mod postgres;
pub mod record;
pub mod safe_file;
mod sqlite;
pub mod store;

pub use open::{Access, open, open_existing, open_with};

pub use record::{
    Contestant, Ending, EndingKind, GameRecord, HumanScore, Kind, Metric, PoolRating, Record, Run,
    Sample, Thought,
};
pub use store::{Added, Counts, Selection, Store, StoreError, StoreInfo};
