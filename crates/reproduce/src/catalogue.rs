//! The list of experiments.

use crate::report::Findings;
use crate::run::{ReproduceError, ReproductionRun};
use crate::{anigmo, fudan, gem_island, loos};

/// A publication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Publication {
    /// The thesis on forests for k-in-a-row games.
    Loos,
    /// The report on Gomoku agents.
    Fudan,
    /// The thesis on Gem Island.
    GemIsland,
    /// The paper on the Anigmo library.
    Anigmo,
}

impl Publication {
    /// All publications, in the order of the catalogue.
    pub const ALL: [Publication; 4] =
        [Publication::Loos, Publication::Fudan, Publication::GemIsland, Publication::Anigmo];

    /// Returns author, year and title.
    pub fn document(self) -> &'static str {
        match self {
            Publication::Loos => {
                "Aleksei Loos (Tartu, 2012): Machine Learning for k-in-a-row Type Games Using Random Forest and Genetic Algorithm"
            }
            Publication::Fudan => {
                "Shao Yanjun and Shao Yi (Fudan, 2021): a report on Gomoku agents"
            }
            Publication::GemIsland => {
                "Thomas Brereton (Birmingham, 2017): Solving Match Three with Artificial Intelligence"
            }
            Publication::Anigmo => {
                "Cecil Woebker (2013): Making Abstract Logic Games Unbeatable (Anigmo)"
            }
        }
    }
}

/// A table or figure that can be reproduced.
pub struct Reproduction {
    /// The id on the command line.
    pub id: &'static str,
    /// The publication.
    pub source: Publication,
    /// The place in the publication.
    pub place: &'static str,
    /// A description in one line.
    pub title: &'static str,
    /// Runs the experiment.
    pub run: fn(&ReproductionRun<'_>) -> Result<Findings, ReproduceError>,
}

/// Makes an experiment.
pub(crate) const fn experiment(
    source: Publication,
    id: &'static str,
    place: &'static str,
    title: &'static str,
    run: fn(&ReproductionRun<'_>) -> Result<Findings, ReproduceError>,
) -> Reproduction {
    Reproduction { id, source, place, title, run }
}

/// A table or figure of a publication without anything to measure.
pub struct Illustration {
    /// The publication.
    pub source: Publication,
    /// The place in the publication.
    pub place: &'static str,
    /// What it shows, and where this project shows the same.
    pub shows: &'static str,
}

const fn illustration(
    source: Publication,
    place: &'static str,
    shows: &'static str,
) -> Illustration {
    Illustration { source, place, shows }
}

/// All of them, so that every table and figure of the publications is listed.
pub const ILLUSTRATIONS: &[Illustration] = &[
    illustration(Publication::Loos, "Figure 1-1", "a Gomoku board: tesuji games gomoku"),
    illustration(
        Publication::Loos,
        "Figure 1-2",
        "sizes of game trees: tesuji stats GAME --plies N",
    ),
    illustration(Publication::Loos, "Figure 2-1", "a minimax tree: See it think, in the browser"),
    illustration(Publication::Loos, "Figure 2-2", "a decision tree: tesuji forest show FILE"),
    illustration(Publication::Loos, "Figure 3-1", "the training process: docs/training.md"),
    illustration(
        Publication::Loos,
        "Figure 3-2",
        "patterns that sort moves (lost): docs/forests.md",
    ),
    illustration(Publication::Loos, "Table 3-2", "the weights of votes: a row of loos-5-5"),
    illustration(Publication::Loos, "Figure 3-3", "a tree at every place of the board: loos-3-3"),
    illustration(
        Publication::Loos,
        "Figure 3-4",
        "from a finished game to a sample: docs/forests.md",
    ),
    illustration(Publication::Loos, "Figure 4-1", "a search by several threads: docs/forests.md"),
    illustration(Publication::Loos, "Figure 4-2", "trees and their tables: loos-cached-tree"),
    illustration(
        Publication::Loos,
        "Figure 4-3",
        "moves near stones only: option radius of forest",
    ),
    illustration(
        Publication::Loos,
        "Figure 5-1",
        "playing in a terminal and a window: tesuji play, tesuji serve",
    ),
    illustration(
        Publication::Loos,
        "Table 10-1",
        "the programs of the distribution: tesuji --help",
    ),
    illustration(
        Publication::Fudan,
        "Figures 1 to 3",
        "ten patterns and their threats: See it think, critic",
    ),
    illustration(
        Publication::Fudan,
        "Figures 4 to 6",
        "minimax, where it looks, alpha-beta: See it think, tree",
    ),
    illustration(
        Publication::Fudan,
        "Figures 7 to 10",
        "pruning and transposition tables: docs/arena.md",
    ),
    illustration(
        Publication::Fudan,
        "Figures 11 and 12",
        "the critic and its training: docs/critic.md",
    ),
    illustration(
        Publication::Fudan,
        "Table of 4.3",
        "counts as inputs of the critic: docs/critic.md",
    ),
    illustration(
        Publication::GemIsland,
        "Figures 1.1, 5.1 and 5.2",
        "the game on boards of any size: tesuji gem play",
    ),
    illustration(
        Publication::GemIsland,
        "Figures 2.1 to 2.3",
        "tree search by simulation: See it think, visits",
    ),
    illustration(
        Publication::GemIsland,
        "Figures 2.4 to 2.7",
        "networks in general: docs/networks.md",
    ),
    illustration(
        Publication::GemIsland,
        "Figures 4.1 and 4.2",
        "the flat bandit: docs/gem-island.md",
    ),
    illustration(
        Publication::GemIsland,
        "Figures 4.3 to 4.6",
        "the outcome network and its planes: docs/networks.md",
    ),
    illustration(Publication::GemIsland, "Table 5.1", "authors of the parts"),
    illustration(
        Publication::GemIsland,
        "Tables 6.1 and 6.2",
        "settings of the experiments: those of gem-6-3",
    ),
    illustration(Publication::Anigmo, "Figure 1", "a comic strip"),
    illustration(Publication::Anigmo, "Figures 2 and 3", "pages to play on: tesuji serve"),
    illustration(Publication::Anigmo, "Figure 4", "paths on a grid: tesuji count grid-paths"),
    illustration(
        Publication::Anigmo,
        "Table 1",
        "the machine of the measurements, named in anigmo-a-ordering",
    ),
];

/// Returns all experiments, in the order of the publications.
pub fn experiments() -> impl Iterator<Item = &'static Reproduction> {
    let all = [loos::EXPERIMENTS, fudan::EXPERIMENTS, gem_island::EXPERIMENTS, anigmo::EXPERIMENTS];
    all.into_iter().flatten()
}

/// Finds the experiment with this id.
pub fn find(id: &str) -> Option<&'static Reproduction> {
    experiments().find(|experiment| experiment.id == id)
}
