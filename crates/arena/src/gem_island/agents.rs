//! Agents by name: `random`, `greedy`, `flat-ucb:eval=crude`, `belief:rollouts=300`.

use std::str::FromStr;

use tesuji_games::rules::gem_island::{Fidelity, Mask};
use tesuji_games::{Spec, SpecError};
use tesuji_search::gem_island::{
    Agent, Evaluation, FlatAgent, Greedy, Halving, HalvingOptions, HumanWeights, RandomAgent,
};
use tesuji_search::{FlatUcbOptions, Limits};

use crate::PlayerInfo;
use crate::players::searching::{decimal, take_threads, take_time};

/// Every agent, for help texts.
pub const AGENTS: &[PlayerInfo] = &[RANDOM, GREEDY, FLAT_UCB, BELIEF];

const RANDOM: PlayerInfo = PlayerInfo { name: "random", summary: "any legal swap", options: &[] };

const GREEDY: PlayerInfo = PlayerInfo {
    name: "greedy",
    summary: "the swap whose first pass promises most, by where medals may lie",
    options: &[],
};

const FLAT_UCB: PlayerInfo = PlayerInfo {
    name: "flat-ucb",
    summary: "the published agent: a bandit over the swaps, random swaps after them",
    options: &[
        ("sims=N", "rollouts a move (default 100)"),
        ("time=T", "time a move, such as 10ms"),
        ("depth=N|all", "swaps of a rollout (default 5; 20 with eval=none)"),
        ("c=X", "weight of exploration (default 1.4)"),
        ("eval=none|crude|hb", "what a rollout is worth where it stops (default hb)"),
        ("weights=M/I/G", "what medals, ice and gems count in hb (default 10/5/1)"),
        ("simulator=exact|original", "whether rollouts make bonuses (default exact)"),
    ],
};

const BELIEF: PlayerInfo = PlayerInfo {
    name: "belief",
    summary: "the strong one: whole games in worlds as likely as what was seen says, halving the swaps",
    options: &[
        ("rollouts=N", "games played out for a move (default 300)"),
        ("time=T", "time a move instead, such as 10ms"),
        ("threads=N", "threads of one decision (default 1)"),
    ],
};

/// An agent as text, understood.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Random,
    Greedy,
    Flat(FlatSpec),
    Belief(HalvingOptions),
}

impl AgentSpec {
    /// The text, as given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Makes the agent. Chance starts from the seed.
    pub fn build<M: Mask>(&self, seed: u64) -> Box<dyn Agent<M>> {
        match &self.kind {
            Kind::Random => Box::new(RandomAgent::new(seed)),
            Kind::Greedy => Box::new(Greedy::default()),
            Kind::Flat(flat) => flat.build(seed),
            Kind::Belief(options) => {
                Box::new(Halving::new(HalvingOptions { seed, ..options.clone() }))
            }
        }
    }
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<AgentSpec, SpecError> {
        let mut spec = Spec::parse(text)?;
        let kind = match spec.name() {
            "random" => Kind::Random,
            "greedy" => Kind::Greedy,
            "flat-ucb" => Kind::Flat(FlatSpec::read(&mut spec)?),
            "belief" => Kind::Belief(take_halving(&mut spec)?),
            other => {
                return Err(SpecError::UnknownName {
                    kind: "agent",
                    name: other.to_string(),
                    known: AGENTS.iter().map(|agent| agent.name.to_string()).collect(),
                });
            }
        };
        spec.finish()?;
        Ok(AgentSpec { text: text.trim().to_string(), kind })
    }
}

fn take_halving(spec: &mut Spec) -> Result<HalvingOptions, SpecError> {
    let usual = HalvingOptions::default();
    Ok(HalvingOptions {
        rollouts: spec.number("rollouts", 1..=1_000_000_000)?.unwrap_or(usual.rollouts),
        time: take_time(spec)?,
        threads: take_threads(spec)?,
        ..usual
    })
}

/// The published agent with its options.
#[derive(Clone, Debug)]
struct FlatSpec {
    options: FlatUcbOptions,
    limits: Limits,
    fidelity: Fidelity,
    value: Evaluation,
}

/// Swaps of a rollout that is worth something only when it wins.
const DEPTH_WITHOUT_EVALUATION: u32 = 20;

impl FlatSpec {
    fn read(spec: &mut Spec) -> Result<FlatSpec, SpecError> {
        let usual = FlatUcbOptions::default();
        let human = take_weights(spec)?;
        let evaluations = [
            ("hb", Evaluation::Human(human.unwrap_or_default())),
            ("crude", Evaluation::Crude),
            ("none", Evaluation::None),
        ];
        let value = spec.choice("eval", &evaluations)?.unwrap_or(evaluations[0].1);
        if human.is_some() && !matches!(value, Evaluation::Human(_)) {
            let why = "weights for an evaluation other than hb: leave weights or eval out";
            return Err(SpecError::Impossible {
                owner: "flat-ucb".to_string(),
                why: why.to_string(),
            });
        }
        let simulators = [("exact", Fidelity::Exact), ("original", Fidelity::Original)];
        let depth = match spec.take("depth").as_deref() {
            None if value == Evaluation::None => Some(DEPTH_WITHOUT_EVALUATION),
            None => usual.depth,
            Some("all") => None,
            Some(text) => {
                Some(text.parse().ok().filter(|depth| (1..=9999).contains(depth)).ok_or_else(
                    || spec.bad_value("depth", text, "a number from 1 to 9999, or all"),
                )?)
            }
        };
        let nodes = spec.number("sims", 1..=1_000_000_000)?;
        let time = take_time(spec)?;
        Ok(FlatSpec {
            options: FlatUcbOptions {
                exploration: decimal(spec, "c", 0.0..=100.0)?.unwrap_or(usual.exploration),
                depth,
                ..usual
            },
            limits: Limits { nodes, time, ..Limits::default() },
            fidelity: spec.choice("simulator", &simulators)?.unwrap_or(Fidelity::Exact),
            value,
        })
    }

    fn build<M: Mask>(&self, seed: u64) -> Box<dyn Agent<M>> {
        let options = FlatUcbOptions { seed, ..self.options.clone() };
        Box::new(FlatAgent::new(options, self.limits.clone(), self.fidelity, self.value))
    }
}

/// `10/5/1`: medals, ice, gems.
fn take_weights(spec: &mut Spec) -> Result<Option<HumanWeights>, SpecError> {
    let Some(text) = spec.take("weights") else { return Ok(None) };
    let numbers: Vec<f64> = text
        .split('/')
        .filter_map(|number| number.parse().ok())
        .filter(|number: &f64| (0.0..=1e6).contains(number))
        .collect();
    match numbers[..] {
        [medals, ice, gems] if medals + ice + gems > 0.0 && text.split('/').count() == 3 => {
            Ok(Some(HumanWeights { medals, ice, gems }))
        }
        _ => Err(spec.bad_value("weights", &text, "three weights such as 10/5/1")),
    }
}
