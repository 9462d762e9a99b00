//! The option texts of the minimax family: the four classic searches as they are, and the configurable
//! engine under two names.

use std::sync::Arc;

use tesuji_games::SpecError;
use tesuji_play::options::{
    OptionInfo, PlayerOptions, SEED, THREADS, ValueType, WordValues, number, option, word, words,
};
use tesuji_play::{PlayerContext, PlayerFile, PlayerKind, PlayerSetup, SearchKind, SearchProfile};
use tesuji_search::book::Book;
use tesuji_search::{Deepening, EngineBase, EnginePlan, Ordering, Parallel, SearchPlan, TableSize};

use crate::choosing::AmongEquals;
use crate::searching::{DEPTH_AT_MOST, Kept, NODES, bad_value, depth_and_effort, searcher};

const DEPTH: OptionInfo = option("depth", number(1, 255), "plies to look ahead (default 4)");
const TIME: OptionInfo =
    option("time", ValueType::Time, "time a move at most, such as 500ms or 1s");
const ORDER: OptionInfo =
    option("order", word(&words(&ORDERS)), "which moves first: all means, the game's own, none");
const QUIESCE: OptionInfo =
    option("quiesce", ValueType::Switch, "follow forcing moves beyond the depth (needs Tactics)");
const PARALLEL: OptionInfo = option(
    "parallel",
    word(&words(&PARALLELS)),
    "threads share the table, or split the root (default shared)",
);
const AMONG_EQUALS: OptionInfo = option(
    "ties",
    word(&words(&TIES)),
    "among equally good moves (default first; random goes by depth alone)",
);
const BOOK: OptionInfo = option(
    "book",
    ValueType::File { most: Book::MAX_FILE_BYTES },
    "an opening book (tesuji book build)",
);
const SIZE_OR_OFF: ValueType = ValueType::WordOr { words: &["off"], other: &ValueType::Size };
const WIDTH_OR_OFF: ValueType = ValueType::WordOr { words: &["off"], other: &number(1, 1_000_000) };

const ORDERS: WordValues<Ordering, 3> =
    [("on", Ordering::Full), ("game", Ordering::Game), ("off", Ordering::Off)];
const PARALLELS: WordValues<Parallel, 2> =
    [("shared", Parallel::SharedTable), ("root", Parallel::RootSplit)];
/// Whether chance decides.
const TIES: WordValues<bool, 2> = [("first", false), ("random", true)];

const CLASSIC: &[OptionInfo] = &[DEPTH, TIME, NODES, AMONG_EQUALS, SEED];

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "minimax",
        summary: "plain minimax",
        options: CLASSIC,
        read: |options| classic(options, SearchPlan::Minimax),
    },
    PlayerKind {
        name: "negamax",
        summary: "minimax with the sign turned over instead of two cases",
        options: CLASSIC,
        read: |options| classic(options, SearchPlan::Negamax),
    },
    PlayerKind {
        name: "alphabeta",
        summary: "minimax that leaves out what cannot matter",
        options: CLASSIC,
        read: |options| classic(options, SearchPlan::AlphaBeta),
    },
    PlayerKind {
        name: "negaalphabeta",
        summary: "alpha-beta with everything optional, off unless asked for",
        options: &[
            DEPTH,
            TIME,
            NODES,
            option("tt", SIZE_OR_OFF, "memory for known positions, such as 64M (default off)"),
            ORDER,
            QUIESCE,
            option("deepen", ValueType::Switch, "depth 1 first, then 2, and so on (default off)"),
            THREADS,
            PARALLEL,
            BOOK,
            AMONG_EQUALS,
            SEED,
        ],
        read: |options| {
            let deepens = options.switch("deepen") == Some(true);
            let deepening = if deepens { Deepening::On } else { Deepening::Off };
            engine(options, EnginePlan { deepening, ..BARE })
        },
    },
    PlayerKind {
        name: "pvs",
        summary: "principal variation search, deepening, with everything on",
        options: &[
            option(
                "time",
                ValueType::Time,
                "time a move, such as 500ms (default 1s when nothing limits it)",
            ),
            DEPTH_AT_MOST,
            NODES,
            option("tt", SIZE_OR_OFF, "memory for known positions (default 16M)"),
            ORDER,
            option(
                "quiesce",
                ValueType::Switch,
                "follow forcing moves beyond the depth (default: if the game can)",
            ),
            option("aspiration", WIDTH_OR_OFF, "half width of the first window (default off)"),
            THREADS,
            PARALLEL,
            BOOK,
            AMONG_EQUALS,
            SEED,
        ],
        read: |options| {
            let aspiration = options.number("aspiration").map(|width| width as i32);
            engine(options, EnginePlan { aspiration, ..FULL })
        },
    },
];

