//! Games by name: what one is, where it starts, and the searches that were compiled for it.
//!
//! This is the boundary of the workspace. Below it a search knows the type of its positions; above
//! it everything works on [`State`]: a [`Game`] is opened by name from a [`Registry`], and its
//! [`Searches`] take and give states and moves without a type.

use std::fmt;
use std::sync::Arc;

use tesuji_games::registry::{Catalog, GameEntry, GameInfo, Puzzle, PuzzleSettings, names_of};
use tesuji_games::{GameLine, Move, Notation, NotationError, RowGame, Side, SpecError, State};

use crate::book::Book;
use crate::exact::Exact;
use crate::perft::PerftOptions;
use crate::proof::Proof;
use crate::statistics::{Statistics, StatisticsError};
use crate::{
    Deepening, ExactOptions, FlatUcbOptions, Limits, Ordering, Parallel, Scheduler, Search,
    TableSize, UctOptions,
};

/// A game that was opened by name. Clones are cheap.
#[derive(Clone)]
pub struct Game {
    opened: Arc<Opened>,
}

struct Opened {
    name: String,
    info: GameInfo,
    start: State,
    searches: &'static dyn Searches,
}

impl Game {
    /// The text by which it was opened, such as `mnk:10x10,k=5`.
    pub fn name(&self) -> &str {
        &self.opened.name
    }

    /// What is known of it.
    pub fn info(&self) -> &GameInfo {
        &self.opened.info
    }

    /// Where it starts.
    pub fn start(&self) -> &State {
        &self.opened.start
    }

    /// The game as a game of rows of stones, if it is one.
    pub fn rows(&self) -> Option<RowGame> {
        self.start().rows()
    }

    /// A list of moves from the start.
    pub fn line(&self, moves: &str) -> Result<GameLine, NotationError> {
        self.start().parse_line(moves)
    }

    /// The searches that were compiled for it.
    pub fn searches(&self) -> &'static dyn Searches {
        self.opened.searches
    }

    /// The best exact solver for it: its own where it has one, else the general one.
    pub fn solver(&self, options: ExactOptions) -> Box<dyn Exact<State>> {
        crate::exact::own_solver(self.start(), &options)
            .unwrap_or_else(|| self.searches().solver(&options))
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Game({})", self.name())
    }
}

/// The games that can be opened. Those that come with the program are in the crate
/// `tesuji-builtin`; [`with`](Self::with) adds others.
///
/// Games of one player stand apart, because they have neither a [`State`] nor searches of states:
/// [`open`](Self::open), [`games`](Self::games) and [`names`](Self::names) are about games of two
/// players, [`puzzle`](Self::puzzle) and [`puzzles`](Self::puzzles) about those of one.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<GameEntry>,
    searches: Vec<SearchesOf>,
    puzzles: Vec<Puzzle>,
}

/// The searches for a position of a game.
pub type SearchesOf = fn(&State) -> &'static dyn Searches;

impl Registry {
    /// No games.
    pub fn empty() -> Registry {
        Registry::default()
    }

    /// The same games and one more. `searches` gives those that were compiled for its positions:
    /// [`searches::of::<P>`](crate::searches::of) for a game with one type of position.
    pub fn with(mut self, game: GameEntry, searches: SearchesOf) -> Registry {
        self.entries.push(game);
        self.searches.push(searches);
        self
    }

    /// The same games and one more for one player.
    pub fn with_puzzle(mut self, puzzle: Puzzle) -> Registry {
        self.puzzles.push(puzzle);
        self
    }

    /// Opens the game of two players that a text such as `connect4` or `mnk:10x10,k=5` names.
    pub fn open(&self, name: &str) -> Result<Game, SpecError> {
        let (place, start) = self.catalog().open(name)?;
        let searches = self.searches[place](&start);
        let (name, info) = (name.trim().to_string(), self.entries[place].info);
        Ok(Game { opened: Arc::new(Opened { name, info, start, searches }) })
    }

