//! Shao and Shao (2021): agents for Gomoku, by search, by playouts and by a learned critic.

mod critic;
mod openings;
mod published;
mod table;

use crate::catalogue::{Experiment, Source};

/// What there is to reproduce of it.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "fudan-table",
        source: Source::Fudan,
        place: "Chapter 5",
        title: "the tournament of thirteen Gomoku programs",
        run: table::run,
    },
    Experiment {
        id: "fudan-critic",
        source: Source::Fudan,
        place: "Chapter 4.4",
        title: "the critic, the tree search, and their mixture by λ",
        run: critic::run,
    },
];