/// Nothing that is optional.
pub(super) const BARE: EnginePlan = EnginePlan {
    base: EngineBase::Plain,
    table: None,
    ordering: Ordering::Off,
    quiescence: false,
    deepening: Deepening::Off,
    aspiration: None,
    threads: 1,
    parallel: Parallel::SharedTable,
    book: None,
};

/// A small table: a match clears it before every game, which takes longer than a quick game does.
const FULL: EnginePlan = EnginePlan {
    base: EngineBase::Strongest,
    table: Some(TableSize::megabytes(16)),
    ordering: Ordering::Full,
    quiescence: true,
    deepening: Deepening::On,
    ..BARE
};

fn classic(options: &PlayerOptions, plan: SearchPlan) -> Result<Box<dyn PlayerSetup>, SpecError> {
    one_of_family(options, false, None, move |_, _| Ok(plan.clone()))
}

/// The engine: `usual` with what the options say instead.
fn engine(options: &PlayerOptions, usual: EnginePlan) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let quiesces = options.switch("quiesce");
    let plan = EnginePlan {
        table: if options.is("tt", "off") { None } else { options.size("tt").or(usual.table) },
        ordering: options.choice("order", &ORDERS).unwrap_or(usual.ordering),
        quiescence: quiesces.unwrap_or(usual.quiescence),
        threads: options.threads(),
        parallel: options.choice("parallel", &PARALLELS).unwrap_or(usual.parallel),
        ..usual
    };
    let book = options.file("book").map(|file| (file, Kept::default()));
    let deepens = plan.deepening == Deepening::On;
    one_of_family(options, deepens, plan.table, move |player, context| {
        let game = context.game.name();
        if quiesces == Some(true) && context.game.start().forcing_moves().is_none() {
            return Err(SpecError::MissingCapability {
                user: player.to_string(),
                capability: "Tactics",
                game: game.to_string(),
                remedy: "use quiesce=off".to_string(),
            });
        }
        let read = |(file, kept): &(PlayerFile, Kept<String, Arc<Book>>)| {
            kept.get(game.to_string(), || read_book(file, player, game).map(Arc::new))
        };
        let book = book.as_ref().map(read).transpose()?;
        Ok(SearchPlan::Engine(EnginePlan { book, ..plan.clone() }))
    })
}

fn read_book(file: &PlayerFile, player: &str, game: &str) -> Result<Book, SpecError> {
    let unusable = |error: &dyn std::fmt::Display| {
        let expected = format!("a book made by tesuji book build ({error})");
        bad_value(player, "book", file.name(), &expected)
    };
    let bytes = file.bytes().map_err(|error| unusable(&error))?;
    Book::for_game(bytes, game).map_err(|error| unusable(&error))
}

/// One of the family; `plan` says which search it is in a game.
fn one_of_family(
    options: &PlayerOptions,
    deepens: bool,
    table: Option<TableSize>,
    plan: impl Fn(&str, &PlayerContext) -> Result<SearchPlan, SpecError> + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let by_chance = options.choice("ties", &TIES).unwrap_or(false);
    // A value that was cut short is not comparable with others.
    let pace =
        if deepens && !by_chance { SearchKind::IterativeDeepening } else { SearchKind::FixedDepth };
    let facts = SearchProfile {
        heuristic_units: true,
        tables: table.map_or(0, TableSize::bytes),
        ..SearchProfile::new(pace, depth_and_effort(options))
    };
    searcher(facts, plan, move |plan, context| {
        let search = context.search(&plan);
        Ok(match by_chance {
            true => Box::new(AmongEquals::new(search, context.seed)),
            false => search,
        })
    })
}
