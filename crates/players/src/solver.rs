//! The player `solver`: perfect play, or play at a level.

use tesuji_play::options::{SEED, ValueType, number, option};
use tesuji_play::{PlayerKind, SearchKind, SearchProfile};
use tesuji_search::{ExactOptions, OpeningBook, TableSize};

use crate::graded::{GradedSearch, PERFECT};
use crate::searching::{TABLE, effort, searcher_of_any_game};

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: "solver",
    summary: "perfect play, for small games that never repeat a position",
    options: &[
        option(
            "level",
            number(1, PERFECT),
            "play like a person, from 1 (beginner) to 10 (perfect, as without a level)",
        ),
        TABLE,
        option(
            "threads",
            number(1, 256),
            "threads of one search, where the game's solver can use them (default 1)",
        ),
        option(
            "book",
            ValueType::Switch,
            "look into the book that comes with the program, if any (default on)",
        ),
        option(
            "time",
            ValueType::Time,
            "give up after this time and play anything (default never)",
        ),
        option("nodes", number(1, u64::MAX), "give up after this number of positions"),
        SEED,
    ],
    read: |options| {
        let level = options.number("level");
        let with_book = options.switch("book").unwrap_or(true);
        let exact = ExactOptions {
            table: options.size("tt").unwrap_or(TableSize::megabytes(16)),
            threads: options.threads(),
            book: if with_book { OpeningBook::Shipped } else { OpeningBook::Off },
        };
        let facts = SearchProfile {
            exact: level.is_none_or(|level| level == PERFECT),
            tables: exact.table.bytes(),
            ..SearchProfile::new(SearchKind::SelfTerminating, effort(options))
        };
        searcher_of_any_game(facts, move |context| match level {
            Some(level) => Box::new(GradedSearch::new(level, &exact, context)),
            None => context.game.solver(exact.clone()),
        })
    },
}];
