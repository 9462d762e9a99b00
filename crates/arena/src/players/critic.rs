//! The players `critic`, `critic-mcts` and `uct`: a critic network alone, in the report's Algorithm 1, and as the guide
//! of a tree search.

use std::sync::{Arc, Mutex};

use tesuji_games::{Grid, Spec, SpecError, registry};
use tesuji_learn::critic::agents::{
    CriticMcts, CriticMctsOptions, CriticUct, GuideOptions, LeafChance, OnePly, Prior, View,
};
use tesuji_learn::critic::{Critic, CriticError};
use tesuji_learn::network::{Network, NetworkError};
use tesuji_learn::shipped::{CRITICS, ShippedCritic};
use tesuji_search::PuctOptions;
use tesuji_search::game::BoxedSearch;

use super::file::PlayerFile;
use super::rows::RowSearch;
use super::searching::decimal;
use super::{PlayerContext, PlayerInfo, SEED};

pub(super) const PLAYERS: [PlayerInfo; 3] = [CRITIC, CRITIC_MCTS, UCT];

const FILE: (&str, &str) =
    ("file=FILE", "a critic (.net) (default: what comes with the program for such rows)");
const MODEL: (&str, &str) = ("model=NAME", "one that comes with the program");
const C: (&str, &str) = ("c=X", "weight of exploration (default 1.5)");
const TEMPERATURE: (&str, &str) =
    ("temperature=X", "less: the critic's favourite moves are looked at more (default 1)");
const SIMS: (&str, &str) = ("sims=N", "simulations a move (default 10000, unless there is a time)");
const TIME: (&str, &str) = ("time=T", "time a move at most");

const CRITIC: PlayerInfo = PlayerInfo {
    name: "critic",
    summary: "the move after which a critic network sees the best chance (needs Stones)",
    options: &[FILE, MODEL, SEED],
};

const CRITIC_MCTS: PlayerInfo = PlayerInfo {
    name: "critic-mcts",
    summary: "a tree search after each of a critic's favourite moves, and both opinions mixed (needs Stones)",
    options: &[
        FILE,
        MODEL,
        ("lambda=X", "weight of the critic's own opinion, from 0 to 1 (default 0.5)"),
        ("top=N", "how many moves are searched (default 5)"),
        (
            "leaf=critic|playout",
            "what a position is worth: the critic's word, or a game to its end (default critic)",
        ),
        C,
        TEMPERATURE,
        SIMS,
        TIME,
        SEED,
    ],
};

const UCT: PlayerInfo = PlayerInfo {
    name: "uct",
    summary: "a tree search that a critic network guides (needs Stones)",
    options: &[
        FILE,
        MODEL,
        ("prior=critic|even", "which moves first: by the critic, or all alike (default critic)"),
        (
            "value=critic|reply|playout",
            "what a position is worth: the critic's word on it, on the best reply, or a game to its end (default reply)",
        ),
        C,
        TEMPERATURE,
        SIMS,
        TIME,
        SEED,
    ],
};

/// One of the players with its options.
#[derive(Clone, Debug)]
pub(super) struct CriticSpec {
    player: &'static str,
    agent: Agent,
    source: Source,
    /// Read when first wanted: a player is made anew for every game.
    critic: Arc<Mutex<Option<(Grid, View)>>>,
}

#[derive(Clone, Debug)]
enum Agent {
    OnePly,
    Mcts(CriticMctsOptions),
    Uct { tree: PuctOptions, guide: GuideOptions },
}

/// Where the critic is.
#[derive(Clone, Debug)]
enum Source {
    /// In a file.
    File(PlayerFile),
    /// In the program, under this name.
    Named(String),
    /// In the program: the first for the game.
    Any,
}

impl CriticSpec {
    /// Reads the options other than limits, if the name is that of such a player.
    pub(super) fn read(spec: &mut Spec) -> Result<Option<CriticSpec>, SpecError> {
        let Some(player) = PLAYERS.iter().find(|player| player.name == spec.name()) else {
            return Ok(None);
        };
        let source = Source::read(spec)?;
        let agent = match player.name {
            "critic" => Agent::OnePly,
            "critic-mcts" => Agent::Mcts(read_mcts(spec)?),
            _ => {
                let tree = read_tree(spec)?;
                Agent::Uct { tree, guide: read_guide(spec)? }
            }
        };
        Ok(Some(CriticSpec { player: player.name, agent, source, critic: Arc::default() }))
    }

    pub(super) fn file(&self) -> Option<&PlayerFile> {
        match &self.source {
            Source::File(file) => Some(file),
            Source::Named(_) | Source::Any => None,
        }
    }

    /// Whether it takes time and simulations.
    pub(super) fn simulates(&self) -> bool {
        !matches!(self.agent, Agent::OnePly)
    }

    pub(super) fn build(
        &self,
        player: &str,
        context: &PlayerContext,
    ) -> Result<BoxedSearch, SpecError> {
        let seed = context.seed;
        let view = self.view(player, context)?;
        Ok(RowSearch::boxed(match &self.agent {
            Agent::OnePly => Box::new(OnePly::new(view)),
            Agent::Mcts(options) => {
                let guide = GuideOptions { seed, ..options.guide.clone() };
                let options = CriticMctsOptions { guide, ..options.clone() };
                Box::new(CriticMcts::new(view, options))
            }
            Agent::Uct { tree, guide } => {
                let guide = GuideOptions { seed, ..guide.clone() };
                Box::new(CriticUct::new(view, tree.clone(), guide))
            }
        }))
    }

