//! What there is to reproduce.

use crate::report::Findings;
use crate::run::{ReproduceError, Run};
use crate::{anigmo, fudan, gem_island, loos};

/// A published document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The thesis on forests for k-in-a-row games.
    Loos,
    /// The report on Gomoku agents.
    Fudan,
    /// The thesis on Gem Island.
    GemIsland,
    /// The paper on the Anigmo library.
    Anigmo,
}

impl Source {
    /// All of them, in the order of the catalogue.
    pub const ALL: [Source; 4] = [Source::Loos, Source::Fudan, Source::GemIsland, Source::Anigmo];

    /// Author, year and title.
    pub fn document(self) -> &'static str {
        match self {
            Source::Loos => {
                "Aleksei Loos (Tartu, 2012): Machine Learning for k-in-a-row Type Games Using Random Forest and Genetic Algorithm"
            }
            Source::Fudan => "Shao Yanjun and Shao Yi (Fudan, 2021): a report on Gomoku agents",
            Source::GemIsland => {
                "Thomas Brereton (Birmingham, 2017): Solving Match Three with Artificial Intelligence"
            }
            Source::Anigmo => {
                "Cecil Woebker (2013): Making Abstract Logic Games Unbeatable (Anigmo)"
            }
        }
    }
}

/// One table or figure that can be made again.
pub struct Experiment {
    /// How it is asked for.
    pub id: &'static str,
    /// The document.
    pub source: Source,
    /// Where in it.
    pub place: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// Makes it.
    pub run: fn(&Run<'_>) -> Result<Findings, ReproduceError>,
}

/// All of them, in the order of the documents.
pub fn experiments() -> impl Iterator<Item = &'static Experiment> {
    let all = [loos::EXPERIMENTS, fudan::EXPERIMENTS, gem_island::EXPERIMENTS, anigmo::EXPERIMENTS];
    all.into_iter().flatten()
}

/// The experiment of this id.
pub fn find(id: &str) -> Option<&'static Experiment> {
    experiments().find(|experiment| experiment.id == id)
}
