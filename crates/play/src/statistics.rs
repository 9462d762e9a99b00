//! Statistics of results: points, Elo with error bars, sequential tests, ratings of a pool.
//!
//! Pure functions of numbers: nothing here plays, reads or prints. `docs/statistics.md` has the
//! formulas, their sources and measurements.

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
