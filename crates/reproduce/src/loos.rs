//! Loos (2012): forests, evolved by a genetic algorithm, that play k-in-a-row games.

pub mod training;

use crate::catalogue::Experiment;

/// What there is to reproduce of it.
pub const EXPERIMENTS: &[Experiment] = &[];
