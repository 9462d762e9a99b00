//! Games by name: description, start position and compiled searches.
//!
//! This module is the boundary between typed and untyped code. Below it, searches know the type of
//! their positions. Above it, all code uses [`State`]: a [`Game`] is opened by name from a
//! [`Registry`], and its [`Searches`] take and return states and moves without a type.

use std::fmt;
use std::sync::Arc;

use tesuji_games::registry::{Catalog, GameEntry, GameInfo, Puzzle, PuzzleSettings, names_of};
use tesuji_games::{GameLine, Move, Notation, NotationError, RowGame, Side, SpecError, State};

use crate::book::Book;
use crate::exact::ExactSolver;
use crate::perft::PerftOptions;
use crate::proof::Proof;
use crate::statistics::{GameTreeStatistics, StatisticsError};
use crate::{
    Deepening, ExactSolverOptions, FlatUcbOptions, Limits, MoveOrdering, ParallelMode, Scheduler,
    Search, TableSize, UctOptions,
};

/// A game opened by name. Clones are cheap.
#[derive(Clone)]
pub struct Game {
    data: Arc<GameData>,
}

struct GameData {
    name: String,
    info: GameInfo,
    start: State,
    searches: &'static dyn Searches,
}

impl Game {
    /// The specification that opened it, such as `mnk:10x10,k=5`.
    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// The description of the game.
    pub fn info(&self) -> &GameInfo {
        &self.data.info
    }

    /// The start position.
    pub fn start(&self) -> &State {
        &self.data.start
    }

    /// The rules as a game of stones in a row, if it is one.
    pub fn rows(&self) -> Option<RowGame> {
        self.start().rows()
    }

    /// Parses a list of moves from the start position.
    pub fn line(&self, moves: &str) -> Result<GameLine, NotationError> {
        self.start().parse_line(moves)
    }

    /// The searches compiled for this game.
    pub fn searches(&self) -> &'static dyn Searches {
        self.data.searches
    }

    /// Creates the best exact solver for the game: its specialized solver, otherwise the general
    /// one.
    pub fn solver(&self, options: ExactSolverOptions) -> Box<dyn ExactSolver<State>> {
        crate::exact::specialized_solver(self.start(), &options)
            .unwrap_or_else(|| self.searches().solver(&options))
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Game({})", self.name())
    }
}

/// The games that can be opened. The crate `tesuji-builtin` has the built-in ones;
/// [`with`](Self::with) adds others.
///
/// Single-player games are separate, because they have neither a [`State`] nor searches of states:
/// [`open`](Self::open), [`games`](Self::games) and [`names`](Self::names) cover two-player games,
/// [`puzzle`](Self::puzzle) and [`puzzles`](Self::puzzles) single-player games.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<GameEntry>,
    searches: Vec<SearchesFn>,
    puzzles: Vec<Puzzle>,
}

/// Returns the searches for the type of a state's position.
pub type SearchesFn = fn(&State) -> &'static dyn Searches;

impl Registry {
    /// A registry without games.
    pub fn empty() -> Registry {
        Registry::default()
    }

    /// Adds a two-player game. `searches` returns the searches compiled for its positions:
    /// [`searches::of::<P>`](crate::searches::of) for a game with one type of position.
    pub fn with(mut self, game: GameEntry, searches: SearchesFn) -> Registry {
        self.entries.push(game);
        self.searches.push(searches);
        self
    }

    /// Adds a single-player game.
    pub fn with_puzzle(mut self, puzzle: Puzzle) -> Registry {
        self.puzzles.push(puzzle);
        self
    }

    /// Opens the two-player game with a specification such as `connect4` or `mnk:10x10,k=5`.
    pub fn open(&self, name: &str) -> Result<Game, SpecError> {
        let (index, start) = self.catalog().open(name)?;
        let searches = self.searches[index](&start);
        let (name, info) = (name.trim().to_string(), self.entries[index].info);
        Ok(Game { data: Arc::new(GameData { name, info, start, searches }) })
    }

    /// Opens the single-player game with a specification such as `gem-island:level=2`; `None` if no
    /// such game exists.
    pub fn puzzle(&self, name: &str) -> Result<Option<(&Puzzle, PuzzleSettings)>, SpecError> {
        self.catalog().open_puzzle(name)
    }

