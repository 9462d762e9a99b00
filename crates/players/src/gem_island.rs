//! Gem Island: agents by name, series of their games, the tuning of weights, and recorded cases
//! that test the rules.

pub mod agents;
pub mod cases;
pub mod series;
pub mod tuning;

pub use agents::{AGENTS, AgentKind, AgentSpec};
pub use series::{GemGameResult, GemSeries, GemSeriesSummary, SeriesProgress};
