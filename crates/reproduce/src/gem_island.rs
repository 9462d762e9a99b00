//! Brereton (2017): Gem Island, and agents that compare evaluation functions.

mod branching;
mod evaluations;
mod humans;
mod levels;
pub mod logs;
mod policy;
pub mod series;

use crate::catalogue::{Publication, Reproduction, experiment};

/// The experiments, in the order of the publication.
pub const EXPERIMENTS: &[Reproduction] = &[
    experiment(
        Publication::GemIsland,
        "gem-levels",
        "Table 5.2",
        "the three levels, and how often agents win each",
        levels::run,
    ),
    experiment(
        Publication::GemIsland,
        "gem-6-3",
        "Table 6.3",
        "evaluation functions: how often they win, in how many moves, with what score",
        evaluations::table,
    ),
    experiment(
        Publication::GemIsland,
        "gem-fig-6-1",
        "Figure 6.1",
        "moves to win by evaluation function",
        evaluations::figure,
    ),
    experiment(
        Publication::GemIsland,
        "gem-humans",
        "Table 6.4",
        "how often people win, compared with every agent",
        humans::run,
    ),
    experiment(
        Publication::GemIsland,
        "gem-branching",
        "Chapter 1, Section 4.1",
        "how many positions follow from a position, counted",
        branching::run,
    ),
    experiment(
        Publication::GemIsland,
        "gem-policy",
        "the program",
        "a policy network: how often it predicts the swaps of people, and what it is worth",
        policy::run,
    ),
];
