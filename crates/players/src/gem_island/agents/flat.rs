//! The published agent with its options: what rollouts are worth where they stop, and how they get there.

use std::sync::{Arc, OnceLock};

use tesuji_games::SpecError;
use tesuji_games::rules::gem_island::{Fidelity, Mask, OfMask, Settings};
use tesuji_learn::gem_island::{NetworkValue, ValueKind, check_board};
use tesuji_learn::network::{Network, NetworkError};
use tesuji_search::gem_island::{Agent, Evaluation, FlatAgent, HumanWeights};
use tesuji_search::{FlatUcbOptions, Limits};

use super::{AgentKind, AgentOptions};
use tesuji_play::PlayerFile;
use tesuji_play::options::{
    PlayerOptions, ValueType, WordValues, decimal, number, option, word, words,
};

const NAME: &str = "flat-ucb";

const EVALUATIONS: WordValues<Kind, 5> = [
    ("none", Kind::Plain(Evaluation::None)),
    ("crude", Kind::Plain(Evaluation::Crude)),
    ("hb", Kind::Human),
    ("nn-outcome", Kind::Network(ValueKind::Outcome)),
    ("nn-utility", Kind::Network(ValueKind::Utility)),
];
const FORMS: WordValues<ValueKind, 2> =
    [("corrected", ValueKind::Outcome), ("published", ValueKind::PublishedOutcome)];
const SIMULATORS: WordValues<Fidelity, 2> =
    [("exact", Fidelity::Exact), ("original", Fidelity::Original)];

pub(super) const FLAT_UCB: AgentKind = AgentKind {
    name: NAME,
    summary: "the published agent: a bandit over the swaps, random swaps after them",
    options: &[
        option("sims", number(1, 1_000_000_000), "rollouts a move (default 100)"),
        option("time", ValueType::Time, "time a move, such as 10ms"),
        option(
            "depth",
            ValueType::WordOr { words: &["all"], other: &number(1, 9999) },
            "swaps of a rollout (default 5; 20 with eval=none, 2 with nn-utility)",
        ),
        option("c", decimal(0.0, 100.0), "weight of exploration (default 1.4)"),
        option(
            "eval",
            word(&words(&EVALUATIONS)),
            "what a rollout is worth where it stops (default hb)",
        ),
        option(
            "weights",
            ValueType::Text { name: "M/I/G" },
            "what medals, ice and gems count in hb (default 10/5/1)",
        ),
        option(
            "form",
            word(&words(&FORMS)),
            "whether nn-outcome is shown the board rightly (default corrected)",
        ),
        option(
            "file",
            ValueType::File { most: Network::LONGEST_FILE },
            "a network of one's own for nn-outcome or nn-utility",
        ),
        option(
            "simulator",
            word(&words(&SIMULATORS)),
            "whether rollouts make bonuses (default exact)",
        ),
    ],
    read: |options| Ok(AgentOptions::Flat(Box::new(FlatSpec::read(options)?))),
};

/// The agent as text, understood.
#[derive(Clone, Debug)]
pub struct FlatSpec {
    options: FlatUcbOptions,
    limits: Limits,
    fidelity: Fidelity,
    value: Value,
}

/// What a rollout is worth where it stops.
#[derive(Clone, Debug)]
enum Value {
    Plain(Evaluation),
    Network(Source),
}

/// A network, in a file or in the program. It is read for the first agent and shared with the others,
/// because one is made for every game.
#[derive(Clone, Debug)]
struct Source {
    question: ValueKind,
    file: Option<PlayerFile>,
    known: Arc<OnceLock<NetworkValue>>,
}

impl Source {
    fn network(&self) -> Result<NetworkValue, SpecError> {
        if let Some(network) = self.known.get() {
            return Ok(network.clone());
        }
        let network = match &self.file {
            None => NetworkValue::shipped(self.question),
            Some(file) => {
                let bytes = file.bytes().map_err(NetworkError::from);
                let network = bytes.and_then(Network::from_bytes);
                let value = network.and_then(|network| NetworkValue::new(network, self.question));
                value.map_err(|error| file.unusable(NAME, &error))?
            }
        };
        Ok(self.known.get_or_init(|| network).clone())
    }
}

impl FlatSpec {
    fn read(options: &PlayerOptions) -> Result<FlatSpec, SpecError> {
        let usual = FlatUcbOptions::default();
        let value = Value::read(options)?;
        let swaps = options.number("depth").map_or(value.usual_depth(), |swaps| swaps as u32);
        let (nodes, time) = (options.number("sims"), options.time("time"));
        Ok(FlatSpec {
            options: FlatUcbOptions {
                exploration: options.decimal("c").unwrap_or(usual.exploration),
                depth: Some(swaps).filter(|_| !options.is("depth", "all")),
                ..usual
            },
            limits: Limits { nodes, time, ..Limits::default() },
            fidelity: options.choice("simulator", &SIMULATORS).unwrap_or(Fidelity::Exact),
            value,
        })
    }

    pub(super) fn build<M: Mask>(
        &self,
        settings: &Settings,
        seed: u64,
    ) -> Result<Box<dyn Agent<M>>, SpecError> {
        let options = FlatUcbOptions { seed, ..self.options.clone() };
        let (limits, fidelity) = (self.limits.clone(), self.fidelity);
        match &self.value {
            Value::Plain(value) => Ok(Box::new(FlatAgent::new(options, limits, fidelity, *value))),
            Value::Network(source) => {
                let agent = FlatAgent::new(options, limits, fidelity, source.network()?);
                check_board(settings).map_err(|error| unfit(error.to_string()))?;
                // Networks know one board, whose cells fit 128 bits.
                M::from_narrow::<AnyAgent>(Box::new(agent))
                    .ok_or_else(|| unfit("a network on a board of so many cells".to_string()))
            }
        }
    }
}

