//! The player `solver`: perfect play, or play at a level.

use tesuji_games::SpecError;
use tesuji_search::game::BoxedSearch;
use tesuji_search::{ExactOptions, Limits, OpeningBook, TableSize};

use super::graded::{GradedSearch, Level};
use crate::limits::effort;
use tesuji_play::options::{Options, SEED, Takes, number, option};
use tesuji_play::{Pace, SearchFacts, Setup};
use tesuji_play::{PlayerContext, PlayerKind};

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: "solver",
    summary: "perfect play, for small games that never repeat a position",
    options: &[
        option(
            "level",
            number(1, Level::PERFECT as u64),
            "play like a person, from 1 (beginner) to 10 (perfect, as without a level)",
        ),
        option("tt", Takes::Size, "memory for known positions (default 16M)"),
        option(
            "threads",
            number(1, 256),
            "threads of one search, where the game's solver can use them (default 1)",
        ),
        option(
            "book",
            Takes::Switch,
            "look into the book that comes with the program, if any (default on)",
        ),
        option("time", Takes::Time, "give up after this time and play anything (default never)"),
        option("nodes", number(1, u64::MAX), "give up after this number of positions"),
        SEED,
    ],
    read: |options| Ok(Box::new(SolverSpec::read(options))),
}];

/// Memory by default.
const USUAL_TABLE: TableSize = TableSize::megabytes(16);

#[derive(Clone, Debug)]
struct SolverSpec {
    level: Option<Level>,
    options: ExactOptions,
    limits: Limits,
}

impl SolverSpec {
    fn read(options: &Options) -> SolverSpec {
        let with_book = options.switch("book").unwrap_or(true);
        SolverSpec {
            level: options.number("level").map(Level::new),
            options: ExactOptions {
                table: options.size("tt").unwrap_or(USUAL_TABLE),
                threads: options.threads(),
                book: if with_book { OpeningBook::Shipped } else { OpeningBook::Off },
            },
            limits: effort(options),
        }
    }
}

impl Setup for SolverSpec {
    fn facts(&self) -> Option<SearchFacts> {
        let facts = SearchFacts::new(Pace::Ends, self.limits.clone());
        let exact = self.level.is_none_or(Level::is_perfect);
        Some(SearchFacts { exact, tables: self.options.table.bytes(), ..facts })
    }

    fn search(&self, _: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        Ok(match self.level {
            Some(level) => Box::new(GradedSearch::new(level, &self.options, context)),
            None => context.game.solver(self.options.clone()),
        })
    }
}
