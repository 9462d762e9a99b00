//! The minimax family: three classic searches, the configurable engine under two names, and
//! Anigmo's way to choose a move with any of them.

use tesuji_games::{Move, Position, SpecError};
use tesuji_play::options::{
    OptionInfo, PlayerOptions, SEED, THREADS, ValueType, WordValues, number, option, word, words,
};
use tesuji_play::{PlayerContext, PlayerKind, PlayerSetup, SearchKind, SearchProfile};
use tesuji_search::{
    Deepening, EngineBase, EnginePlan, Game, Limits, MoveOrdering, ParallelMode, SearchPlan,
    TableSize,
};

use crate::book::{BOOK, PlayerBook};
use crate::random_ties::RandomTieBreak;
use crate::searching::{DEPTH_AT_MOST, NODES, depth_and_effort, search_setup};

const DEPTH: OptionInfo =
    option("depth", number(1, 255), "search depth in plies, the own move included [default: 4]");
const TIME: OptionInfo = option("time", ValueType::Time, "maximum time per move, such as 500ms");
const ORDER: OptionInfo =
    option("order", word(&words(&ORDERS)), "move ordering: full, the game's own, or none");
const QUIESCE: OptionInfo =
    option("quiesce", ValueType::Switch, "search forcing moves beyond the depth (needs Tactics)");
const PARALLEL: OptionInfo = option(
    "parallel",
    word(&words(&PARALLELS)),
    "how threads cooperate: shared table or split root [default: shared]",
);
const TIE_BREAK: OptionInfo = option(
    "ties",
    word(&words(&TIES)),
    "tie-break between equal moves [default: first; random ignores nodes]",
);
const SYMMETRY: OptionInfo = option(
    "symmetry",
    ValueType::Switch,
    "one table entry for all mirror images and rotations of a position (needs Symmetry) [default: off]",
);
const SIZE_OR_OFF: ValueType = ValueType::WordOr { words: &["off"], other: &ValueType::Size };
const WIDTH_OR_OFF: ValueType = ValueType::WordOr { words: &["off"], other: &number(1, 1_000_000) };

const ORDERS: WordValues<MoveOrdering, 3> =
    [("on", MoveOrdering::Full), ("game", MoveOrdering::Game), ("off", MoveOrdering::Off)];
const PARALLELS: WordValues<ParallelMode, 2> =
    [("shared", ParallelMode::SharedTable), ("root", ParallelMode::RootSplit)];
/// Whether ties are broken at random.
const TIES: WordValues<bool, 2> = [("first", false), ("random", true)];

const CLASSIC: &[OptionInfo] = &[DEPTH, TIME, NODES, TIE_BREAK, SEED];

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "minimax",
        former_name: None,
        summary: "plain minimax",
        options: CLASSIC,
        read: |options| classic(options, SearchPlan::Minimax),
    },
    PlayerKind {
        name: "negamax",
        former_name: None,
        summary: "minimax in negamax form",
        options: CLASSIC,
        read: |options| classic(options, SearchPlan::Negamax),
    },
    PlayerKind {
        name: "alphabeta",
        former_name: None,
        summary: "minimax with alpha-beta pruning",
        options: CLASSIC,
        read: |options| classic(options, SearchPlan::AlphaBeta),
    },
    PlayerKind {
        name: "engine",
        former_name: Some("negaalphabeta"),
        summary: "alpha-beta in negamax form with optional features, all off by default",
        options: &[
            DEPTH,
            TIME,
            NODES,
            option("tt", SIZE_OR_OFF, "transposition table size, such as 64M [default: off]"),
            SYMMETRY,
            ORDER,
            QUIESCE,
            option("deepen", ValueType::Switch, "iterative deepening [default: off]"),
            THREADS,
            PARALLEL,
            BOOK,
            TIE_BREAK,
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
        former_name: None,
        summary: "principal variation search with iterative deepening and all features",
        options: &[
            option(
                "time",
                ValueType::Time,
                "time per move, such as 500ms [default: 1s without other limits]",
            ),
            DEPTH_AT_MOST,
            NODES,
            option("tt", SIZE_OR_OFF, "transposition table size [default: 16M]"),
            SYMMETRY,
            ORDER,
            option(
                "quiesce",
                ValueType::Switch,
                "search forcing moves beyond the depth [default: on if the game has Tactics]",
            ),
            option(
                "aspiration",
                WIDTH_OR_OFF,
                "half width of the aspiration window [default: off]",
            ),
            THREADS,
            PARALLEL,
            BOOK,
            TIE_BREAK,
            SEED,
        ],
        read: |options| {
            let aspiration = options.number("aspiration").map(|width| width as i32);
            engine(options, EnginePlan { aspiration, ..FULL })
        },
    },
    PlayerKind {
        name: "determine",
        former_name: None,
        summary: "Anigmo's choice: searches after every move, plays one of the best at random",
        options: &[
            option(
                "search",
                word(&words(&SEARCHES)),
                "the search after each move; table: alpha-beta with a table of mirror images \
                 [default: alphabeta]",
            ),
            option(
                "after",
                number(0, 254),
                "plies searched after each move: depth without the own move [default: 5]",
            ),
            option(
                "center",
                ValueType::Switch,
                "play the center of an empty board without a search (needs RowPosition) \
                 [default: off]",
            ),
            SEED,
        ],
        read: determine,
    },
];

