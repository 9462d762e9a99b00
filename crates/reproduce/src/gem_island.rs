//! Brereton (2017): Gem Island, and agents that compare evaluation functions in it.

mod evaluations;
mod humans;
mod levels;
pub mod series;

use crate::catalogue::{Experiment, Source, experiment};

/// What there is to reproduce of it, in the order of the document.
pub const EXPERIMENTS: &[Experiment] = &[
    experiment(
        Source::GemIsland,
        "gem-levels",
        "Table 5.2",
        "the three levels, and how often agents win each",
        levels::run,
    ),
    experiment(
        Source::GemIsland,
        "gem-6-3",
        "Table 6.3",
        "evaluation functions: how often they win, in how many moves, with what score",
        evaluations::table,
    ),
    experiment(
        Source::GemIsland,
        "gem-fig-6-1",
        "Figure 6.1",
        "moves to win by evaluation function",
        evaluations::figure,
    ),
    experiment(
        Source::GemIsland,
        "gem-humans",
        "Table 6.4",
        "how often people win, beside every agent",
        humans::run,
    ),
];
