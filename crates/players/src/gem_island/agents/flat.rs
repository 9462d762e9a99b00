//! The published agent and its options: rollouts and their evaluation.

use std::sync::{Arc, OnceLock};

use tesuji_games::SpecError;
use tesuji_games::rules::gem_island::{Fidelity, GemSettings, Mask, MaskFamily};
use tesuji_learn::gem_island::{NetworkValue, ValueKind, check_board};
use tesuji_learn::network::{Network, NetworkError};
use tesuji_search::gem_island::{Agent, Evaluation, FlatAgent, HumanWeights};
use tesuji_search::{FlatUcbOptions, Limits};

use super::{AgentConfig, AgentKind};
use tesuji_play::PlayerFile;
use tesuji_play::options::{
    PlayerOptions, ValueType, WordValues, decimal, number, option, word, words,
};

const NAME: &str = "flat-ucb";

const EVALUATIONS: WordValues<EvalKind, 5> = [
    ("none", EvalKind::Plain(Evaluation::None)),
    ("crude", EvalKind::Plain(Evaluation::Crude)),
    ("hb", EvalKind::Human),
    ("nn-outcome", EvalKind::Network(ValueKind::Outcome)),
    ("nn-utility", EvalKind::Network(ValueKind::Utility)),
];
const FORMS: WordValues<ValueKind, 2> =
    [("corrected", ValueKind::Outcome), ("published", ValueKind::PublishedOutcome)];
const SIMULATORS: WordValues<Fidelity, 2> =
    [("exact", Fidelity::Exact), ("original", Fidelity::Original)];

pub(super) const FLAT_UCB: AgentKind = AgentKind {
    name: NAME,
    former_name: None,
    summary: "the published agent: a UCB1 bandit over the swaps with random rollouts",
    options: &[
        option("sims", number(1, 1_000_000_000), "rollouts per move [default: 100]"),
        option("time", ValueType::Time, "time per move, such as 10ms"),
        option(
            "depth",
            ValueType::WordOr { words: &["all"], other: &number(1, 9999) },
            "swaps per rollout [default: 5; 20 with eval=none, 2 with nn-utility]",
        ),
        option("c", decimal(0.0, 100.0), "exploration constant [default: 1.4]"),
        option(
            "eval",
            word(&words(&EVALUATIONS)),
            "evaluation at the end of a rollout [default: hb]",
        ),
        option(
            "weights",
            ValueType::Text { name: "M/I/G" },
            "weights of medals, ice and gems in hb [default: 10/5/1]",
        ),
        option(
            "form",
            word(&words(&FORMS)),
            "input encoding of nn-outcome: corrected or as published [default: corrected]",
        ),
        option(
            "file",
            ValueType::File { most: Network::MAX_BYTES },
            "network file for nn-outcome or nn-utility",
        ),
        option(
            "simulator",
            word(&words(&SIMULATORS)),
            "whether rollouts create bonuses [default: exact]",
        ),
    ],
    read: |options| Ok(AgentConfig::Flat(Box::new(FlatSpec::read(options)?))),
};

/// The agent's options.
#[derive(Clone, Debug)]
pub struct FlatSpec {
    options: FlatUcbOptions,
    limits: Limits,
    fidelity: Fidelity,
    value: RolloutEval,
}

/// The evaluation at the end of a rollout.
#[derive(Clone, Debug)]
enum RolloutEval {
    Plain(Evaluation),
    Network(NetworkSource),
}

/// A network from a file or shipped. It is loaded for the first agent and shared with the others,
/// because an agent is built for every game.
#[derive(Clone, Debug)]
struct NetworkSource {
    kind: ValueKind,
    file: Option<PlayerFile>,
    loaded: Arc<OnceLock<NetworkValue>>,
}

impl NetworkSource {
    fn network(&self) -> Result<NetworkValue, SpecError> {
        if let Some(network) = self.loaded.get() {
            return Ok(network.clone());
        }
        let network = match &self.file {
            None => NetworkValue::shipped(self.kind),
            Some(file) => {
                let bytes = file.bytes().map_err(NetworkError::from);
                let network = bytes.and_then(Network::from_bytes);
                let value = network.and_then(|network| NetworkValue::new(network, self.kind));
                value.map_err(|error| file.unusable(NAME, &error))?
            }
        };
        Ok(self.loaded.get_or_init(|| network).clone())
    }
}

