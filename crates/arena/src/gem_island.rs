//! Gem Island in the arena: agents by name, and how often they win.

pub mod agents;
pub mod bench;

pub use agents::{AGENTS, AgentSpec};
pub use bench::{Bench, GameResult, Summary};
