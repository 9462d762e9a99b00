//! Who plays the games that networks learn from, by name.

use std::fmt;
use std::str::FromStr;

use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::rules::gem_island::{Fidelity, GemIsland, Swap, View};
use tesuji_games::{Spec, SpecError};
use tesuji_search::gem_island::{
    Agent, Decision, Evaluation, FlatAgent, Greedy, GreedyWeights, Halving, HalvingOptions,
    HumanWeights, RandomAgent,
};
use tesuji_search::{FlatUcbOptions, Limits};

/// A player: `random`, `greedy`, `greedy:slips=4` (one swap of four at random), `flat-ucb:sims=20,depth=5`,
/// `belief:rollouts=30`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Player {
    /// Any legal swap.
    Random,
    /// What promises most, but one swap of so many at random; 0 for none.
    Greedy {
        /// One of so many.
        slips: u32,
    },
    /// The published agent with its evaluation `hb`.
    Flat {
        /// Rollouts for a swap.
        sims: u64,
        /// Swaps of a rollout.
        depth: u32,
    },
    /// The strong agent.
    Belief {
        /// Rollouts for a swap.
        rollouts: u64,
    },
}

impl FromStr for Player {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Player, SpecError> {
        let mut spec = Spec::parse(text)?;
        let player = match spec.name() {
            "random" => Player::Random,
            "greedy" => Player::Greedy {
                slips: spec.number("slips", 1..=1_000_000)?.map_or(0, |n| n as u32),
            },
            "flat-ucb" => Player::Flat {
                sims: spec.number("sims", 1..=1_000_000)?.unwrap_or(100),
                depth: spec.number("depth", 1..=100)?.map_or(5, |n| n as u32),
            },
            "belief" => {
                Player::Belief { rollouts: spec.number("rollouts", 1..=1_000_000)?.unwrap_or(300) }
            }
            other => {
                return Err(SpecError::UnknownName {
                    kind: "player",
                    name: other.to_string(),
                    known: ["random", "greedy", "flat-ucb", "belief"].map(String::from).to_vec(),
                });
            }
        };
        spec.finish()?;
        Ok(player)
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::Random => write!(f, "random"),
            Player::Greedy { slips: 0 } => write!(f, "greedy"),
            Player::Greedy { slips } => write!(f, "greedy:slips={slips}"),
            Player::Flat { sims, depth } => write!(f, "flat-ucb:sims={sims},depth={depth}"),
            Player::Belief { rollouts } => write!(f, "belief:rollouts={rollouts}"),
        }
    }
}

impl Player {
    /// The agent; chance starts from the seed.
    pub(super) fn agent(&self, seed: u64) -> Box<dyn Agent<u128>> {
        match *self {
            Player::Random => Box::new(RandomAgent::new(seed)),
            Player::Greedy { slips } => Box::new(Slipping { slips, rng: seeded(seed) }),
            Player::Flat { sims, depth } => {
                let options = FlatUcbOptions {
                    simulations: sims,
                    depth: Some(depth),
                    seed,
                    ..FlatUcbOptions::default()
                };
                let value = Evaluation::Human(HumanWeights::default());
                let agent = FlatAgent::new(options, Limits::default(), Fidelity::Exact, value);
                Box::new(agent)
            }
            Player::Belief { rollouts } => Box::new(Halving::new(HalvingOptions {
                rollouts,
                seed,
                ..HalvingOptions::default()
            })),
        }
    }
}

/// The greedy agent that games and labels are made with. Its weights stand here so that a model can be made again after
/// the agent was tuned further.
pub(super) const TEACHER: Greedy = Greedy {
    weights: GreedyWeights {
        last_part: 1.9,
        of_two: 3.1,
        of_three: 2.7,
        ice: 0.0,
        edge: 0.03,
        cross: 0.65,
        star: 6.7,
        diamond: 0.5,
        cross_spent: 0.0,
        star_spent: 0.2,
        diamond_spent: 0.0,
        gem: 0.0,
        depth: 0.19,
        follow: 0.0,
    },
    width: 1,
};

/// The greedy agent, with swaps at random now and then.
struct Slipping {
    slips: u32,
    rng: Rng,
}

impl Agent<u128> for Slipping {
    fn decide(&mut self, view: &View<u128>) -> Option<Decision> {
        if self.slips > 0 && below(&mut self.rng, self.slips) == 0 {
            let swap = random_swap(&view.known, &mut self.rng)?;
            return Some(decision(swap));
        }
        TEACHER.choose(&view.known).map(decision)
    }
}

fn decision(swap: Swap) -> Decision {
    Decision { swap, value: 0.0, rollouts: 0, swaps: Vec::new() }
}

/// Any legal swap; `None` when there is none.
pub(super) fn random_swap(state: &GemIsland<u128>, rng: &mut Rng) -> Option<Swap> {
    let count = state.swaps().count();
    (count > 0).then(|| state.swap_at(below(rng, count)))
}
