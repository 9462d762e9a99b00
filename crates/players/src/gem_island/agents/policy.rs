//! The policy network as an agent, and as prior of the flat bandit.

use std::sync::{Arc, OnceLock};

use tesuji_games::SpecError;
use tesuji_games::rules::gem_island::{GemIsland, GemSettings, GemView, Mask, Swap};
use tesuji_learn::gem_island::{PolicyNetwork, check_board};
use tesuji_learn::network::{Network, NetworkError};
use tesuji_play::PlayerFile;
use tesuji_play::options::{ValueType, option};
use tesuji_search::gem_island::{Agent, Decision, SwapPrior, SwapValue};

use super::{AgentConfig, AgentKind, for_networks, unfit};

const NAME: &str = "policy";

pub(super) const POLICY: AgentKind = AgentKind {
    name: NAME,
    former_name: None,
    summary: "the swap that people would most probably make, by a network trained on their games",
    options: &[option(
        "file",
        ValueType::File { most: Network::MAX_BYTES },
        "network file [default: the network of the program]",
    )],
    read: |options| Ok(AgentConfig::Policy(PolicySource::new(NAME, options.file("file")))),
};

/// A policy network from a file or shipped. It is loaded once and shared, because an agent is built
/// for every game.
#[derive(Clone, Debug)]
pub struct PolicySource {
    owner: &'static str,
    file: Option<PlayerFile>,
    loaded: Arc<OnceLock<PolicyNetwork>>,
}

impl PolicySource {
    /// The owner is named in errors.
    pub(super) fn new(owner: &'static str, file: Option<PlayerFile>) -> PolicySource {
        PolicySource { owner, file, loaded: Arc::default() }
    }

    /// Loads the network, if it supports the board.
    pub(super) fn network(&self, settings: &GemSettings) -> Result<PolicyNetwork, SpecError> {
        check_board(settings).map_err(|why| unfit(self.owner, why))?;
        if let Some(network) = self.loaded.get() {
            return Ok(network.clone());
        }
        let network = match &self.file {
            None => PolicyNetwork::shipped(),
            Some(file) => {
                let bytes = file.bytes().map_err(NetworkError::from);
                let network = bytes.and_then(Network::from_bytes).and_then(PolicyNetwork::new);
                network.map_err(|error| file.unusable(self.owner, &error))?
            }
        };
        Ok(self.loaded.get_or_init(|| network).clone())
    }

    pub(super) fn build<M: Mask>(
        &self,
        settings: &GemSettings,
    ) -> Result<Box<dyn Agent<M>>, SpecError> {
        for_networks(self.owner, Box::new(PolicyAgent(self.network(settings)?)))
    }
}

/// Plays the most probable swap.
struct PolicyAgent(PolicyNetwork);

impl Agent<u128> for PolicyAgent {
    fn decide(&mut self, view: &GemView<u128>) -> Option<Decision> {
        let swaps = view.known.legal_swaps();
        let chances = self.0.probabilities(&view.known, &swaps);
        let valued = swaps.into_iter().zip(chances);
        let mut swaps: Vec<SwapValue> =
            valued.map(|(swap, mean)| SwapValue { swap, mean, visits: 0 }).collect();
        swaps.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        let best = swaps.first()?;
        Some(Decision { swap: best.swap, value: best.mean, rollouts: 0, swaps })
    }
}

/// The network as prior.
pub(super) struct PolicyPrior(pub(super) PolicyNetwork);

impl SwapPrior for PolicyPrior {
    fn probabilities(&mut self, view: &GemView<u128>, swaps: &[Swap]) -> Vec<f64> {
        let state: &GemIsland<u128> = &view.known;
        self.0.probabilities(state, swaps)
    }
}
