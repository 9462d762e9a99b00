//! Gem Island in the arena: agents by name, how often they win, and recorded cases that the rules must reproduce.

pub mod agents;
pub mod cases;
pub mod series;

pub use agents::{AGENTS, AgentKind, AgentSpec};
pub use series::{GemGameResult, GemSeries, GemSeriesSummary};
