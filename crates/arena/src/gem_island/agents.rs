//! Agents by name: `random`, `greedy`, `flat-ucb:eval=crude`, `belief:rollouts=300`.

mod flat;

use std::str::FromStr;

use tesuji_games::rules::gem_island::{Mask, Settings};
use tesuji_games::{Spec, SpecError};
use tesuji_search::gem_island::{Agent, Greedy, Halving, HalvingOptions, RandomAgent, WIDEST};

use crate::PlayerInfo;
use crate::players::file::PlayerFile;
use crate::players::searching::{take_threads, take_time};
use crate::travel::{self, Files};
use flat::FlatSpec;

/// Every agent, for help texts.
pub const AGENTS: &[PlayerInfo] = &[RANDOM, GREEDY, flat::FLAT_UCB, BELIEF];

const RANDOM: PlayerInfo = PlayerInfo { name: "random", summary: "any legal swap", options: &[] };

const GREEDY: PlayerInfo = PlayerInfo {
    name: "greedy",
    summary: "the swap whose first pass promises most, by where medals may lie",
    options: &[(
        "width=N",
        "so many of the best swaps are looked at more closely, up to 16 (default 0)",
    )],
};

const BELIEF: PlayerInfo = PlayerInfo {
    name: "belief",
    summary: "the strong one: whole games in worlds as likely as what was seen says, halving the swaps",
    options: &[
        ("rollouts=N", "games played out for a move (default 300)"),
        ("time=T", "time a move instead, such as 10ms"),
        ("candidates=N", "so many swaps are tried, the best after a close look (default 5)"),
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
    Greedy(Greedy),
    Flat(Box<FlatSpec>),
    Belief(Box<HalvingOptions>),
}

impl AgentSpec {
    /// The text, as given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The agent of a text, with the files that it names from where they lie here. It is called as it is there.
    pub fn reading(text: &str, files: &Files) -> Result<AgentSpec, SpecError> {
        let spec: AgentSpec = travel::local_text(text, AGENTS.iter().copied(), files).parse()?;
        Ok(AgentSpec { text: text.to_string(), ..spec })
    }

    /// The file that it reads, if it names one.
    pub(crate) fn file(&self) -> Option<&PlayerFile> {
        match &self.kind {
            Kind::Flat(flat) => flat.file(),
            Kind::Random | Kind::Greedy(_) | Kind::Belief(_) => None,
        }
    }

    /// Makes the agent for games with these settings, or says why it cannot play them. Chance starts from the seed.
    pub fn build<M: Mask>(
        &self,
        settings: &Settings,
        seed: u64,
    ) -> Result<Box<dyn Agent<M>>, SpecError> {
        Ok(match &self.kind {
            Kind::Random => Box::new(RandomAgent::new(seed)),
            Kind::Greedy(greedy) => Box::new(*greedy),
            Kind::Flat(flat) => flat.build(settings, seed)?,
            Kind::Belief(options) => {
                Box::new(Halving::new(HalvingOptions { seed, ..(**options).clone() }))
            }
        })
    }
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<AgentSpec, SpecError> {
        let mut spec = Spec::parse(text)?;
        let kind = match spec.name() {
            "random" => Kind::Random,
            "greedy" => {
                let width = spec.number("width", 0..=WIDEST as u64)?.unwrap_or(0);
                Kind::Greedy(Greedy { width: width as usize, ..Greedy::default() })
            }
            "flat-ucb" => Kind::Flat(Box::new(FlatSpec::read(&mut spec)?)),
            "belief" => Kind::Belief(Box::new(take_halving(&mut spec)?)),
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
        candidates: spec
            .number("candidates", 2..=1000)?
            .map_or(usual.candidates, |candidates| candidates as usize),
        threads: take_threads(spec)?,
        ..usual
    })
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
