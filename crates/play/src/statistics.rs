//! What results mean: points, Elo with an honest error bar, sequential tests, ratings of a pool.
//!
//! Numbers in, numbers out: nothing here plays, reads or prints. The formulas, their sources and what was
//! measured of them stand in `docs/statistics.md`.

pub mod elo;
pub mod pentanomial;
pub mod pool;
pub mod rating;
pub mod samples;
pub mod sprt;
pub mod win_draw_loss;

pub use pentanomial::Pentanomial;
pub use pool::{PoolGame, PoolOptions, PoolRow, PoolTable, rate};
pub use rating::Rating;
pub use samples::{mean_and_error, share_interval};
pub use sprt::{Forecast, Sprt, SprtModel, SprtState, SprtVerdict};
pub use win_draw_loss::WinDrawLoss;
