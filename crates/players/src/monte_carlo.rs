//! The Monte Carlo players `mcts` and `flat-ucb`.

use tesuji_games::SpecError;
use tesuji_play::options::{
    OptionInfo, PlayerOptions, SEED, THREADS, ValueType, WordValues, decimal, number, option, word,
    words,
};
use tesuji_play::{PlayerKind, PlayerSetup, SearchKind, SearchProfile};
use tesuji_search::{FlatUcbOptions, LeafEvaluation, SearchPlan, UctOptions, UctThreads};

use crate::searching::{search_setup_for_any_game, simulations};

const TIME: OptionInfo = option("time", ValueType::Time, "time per move, such as 500ms");
const RAVE: ValueType = ValueType::WordOr { words: &["on", "off"], other: &decimal(0.001, 1e9) };
const TURNS: ValueType = ValueType::WordOr { words: &["all"], other: &number(1, 1_000_000) };
const ROLLOUTS: WordValues<LeafEvaluation, 3> = [
    ("random", LeafEvaluation::Random),
    ("decisive", LeafEvaluation::Decisive),
    ("heuristic", LeafEvaluation::Heuristic(HEURISTIC_SCALE)),
];
const PARALLELS: WordValues<fn(usize) -> UctThreads, 2> =
    [("tree", UctThreads::Tree), ("root", UctThreads::Root)];

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "mcts",
        former_name: None,
        summary: "Monte Carlo tree search (UCT)",
        options: &[
            option("sims", number(1, MOST_SIMULATIONS), "simulations per move [default: 10000]"),
            TIME,
            option("c", decimal(0.0, 100.0), "exploration constant [default: 1.414]"),
            option(
                "rave",
                RAVE,
                "RAVE with this equivalence parameter [default: off; on means 1000]",
            ),
            option("solver", ValueType::Switch, "back up proven results [default: on]"),
            option("reuse", ValueType::Switch, "keep the tree between moves [default: on]"),
            option("rollout", word(&words(&ROLLOUTS)), "leaf evaluation [default: random]"),
            option(
                "tree-nodes",
                number(1000, 500_000_000),
                "maximum number of tree nodes [default: 4000000]",
            )
            .formerly("nodes"),
            THREADS,
            option(
                "parallel",
                word(&words(&PARALLELS)),
                "shared tree or one tree per thread [default: tree]",
            ),
            SEED,
        ],
        read: tree_search,
    },
    PlayerKind {
        name: "flat-ucb",
        former_name: None,
        summary: "UCB1 bandit over the moves with random rollouts, without a tree",
        options: &[
            option("sims", number(1, MOST_SIMULATIONS), "rollouts per move [default: 100]"),
            TIME,
            option("depth", TURNS, "turns per rollout [default: 5]"),
            option("c", decimal(0.0, 100.0), "exploration constant [default: 1.4]"),
            SEED,
        ],
        read: bandit,
    },
];

/// Maximum of the option `sims`.
pub(super) const MOST_SIMULATIONS: u64 = 1_000_000_000_000;
/// Default number of simulations.
pub(super) const DEFAULT_SIMULATIONS: u64 = 10_000;
/// RAVE's equivalence parameter for `rave=on`.
const DEFAULT_RAVE: f64 = 1000.0;
/// An estimate of this size counts as a win probability of 73 %.
const HEURISTIC_SCALE: f32 = 100.0;

fn tree_search(options: &PlayerOptions) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let usual = UctOptions::default();
    let capacity = options.number("tree-nodes").map(|nodes| nodes as u32);
    let rave = match options.is("rave", "on") {
        true => Some(DEFAULT_RAVE),
        false => options.decimal("rave"),
    };
    let parallel = options.choice("parallel", &PARALLELS).unwrap_or(UctThreads::Tree);
    let tree = UctOptions {
        exploration: options.decimal("c").unwrap_or(usual.exploration),
        rave,
        solver: options.switch("solver").unwrap_or(usual.solver),
        reuse: options.switch("reuse").unwrap_or(usual.reuse),
        capacity: capacity.unwrap_or(usual.capacity),
        threads: if options.threads() == 1 { UctThreads::One } else { parallel(options.threads()) },
        ..usual
    };
    let rollout = options.choice("rollout", &ROLLOUTS).unwrap_or(LeafEvaluation::Random);
    let node = if rave.is_some() { 32 } else { 16 };
    let trees = if let UctThreads::Root(trees) = tree.threads { trees as u64 } else { 1 };
    let trees = node * trees * u64::from(tree.capacity);
    let pace = SearchKind::Simulations(Some(DEFAULT_SIMULATIONS));
    let facts = SearchProfile { trees, ..SearchProfile::new(pace, simulations(options)) };
    let plan = SearchPlan::Uct(tree, rollout);
    search_setup_for_any_game(facts, move |context| context.search(&plan))
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
    search_setup_for_any_game(facts, move |context| context.search(&plan))
}
