//! Shao and Shao (2021): agents for Gomoku, by search, by playouts and by a learned critic.

mod bayes_elo;
mod critic;
mod openings;
mod published;
mod table;

use crate::catalogue::{Publication, Reproduction, experiment};

/// The experiments, in the order of the publication.
pub const EXPERIMENTS: &[Reproduction] = &[
    experiment(
        Publication::Fudan,
        "fudan-table",
        "Chapter 5",
        "the tournament of thirteen Gomoku programs",
        table::run,
    ),
    experiment(
        Publication::Fudan,
        "fudan-critic",
        "Chapter 4.4",
        "the critic, the tree search, and their mixture by λ",
        critic::run,
    ),
];
