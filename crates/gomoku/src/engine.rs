//! The engine: a search that looks far ahead along the moves that matter, with an evaluation that was learned.

pub mod evaluation;
pub mod weight_file;
pub mod weights;
