//! Loos (2012): forests, evolved by a genetic algorithm, that play k-in-a-row games.

mod against_random;
mod competition;
mod connect_four;
mod games;
mod population_score;
mod ratings;
mod test_group;
mod threats;
pub mod training;

use crate::catalogue::{Experiment, Source};
use crate::report::Findings;
use crate::run::{ReproduceError, Run};

/// What there is to reproduce of it.
pub const EXPERIMENTS: &[Experiment] = &[
    of(
        "loos-5-1",
        "Table 5-1",
        "a forest for tic-tac-toe against random moves, depth by depth",
        against_random::run,
    ),
    of(
        "loos-fig-5-2",
        "Figure 5-2",
        "the average population score while forests evolve",
        population_score::run,
    ),
    of("loos-5-3", "Table 5-3", "a forest for Connect Four on 7×7 at depth 6", connect_four::run),
    of(
        "loos-5-4",
        "Table 5-4",
        "six forests for Gomoku against each other at depths 0 to 4",
        competition::run,
    ),
    of(
        "loos-5-5",
        "Table 5-5",
        "how four trainings for Gomoku are configured, and their time",
        test_group::configuration,
    ),
    of(
        "loos-fig-5-3",
        "Figure 5-3",
        "the time of an iteration by the number of trees",
        test_group::iteration_time,
    ),
    of(
        "loos-ratings",
        "Chapter 5.4",
        "what people said of Gomoku forests at depths 1 to 5",
        ratings::run,
    ),
];

type Make = fn(&Run<'_>) -> Result<Findings, ReproduceError>;

const fn of(id: &'static str, place: &'static str, title: &'static str, run: Make) -> Experiment {
    Experiment { id, source: Source::Loos, place, title, run }
}
