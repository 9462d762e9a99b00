//! The option texts of the minimax family: the four classic searches as they are, and the configurable
//! engine under two names.

use std::sync::{Arc, OnceLock};

use tesuji_games::{Spec, SpecError};
use tesuji_search::book::Book;
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Deepening, EngineBase, EnginePlan, Ordering, Parallel, SearchPlan, TableSize};

use super::choosing::AmongEquals;
use super::file::PlayerFile;
use super::searching::take_threads;
use super::{PlayerContext, PlayerInfo, SEED};
use crate::quantity::BYTES_EXAMPLES;

const DEPTH: (&str, &str) = ("depth=N", "plies to look ahead (default 4)");
const LIMITED_TIME: (&str, &str) = ("time=T", "time a move at most, such as 500ms or 1s");
const LIMITED_NODES: (&str, &str) = ("nodes=N", "positions a move at most");
const ORDER: (&str, &str) =
    ("order=on|game|off", "which moves first: all means, the game's own, none");
const QUIESCE: (&str, &str) =
    ("quiesce=on|off", "follow forcing moves beyond the depth (needs Tactics)");
const THREADS: (&str, &str) = ("threads=N", "threads of one search (default 1)");
const PARALLEL: (&str, &str) =
    ("parallel=shared|root", "threads share the table, or split the root (default shared)");

const TIES: (&str, &str) =
    ("ties=first|random", "among equally good moves (default first; random goes by depth alone)");
const BOOK: (&str, &str) = ("book=FILE", "an opening book (tesuji book build)");

const fn classic(name: &'static str, summary: &'static str) -> PlayerInfo {
    PlayerInfo { name, summary, options: &[DEPTH, LIMITED_TIME, LIMITED_NODES, TIES, SEED] }
}

pub(super) const PLAYERS: [PlayerInfo; 5] = [
    classic("minimax", "plain minimax"),
    classic("negamax", "minimax with the sign turned over instead of two cases"),
    classic("alphabeta", "minimax that leaves out what cannot matter"),
    PlayerInfo {
        name: "negaalphabeta",
        summary: "alpha-beta with everything optional, off unless asked for",
        options: &[
            DEPTH,
            LIMITED_TIME,
            LIMITED_NODES,
            ("tt=SIZE|off", "memory for known positions, such as 64M (default off)"),
            ORDER,
            QUIESCE,
            ("deepen=on|off", "depth 1 first, then 2, and so on (default off)"),
            THREADS,
            PARALLEL,
            BOOK,
            TIES,
            SEED,
        ],
    },
    PlayerInfo {
        name: "pvs",
        summary: "principal variation search, deepening, with everything on",
        options: &[
            ("time=T", "time a move, such as 500ms (default 1s when nothing limits it)"),
            ("depth=N", "plies to look ahead at most"),
            LIMITED_NODES,
            ("tt=SIZE|off", "memory for known positions (default 16M)"),
            ORDER,
            ("quiesce=on|off", "follow forcing moves beyond the depth (default: if the game can)"),
            ("aspiration=N|off", "half width of the first window (default off)"),
            THREADS,
            PARALLEL,
            BOOK,
            TIES,
            SEED,
        ],
    },
];

/// One of the family, with its options.
#[derive(Clone, Debug)]
pub(super) struct FamilySpec {
    algorithm: Algorithm,
    ties: Ties,
}

#[derive(Clone, Debug)]
enum Algorithm {
    Minimax,
    Negamax,
    AlphaBeta,
    Engine(Box<EngineSpec>),
}

/// What decides among equally good moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ties {
    First,
    Random,
}

impl FamilySpec {
    /// Bytes that the table takes.
    pub(super) fn memory(&self) -> u64 {
        match &self.algorithm {
            Algorithm::Engine(engine) => engine.table.map_or(0, TableSize::bytes),
            Algorithm::Minimax | Algorithm::Negamax | Algorithm::AlphaBeta => 0,
        }
    }

    /// Reads the options, if the name is one of the family's.
    pub(super) fn read(spec: &mut Spec) -> Result<Option<FamilySpec>, SpecError> {
        let engine = |spec: &mut Spec, usual| {
            Ok::<_, SpecError>(Algorithm::Engine(Box::new(EngineSpec::read(spec, usual)?)))
        };
        let algorithm = match spec.name() {
            "minimax" => Algorithm::Minimax,
            "negamax" => Algorithm::Negamax,
            "alphabeta" => Algorithm::AlphaBeta,
            "negaalphabeta" => engine(spec, EngineSpec::BARE)?,
            "pvs" => engine(spec, EngineSpec::FULL)?,
            _ => return Ok(None),
        };
        let ties = spec.choice("ties", &[("first", Ties::First), ("random", Ties::Random)])?;
        Ok(Some(FamilySpec { algorithm, ties: ties.unwrap_or(Ties::First) }))
    }

    /// The book, if there is one.
    pub(super) fn file(&self) -> Option<&PlayerFile> {
        match &self.algorithm {
            Algorithm::Engine(engine) => engine.book.as_ref().map(|book| &book.file),
            _ => None,
        }
    }

    /// Whether it has an answer whenever the time is over, since it reaches its depth ply by ply.
    pub(super) fn can_be_interrupted(&self) -> bool {
        let deepens = matches!(&self.algorithm, Algorithm::Engine(engine) if engine.deepening == Deepening::On);
        deepens && self.ties == Ties::First
    }

    pub(super) fn check(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        match &self.algorithm {
            Algorithm::Engine(engine) => engine.plan(player, context).map(drop),
            Algorithm::Minimax | Algorithm::Negamax | Algorithm::AlphaBeta => Ok(()),
        }
    }

    pub(super) fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<BoxedSearch, SpecError> {
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
pub(super) struct EngineSpec {
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
            value: self.file.path().to_string(),
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

    /// `usual` with what the text says instead.
    fn read(spec: &mut Spec, usual: EngineSpec) -> Result<EngineSpec, SpecError> {
        let orders = [("on", Ordering::Full), ("game", Ordering::Game), ("off", Ordering::Off)];
        let parallels = [("shared", Parallel::SharedTable), ("root", Parallel::RootSplit)];
        let mut engine = EngineSpec {
            table: take_table(spec, usual.table)?,
            ordering: spec.choice("order", &orders)?.unwrap_or(usual.ordering),
            quiescence: spec.switch("quiesce")?.or(usual.quiescence),
            threads: take_threads(spec)?,
            parallel: spec.choice("parallel", &parallels)?.unwrap_or(usual.parallel),
            book: PlayerFile::take(spec, "book", Book::LONGEST_FILE)
                .map(|file| BookFile { file, book: Arc::default() }),
            ..usual
        };
        if engine.strongest {
            engine.aspiration = take_aspiration(spec)?;
        } else if spec.switch("deepen")? == Some(true) {
            engine.deepening = Deepening::On;
        }
        Ok(engine)
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

fn take_table(spec: &mut Spec, usual: Option<TableSize>) -> Result<Option<TableSize>, SpecError> {
    match spec.take("tt").as_deref() {
        None => Ok(usual),
        Some("off") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            spec.bad_value("tt", text, &format!("off or {BYTES_EXAMPLES}, up to 64G"))
        }),
    }
}

fn take_aspiration(spec: &mut Spec) -> Result<Option<i32>, SpecError> {
    match spec.take("aspiration").as_deref() {
        None | Some("off") => Ok(None),
        Some(text) => match text.parse() {
            Ok(width @ 1..=1_000_000) => Ok(Some(width)),
            _ => Err(spec.bad_value("aspiration", text, "off or a number from 1 to 1000000")),
        },
    }
}