/// The searches of `determine`.
const SEARCHES: WordValues<fn() -> SearchPlan, 4> = [
    ("minimax", || SearchPlan::Minimax),
    ("negamax", || SearchPlan::Negamax),
    ("alphabeta", || SearchPlan::AlphaBeta),
    ("table", || SearchPlan::Engine(MIRROR_TABLE)),
];

/// Anigmo's strongest search: alpha-beta with ordered moves and a table that also holds the mirror
/// images.
const MIRROR_TABLE: EnginePlan = EnginePlan {
    table: Some(TableSize::megabytes(16)),
    symmetry: true,
    ordering: MoveOrdering::Game,
    ..BARE
};

/// All optional features off.
pub(super) const BARE: EnginePlan = EnginePlan {
    base: EngineBase::Plain,
    table: None,
    symmetry: false,
    ordering: MoveOrdering::Off,
    quiescence: false,
    deepening: Deepening::Off,
    aspiration: None,
    threads: 1,
    parallel: ParallelMode::SharedTable,
    book: None,
};

/// All features on. The table is small: a match clears it before every game, which takes longer
/// than a quick game.
const FULL: EnginePlan = EnginePlan {
    base: EngineBase::Strongest,
    table: Some(TableSize::megabytes(16)),
    ordering: MoveOrdering::Full,
    quiescence: true,
    deepening: Deepening::On,
    ..BARE
};

fn classic(options: &PlayerOptions, plan: SearchPlan) -> Result<Box<dyn PlayerSetup>, SpecError> {
    one_of_family(options, false, None, move |_, _| Ok(plan.clone()))
}

/// Sets up Anigmo's choice of a move.
fn determine(options: &PlayerOptions) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let plan = options.choice("search", &SEARCHES).map_or(SearchPlan::AlphaBeta, |plan| plan());
    let after = options.number("after").map_or(5, |after| after as u32);
    let starts_in_center = options.switch("center") == Some(true);
    let table = match &plan {
        SearchPlan::Engine(plan) => plan.table,
        _ => None,
    };
    let facts = SearchProfile {
        heuristic_units: true,
        tables: table.map_or(0, TableSize::bytes),
        ..SearchProfile::new(SearchKind::FixedDepth, Limits::depth(after + 1))
    };
    let check = move |player: &str, context: &PlayerContext| match central_move(&context.game) {
        None if starts_in_center => {
            Err(missing("RowPosition", "center=off", player, context.game.name()))
        }
        central => Ok(central.filter(|_| starts_in_center)),
    };
    search_setup(facts, check, move |central, context| {
        let search = RandomTieBreak::new(context.search(&plan), context.seed);
        let start = context.game.start().key();
        Ok(Box::new(match central {
            Some(m) => search.with_first_move(start, m),
            None => search,
        }))
    })
}

/// The move to the center of the empty board of a game of rows, with gravity to the lowest cell of
/// the central column.
fn central_move(game: &Game) -> Option<Move> {
    let grid = game.rows()?.grid;
    let row = if grid.gravity { grid.rows - 1 } else { grid.rows / 2 };
    game.start().move_to(row * grid.columns + grid.columns / 2)
}

/// Sets up the engine: `usual`, overridden by the options.
fn engine(options: &PlayerOptions, usual: EnginePlan) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let quiesces = options.switch("quiesce");
    let symmetry = options.switch("symmetry");
    let plan = EnginePlan {
        symmetry: symmetry.unwrap_or(usual.symmetry),
        table: if options.is("tt", "off") { None } else { options.size("tt").or(usual.table) },
        ordering: options.choice("order", &ORDERS).unwrap_or(usual.ordering),
        quiescence: quiesces.unwrap_or(usual.quiescence),
        threads: options.threads(),
        parallel: options.choice("parallel", &PARALLELS).unwrap_or(usual.parallel),
        ..usual
    };
    let book = PlayerBook::read(options);
    let deepens = plan.deepening == Deepening::On;
    one_of_family(options, deepens, plan.table, move |player, context| {
        let (game, start) = (context.game.name(), context.game.start());
        if quiesces == Some(true) && start.forcing_moves().is_none() {
            return Err(missing("Tactics", "quiesce=off", player, game));
        }
        if symmetry == Some(true) && !start.has_symmetry() {
            return Err(missing("Symmetry", "symmetry=off", player, game));
        }
        let book = book.as_ref().map(|book| book.open(player, context)).transpose()?;
        Ok(SearchPlan::Engine(EnginePlan { book, ..plan.clone() }))
    })
}

fn missing(capability: &'static str, remedy: &str, player: &str, game: &str) -> SpecError {
    SpecError::MissingCapability {
        user: player.to_string(),
        capability,
        game: game.to_string(),
        remedy: remedy.to_string(),
    }
}

/// Sets up one of the family; `plan` selects the search for a game.
fn one_of_family(
    options: &PlayerOptions,
    deepens: bool,
    table: Option<TableSize>,
    plan: impl Fn(&str, &PlayerContext) -> Result<SearchPlan, SpecError> + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let random_ties = options.choice("ties", &TIES).unwrap_or(false);
    // A score that was cut short is not comparable with others.
    let pace = if deepens && !random_ties {
        SearchKind::IterativeDeepening
    } else {
        SearchKind::FixedDepth
    };
    let facts = SearchProfile {
        heuristic_units: true,
        tables: table.map_or(0, TableSize::bytes),
        ..SearchProfile::new(pace, depth_and_effort(options))
    };
    search_setup(facts, plan, move |plan, context| {
        let search = context.search(&plan);
        Ok(match random_ties {
            true => Box::new(RandomTieBreak::new(search, context.seed)),
            false => search,
        })
    })
}
