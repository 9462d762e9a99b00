//! Storage of games, training samples, runs with their jobs and metrics, ratings, and human scores.
//! The trait [`Store`] is implemented by a SQLite file (the default) and a PostgreSQL database.
//!
//! All data are [`Record`]s. Every record has a key, and a key is stored once: writing a record
//! again changes nothing, so results may be sent again after any kind of failure.
//!
//! ```
//! use tesuji_store::{HumanScore, Record, RecordKind, open};
//!
//! # fn main() -> Result<(), tesuji_store::StoreError> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let place = folder.path().join("games.db");
//! # let place = place.to_str().unwrap();
//! let store = open(place)?; // "games.db", or "postgres://USER@HOST/DATABASE"
//! let score = Record::Human(HumanScore {
//!     key: "gem-island 1".to_string(),
//!     board: "gem-island:level=1".to_string(),
//!     name: "Ada".to_string(),
//!     score: 120,
//!     moves: 31,
//!     won: true,
//!     at: 1_700_000_000,
//! });
//! assert_eq!(store.add(std::slice::from_ref(&score))?.new, 1);
//! assert_eq!(store.add(&[score])?.known, 1);
//! assert_eq!(store.info()?.counts[&RecordKind::Human], 1);
//! # Ok(())
//! # }
//! ```

#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod columns;
#[cfg(feature = "exchange")]
pub mod exchange;
pub mod key;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod migrations;
pub mod open;
#[cfg(feature = "postgres")]
mod postgres;
pub mod record;
mod retry;
pub mod safe_file;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod store;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod upsert;
#[cfg(any(feature = "exchange", feature = "postgres", feature = "sqlite"))]
mod validation;

pub use open::{Access, open, open_existing, open_with};
pub use retry::{OnRetry, RetryStore, open_with_retry};

pub use record::{
    Ending, EndingKind, GameRecord, HumanScore, JobRecord, Metric, PlayerRecord, PoolRating,
    Record, RecordKind, RunRecord, Sample, SearchRecord,
};
pub use store::{AddCounts, Counts, Direction, Selection, Store, StoreError, StoreInfo};
