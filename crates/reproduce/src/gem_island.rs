//! Brereton (2017): Gem Island, and agents that compare evaluation functions in it.

use crate::catalogue::Experiment;

/// What there is to reproduce of it.
pub const EXPERIMENTS: &[Experiment] = &[];
