//! The option texts of the minimax family: the four classic searches as they are, and the configurable
//! engine under two names.

use std::sync::{Arc, OnceLock};

use tesuji_games::SpecError;
use tesuji_search::book::Book;
use tesuji_search::game::BoxedSearch;
use tesuji_search::{
    Deepening, EngineBase, EnginePlan, Limits, Ordering, Parallel, SearchPlan, TableSize,
};

use super::choosing::AmongEquals;
use crate::limits::depth_and_effort;
use tesuji_play::PlayerFile;
use tesuji_play::options::{
    Choices, OptionInfo, Options, SEED, THREADS, Takes, number, option, word, words,
};
use tesuji_play::{Pace, SearchFacts, Setup};
use tesuji_play::{PlayerContext, PlayerKind};

const DEPTH: OptionInfo = option("depth", number(1, 255), "plies to look ahead (default 4)");
const TIME: OptionInfo = option("time", Takes::Time, "time a move at most, such as 500ms or 1s");
const NODES: OptionInfo = option("nodes", number(1, u64::MAX), "positions a move at most");
const ORDER: OptionInfo =
    option("order", word(&words(&ORDERS)), "which moves first: all means, the game's own, none");
const QUIESCE: OptionInfo =
    option("quiesce", Takes::Switch, "follow forcing moves beyond the depth (needs Tactics)");
const PARALLEL: OptionInfo = option(
    "parallel",
    word(&words(&PARALLELS)),
    "threads share the table, or split the root (default shared)",
);
const TIES: OptionInfo = option(
    "ties",
    word(&words(&TIE_BREAKS)),
    "among equally good moves (default first; random goes by depth alone)",
);
const BOOK: OptionInfo =
    option("book", Takes::File { most: Book::LONGEST_FILE }, "an opening book (tesuji book build)");
const SIZE_OR_OFF: Takes = Takes::WordOr { words: &["off"], other: &Takes::Size };
const WIDTH_OR_OFF: Takes = Takes::WordOr { words: &["off"], other: &number(1, 1_000_000) };

const ORDERS: Choices<Ordering, 3> =
    [("on", Ordering::Full), ("game", Ordering::Game), ("off", Ordering::Off)];
const PARALLELS: Choices<Parallel, 2> =
    [("shared", Parallel::SharedTable), ("root", Parallel::RootSplit)];
const TIE_BREAKS: Choices<Ties, 2> = [("first", Ties::First), ("random", Ties::Random)];

const CLASSIC: &[OptionInfo] = &[DEPTH, TIME, NODES, TIES, SEED];

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "minimax",
        summary: "plain minimax",
        options: CLASSIC,
        read: |options| FamilySpec::read(options, Algorithm::Minimax),
    },
    PlayerKind {
        name: "negamax",
        summary: "minimax with the sign turned over instead of two cases",
        options: CLASSIC,
        read: |options| FamilySpec::read(options, Algorithm::Negamax),
    },
    PlayerKind {
        name: "alphabeta",
        summary: "minimax that leaves out what cannot matter",
        options: CLASSIC,
        read: |options| FamilySpec::read(options, Algorithm::AlphaBeta),
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
            option("deepen", Takes::Switch, "depth 1 first, then 2, and so on (default off)"),
            THREADS,
            PARALLEL,
            BOOK,
            TIES,
            SEED,
        ],
        read: |options| {
            let engine = EngineSpec::read(options, EngineSpec::BARE);
            let deepens = options.switch("deepen") == Some(true);
            let deepening = if deepens { Deepening::On } else { Deepening::Off };
            FamilySpec::read(options, Algorithm::Engine(EngineSpec { deepening, ..engine }))
        },
    },
    PlayerKind {
        name: "pvs",
        summary: "principal variation search, deepening, with everything on",
        options: &[
            option(
                "time",
                Takes::Time,
                "time a move, such as 500ms (default 1s when nothing limits it)",
            ),
            option("depth", number(1, 255), "plies to look ahead at most"),
            NODES,
            option("tt", SIZE_OR_OFF, "memory for known positions (default 16M)"),
            ORDER,
            option(
                "quiesce",
                Takes::Switch,
                "follow forcing moves beyond the depth (default: if the game can)",
            ),
            option("aspiration", WIDTH_OR_OFF, "half width of the first window (default off)"),
            THREADS,
            PARALLEL,
            BOOK,
            TIES,
            SEED,
        ],
        read: |options| {
            let engine = EngineSpec::read(options, EngineSpec::FULL);
            let aspiration = options.number("aspiration").map(|width| width as i32);
            FamilySpec::read(options, Algorithm::Engine(EngineSpec { aspiration, ..engine }))
        },
    },
];

/// One of the family, with its options.
#[derive(Clone, Debug)]
struct FamilySpec {
    algorithm: Algorithm,
    ties: Ties,
    limits: Limits,
}

#[derive(Clone, Debug)]
enum Algorithm {
    Minimax,
    Negamax,
    AlphaBeta,
    Engine(EngineSpec),
}

/// What decides among equally good moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ties {
    First,
    Random,
}

impl FamilySpec {
    fn read(options: &Options, algorithm: Algorithm) -> Result<Box<dyn Setup>, SpecError> {
        let ties = options.choice("ties", &TIE_BREAKS).unwrap_or(Ties::First);
        Ok(Box::new(FamilySpec { algorithm, ties, limits: depth_and_effort(options) }))
    }
}

