//! Loos (2012): forests, evolved by a genetic algorithm, that play k-in-a-row games.

mod population;
pub mod training;
mod woods;

use crate::catalogue::{Experiment, Source};

/// What there is to reproduce of it.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "loos-3-1",
        source: Source::Loos,
        place: "Table 3-1",
        title: "individuals and games of full and limited training",
        run: population::run,
    },
    Experiment {
        id: "loos-3-3",
        source: Source::Loos,
        place: "Table 3-3",
        title: "one pattern, turned and mirrored, all over a board",
        run: woods::run,
    },
];
