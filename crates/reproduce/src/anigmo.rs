//! Woebker (2013): Anigmo, a library that plays any abstract game for two by one set of searches.

mod stats;

use crate::catalogue::{Experiment, Source};

/// What there is to reproduce of it.
pub const EXPERIMENTS: &[Experiment] = &[Experiment {
    id: "anigmo-stats",
    source: Source::Anigmo,
    place: "Chapters 3.1 and 4.1",
    title: "how many games and states tic-tac-toe and Connect Four have",
    run: stats::run,
}];
