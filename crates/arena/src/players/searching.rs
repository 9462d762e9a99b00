//! Players that search: which algorithm, with which options, within which limits.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use tesuji_games::{Line, Position, Spec, SpecError};
use tesuji_learn::critic::agents::View;
use tesuji_learn::forest::Evaluation;
use tesuji_search::game::BoxedSearch;
use tesuji_search::{ExactOptions, Game, Limits, OpeningBook, PuctOptions, TableSize};

use super::connect6::{self, Connect6Spec};
use super::critic::CriticSpec;
use super::file::PlayerFile;
use super::five_in_a_row::FiveInARow;
use super::forest::ForestSpec;
use super::gomoku::GomokuSpec;
use super::graded::{GradedSearch, LEVEL, Level};
use super::line_network::LineSpec;
use super::minimax_family::FamilySpec;
use super::monte_carlo::{FlatSpec, TreeSpec};
use super::report_agents::ReportSpec;
use super::{PlayerContext, PlayerInfo, SEED};
use crate::clock::shorter;
use crate::quantity::{BYTES_EXAMPLES, DURATION_EXAMPLES, Span};
use crate::{Choice, Player, PlayerError, Turn};

pub(super) const SOLVER: PlayerInfo = PlayerInfo {
    name: "solver",
    summary: "perfect play, for small games that never repeat a position",
    options: &[
        LEVEL,
        ("tt=SIZE", "memory for known positions (default 16M)"),
        ("threads=N", "search with so many threads, where the game's solver can (default 1)"),
        ("book=on|off", "look into the book that comes with the program, if any (default on)"),
        ("time=T", "give up after this time and play anything (default never)"),
        ("nodes=N", "give up after so many positions"),
        SEED,
    ],
};

/// A search by name, with its options and limits.
#[derive(Clone, Debug)]
pub struct SearchSpec {
    algorithm: Algorithm,
    own: Limits,
}

#[derive(Clone, Debug)]
enum Algorithm {
    Family(FamilySpec),
    Tree(TreeSpec),
    Flat(FlatSpec),
    Solver(ExactOptions),
    Graded(Level, ExactOptions),
    Forest(ForestSpec),
    Gomoku(GomokuSpec),
    Connect6(Connect6Spec),
    Report(ReportSpec),
    Critic(CriticSpec),
    Lines(LineSpec),
}

/// Memory of the solver when nobody says.
const SOLVER_TABLE: TableSize = TableSize::megabytes(16);
/// Plies that a search without deepening looks ahead when nobody says.
const USUAL_DEPTH: u32 = 4;
/// Time that a deepening search takes when nobody says.
const USUAL_TIME: Duration = Duration::from_secs(1);
/// Simulations when nobody says.
const USUAL_SIMULATIONS: u64 = 10_000;

impl SearchSpec {
    /// Reads the options, if the name is that of a search.
    pub(super) fn read(spec: &mut Spec) -> Result<Option<SearchSpec>, SpecError> {
        let (algorithm, own) = if let Some(family) = FamilySpec::read(spec)? {
            (Algorithm::Family(family), take_limits(spec)?)
        } else if spec.name() == "mcts" {
            (Algorithm::Tree(TreeSpec::read(spec)?), take_simulations(spec)?)
        } else if spec.name() == "flat-ucb" {
            (Algorithm::Flat(FlatSpec::read(spec)?), take_simulations(spec)?)
        } else if spec.name() == "solver" {
            let table = spec.value("tt", BYTES_EXAMPLES)?.unwrap_or(SOLVER_TABLE);
            let threads = take_threads(spec)?;
            let book = match spec.switch("book")? {
                Some(false) => OpeningBook::Off,
                _ => OpeningBook::Shipped,
            };
            let options = ExactOptions { table, threads, book };
            let algorithm = match Level::read(spec)? {
                Some(level) => Algorithm::Graded(level, options),
                None => Algorithm::Solver(options),
            };
            (algorithm, take_effort(spec)?)
        } else if spec.name() == "forest" {
            let depth = spec.number("depth", 0..=255)?.map(|depth| depth as u32);
            let own = Limits { depth, ..take_effort(spec)? };
            (Algorithm::Forest(ForestSpec::read(spec)?), own)
        } else if spec.name() == "gomoku" {
            (Algorithm::Gomoku(GomokuSpec::read(spec)?), take_limits(spec)?)
        } else if spec.name() == "connect6" {
            (Algorithm::Connect6(Connect6Spec::read(spec)?), take_limits(spec)?)
        } else if let Some(report) = ReportSpec::read(spec)? {
            let simulates = report.simulates();
            let own = if simulates { take_simulations(spec)? } else { take_limits(spec)? };
            (Algorithm::Report(report), own)
        } else if let Some(critic) = CriticSpec::read(spec)? {
            let own = if critic.simulates() { take_simulations(spec)? } else { Limits::default() };
            (Algorithm::Critic(critic), own)
        } else if let Some(lines) = LineSpec::read(spec)? {
            let simulates = lines.simulates();
            let own = if simulates { take_simulations(spec)? } else { take_limits(spec)? };
            (Algorithm::Lines(lines), own)
        } else {
            return Ok(None);
        };
        Ok(Some(SearchSpec { algorithm, own }))
    }

