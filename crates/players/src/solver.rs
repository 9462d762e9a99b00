//! The player `solver`: perfect play, or play at a level.

use tesuji_play::options::{SEED, ValueType, number, option};
use tesuji_play::{PlayerKind, SearchKind, SearchProfile};
use tesuji_search::{BookChoice, ExactSolverOptions, TableSize};

use crate::graded::{GradedSearch, PERFECT};
use crate::searching::{TABLE, effort, search_setup_for_any_game};

pub(super) static PLAYERS: &[PlayerKind] = &[PlayerKind {
    name: "solver",
    former_name: None,
    summary: "perfect play, for small games without repetition",
    options: &[
        option(
            "level",
            number(1, PERFECT),
            "playing strength, from 1 (makes many mistakes) to 10 (perfect) [default: 10]",
        ),
        TABLE,
        option(
            "threads",
            number(1, 256),
            "number of threads, where the game's solver supports them [default: 1]",
        ),
        option(
            "book",
            ValueType::Switch,
            "use the shipped opening book, if there is one [default: on]",
        ),
        option(
            "time",
            ValueType::Time,
            "give up after this time and play any move [default: never]",
        ),
        option("nodes", number(1, u64::MAX), "give up after this number of positions"),
        SEED,
    ],
    read: |options| {
        let level = options.number("level");
        let with_book = options.switch("book").unwrap_or(true);
        let exact = ExactSolverOptions {
            table: options.size("tt").unwrap_or(TableSize::megabytes(16)),
            threads: options.threads(),
            book: if with_book { BookChoice::BuiltIn } else { BookChoice::Off },
        };
        let facts = SearchProfile {
            exact: level.is_none_or(|level| level == PERFECT),
            tables: exact.table.bytes(),
            ..SearchProfile::new(SearchKind::SelfTerminating, effort(options))
        };
        search_setup_for_any_game(facts, move |context| match level {
            Some(level) => Box::new(GradedSearch::new(level, &exact, context)),
            None => context.game.solver(exact.clone()),
        })
    },
}];