fn unfit(why: String) -> SpecError {
    SpecError::Impossible { owner: NAME.to_string(), why }
}

/// An agent of any kind, for boards of a mask.
struct AnyAgent;

impl OfMask for AnyAgent {
    type Of<M: Mask> = Box<dyn Agent<M>>;
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plain(Evaluation),
    Human,
    Network(ValueKind),
}

impl Value {
    fn read(options: &PlayerOptions) -> Result<Value, SpecError> {
        let kind = options.choice("eval", &EVALUATIONS).unwrap_or(Kind::Human);
        let (file, form) = (options.file("file"), options.choice("form", &FORMS));
        let weights = weights(options)?;
        let only_for = |option: &str, eval: &str| unfit(format!("{option} without eval={eval}"));
        if weights.is_some() && kind != Kind::Human {
            return Err(only_for("weights", "hb"));
        } else if form.is_some() && kind != Kind::Network(ValueKind::Outcome) {
            return Err(only_for("form", "nn-outcome"));
        } else if file.is_some() && !matches!(kind, Kind::Network(_)) {
            return Err(only_for("file", "nn-outcome or eval=nn-utility"));
        }
        Ok(match kind {
            Kind::Plain(plain) => Value::Plain(plain),
            Kind::Human => Value::Plain(Evaluation::Human(weights.unwrap_or_default())),
            Kind::Network(question) => {
                let (question, known) = (form.unwrap_or(question), Arc::default());
                Value::Network(Source { question, file, known })
            }
        })
    }

    /// The published five, and twenty where only wins count. The utility network was taught and measured with two.
    fn usual_depth(&self) -> u32 {
        match self {
            Value::Plain(Evaluation::None) => 20,
            Value::Network(Source { question: ValueKind::Utility, .. }) => 2,
            Value::Plain(_) | Value::Network(_) => 5,
        }
    }
}

/// `10/5/1`: medals, ice, gems.
fn weights(options: &PlayerOptions) -> Result<Option<HumanWeights>, SpecError> {
    let Some(text) = options.text_of("weights") else { return Ok(None) };
    let numbers: Vec<f64> = text
        .split('/')
        .filter_map(|number| number.parse().ok())
        .filter(|number: &f64| (0.0..=1e6).contains(number))
        .collect();
    match numbers[..] {
        [medals, ice, gems] if medals + ice + gems > 0.0 && text.split('/').count() == 3 => {
            Ok(Some(HumanWeights { medals, ice, gems }))
        }
        _ => Err(options.bad_value("weights", text, "three weights such as 10/5/1")),
    }
}

#[cfg(test)]
mod tests {
    use tesuji_games::rules::gem_island::{GemIsland, Settings, Wide};

    use super::super::AgentSpec;
    use tesuji_games::random::seeded;

    fn complaint(text: &str) -> String {
        text.parse::<AgentSpec>().unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_named() {
        for (text, words) in [
            ("flat-ucb:eval=best", "expected one of none, crude, hb, nn-outcome, nn-utility"),
            ("flat-ucb:weights=10/5", "expected three weights such as 10/5/1"),
            ("flat-ucb:weights=1/2/x", "expected three weights"),
            ("flat-ucb:eval=crude,weights=1/2/3", "weights without eval=hb"),
            ("flat-ucb:eval=nn-utility,form=published", "form without eval=nn-outcome"),
            ("flat-ucb:file=x.net", "file without eval=nn-outcome"),
            ("flat-ucb:depth=0", "expected all or a whole number from 1 to 9999"),
            ("flat-ucb:rollouts=3", "rollouts"),
            ("belief:rollouts=0", "expected a whole number from 1"),
            ("clever", "random, greedy, flat-ucb, belief"),
        ] {
            assert!(complaint(text).contains(words), "{text}: {}", complaint(text));
        }
    }

    #[test]
    fn a_file_that_is_no_network_is_named() {
        let agent: AgentSpec = "flat-ucb:eval=nn-utility,file=/nowhere.net".parse().unwrap();
        let error = agent.build::<u128>(&Settings::level(1).unwrap(), 1).err().unwrap();
        assert!(error.to_string().contains("cannot take file '/nowhere.net'"), "{error}");
    }

    #[test]
    fn networks_play_on_their_board_alone() {
        let network: AgentSpec = "flat-ucb:eval=nn-utility,sims=4".parse().unwrap();
        let usual = Settings::level(2).unwrap();
        let game = GemIsland::<u128>::generate(usual, &mut seeded(1)).unwrap();
        let mut agent = network.build::<u128>(&usual, 1).unwrap();
        assert_eq!(agent.decide(&game.view()).unwrap().rollouts, 4);
        let other = Settings { rows: 8, ice_rows: 5, ..usual };
        let refusal = network.build::<u128>(&other, 1).err().unwrap().to_string();
        assert!(refusal.contains("9"), "{refusal}");
        let wide = Settings { rows: 20, columns: 20, ..usual };
        assert!(network.build::<Wide>(&wide, 1).is_err());
    }
}