    /// The file that it reads, if it names one.
    pub(super) fn file(&self) -> Option<&PlayerFile> {
        match &self.algorithm {
            Algorithm::Family(family) => family.file(),
            Algorithm::Forest(forest) => forest.file(),
            Algorithm::Gomoku(gomoku) => gomoku.file(),
            Algorithm::Critic(critic) => critic.file(),
            Algorithm::Lines(lines) => lines.file(),
            Algorithm::Tree(_)
            | Algorithm::Flat(_)
            | Algorithm::Solver(_)
            | Algorithm::Graded(..)
            | Algorithm::Connect6(_)
            | Algorithm::Report(_) => None,
        }
    }

    /// Bytes of its tables, which it takes before its first search.
    pub(super) fn memory(&self) -> u64 {
        match &self.algorithm {
            Algorithm::Family(family) => family.memory(),
            Algorithm::Solver(options) | Algorithm::Graded(_, options) => options.table.bytes(),
            Algorithm::Forest(forest) => forest.memory(),
            Algorithm::Gomoku(gomoku) => gomoku.memory(),
            Algorithm::Connect6(connect6) => connect6.memory(),
            Algorithm::Lines(lines) => lines.memory(),
            Algorithm::Tree(_)
            | Algorithm::Flat(_)
            | Algorithm::Report(_)
            | Algorithm::Critic(_) => 0,
        }
    }

    /// Bytes of its trees when they are full. They grow as it searches.
    pub(super) fn tree_memory(&self) -> u64 {
        match &self.algorithm {
            Algorithm::Tree(tree) => tree.memory(),
            Algorithm::Critic(critic) if critic.simulates() => full_guided_tree(),
            Algorithm::Lines(lines) if lines.simulates() => full_guided_tree(),
            _ => 0,
        }
    }

    /// The limits of a move: the player's own options first, then what the game allows; the algorithm's
    /// default where both say nothing that would end it.
    pub fn limits(&self, given: &Limits) -> Limits {
        let mut limits = Limits {
            depth: self.own.depth.or(given.depth),
            nodes: self.own.nodes.or(given.nodes),
            time: self.own.time.or(given.time),
            stop: given.stop.clone(),
        };
        let timeless = limits.nodes.is_none() && limits.time.is_none();
        match &self.algorithm {
            Algorithm::Family(family) if !family.can_be_interrupted() => {
                limits.depth.get_or_insert(USUAL_DEPTH);
            }
            Algorithm::Forest(forest) if !forest.deepens() => {
                limits.depth.get_or_insert(USUAL_DEPTH);
            }
            Algorithm::Family(_)
            | Algorithm::Forest(_)
            | Algorithm::Gomoku(_)
            | Algorithm::Connect6(_)
                if timeless && limits.depth.is_none() =>
            {
                limits.time = Some(USUAL_TIME);
            }
            Algorithm::Lines(lines) if !lines.simulates() && timeless && limits.depth.is_none() => {
                limits.time = Some(USUAL_TIME);
            }
            // Depth means nothing to Monte Carlo.
            Algorithm::Tree(_) | Algorithm::Critic(_) if timeless => {
                limits.nodes = Some(USUAL_SIMULATIONS);
            }
            Algorithm::Flat(flat) if timeless => limits.nodes = Some(flat.simulations()),
            _ => {}
        }
        limits
    }

    /// Whether the player's own options say how long a move may take.
    pub(super) fn has_own_time(&self) -> bool {
        self.own.time.is_some()
    }

    /// Whether it plays many games in its head and counts: then every move has visits, and depth means nothing.
    pub fn simulates(&self) -> bool {
        match &self.algorithm {
            Algorithm::Tree(_) | Algorithm::Flat(_) => true,
            Algorithm::Report(report) => report.simulates(),
            Algorithm::Critic(critic) => critic.simulates(),
            Algorithm::Lines(lines) => lines.simulates(),
            _ => false,
        }
    }

