//! Settings of a run that trains a network: one TOML file with `learner = "gem-outcome"`,
//! `"gem-utility"` or `"gem-policy"`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tesuji_games::rules::gem_island::GemSettings;

use super::features::FEATURES;
use super::outcome::MovesLeft;
use super::planes::PLANES;
use super::players::{AgentFactory, parse_agent};
use super::policy::{POLICY_PLANES, PolicyLabels};
use super::utility::UtilityLabels;
use super::{outcome, policy, utility};
use crate::network::{InvalidNetwork, Network, Optimizer};
use tesuji_train::settings::check_ranges;
use tesuji_train::{CommonSettings, SettingsError};

/// What a network predicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum GemNetworkKind {
    /// Whether the game will be won, as published.
    #[default]
    #[serde(rename = "gem-outcome")]
    Outcome,
    /// How soon the game will be won, or the value of the best swap.
    #[serde(rename = "gem-utility")]
    Utility,
    /// Which swap a player makes.
    #[serde(rename = "gem-policy")]
    Policy,
}

/// The source of examples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GemDataSource {
    /// Self-play games.
    #[default]
    Games,
    /// Logs of played games.
    Logs,
}

/// Settings of the learners. Everything but the learner has a default.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GemLearnerSettings {
    /// The learner.
    pub learner: GemNetworkKind,
    /// The random seed of the run.
    pub seed: u64,
    /// Threads that play and train, 0 for one per hardware thread. Affects only the speed.
    pub threads: usize,
    /// The source of examples.
    pub data: GemDataSource,
    /// The folder or store of the logs.
    pub logs: PathBuf,
    /// Self-play.
    pub games: GemSelfPlaySettings,
    /// Training.
    pub learning: GemTrainingSettings,
    /// Measurements during the run.
    pub measure: GemMeasureSettings,
}

/// Settings of self-play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GemSelfPlaySettings {
    /// The levels, equally often.
    pub levels: Vec<usize>,
    /// Games, or logs, per block.
    pub block: u64,
    /// The agents, equally often; not for utility = "moves".
    pub players: Vec<String>,
    /// Color permutations of each state for the outcome network.
    pub permutations: usize,
    /// The number of moves left in its states.
    pub clock: MovesLeft,
    /// What the utility network predicts.
    pub utility: UtilityLabels,
    /// What the policy network predicts.
    pub policy: PolicyLabels,
    /// Other legal swaps for each played one, for the policy network.
    pub others: usize,
    /// One log in this many is held out, to measure the policy network.
    pub held_out: usize,
}

impl Default for GemSelfPlaySettings {
    fn default() -> Self {
        let players = ["random", "greedy:slips=3", "greedy", "flat-ucb:sims=20", "flat-ucb"];
        GemSelfPlaySettings {
            levels: vec![1],
            block: 1_000,
            players: players.map(String::from).to_vec(),
            permutations: 4,
            clock: MovesLeft::default(),
            utility: UtilityLabels::default(),
            policy: PolicyLabels::default(),
            others: 3,
            held_out: 10,
        }
    }
}

/// The order of the examples of a block, and the learning rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainingForm {
    /// In random order; the rate falls to a twentieth over the second half of the blocks.
    #[default]
    Corrected,
    /// As published: all permutations of a state in a row, so that a step has one board in
    /// different colors, with a constant rate.
    Published,
}

/// Settings of training.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GemTrainingSettings {
    /// Blocks of games.
    pub blocks: u64,
    /// Examples per step.
    pub batch: usize,
    /// The order of examples, and the learning rate.
    pub form: TrainingForm,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// The L2 penalty of the outcome network's convolution.
    pub l2: f32,
    /// Filters of the utility and the policy network.
    pub filters: usize,
    /// Units of their second layer.
    pub units: usize,
}

impl Default for GemTrainingSettings {
    fn default() -> Self {
        GemTrainingSettings {
            blocks: 60,
            batch: 64,
            form: TrainingForm::default(),
            optimizer: Optimizer::Adam { rate: 0.002 },
            l2: 1e-4,
            filters: 12,
            units: 32,
        }
    }
}

/// Settings of the measurement: how often the flat bandit wins with the network, or how often the
/// policy network's first choice is the swap that was played in held-out games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GemMeasureSettings {
    /// Blocks between measurements, which also follow the last block; 0 for none.
    pub every: u64,
    /// Games of level 1, or held-out games.
    pub games: u64,
    /// Rollouts per swap.
    pub sims: u64,
    /// Swaps per rollout.
    pub depth: u32,
}

impl Default for GemMeasureSettings {
    fn default() -> Self {
        GemMeasureSettings { every: 10, games: 100, sims: 100, depth: 5 }
    }
}

impl tesuji_train::LearnerSettings for GemLearnerSettings {
    fn check(&self) -> Result<(), SettingsError> {
        check_ranges(self.ranges())?;
        self.players()?;
        self.random_init().map_err(|error| SettingsError::value(format!("`learning`: {error}")))?;
        match self.data {
            GemDataSource::Logs if self.is_utility_of_moves() => Err(SettingsError::value(
                "`data`: \"logs\" is not supported by games.utility = \"moves\", whose games are played to \
                 the end; expected data = \"games\" or games.utility = \"search\"",
            )),
            GemDataSource::Logs if self.logs.as_os_str().is_empty() => Err(SettingsError::value(
                "`logs`: missing; expected a folder or a store, such as logs = \"games/\"",
            )),
            _ => Ok(()),
        }
    }

