//! Gomoku: agents that know what stands in a row.

pub mod report;