    /// Whether it looks deeper and deeper, ply by ply, so that there is something to tell on the way.
    pub fn deepens(&self) -> bool {
        match &self.algorithm {
            Algorithm::Family(family) => family.can_be_interrupted(),
            Algorithm::Forest(forest) => forest.deepens(),
            Algorithm::Gomoku(_) | Algorithm::Connect6(_) => true,
            Algorithm::Lines(lines) => !lines.simulates(),
            _ => false,
        }
    }

    /// Whether it finds exact values, or says that it has none.
    pub fn is_exact(&self) -> bool {
        match &self.algorithm {
            Algorithm::Solver(_) => true,
            Algorithm::Graded(level, _) => level.is_perfect(),
            _ => false,
        }
    }

    /// Whether it looks ahead with the game's own estimate, in the units of that estimate.
    pub(crate) fn uses_estimates_of_the_game(&self) -> bool {
        matches!(self.algorithm, Algorithm::Family(_))
    }

    /// The forest behind it and its name, laid on the board of a game; `None` where there is none.
    pub(crate) fn voters(
        &self,
        game: &Game,
    ) -> Option<Result<(String, Arc<Evaluation>), SpecError>> {
        match &self.algorithm {
            Algorithm::Forest(forest) => Some(forest.voters(game)),
            _ => None,
        }
    }

