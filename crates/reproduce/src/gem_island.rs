//! Brereton (2017): Gem Island, and agents that compare evaluation functions in it.

mod evaluations;
mod humans;
mod levels;
pub mod series;

use crate::catalogue::{Experiment, Source};
use crate::report::Findings;
use crate::run::{ReproduceError, Run};

const fn experiment(
    id: &'static str,
    place: &'static str,
    title: &'static str,
    run: fn(&Run<'_>) -> Result<Findings, ReproduceError>,
) -> Experiment {
    Experiment { id, source: Source::GemIsland, place, title, run }
}

/// What there is to reproduce of it.
pub const EXPERIMENTS: &[Experiment] = &[
    experiment(
        "gem-levels",
        "Table 5.2",
        "the three levels, and how often agents win each",
        levels::run,
    ),
    experiment(
        "gem-6-3",
        "Table 6.3",
        "evaluation functions: how often they win, in how many moves, with what score",
        evaluations::table,
    ),
    experiment(
        "gem-fig-6-1",
        "Figure 6.1",
        "moves to win by evaluation function",
        evaluations::figure,
    ),
    experiment("gem-humans", "Table 6.4", "how often people win, beside every agent", humans::run),
];