    /// The critic on the board of the game.
    pub(super) fn view(&self, player: &str, context: &PlayerContext) -> Result<View, SpecError> {
        let wanted = context.game.rows().ok_or_else(|| needs_stones(player, context))?.grid;
        let mut known = self.critic.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, view)) = known.as_ref().filter(|(grid, _)| *grid == wanted) {
            return Ok(view.clone());
        }
        let critic = Arc::new(self.load(context.game.name(), &wanted)?);
        let view = View::new(&wanted, critic).map_err(|error| SpecError::Impossible {
            owner: player.to_string(),
            why: error.to_string(),
        })?;
        *known = Some((wanted, view.clone()));
        Ok(view)
    }

    fn load(&self, game: &str, wanted: &Grid) -> Result<Critic, SpecError> {
        let critic = match &self.source {
            Source::File(file) => {
                let bytes = file.bytes().map_err(NetworkError::from);
                let network = bytes.and_then(Network::from_bytes);
                network.map_err(CriticError::from).and_then(Critic::new)
            }
            Source::Named(_) | Source::Any => self.shipped(game, wanted)?.critic(),
        };
        critic.map_err(|error| self.unusable(&format!("a critic that can be used ({error})")))
    }

    /// The critic in the program: for the same board, or else for rows of the same length. What it counts does not
    /// depend on the board.
    fn shipped(&self, game: &str, wanted: &Grid) -> Result<&'static ShippedCritic, SpecError> {
        if let Source::Named(name) = &self.source {
            let names: Vec<&str> = CRITICS.iter().map(|shipped| shipped.name).collect();
            let expected = format!("one of {}", names.join(", "));
            return ShippedCritic::named(name).ok_or_else(|| self.unusable(&expected));
        }
        let grid = |shipped: &ShippedCritic| {
            registry::start(shipped.game).ok()?.rows().map(|game| game.grid)
        };
        let same_board = CRITICS.iter().find(|shipped| grid(shipped).as_ref() == Some(wanted));
        let same_row = |grid: Grid| grid.k == wanted.k && grid.gravity == wanted.gravity;
        let like_it = || CRITICS.iter().find(|shipped| grid(shipped).is_some_and(same_row));
        same_board.or_else(like_it).ok_or_else(|| {
            self.unusable(&format!("a critic for '{game}': none comes with the program"))
        })
    }

    fn unusable(&self, expected: &str) -> SpecError {
        let (option, value) = match &self.source {
            Source::File(file) => ("file", file.path().to_string()),
            Source::Named(name) => ("model", name.clone()),
            Source::Any => ("file", String::new()),
        };
        SpecError::BadValue {
            owner: self.player.to_string(),
            option: option.to_string(),
            value,
            expected: expected.to_string(),
        }
    }
}

impl Source {
    fn read(spec: &mut Spec) -> Result<Source, SpecError> {
        match (PlayerFile::take(spec, "file", Network::LONGEST_FILE), spec.take("model")) {
            (Some(file), None) => Ok(Source::File(file)),
            (None, Some(name)) => Ok(Source::Named(name)),
            (None, None) => Ok(Source::Any),
            (Some(_), Some(name)) => {
                Err(spec.bad_value("model", &name, "a file or a model, not both"))
            }
        }
    }
}

fn read_mcts(spec: &mut Spec) -> Result<CriticMctsOptions, SpecError> {
    let usual = CriticMctsOptions::default();
    let leaves = [("critic", LeafChance::Critic), ("playout", LeafChance::Playout)];
    let value = spec.choice("leaf", &leaves)?.unwrap_or(usual.guide.value);
    let temperature = read_temperature(spec)?.unwrap_or(usual.guide.temperature);
    Ok(CriticMctsOptions {
        lambda: decimal(spec, "lambda", 0.0..=1.0)?.unwrap_or(usual.lambda),
        top: spec.number("top", 1..=1000)?.map_or(usual.top, |top| top as usize),
        tree: read_tree(spec)?,
        guide: GuideOptions { value, temperature, ..usual.guide },
    })
}

fn read_tree(spec: &mut Spec) -> Result<PuctOptions, SpecError> {
    let usual = PuctOptions::default();
    let exploration = decimal(spec, "c", 0.0..=100.0)?.unwrap_or(usual.exploration);
    Ok(PuctOptions { exploration, ..usual })
}

fn read_guide(spec: &mut Spec) -> Result<GuideOptions, SpecError> {
    let usual = GuideOptions::default();
    let priors = [("critic", Prior::Critic), ("even", Prior::Even)];
    let values = [
        ("critic", LeafChance::Critic),
        ("reply", LeafChance::Reply),
        ("playout", LeafChance::Playout),
    ];
    Ok(GuideOptions {
        prior: spec.choice("prior", &priors)?.unwrap_or(usual.prior),
        value: spec.choice("value", &values)?.unwrap_or(usual.value),
        temperature: read_temperature(spec)?.unwrap_or(usual.temperature),
        ..usual
    })
}

fn read_temperature(spec: &mut Spec) -> Result<Option<f32>, SpecError> {
    Ok(decimal(spec, "temperature", 0.05..=100.0)?.map(|x| x as f32))
}

fn needs_stones(player: &str, context: &PlayerContext) -> SpecError {
    SpecError::MissingCapability {
        user: player.to_string(),
        capability: "Stones",
        game: context.game.name().to_string(),
        remedy: "critics play games such as gomoku, renju and connect6".to_string(),
    }
}

#[cfg(test)]
mod tests;
