//! Gem Island in the arena: agents by name, how often they win, and recorded cases that the rules must reproduce.

pub mod agents;
pub mod bench;
pub mod cases;

pub use agents::{AGENTS, AgentKind, AgentSpec};
pub use bench::{Bench, GameResult, Summary};
