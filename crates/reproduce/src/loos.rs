//! Loos (2012): forests, evolved by a genetic algorithm, that play k-in-a-row games.

mod against_random;
mod cached_tree;
mod competition;
mod connect_four;
mod deep_move;
mod dual_end;
mod games;
pub mod measure;
mod population;
mod population_score;
mod ratings;
mod test_group;
mod threats;
pub mod training;
mod woods;

use crate::catalogue::{Publication, Reproduction, experiment};

/// The experiments, in the order of the publication.
pub const EXPERIMENTS: &[Reproduction] = &[
    experiment(
        Publication::Loos,
        "loos-3-1",
        "Table 3-1",
        "individuals and games of full and limited training",
        population::run,
    ),
    experiment(
        Publication::Loos,
        "loos-3-3",
        "Table 3-3",
        "one pattern, turned and mirrored, all over a board",
        woods::run,
    ),
    experiment(
        Publication::Loos,
        "loos-cached-tree",
        "Chapter 4.3",
        "trees looked up in tables against trees walked",
        cached_tree::run,
    ),
    experiment(
        Publication::Loos,
        "loos-5-1",
        "Table 5-1",
        "a forest for tic-tac-toe against random moves, depth by depth",
        against_random::run,
    ),
    experiment(
        Publication::Loos,
        "loos-fig-5-2",
        "Figure 5-2",
        "the average population score while forests evolve",
        population_score::run,
    ),
    experiment(
        Publication::Loos,
        "loos-5-2",
        "Table 5-2",
        "how a human beat the forest at Connect Four",
        dual_end::run,
    ),
    experiment(
        Publication::Loos,
        "loos-5-3",
        "Table 5-3",
        "a forest for Connect Four on 7×7 at depth 6",
        connect_four::run,
    ),
    experiment(
        Publication::Loos,
        "loos-5-4",
        "Table 5-4",
        "six forests for Gomoku against each other at depths 0 to 4",
        competition::run,
    ),
    experiment(
        Publication::Loos,
        "loos-5-5",
        "Table 5-5",
        "how four trainings for Gomoku are configured, and their time",
        test_group::configuration,
    ),
    experiment(
        Publication::Loos,
        "loos-fig-5-3",
        "Figure 5-3",
        "the time of an iteration by the number of trees",
        test_group::iteration_time,
    ),
    experiment(
        Publication::Loos,
        "loos-depth5",
        "Chapters 2.1 and 5.4",
        "how long a move at depth 5 takes, and what alpha-beta cuts",
        deep_move::run,
    ),
    experiment(
        Publication::Loos,
        "loos-ratings",
        "Chapter 5.4",
        "what people said of Gomoku forests at depths 1 to 5",
        ratings::run,
    ),
];
