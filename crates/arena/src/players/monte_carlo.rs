//! The option texts of the Monte Carlo players.

use tesuji_games::{Spec, SpecError};
use tesuji_search::{FlatUcbOptions, Rollout, SearchPlan, Threads, UctOptions};

use super::searching::{decimal, take_threads};
use super::{PlayerInfo, SEED};

pub(super) const PLAYERS: [PlayerInfo; 2] = [MCTS, FLAT_UCB];

const MCTS: PlayerInfo = PlayerInfo {
    name: "mcts",
    summary: "Monte Carlo tree search (UCT)",
    options: &[
        ("sims=N", "simulations a move (default 10000)"),
        ("time=T", "time a move, such as 500ms or 1s"),
        ("c=X", "weight of exploration (default 1.414)"),
        ("rave=on|off|K", "all moves as first, with equivalence K (default off; on is 1000)"),
        ("solver=on|off", "carry proven results up the tree (default on)"),
        ("reuse=on|off", "keep the tree between moves (default on)"),
        ("rollout=random|decisive|heuristic", "where leaves get their value (default random)"),
        ("nodes=N", "the most nodes a tree may have (default 4000000)"),
        ("threads=N", "threads of one search (default 1)"),
        ("parallel=tree|root", "whether they share one tree (default tree)"),
        SEED,
    ],
};

const FLAT_UCB: PlayerInfo = PlayerInfo {
    name: "flat-ucb",
    summary: "a bandit over the moves, random play after them, no tree",
    options: &[
        ("sims=N", "rollouts a move (default 100)"),
        ("time=T", "time a move, such as 500ms or 1s"),
        ("depth=N|all", "turns of a rollout (default 5)"),
        ("c=X", "weight of exploration (default 1.4)"),
        SEED,
    ],
};

/// A Monte Carlo search with its options.
#[derive(Clone, Debug)]
pub(super) struct TreeSpec {
    options: UctOptions,
    rollout: Rollout,
}

/// RAVE's equivalence parameter when only `rave=on` is said.
const USUAL_RAVE: f64 = 1000.0;
/// An estimate this large counts as a win chance of 73 %.
const HEURISTIC_SCALE: f32 = 100.0;

impl TreeSpec {
    pub(super) fn read(spec: &mut Spec) -> Result<TreeSpec, SpecError> {
        let usual = UctOptions::default();
        let exploration = decimal(spec, "c", 0.0..=100.0)?.unwrap_or(usual.exploration);
        let rave = take_rave(spec)?;
        let rollouts = [
            ("random", Rollout::Random),
            ("decisive", Rollout::Decisive),
            ("heuristic", Rollout::Heuristic(HEURISTIC_SCALE)),
        ];
        let options = UctOptions {
            exploration,
            rave,
            solver: spec.switch("solver")?.unwrap_or(usual.solver),
            reuse: spec.switch("reuse")?.unwrap_or(usual.reuse),
            capacity: spec
                .number("nodes", 1000..=500_000_000)?
                .map_or(usual.capacity, |nodes| nodes as u32),
            threads: take_tree_threads(spec)?,
            ..usual
        };
        let rollout = spec.choice("rollout", &rollouts)?.unwrap_or(Rollout::Random);
        Ok(TreeSpec { options, rollout })
    }

    /// Bytes of the trees when they are full.
    pub(super) fn memory(&self) -> u64 {
        let node = if self.options.rave.is_some() { 32 } else { 16 };
        let trees = match self.options.threads {
            Threads::Root(trees) => trees as u64,
            Threads::One | Threads::Tree(_) => 1,
        };
        node * trees * u64::from(self.options.capacity)
    }

    pub(super) fn plan(&self) -> SearchPlan {
        SearchPlan::Uct(self.options.clone(), self.rollout)
    }
}

/// `on`, `off` or the parameter itself.
fn take_rave(spec: &mut Spec) -> Result<Option<f64>, SpecError> {
    match spec.take("rave").as_deref() {
        None | Some("off") => Ok(None),
        Some("on") => Ok(Some(USUAL_RAVE)),
        Some(text) => match text.parse::<f64>() {
            Ok(k) if k > 0.0 && k <= 1e9 => Ok(Some(k)),
            _ => Err(spec.bad_value("rave", text, "on, off or a number above 0, such as 1000")),
        },
    }
}

fn take_tree_threads(spec: &mut Spec) -> Result<Threads, SpecError> {
    let threads = take_threads(spec)?;
    let choices = [("tree", Threads::Tree as fn(usize) -> Threads), ("root", Threads::Root)];
    let parallel = spec.choice("parallel", &choices)?.unwrap_or(Threads::Tree);
    Ok(if threads == 1 { Threads::One } else { parallel(threads) })
}

/// Flat Monte Carlo with its options.
#[derive(Clone, Debug)]
pub(super) struct FlatSpec {
    options: FlatUcbOptions,
}

impl FlatSpec {
    pub(super) fn read(spec: &mut Spec) -> Result<FlatSpec, SpecError> {
        let usual = FlatUcbOptions::default();
        let exploration = decimal(spec, "c", 0.0..=100.0)?.unwrap_or(usual.exploration);
        let depth = take_rollout_depth(spec, usual.depth)?;
        Ok(FlatSpec { options: FlatUcbOptions { exploration, depth, ..usual } })
    }

    pub(super) fn simulations(&self) -> u64 {
        self.options.simulations
    }

    pub(super) fn plan(&self) -> SearchPlan {
        SearchPlan::FlatUcb(self.options.clone())
    }
}

fn take_rollout_depth(spec: &mut Spec, usual: Option<u32>) -> Result<Option<u32>, SpecError> {
    match spec.take("depth").as_deref() {
        None => Ok(usual),
        Some("all") => Ok(None),
        Some(text) => match text.parse() {
            Ok(depth @ 1..=1_000_000) => Ok(Some(depth)),
            _ => Err(spec.bad_value("depth", text, "all or a number from 1 to 1000000")),
        },
    }
}