    /// The critic behind it, at the board of a game; `None` where there is none.
    pub(crate) fn critic(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Option<Result<View, SpecError>> {
        match &self.algorithm {
            Algorithm::Critic(critic) => Some(critic.view(player, context)),
            _ => None,
        }
    }

    /// Whether the search can be made for the game of the context, found out without making it.
    pub(super) fn check(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        match &self.algorithm {
            Algorithm::Family(family) => family.check(player, context),
            Algorithm::Tree(_)
            | Algorithm::Flat(_)
            | Algorithm::Solver(_)
            | Algorithm::Graded(..) => Ok(()),
            Algorithm::Forest(forest) => forest.check(player, context),
            Algorithm::Gomoku(gomoku) => gomoku.check(player, context),
            Algorithm::Connect6(_) => connect6::check(player, context),
            Algorithm::Report(_) => FiveInARow::for_player(player, context).map(drop),
            Algorithm::Critic(critic) => critic.view(player, context).map(drop),
            Algorithm::Lines(lines) => lines.check(player, context),
        }
    }

    /// Makes the search for the game of the context. `player` is the text that complaints name.
    pub fn build(&self, player: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        match &self.algorithm {
            Algorithm::Family(family) => family.build(player, context),
            Algorithm::Tree(tree) => Ok(context.search(&tree.plan())),
            Algorithm::Flat(flat) => Ok(context.search(&flat.plan())),
            Algorithm::Solver(options) => Ok(context.game.solver(options.clone())),
            Algorithm::Graded(level, options) => {
                Ok(Box::new(GradedSearch::new(*level, options, context)))
            }
            Algorithm::Forest(forest) => forest.build(player, context),
            Algorithm::Gomoku(gomoku) => gomoku.build(player, context),
            Algorithm::Connect6(connect6) => connect6.build(player, context),
            Algorithm::Report(report) => report.build(player, context),
            Algorithm::Critic(critic) => critic.build(player, context),
            Algorithm::Lines(lines) => lines.build(player, context),
        }
    }

    /// Makes a player that plays what the search finds best.
    pub(super) fn player(
        &self,
        name: &str,
        context: PlayerContext,
    ) -> Result<Box<dyn Player>, SpecError> {
        match &self.algorithm {
            Algorithm::Gomoku(gomoku) => gomoku.player(name, self, &context),
            _ => Ok(Box::new(SearchingPlayer::new(name, self.clone(), context)?)),
        }
    }
}

/// No option changes the capacity of these trees.
fn full_guided_tree() -> u64 {
    const NODE: u64 = 40;
    NODE * u64::from(PuctOptions::default().capacity)
}

fn take_limits(spec: &mut Spec) -> Result<Limits, SpecError> {
    let depth = spec.number("depth", 1..=255)?.map(|depth| depth as u32);
    Ok(Limits { depth, ..take_effort(spec)? })
}

fn take_effort(spec: &mut Spec) -> Result<Limits, SpecError> {
    let nodes = spec.number("nodes", 1..=u64::MAX)?;
    Ok(Limits { nodes, time: take_time(spec)?, ..Limits::default() })
}

fn take_simulations(spec: &mut Spec) -> Result<Limits, SpecError> {
    let nodes = spec.number("sims", 1..=1_000_000_000_000)?;
    Ok(Limits { nodes, time: take_time(spec)?, ..Limits::default() })
}

pub(crate) fn take_time(spec: &mut Spec) -> Result<Option<Duration>, SpecError> {
    Ok(spec.value::<Span>("time", DURATION_EXAMPLES)?.map(|span| span.0))
}

pub(crate) fn take_threads(spec: &mut Spec) -> Result<usize, SpecError> {
    Ok(spec.number("threads", 1..=256)?.unwrap_or(1) as usize)
}

/// A decimal number within `range`.
pub(crate) fn decimal(
    spec: &mut Spec,
    key: &'static str,
    range: RangeInclusive<f64>,
) -> Result<Option<f64>, SpecError> {
    let expected = format!("a number from {} to {}", range.start(), range.end());
    match spec.value::<f64>(key, &expected)? {
        Some(x) if !range.contains(&x) => Err(spec.bad_value(key, &x.to_string(), &expected)),
        x => Ok(x),
    }
}

/// A player that plays what its search finds best.
pub struct SearchingPlayer {
    name: String,
    spec: SearchSpec,
    context: PlayerContext,
    search: BoxedSearch,
}

impl SearchingPlayer {
    /// A player with this name and search.
    pub fn new(name: &str, spec: SearchSpec, context: PlayerContext) -> Result<Self, SpecError> {
        let search = spec.build(name, &context)?;
        Ok(SearchingPlayer { name: name.to_string(), spec, context, search })
    }
}

impl Player for SearchingPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, game: &Line, turn: &Turn) -> Result<Choice, PlayerError> {
        if game.end.outcome().is_some() {
            return Err(PlayerError::GameOver(self.name.clone()));
        }
        let mut limits = self.spec.limits(&turn.limits);
        // Own options come first, but nobody outlives the clock.
        limits.time = shorter(limits.time, turn.clock.allowed());
        let report = self.search.search(&game.end, &limits, &mut |report| turn.watch.show(report));
        match report.best {
            Some(m) => Ok(Choice { m, report: Some(report) }),
            None => Err(PlayerError::NoMove(self.name.clone())),
        }
    }

    fn new_game(&mut self, seed: u64) {
        self.context.seed = seed;
        // A search that could be made once can be made again.
        match self.spec.build(&self.name, &self.context) {
            Ok(search) => self.search = search,
            Err(_) => self.search.forget(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerSpec;

    fn limits(player: &str, given: &Limits) -> (Option<u32>, Option<u64>, Option<u64>) {
        let spec: PlayerSpec = player.parse().unwrap();
        let limits = spec.searching().unwrap().limits(given);
        (limits.depth, limits.nodes, limits.time.map(|time| time.as_millis() as u64))
    }

    #[test]
    fn own_options_come_before_those_of_the_game() {
        let nothing = Limits::default();
        let game = Limits { depth: Some(7), time: Some(Duration::from_secs(9)), ..nothing.clone() };
        assert_eq!(limits("pvs:depth=3", &nothing), (Some(3), None, None));
        assert_eq!(limits("pvs:depth=3", &game), (Some(3), None, Some(9000)));
        assert_eq!(limits("pvs:time=20ms,nodes=5", &game), (Some(7), Some(5), Some(20)));
        assert_eq!(limits("mcts:sims=50", &nothing), (None, Some(50), None));
    }

    #[test]
    fn without_any_limit_each_search_has_its_own() {
        let nothing = Limits::default();
        assert_eq!(limits("minimax", &nothing), (Some(4), None, None));
        assert_eq!(limits("negaalphabeta:deepen=on", &nothing), (None, None, Some(1000)));
        assert_eq!(limits("pvs", &nothing), (None, None, Some(1000)));
        assert_eq!(limits("pvs:ties=random", &nothing), (Some(4), None, None));
        assert_eq!(limits("mcts", &nothing), (None, Some(10_000), None));
        assert_eq!(limits("flat-ucb", &nothing), (None, Some(100), None));
        assert_eq!(limits("solver", &nothing), (None, None, None));
    }

    /// A search that cannot be interrupted keeps its depth when a clock is all it is given.
    #[test]
    fn a_clock_alone_does_not_send_plain_searches_to_the_end_of_the_game() {
        let clock = Limits::time(Duration::from_secs(1));
        assert_eq!(limits("alphabeta", &clock), (Some(4), None, Some(1000)));
        assert_eq!(limits("pvs", &clock), (None, None, Some(1000)));
        assert_eq!(limits("mcts", &Limits::depth(3)), (Some(3), Some(10_000), None));
    }
}
