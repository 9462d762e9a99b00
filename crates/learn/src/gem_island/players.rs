//! The agents that play the training games, by name.

use tesuji_games::random::{Rng, below, derived, seeded};
use tesuji_games::rules::gem_island::{Fidelity, GemIsland, GemSettings, GemStatus, GemView, Swap};
use tesuji_games::{Spec, SpecError};
use tesuji_search::gem_island::{
    Agent, Decision, Evaluation, FlatAgent, GreedyAgent, GreedyWeights, HalvingAgent,
    HalvingOptions, HumanWeights, RandomAgent,
};
use tesuji_search::{FlatUcbOptions, Limits};

/// Creates an agent with a seed.
pub(super) type AgentFactory = Box<dyn Fn(u64) -> Box<dyn Agent<u128>> + Send + Sync>;

/// A whole game.
pub(super) struct PlayedGame {
    /// All states, including the first and the last.
    pub(super) states: Vec<GemIsland<u128>>,
    /// The swaps between them.
    pub(super) swaps: Vec<Swap>,
    /// Whether it was won; `None` without a result.
    pub(super) won: Option<bool>,
}

impl PlayedGame {
    /// Plays a game; `None` if the board is too large or the agent finds no swap.
    pub(super) fn play(board: GemSettings, player: &AgentFactory, seed: u64) -> Option<PlayedGame> {
        let mut rng = seeded(derived(seed, [0]));
        let mut agent = player(derived(seed, [1]));
        let (mut states, mut swaps) = (vec![GemIsland::generate(board, &mut rng)?], Vec::new());
        let end = loop {
            let mut state = states.last()?.clone();
            if state.status() != GemStatus::Running {
                break state.status();
            }
            let swap = agent.decide(&state.view())?.swap;
            state.play(swap, &mut rng, &mut ());
            states.push(state);
            swaps.push(swap);
        };
        let won = match end {
            GemStatus::Won => Some(true),
            GemStatus::Lost => Some(false),
            GemStatus::Running | GemStatus::Stuck => None,
        };
        Some(PlayedGame { states, swaps, won })
    }
}

/// Parses an agent: `random`, `greedy`, `greedy:slips=4` (one swap in four at random),
/// `flat-ucb:sims=20,depth=5`, `belief:rollouts=30`.
pub(super) fn parse_agent(text: &str) -> Result<AgentFactory, SpecError> {
    let mut spec = Spec::parse(text)?;
    let player: AgentFactory = match spec.name() {
        "random" => Box::new(|seed| Box::new(RandomAgent::new(seed))),
        "greedy" => {
            let slips = spec.number("slips", 1..=1_000_000)?.map_or(0, |n| n as u32);
            Box::new(move |seed| Box::new(RandomizedGreedy { slips, rng: seeded(seed) }))
        }
        // The published agent with its evaluation `hb`.
        "flat-ucb" => {
            let simulations = spec.number("sims", 1..=1_000_000)?.unwrap_or(100);
            let depth = Some(spec.number("depth", 1..=100)?.map_or(5, |n| n as u32));
            Box::new(move |seed| {
                let options =
                    FlatUcbOptions { simulations, depth, seed, ..FlatUcbOptions::default() };
                let value = Evaluation::Human(HumanWeights::default());
                Box::new(FlatAgent::new(options, Limits::default(), Fidelity::Exact, value))
            })
        }
        "belief" => {
            let rollouts = spec.number("rollouts", 1..=1_000_000)?.unwrap_or(300);
            Box::new(move |seed| {
                let options = HalvingOptions { rollouts, seed, ..HalvingOptions::default() };
                Box::new(HalvingAgent::new(options))
            })
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

/// The greedy agent for training games and labels. Its weights are fixed here, so that models stay
/// reproducible when the agent is tuned further.
pub(super) const LABEL_AGENT: GreedyAgent = GreedyAgent {
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

/// The greedy agent with occasional random swaps.
struct RandomizedGreedy {
    /// One swap in this many is random; 0 for none.
    slips: u32,
    rng: Rng,
}

impl Agent<u128> for RandomizedGreedy {
    fn decide(&mut self, view: &GemView<u128>) -> Option<Decision> {
        if self.slips > 0 && below(&mut self.rng, self.slips) == 0 {
            let swap = random_swap(&view.known, &mut self.rng)?;
            return Some(decision(swap));
        }
        LABEL_AGENT.choose(&view.known).map(decision)
    }
}

fn decision(swap: Swap) -> Decision {
    Decision { swap, value: 0.0, rollouts: 0, swaps: Vec::new() }
}

/// A random legal swap; `None` if there is none.
pub(super) fn random_swap(state: &GemIsland<u128>, rng: &mut Rng) -> Option<Swap> {
    let count = state.swaps().count();
    (count > 0).then(|| state.swap_at(below(rng, count)))
}
