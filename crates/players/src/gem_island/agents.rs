//! Agents by name: `random`, `greedy`, `flat-ucb:eval=crude`, `belief:rollouts=300`, `policy`,
//! `external:cmd=…`.

mod external;
mod flat;
mod policy;

use std::str::FromStr;

use tesuji_games::SpecError;
use tesuji_games::rules::gem_island::{GemSettings, Mask, MaskFamily};
use tesuji_search::gem_island::{
    Agent, GreedyAgent, HalvingAgent, HalvingOptions, MAX_WIDTH, RandomAgent,
};

use crate::external::ExternalSetup;
use external::ExternalAgent;
use flat::FlatSpec;
use policy::PolicySource;
use tesuji_play::attachments::FilePaths;
use tesuji_play::options::{self, PlayerOptions, SpecKind, THREADS, ValueType, number, option};

/// An agent by name: its help, its options and their meaning.
pub type AgentKind = SpecKind<AgentConfig>;

/// All agents.
pub static AGENTS: &[AgentKind] = &[
    AgentKind {
        name: "random",
        former_name: None,
        summary: "a random legal swap",
        options: &[],
        read: |_| Ok(AgentConfig::Random),
    },
    AgentKind {
        name: "greedy",
        former_name: None,
        summary: "the swap with the best expected first pass, by where medals may lie",
        options: &[option(
            "width",
            number(0, MAX_WIDTH as u64),
            "number of best swaps to examine more closely, up to 16 [default: 0]",
        )],
        read: |options| {
            let width = options.number("width").unwrap_or(0) as usize;
            Ok(AgentConfig::Greedy(GreedyAgent { width, ..GreedyAgent::default() }))
        },
    },
    flat::FLAT_UCB,
    AgentKind {
        name: "belief",
        former_name: None,
        summary: "the strongest: full games in worlds sampled from the belief, sequential halving of swaps",
        options: &[
            option("rollouts", number(1, 1_000_000_000), "rollouts per move [default: 300]"),
            option("time", ValueType::Time, "time per move instead of rollouts, such as 10ms"),
            option(
                "candidates",
                number(2, 1000),
                "number of swaps to try, the best after a closer look [default: 5]",
            ),
            THREADS,
        ],
        read: |options| Ok(AgentConfig::Belief(Box::new(halving(options)))),
    },
    policy::POLICY,
    external::EXTERNAL,
];

/// An agent with its options.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// The options of the text.
    pub options: PlayerOptions,
    agent: AgentConfig,
}

/// The meaning of an agent's options.
#[derive(Clone, Debug)]
pub enum AgentConfig {
    /// The agent without options.
    Random,
    /// The agent that looks one swap ahead.
    Greedy(GreedyAgent),
    /// The published agent.
    Flat(Box<FlatSpec>),
    /// The strongest agent.
    Belief(Box<HalvingOptions>),
    /// The agent that plays like people.
    Policy(PolicySource),
    /// Another program.
    External(Box<ExternalSetup>),
}

impl AgentSpec {
    /// Returns the canonical text.
    pub fn text(&self) -> String {
        self.options.text()
    }

    /// Reads an agent's text; `files` gives the local paths of the files that it names.
    pub fn read(text: &str, files: &FilePaths) -> Result<AgentSpec, SpecError> {
        let (kind, options) = options::read("agent", AGENTS.iter(), text, files)?;
        Ok(AgentSpec { agent: (kind.read)(&options)?, options })
    }

    /// Whether the agent is another program.
    pub fn starts_program(&self) -> bool {
        matches!(self.agent, AgentConfig::External(_))
    }

    /// The same agent with one more option, which its text must not set.
    pub fn with_option(&self, key: &str, value: &str) -> Result<AgentSpec, SpecError> {
        let unusable = || {
            let why = format!(
                "{key}={value} cannot be added; expected an agent with this option, not set"
            );
            unfit(&self.text(), why)
        };
        let options = self.options.with_default(key, value).ok_or_else(unusable)?;
        options.text().parse()
    }

    /// Builds the agent for games with these settings, or returns why it cannot play them.
    pub fn build<M: Mask>(
        &self,
        settings: &GemSettings,
        seed: u64,
    ) -> Result<Box<dyn Agent<M>>, SpecError> {
        Ok(match &self.agent {
            AgentConfig::Random => Box::new(RandomAgent::new(seed)),
            AgentConfig::Greedy(greedy) => Box::new(*greedy),
            AgentConfig::Flat(flat) => flat.build(settings, seed)?,
            AgentConfig::Belief(options) => {
                Box::new(HalvingAgent::new(HalvingOptions { seed, ..(**options).clone() }))
            }
            AgentConfig::Policy(source) => source.build(settings)?,
            AgentConfig::External(setup) => Box::new(ExternalAgent::start(setup, settings, seed)?),
        })
    }
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<AgentSpec, SpecError> {
        AgentSpec::read(text, &FilePaths::new())
    }
}

fn unfit(owner: &str, why: String) -> SpecError {
    SpecError::Impossible { owner: owner.to_string(), why }
}

/// An agent with a network for boards of any mask. Networks know one board, whose cells fit into
/// 128 bits.
fn for_networks<M: Mask>(
    owner: &str,
    agent: Box<dyn Agent<u128>>,
) -> Result<Box<dyn Agent<M>>, SpecError> {
    let too_large = || unfit(owner, "networks do not support such a large board".to_string());
    M::from_narrow::<AnyAgent>(agent).ok_or_else(too_large)
}

/// An agent of any kind, for boards of a mask.
struct AnyAgent;

impl MaskFamily for AnyAgent {
    type Of<M: Mask> = Box<dyn Agent<M>>;
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
    use tesuji_games::rules::gem_island::{GemIsland, GemSettings, GemStatus};

    use super::AgentSpec;

    /// Every kind of agent, with little thinking.
    const ALL: [&str; 12] = [
        "random",
        "greedy:width=4",
        "flat-ucb:sims=30",
        "flat-ucb:sims=30,eval=crude,simulator=original",
        "flat-ucb:sims=30,eval=none",
        "flat-ucb:sims=30,eval=nn-outcome",
        "flat-ucb:sims=30,eval=nn-outcome,form=published",
        "flat-ucb:sims=30,eval=nn-utility",
        "flat-ucb:sims=30,eval=nn-utility,form=published",
        "flat-ucb:sims=30,prior=policy",
        "policy",
        "belief:rollouts=40",
    ];

    #[test]
    fn where_hidden_medals_lie_changes_no_decision() {
        for level in 1..=3 {
            let settings = GemSettings::level(level).unwrap();
            let mut rng = seeded(level as u64);
            let mut game = GemIsland::<u128>::generate(settings, &mut rng).unwrap();
            let mut moved = 0;
            while game.status() == GemStatus::Running {
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