    fn common(&self) -> CommonSettings {
        CommonSettings {
            game: "gem-island".to_string(),
            seed: self.seed,
            threads: Some(self.threads),
            steps: Some(self.learning.blocks),
            ..CommonSettings::default()
        }
    }
}

impl GemLearnerSettings {
    /// The settings for other machines, which choose their number of threads themselves and have no
    /// logs.
    pub(super) fn for_remote(&self) -> GemLearnerSettings {
        GemLearnerSettings { threads: 0, logs: PathBuf::new(), ..self.clone() }
    }

    fn ranges(&self) -> Vec<(&'static str, f64, f64, f64)> {
        let (games, learning, measure) = (&self.games, &self.learning, &self.measure);
        let (rate, momentum) = match learning.optimizer {
            Optimizer::Sgd { rate, momentum } => (rate, momentum),
            Optimizer::Adam { rate } => (rate, 0.0),
        };
        let mut all = vec![
            ("seed", self.seed as f64, 0.0, i64::MAX as f64),
            ("threads", self.threads as f64, 0.0, 1024.0),
            ("games.levels (count)", games.levels.len() as f64, 1.0, 100.0),
            ("games.block", games.block as f64, 1.0, 1e6),
            ("games.players (count)", games.players.len() as f64, 1.0, 100.0),
            ("games.permutations", games.permutations as f64, 1.0, 720.0),
            ("games.others", games.others as f64, 1.0, 100.0),
            ("games.held_out", games.held_out as f64, 2.0, 1e6),
            ("learning.blocks", learning.blocks as f64, 1.0, 1e9),
            ("learning.batch", learning.batch as f64, 1.0, 65_536.0),
            ("learning.optimizer.rate", rate.into(), 1e-9, 1e3),
            ("learning.optimizer.momentum", momentum.into(), 0.0, 0.9999),
            ("learning.filters", learning.filters as f64, 1.0, 256.0),
            ("learning.units", learning.units as f64, 1.0, 4096.0),
            ("measure.every", measure.every as f64, 0.0, 1e9),
            ("measure.games", measure.games as f64, 1.0, 1e6),
            ("measure.sims", measure.sims as f64, 1.0, 1e6),
            ("measure.depth", f64::from(measure.depth), 1.0, 100.0),
        ];
        all.extend(games.levels.iter().map(|&level| ("games.levels", level as f64, 1.0, 3.0)));
        all
    }

    /// The boards of the games. The networks support those of all levels.
    pub(super) fn boards(&self) -> Vec<GemSettings> {
        self.games.levels.iter().filter_map(|&level| GemSettings::level(level)).collect()
    }

    /// The agents that play.
    pub(super) fn players(&self) -> Result<Vec<AgentFactory>, SettingsError> {
        let wrong = |error| SettingsError::Value(format!("`games.players`: {error}"));
        self.games.players.iter().map(|text| parse_agent(text).map_err(wrong)).collect()
    }

    /// The network with random weights.
    pub(super) fn random_init(&self) -> Result<Network, InvalidNetwork> {
        let GemTrainingSettings { l2, filters, units, .. } = self.learning;
        let (input, layers) = match self.learner {
            GemNetworkKind::Outcome => (PLANES, outcome::layers(l2)),
            GemNetworkKind::Utility if self.is_utility_of_moves() => {
                (FEATURES, utility::layers(filters, units))
            }
            GemNetworkKind::Utility => (PLANES, utility::search_layers(filters, units)),
            GemNetworkKind::Policy => (POLICY_PLANES, policy::layers(filters, units)),
        };
        Network::new(input, &layers, self.seed)
    }

    /// Whether the network is our utility network, and not the one that the thesis proposed.
    pub(super) fn is_utility_of_moves(&self) -> bool {
        self.learner == GemNetworkKind::Utility && self.games.utility == UtilityLabels::Moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_train::LearnerSettings as _;

    #[test]
    fn defaults_need_only_a_learner_and_round_trip() {
        for learner in ["gem-outcome", "gem-utility", "gem-policy"] {
            let settings =
                GemLearnerSettings::from_toml(&format!("learner = \"{learner}\"")).unwrap();
            let text = settings.to_toml();
            assert!(text.contains(&format!("learner = \"{learner}\"")), "{text}");
            assert_eq!(GemLearnerSettings::from_toml(&text).unwrap(), settings, "{text}");
        }
    }

    #[test]
    fn errors_name_the_problem_in_one_line() {
        for (text, words) in [
            ("learner = 'forest'", "unknown variant `forest`"),
            ("seeds = 3", "unknown field `seeds`"),
            ("[games]\nlevels = [1, 4]", "`games.levels`"),
            ("[games]\nlevels = []", "`games.levels (count)`"),
            ("[games]\nplayers = ['unknown']", "`games.players`: "),
            ("[games]\nplayers = ['greedy:slips=0']", "`games.players`: "),
            ("[games]\nplayers = ['greedy:slip=4']", "`games.players`: "),
            ("[learning]\nbatch = 0", "`learning.batch`"),
            ("[learning]\noptimizer = { method = 'adam', rate = nan }", "rate` is NaN"),
            ("[learning]\noptimizer = { method = 'magic' }", "unknown variant `magic`"),
            ("[learning]\nl2 = -1.0", "`learning`: layer 1: l2 is -1"),
            ("learner = 'gem-utility'\ndata = 'logs'", "data = \"games\""),
            ("data = 'logs'", "`logs`: missing"),
            ("[games]\nheld_out = 1", "`games.held_out`"),
            ("[games]\nutility = 'greedy'", "unknown variant `greedy`"),
            ("[learning]\nform = 'faulty'", "unknown variant `faulty`"),
        ] {
            let error = GemLearnerSettings::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