    /// Opens the game of one player that a text such as `gem-island:level=2` names; `None` where it
    /// names no such game.
    pub fn puzzle(&self, name: &str) -> Result<Option<(&Puzzle, PuzzleSettings)>, SpecError> {
        self.catalog().open_puzzle(name)
    }

    /// What is known of the games of two players, in the order of the help.
    pub fn games(&self) -> impl Iterator<Item = &GameInfo> {
        self.entries.iter().map(|entry| &entry.info)
    }

    /// The games of one player, in the order of the help.
    pub fn puzzles(&self) -> impl Iterator<Item = &Puzzle> {
        self.puzzles.iter()
    }

    /// The names of all games of two players and their presets.
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

/// What is compiled for every type of position: searches, the solver, and the counts. The states
/// must be of the game that the searches were compiled for.
pub trait Searches: Send + Sync {
    /// A search.
    fn search(&self, plan: &SearchPlan, seed: u64, scheduler: Option<&Scheduler>) -> BoxedSearch;

    /// The general exact solver.
    fn solver(&self, options: &ExactOptions) -> Box<dyn Exact<State>>;

    /// Whether a side wins, by proof-number search.
    fn prove(&self, position: &State, side: Side, table: TableSize, limits: &Limits) -> Proof;

    /// The number of move paths of a length.
    fn perft(&self, position: &State, depth: u32, options: PerftOptions) -> u64;

    /// The same for each first move apart.
    fn divide(&self, position: &State, depth: u32, options: PerftOptions) -> Vec<(Move, u64)>;

    /// Counts games and positions; at most so many positions, or as many as are reasonable.
    fn statistics(
        &self,
        start: &State,
        plies: Option<u32>,
        max_states: Option<usize>,
    ) -> Result<Statistics, StatisticsError>;
}

/// A search over states.
pub type BoxedSearch = Box<dyn Search<State>>;

/// Which search, with its options, for no game in particular.
#[derive(Clone, Debug)]
pub enum SearchPlan {
    /// Plain minimax.
    Minimax,
    /// Minimax with the sign turned over instead of two cases.
    Negamax,
    /// Minimax that leaves out what cannot matter.
    AlphaBeta,
    /// The configurable engine.
    Engine(EnginePlan),
    /// Monte Carlo tree search.
    Uct(UctOptions, Rollout),
    /// A bandit over the moves.
    FlatUcb(FlatUcbOptions),
}

/// Where the leaves of a Monte Carlo tree get their value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rollout {
    /// Random games.
    Random,
    /// Random games in which a side that can win at once does.
    Decisive,
    /// The game's own estimate; one this large counts as a win chance of 73 %.
    Heuristic(f32),
}

/// What an engine does beside its options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineBase {
    /// Nothing: [`EngineOptions::plain`](crate::EngineOptions::plain).
    Plain,
    /// All that keeps the value of minimax: [`EngineOptions::exact`](crate::EngineOptions::exact).
    Exact,
    /// All that plays best: [`EngineOptions::strongest`](crate::EngineOptions::strongest).
    Strongest,
}

/// The options of the engine, for no game in particular.
#[derive(Clone, Debug)]
pub struct EnginePlan {
    /// What holds where the other options say nothing.
    pub base: EngineBase,
    /// The table, if there is to be one.
    pub table: Option<TableSize>,
    /// Which moves come first.
    pub ordering: Ordering,
    /// Whether forcing moves are followed beyond the depth, where the game has any.
    pub quiescence: bool,
    /// Whether the depth is reached ply by ply.
    pub deepening: Deepening,
    /// The half width of the first window.
    pub aspiration: Option<i32>,
    /// How many threads may search.
    pub threads: usize,
    /// What they do.
    pub parallel: Parallel,
    /// An opening book.
    pub book: Option<Arc<Book>>,
}
