//! The Monte Carlo players `mcts` and `flat-ucb`.

use tesuji_games::SpecError;
use tesuji_play::options::{
    OptionInfo, PlayerOptions, SEED, THREADS, ValueType, WordValues, decimal, number, option, word,
    words,
};
use tesuji_play::{PlayerKind, PlayerSetup, SearchKind, SearchProfile};
use tesuji_search::{FlatUcbOptions, Rollout, SearchPlan, Threads, UctOptions};

use crate::searching::{searcher_of_any_game, simulations};

const TIME: OptionInfo = option("time", ValueType::Time, "time a move, such as 500ms or 1s");
const RAVE: ValueType = ValueType::WordOr { words: &["on", "off"], other: &decimal(0.001, 1e9) };
const TURNS: ValueType = ValueType::WordOr { words: &["all"], other: &number(1, 1_000_000) };
const ROLLOUTS: WordValues<Rollout, 3> = [
    ("random", Rollout::Random),
    ("decisive", Rollout::Decisive),
    ("heuristic", Rollout::Heuristic(HEURISTIC_SCALE)),
];
const PARALLELS: WordValues<fn(usize) -> Threads, 2> =
    [("tree", Threads::Tree), ("root", Threads::Root)];

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "mcts",
        summary: "Monte Carlo tree search (UCT)",
        options: &[
            option("sims", number(1, MOST_SIMULATIONS), "simulations a move (default 10000)"),
            TIME,
            option("c", decimal(0.0, 100.0), "weight of exploration (default 1.414)"),
            option(
                "rave",
                RAVE,
                "all moves as first, with this equivalence (default off; on is 1000)",
            ),
            option("solver", ValueType::Switch, "carry proven results up the tree (default on)"),
            option("reuse", ValueType::Switch, "keep the tree between moves (default on)"),
            option(
                "rollout",
                word(&words(&ROLLOUTS)),
                "where leaves get their value (default random)",
            ),
            option(
                "nodes",
                number(1000, 500_000_000),
                "the most nodes a tree may have (default 4000000)",
            ),
            THREADS,
            option(
                "parallel",
                word(&words(&PARALLELS)),
                "whether they share one tree (default tree)",
            ),
            SEED,
        ],
        read: tree_search,
    },
    PlayerKind {
        name: "flat-ucb",
        summary: "a bandit over the moves, random play after them, no tree",
        options: &[
            option("sims", number(1, MOST_SIMULATIONS), "rollouts a move (default 100)"),
            TIME,
            option("depth", TURNS, "turns of a rollout (default 5)"),
            option("c", decimal(0.0, 100.0), "weight of exploration (default 1.4)"),
            SEED,
        ],
        read: bandit,
    },
];

/// The most simulations of a move that can be asked for.
pub(super) const MOST_SIMULATIONS: u64 = 1_000_000_000_000;
/// Simulations by default.
pub(super) const USUAL_SIMULATIONS: u64 = 10_000;
/// RAVE's equivalence parameter when only `rave=on` is said.
const USUAL_RAVE: f64 = 1000.0;
/// An estimate this large counts as a win chance of 73 %.
const HEURISTIC_SCALE: f32 = 100.0;

fn tree_search(options: &PlayerOptions) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let usual = UctOptions::default();
    let capacity = options.number("nodes").map(|nodes| nodes as u32);
    let rave = match options.is("rave", "on") {
        true => Some(USUAL_RAVE),
        false => options.decimal("rave"),
    };
    let parallel = options.choice("parallel", &PARALLELS).unwrap_or(Threads::Tree);
    let tree = UctOptions {
        exploration: options.decimal("c").unwrap_or(usual.exploration),
        rave,
        solver: options.switch("solver").unwrap_or(usual.solver),
        reuse: options.switch("reuse").unwrap_or(usual.reuse),
        capacity: capacity.unwrap_or(usual.capacity),
        threads: if options.threads() == 1 { Threads::One } else { parallel(options.threads()) },
        ..usual
    };
    let rollout = options.choice("rollout", &ROLLOUTS).unwrap_or(Rollout::Random);
    let node = if rave.is_some() { 32 } else { 16 };
    let trees = if let Threads::Root(trees) = tree.threads { trees as u64 } else { 1 };
    let trees = node * trees * u64::from(tree.capacity);
    let pace = SearchKind::Simulations(Some(USUAL_SIMULATIONS));
    let facts = SearchProfile { trees, ..SearchProfile::new(pace, simulations(options)) };
    let plan = SearchPlan::Uct(tree, rollout);
    searcher_of_any_game(facts, move |context| context.search(&plan))
}

fn bandit(options: &PlayerOptions) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let usual = FlatUcbOptions::default();
    let turns = options.number("depth").map(|turns| turns as u32).or(usual.depth);
    let bandit = FlatUcbOptions {
        exploration: options.decimal("c").unwrap_or(usual.exploration),
        depth: turns.filter(|_| !options.is("depth", "all")),
        ..usual
    };
    let pace = SearchKind::Simulations(Some(bandit.simulations));
    let facts = SearchProfile::new(pace, simulations(options));
    let plan = SearchPlan::FlatUcb(bandit);
    searcher_of_any_game(facts, move |context| context.search(&plan))
}
