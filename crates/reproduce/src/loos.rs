//! Loos (2012): forests, evolved by a genetic algorithm, that play k-in-a-row games.

mod cached_tree;
mod deep_move;
mod dual_end;
pub mod measure;
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
    Experiment {
        id: "loos-cached-tree",
        source: Source::Loos,
        place: "Chapter 4.3",
        title: "trees looked up in tables against trees walked",
        run: cached_tree::run,
    },
    Experiment {
        id: "loos-5-2",
        source: Source::Loos,
        place: "Table 5-2",
        title: "how a human beat the forest at Connect Four",
        run: dual_end::run,
    },
    Experiment {
        id: "loos-depth5",
        source: Source::Loos,
        place: "Chapters 2.1 and 5.4",
        title: "how long a move at depth 5 takes, and what alpha-beta cuts",
        run: deep_move::run,
    },
];
