//! The published agent and its options: rollouts and their evaluation.

use std::sync::{Arc, OnceLock};

use tesuji_games::SpecError;
use tesuji_games::rules::gem_island::{Fidelity, GemIsland, GemSettings, Mask};
use tesuji_learn::gem_island::{NetworkValue, ValueKind, check_board};
use tesuji_learn::network::{Network, NetworkError};
use tesuji_search::flat_ucb::RolloutValue;
use tesuji_search::gem_island::{Agent, Evaluation, FlatAgent, GuidedAgent, HumanWeights};
use tesuji_search::{FlatUcbOptions, Limits};

use super::policy::{PolicyPrior, PolicySource};
use super::{AgentConfig, AgentKind, for_networks, unfit};
use tesuji_play::PlayerFile;
use tesuji_play::options::{
    PlayerOptions, ValueType, WordValues, decimal, number, option, word, words,
};

const NAME: &str = "flat-ucb";

const EVALUATIONS: WordValues<EvalKind, 6> = [
    ("none", EvalKind::Plain(Evaluation::None)),
    ("crude", EvalKind::Plain(Evaluation::Crude)),
    ("hb", EvalKind::Human),
    ("moves", EvalKind::Plain(Evaluation::MovesLeft)),
    ("nn-outcome", EvalKind::Network(ValueKind::Outcome)),
    ("nn-utility", EvalKind::Network(ValueKind::Utility)),
];
const FORMS: WordValues<Form, 2> = [("corrected", Form::Corrected), ("published", Form::Published)];
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
            "swaps per rollout [default: 5; 20 with eval=none, 2 with our nn-utility]",
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
            "network of nn-outcome or nn-utility: ours or as published [default: corrected]",
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
        option(
            "prior",
            word(&["policy"]),
            "spread rollouts by the probabilities of the policy network [default: none]",
        ),
        option(
            "prior-file",
            ValueType::File { most: Network::MAX_BYTES },
            "network file for prior=policy",
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
    prior: Option<PolicySource>,
}

/// Which of two networks, and its use.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Corrected,
    Published,
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
        let prior = options.is("prior", "policy");
        let prior_file = options.file("prior-file");
        if prior_file.is_some() && !prior {
            return Err(unfit(NAME, "prior-file needs prior=policy".to_string()));
        }
        Ok(FlatSpec {
            options: FlatUcbOptions {
                exploration: options.decimal("c").unwrap_or(usual.exploration),
                depth: Some(swaps).filter(|_| !options.is("depth", "all")),
                ..usual
            },
            limits: Limits { nodes, time, ..Limits::default() },
            fidelity: options.choice("simulator", &SIMULATORS).unwrap_or(Fidelity::Exact),
            value,
            prior: prior.then(|| PolicySource::new(NAME, prior_file)),
        })
    }

    pub(super) fn build<M: Mask>(
        &self,
        settings: &GemSettings,
        seed: u64,
    ) -> Result<Box<dyn Agent<M>>, SpecError> {
        match &self.value {
            RolloutEval::Plain(value) if self.prior.is_none() => {
                Ok(Box::new(self.agent(*value, seed)))
            }
            RolloutEval::Plain(value) => self.build_narrow(*value, settings, seed),
            RolloutEval::Network(source) => {
                let value = source.network()?;
                check_board(settings).map_err(|why| unfit(NAME, why))?;
                self.build_narrow(value, settings, seed)
            }
        }
    }

    fn agent<V>(&self, value: V, seed: u64) -> FlatAgent<V> {
        let options = FlatUcbOptions { seed, ..self.options.clone() };
        FlatAgent::new(options, self.limits.clone(), self.fidelity, value)
    }

    /// Builds an agent with a network.
    fn build_narrow<M: Mask, V: RolloutValue<GemIsland<u128>> + 'static>(
        &self,
        value: V,
        settings: &GemSettings,
        seed: u64,
    ) -> Result<Box<dyn Agent<M>>, SpecError> {
        let flat = self.agent(value, seed);
        match &self.prior {
            None => for_networks(NAME, Box::new(flat)),
            Some(source) => {
                let prior = Box::new(PolicyPrior(source.network(settings)?));
                for_networks(NAME, Box::new(GuidedAgent::new(flat, prior)))
            }
        }
    }
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
        let only_for =
            |option: &str, eval: &str| unfit(NAME, format!("{option} needs eval={eval}"));
        if weights.is_some() && kind != EvalKind::Human {
            return Err(only_for("weights", "hb"));
        } else if form.is_some() && !matches!(kind, EvalKind::Network(_)) {
            return Err(only_for("form", "nn-outcome or eval=nn-utility"));
        } else if file.is_some() && !matches!(kind, EvalKind::Network(_)) {
            return Err(only_for("file", "nn-outcome or eval=nn-utility"));
        }
        Ok(match kind {
            EvalKind::Plain(plain) => RolloutEval::Plain(plain),
            EvalKind::Human => RolloutEval::Plain(Evaluation::Human(weights.unwrap_or_default())),
            EvalKind::Network(kind) => {
                let kind = match (kind, form) {
                    (ValueKind::Outcome, Some(Form::Published)) => ValueKind::PublishedOutcome,
                    (ValueKind::Utility, Some(Form::Published)) => ValueKind::SearchUtility,
                    _ => kind,
                };
                RolloutEval::Network(NetworkSource { kind, file, loaded: Arc::default() })
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
            (
                "flat-ucb:eval=best",
                "expected one of none, crude, hb, moves, nn-outcome, nn-utility",
            ),
            ("flat-ucb:weights=10/5", "expected three weights such as 10/5/1"),
            ("flat-ucb:weights=1/2/x", "expected three weights"),
            ("flat-ucb:eval=crude,weights=1/2/3", "weights needs eval=hb"),
            ("flat-ucb:form=published", "form needs eval=nn-outcome or eval=nn-utility"),
            ("flat-ucb:prior-file=x.net", "prior-file needs prior=policy"),
            ("flat-ucb:prior=people", "expected one of policy"),
            ("flat-ucb:file=x.net", "file needs eval=nn-outcome"),
            ("flat-ucb:depth=0", "expected all or a whole number from 1 to 9999"),
            ("flat-ucb:rollouts=3", "rollouts"),
            ("belief:rollouts=0", "expected a whole number from 1"),
            ("clever", "random, greedy, flat-ucb, belief, policy, external"),
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
