//! Gem Island: agents by name, series of their games, and recorded cases that test the rules.

pub mod agents;
pub mod cases;
pub mod series;

pub use agents::{AGENTS, AgentKind, AgentSpec};
pub use series::{GemGameResult, GemSeries, GemSeriesSummary};
