//! Shao and Shao (2021): agents for Gomoku, by search, by playouts and by a learned critic.

use crate::catalogue::Experiment;

/// What there is to reproduce of it.
pub const EXPERIMENTS: &[Experiment] = &[];