    /// The descriptions of the two-player games, in the order of the help.
    pub fn games(&self) -> impl Iterator<Item = &GameInfo> {
        self.entries.iter().map(|entry| &entry.info)
    }

    /// The single-player games, in the order of the help.
    pub fn puzzles(&self) -> impl Iterator<Item = &Puzzle> {
        self.puzzles.iter()
    }

    /// The names of all two-player games and their presets.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        names_of(&self.entries)
    }

    fn catalog(&self) -> Catalog<'_> {
        Catalog { games: &self.entries, puzzles: &self.puzzles }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let puzzles = self.puzzles().map(|puzzle| puzzle.info.name);
        f.debug_list().entries(self.names().chain(puzzles)).finish()
    }
}

/// The algorithms compiled for each type of position: searches, the general solver, and counts.
/// States must belong to the game for which the algorithms were compiled.
pub trait Searches: Send + Sync {
    /// Creates a search.
    fn search(&self, plan: &SearchPlan, seed: u64, scheduler: Option<&Scheduler>) -> BoxedSearch;

    /// Creates the general exact solver.
    fn solver(&self, options: &ExactSolverOptions) -> Box<dyn ExactSolver<State>>;

    /// Determines by proof-number search whether a side wins.
    fn prove(&self, position: &State, side: Side, table: TableSize, limits: &Limits) -> Proof;

    /// Counts move paths of a given length.
    fn perft(&self, position: &State, depth: u32, options: PerftOptions) -> u64;

    /// Counts move paths separately for each first move.
    fn divide(&self, position: &State, depth: u32, options: PerftOptions) -> Vec<(Move, u64)>;

    /// Counts games and positions. Stops with an error above `max_states` positions, by default as
    /// many as fit into 2 GiB.
    fn statistics(
        &self,
        start: &State,
        plies: Option<u32>,
        max_states: Option<usize>,
    ) -> Result<GameTreeStatistics, StatisticsError>;
}

/// A search over states.
pub type BoxedSearch = Box<dyn Search<State>>;

/// A search algorithm with its options, independent of a game.
#[derive(Clone, Debug)]
pub enum SearchPlan {
    /// Plain minimax.
    Minimax,
    /// Minimax in negamax form.
    Negamax,
    /// Minimax with alpha-beta pruning.
    AlphaBeta,
    /// The configurable engine.
    Engine(EnginePlan),
    /// Monte Carlo tree search.
    Uct(UctOptions, LeafEvaluation),
    /// Flat UCB.
    FlatUcb(FlatUcbOptions),
}

/// The source of leaf values in Monte Carlo tree search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LeafEvaluation {
    /// Random rollouts.
    Random,
    /// Random rollouts in which a side that can win at once does so.
    Decisive,
    /// The game's own heuristic; an estimate of this size is a win probability of 73 %.
    Heuristic(f32),
}

/// The base options of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineBase {
    /// No optimizations: [`EngineOptions::plain`](crate::EngineOptions::plain).
    Plain,
    /// All options that keep the value of minimax:
    /// [`EngineOptions::exact`](crate::EngineOptions::exact).
    Exact,
    /// The options of the strongest play:
    /// [`EngineOptions::strongest`](crate::EngineOptions::strongest).
    Strongest,
}

/// The options of the engine, independent of a game.
#[derive(Clone, Debug)]
pub struct EnginePlan {
    /// The base for options that are not listed here.
    pub base: EngineBase,
    /// The size of the transposition table; `None` for no table.
    pub table: Option<TableSize>,
    /// Whether the images of a position share a table entry, if the game declares symmetries.
    pub symmetry: bool,
    /// The move ordering.
    pub ordering: MoveOrdering,
    /// Whether quiescence search follows forcing moves, if the game declares any.
    pub quiescence: bool,
    /// Whether to use iterative deepening.
    pub deepening: Deepening,
    /// The half width of the aspiration window.
    pub aspiration: Option<i32>,
    /// The maximum number of threads.
    pub threads: usize,
    /// How the threads share the work.
    pub parallel: ParallelMode,
    /// The opening book.
    pub book: Option<Arc<Book>>,
}