impl Setup for FamilySpec {
    fn facts(&self) -> Option<SearchFacts> {
        let (deepens, table) = match &self.algorithm {
            Algorithm::Engine(engine) => (engine.deepening == Deepening::On, engine.table),
            Algorithm::Minimax | Algorithm::Negamax | Algorithm::AlphaBeta => (false, None),
        };
        // A value that was cut short is not comparable with others.
        let deepens = deepens && self.ties == Ties::First;
        let pace = if deepens { Pace::Deepens } else { Pace::ToDepth };
        let tables = table.map_or(0, TableSize::bytes);
        let facts = SearchFacts::new(pace, self.limits.clone());
        Some(SearchFacts { estimates_of_the_game: true, tables, ..facts })
    }

    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        match &self.algorithm {
            Algorithm::Engine(engine) => engine.plan(player, context).map(drop),
            Algorithm::Minimax | Algorithm::Negamax | Algorithm::AlphaBeta => Ok(()),
        }
    }

    fn search(&self, player: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        let plan = match &self.algorithm {
            Algorithm::Minimax => SearchPlan::Minimax,
            Algorithm::Negamax => SearchPlan::Negamax,
            Algorithm::AlphaBeta => SearchPlan::AlphaBeta,
            Algorithm::Engine(engine) => SearchPlan::Engine(engine.plan(player, context)?),
        };
        let search = context.search(&plan);
        Ok(match self.ties {
            Ties::First => search,
            Ties::Random => Box::new(AmongEquals::new(search, context.seed)),
        })
    }
}

/// The options of the engine, for no game in particular.
#[derive(Clone, Debug)]
struct EngineSpec {
    strongest: bool,
    table: Option<TableSize>,
    ordering: Ordering,
    /// `None`: if the game has forcing moves.
    quiescence: Option<bool>,
    deepening: Deepening,
    aspiration: Option<i32>,
    threads: usize,
    parallel: Parallel,
    book: Option<BookFile>,
}

/// A book, read when it is first wanted: a player is made anew for every game.
#[derive(Clone, Debug)]
struct BookFile {
    file: PlayerFile,
    book: Arc<OnceLock<Arc<Book>>>,
}

impl BookFile {
    fn book(&self, player: &str, game: &str) -> Result<Arc<Book>, SpecError> {
        if let Some(book) = self.book.get().filter(|book| book.game() == game) {
            return Ok(book.clone());
        }
        let unusable = |error: &dyn std::fmt::Display| SpecError::BadValue {
            owner: player.to_string(),
            option: "book".to_string(),
            value: self.file.name().to_string(),
            expected: format!("a book made by tesuji book build ({error})"),
        };
        let bytes = self.file.bytes().map_err(|error| unusable(&error))?;
        let book = Arc::new(Book::for_game(bytes, game).map_err(|error| unusable(&error))?);
        let _ = self.book.set(book.clone());
        Ok(book)
    }
}

impl EngineSpec {
    const BARE: EngineSpec = EngineSpec {
        strongest: false,
        table: None,
        ordering: Ordering::Off,
        quiescence: Some(false),
        deepening: Deepening::Off,
        aspiration: None,
        threads: 1,
        parallel: Parallel::SharedTable,
        book: None,
    };

    /// A small table: a match clears it before every game, which takes longer than a quick game does.
    const FULL: EngineSpec = EngineSpec {
        strongest: true,
        table: Some(TableSize::megabytes(16)),
        ordering: Ordering::Full,
        quiescence: None,
        deepening: Deepening::On,
        ..EngineSpec::BARE
    };

    /// `usual` with what the options say instead.
    fn read(options: &Options, usual: EngineSpec) -> EngineSpec {
        let table = if options.is("tt", "off") { None } else { options.size("tt").or(usual.table) };
        let book = options.file("book").map(|file| BookFile { file, book: Arc::default() });
        EngineSpec {
            table,
            ordering: options.choice("order", &ORDERS).unwrap_or(usual.ordering),
            quiescence: options.switch("quiesce").or(usual.quiescence),
            threads: options.threads(),
            parallel: options.choice("parallel", &PARALLELS).unwrap_or(usual.parallel),
            book,
            ..usual
        }
    }

    /// The engine for a game.
    fn plan(&self, player: &str, context: &PlayerContext) -> Result<EnginePlan, SpecError> {
        let book = self.book.as_ref().map(|file| file.book(player, context.game.name()));
        Ok(EnginePlan {
            base: if self.strongest { EngineBase::Strongest } else { EngineBase::Plain },
            table: self.table,
            ordering: self.ordering,
            quiescence: self.quiesces(player, context)?,
            deepening: self.deepening,
            aspiration: self.aspiration,
            threads: self.threads,
            parallel: self.parallel,
            book: book.transpose()?,
        })
    }

    /// Whether forcing moves are followed; an error if they are to be and the game has none.
    fn quiesces(&self, player: &str, context: &PlayerContext) -> Result<bool, SpecError> {
        if self.quiescence == Some(true) && context.game.start().forcing_moves().is_none() {
            return Err(SpecError::MissingCapability {
                user: player.to_string(),
                capability: "Tactics",
                game: context.game.name().to_string(),
                remedy: "use quiesce=off".to_string(),
            });
        }
        Ok(self.quiescence != Some(false))
    }
}
