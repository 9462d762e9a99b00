//! Agents by name: `random`, `greedy`, `flat-ucb:eval=crude`, `belief:rollouts=300`.

mod flat;

use std::str::FromStr;

use tesuji_games::SpecError;
use tesuji_games::rules::gem_island::{Mask, Settings};
use tesuji_search::gem_island::{
    Agent, GreedyAgent, HalvingAgent, HalvingOptions, MAX_WIDTH, RandomAgent,
};

use flat::FlatSpec;
use tesuji_play::attachments::FilePaths;
use tesuji_play::options::{self, PlayerOptions, SpecKind, THREADS, ValueType, number, option};

/// An agent by name: what help texts say of it, its options and what they mean.
pub type AgentKind = SpecKind<AgentOptions>;

/// Every agent.
pub static AGENTS: &[AgentKind] = &[
    AgentKind {
        name: "random",
        summary: "any legal swap",
        options: &[],
        read: |_| Ok(AgentOptions::Random),
    },
    AgentKind {
        name: "greedy",
        summary: "the swap whose first pass promises most, by where medals may lie",
        options: &[option(
            "width",
            number(0, MAX_WIDTH as u64),
            "so many of the best swaps are looked at more closely, up to 16 (default 0)",
        )],
        read: |options| {
            let width = options.number("width").unwrap_or(0) as usize;
            Ok(AgentOptions::Greedy(GreedyAgent { width, ..GreedyAgent::default() }))
        },
    },
    flat::FLAT_UCB,
    AgentKind {
        name: "belief",
        summary: "the strong one: whole games in worlds as likely as what was seen says, halving the swaps",
        options: &[
            option(
                "rollouts",
                number(1, 1_000_000_000),
                "games played out for a move (default 300)",
            ),
            option("time", ValueType::Time, "time a move instead, such as 10ms"),
            option(
                "candidates",
                number(2, 1000),
                "so many swaps are tried, the best after a close look (default 5)",
            ),
            THREADS,
        ],
        read: |options| Ok(AgentOptions::Belief(Box::new(halving(options)))),
    },
];

/// An agent as text, understood.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// What the text gives.
    pub options: PlayerOptions,
    agent: AgentOptions,
}

/// What the options of an agent mean.
#[derive(Clone, Debug)]
pub enum AgentOptions {
    /// No options.
    Random,
    /// One look ahead.
    Greedy(GreedyAgent),
    /// The published agent.
    Flat(Box<FlatSpec>),
    /// The strong one.
    Belief(Box<HalvingOptions>),
}

impl AgentSpec {
    /// The canonical text.
    pub fn text(&self) -> String {
        self.options.text()
    }

    /// The agent of a text, with the files that it names from where they lie here.
    pub fn reading(text: &str, files: &FilePaths) -> Result<AgentSpec, SpecError> {
        let (kind, options) = options::read("agent", AGENTS.iter(), text, files)?;
        Ok(AgentSpec { agent: (kind.read)(&options)?, options })
    }

    /// Makes the agent for games with these settings, or says why it cannot play them. Chance starts from the seed.
    pub fn build<M: Mask>(
        &self,
        settings: &Settings,
        seed: u64,
    ) -> Result<Box<dyn Agent<M>>, SpecError> {
        Ok(match &self.agent {
            AgentOptions::Random => Box::new(RandomAgent::new(seed)),
            AgentOptions::Greedy(greedy) => Box::new(*greedy),
            AgentOptions::Flat(flat) => flat.build(settings, seed)?,
            AgentOptions::Belief(options) => {
                Box::new(HalvingAgent::new(HalvingOptions { seed, ..(**options).clone() }))
            }
        })
    }
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<AgentSpec, SpecError> {
        AgentSpec::reading(text, &FilePaths::new())
    }
}

fn halving(options: &PlayerOptions) -> HalvingOptions {
    let usual = HalvingOptions::default();
    let candidates = options.number("candidates").map(|candidates| candidates as usize);
    HalvingOptions {
        rollouts: options.number("rollouts").unwrap_or(usual.rollouts),
        time: options.time("time"),
        candidates: candidates.unwrap_or(usual.candidates),
        threads: options.threads(),
        ..usual
    }
}

#[cfg(test)]
mod tests {
    use tesuji_games::random::seeded;
    use tesuji_games::rules::gem_island::{GemIsland, Settings, Status};

    use super::AgentSpec;

    /// Every kind of agent, thinking little.
    const ALL: [&str; 9] = [
        "random",
        "greedy:width=4",
        "flat-ucb:sims=30",
        "flat-ucb:sims=30,eval=crude,simulator=original",
        "flat-ucb:sims=30,eval=none",
        "flat-ucb:sims=30,eval=nn-outcome",
        "flat-ucb:sims=30,eval=nn-outcome,form=published",
        "flat-ucb:sims=30,eval=nn-utility",
        "belief:rollouts=40",
    ];

    #[test]
    fn where_hidden_medals_lie_changes_no_decision() {
        for level in 1..=3 {
            let settings = Settings::level(level).unwrap();
            let mut rng = seeded(level as u64);
            let mut game = GemIsland::<u128>::generate(settings, &mut rng).unwrap();
            let mut moved = 0;
            while game.status() == Status::Running {
                let view = game.view();
                let other = view.with_medals(view.place_hidden(&mut rng));
                moved += u32::from(other.board().medals != game.board().medals);
                for text in ALL {
                    let agent = || text.parse::<AgentSpec>().unwrap().build(&settings, 7).unwrap();
                    let (one, two) = (agent().decide(&view), agent().decide(&other.view()));
                    assert_eq!(one, two, "{text}");
                    assert!(one.is_some(), "{text}");
                }
                game.play(game.swap_at(0), &mut rng, &mut ());
            }
            assert!(moved > 5, "medals were moved {moved} times");
        }
    }
}