impl FlatSpec {
    fn read(options: &PlayerOptions) -> Result<FlatSpec, SpecError> {
        let usual = FlatUcbOptions::default();
        let value = RolloutEval::read(options)?;
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
        settings: &GemSettings,
        seed: u64,
    ) -> Result<Box<dyn Agent<M>>, SpecError> {
        let options = FlatUcbOptions { seed, ..self.options.clone() };
        let (limits, fidelity) = (self.limits.clone(), self.fidelity);
        match &self.value {
            RolloutEval::Plain(value) => {
                Ok(Box::new(FlatAgent::new(options, limits, fidelity, *value)))
            }
            RolloutEval::Network(source) => {
                let agent = FlatAgent::new(options, limits, fidelity, source.network()?);
                check_board(settings).map_err(|error| unfit(error.to_string()))?;
                // Networks know one board, whose cells fit into 128 bits.
                M::from_narrow::<AnyAgent>(Box::new(agent))
                    .ok_or_else(|| unfit("networks do not support such a large board".to_string()))
            }
        }
    }
}

fn unfit(why: String) -> SpecError {
    SpecError::Impossible { owner: NAME.to_string(), why }
}

/// An agent of any kind, for boards of a mask.
struct AnyAgent;

impl MaskFamily for AnyAgent {
    type Of<M: Mask> = Box<dyn Agent<M>>;
}

#[derive(Clone, Copy, PartialEq)]
enum EvalKind {
    Plain(Evaluation),
    Human,
    Network(ValueKind),
}

impl RolloutEval {
    fn read(options: &PlayerOptions) -> Result<RolloutEval, SpecError> {
        let kind = options.choice("eval", &EVALUATIONS).unwrap_or(EvalKind::Human);
        let (file, form) = (options.file("file"), options.choice("form", &FORMS));
        let weights = weights(options)?;
        let only_for = |option: &str, eval: &str| unfit(format!("{option} needs eval={eval}"));
        if weights.is_some() && kind != EvalKind::Human {
            return Err(only_for("weights", "hb"));
        } else if form.is_some() && kind != EvalKind::Network(ValueKind::Outcome) {
            return Err(only_for("form", "nn-outcome"));
        } else if file.is_some() && !matches!(kind, EvalKind::Network(_)) {
            return Err(only_for("file", "nn-outcome or eval=nn-utility"));
        }
        Ok(match kind {
            EvalKind::Plain(plain) => RolloutEval::Plain(plain),
            EvalKind::Human => RolloutEval::Plain(Evaluation::Human(weights.unwrap_or_default())),
            EvalKind::Network(kind) => {
                let (kind, loaded) = (form.unwrap_or(kind), Arc::default());
                RolloutEval::Network(NetworkSource { kind, file, loaded })
            }
        })
    }

    /// The published default is 5, and 20 where only wins count. The utility network was trained
    /// and measured with 2.
    fn usual_depth(&self) -> u32 {
        match self {
            RolloutEval::Plain(Evaluation::None) => 20,
            RolloutEval::Network(NetworkSource { kind: ValueKind::Utility, .. }) => 2,
            RolloutEval::Plain(_) | RolloutEval::Network(_) => 5,
        }
    }
}

/// Reads `10/5/1`: medals, ice, gems.
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
    use tesuji_games::rules::gem_island::{GemIsland, GemSettings, WideMask};

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
            ("flat-ucb:eval=crude,weights=1/2/3", "weights needs eval=hb"),
            ("flat-ucb:eval=nn-utility,form=published", "form needs eval=nn-outcome"),
            ("flat-ucb:file=x.net", "file needs eval=nn-outcome"),
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
        let error = agent.build::<u128>(&GemSettings::level(1).unwrap(), 1).err().unwrap();
        assert!(error.to_string().contains("invalid file '/nowhere.net'"), "{error}");
    }

    #[test]
    fn networks_play_on_their_board_alone() {
        let network: AgentSpec = "flat-ucb:eval=nn-utility,sims=4".parse().unwrap();
        let usual = GemSettings::level(2).unwrap();
        let game = GemIsland::<u128>::generate(usual, &mut seeded(1)).unwrap();
        let mut agent = network.build::<u128>(&usual, 1).unwrap();
        assert_eq!(agent.decide(&game.view()).unwrap().rollouts, 4);
        let other = GemSettings { rows: 8, ice_rows: 5, ..usual };
        let refusal = network.build::<u128>(&other, 1).err().unwrap().to_string();
        assert!(refusal.contains("9"), "{refusal}");
        let wide = GemSettings { rows: 20, columns: 20, ..usual };
        assert!(network.build::<WideMask>(&wide, 1).is_err());
    }
}
