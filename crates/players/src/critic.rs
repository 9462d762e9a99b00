//! The players `critic`, `critic-mcts` and `uct`: a critic network alone, in the report's Algorithm 1, and as the guide
//! of a tree search.

use std::sync::{Arc, Mutex};

use tesuji_games::{Grid, SpecError, registry};
use tesuji_learn::critic::agents::{
    CriticGuide, CriticMcts, CriticMctsOptions, GuideOptions, LeafChance, OnePly, Prior, View,
};
use tesuji_learn::critic::{Critic, CriticError};
use tesuji_learn::network::{Network, NetworkError};
use tesuji_learn::shipped::{CRITICS, Shipped};
use tesuji_search::game::BoxedSearch;
use tesuji_search::{Limits, Puct, PuctOptions};

use super::model_source::{MODEL, Source};
use super::monte_carlo::{MOST_SIMULATIONS, USUAL_SIMULATIONS};
use super::rows::RowSearch;
use crate::limits::{FULL_GUIDED_TREE, simulations};
use tesuji_play::options::{
    Choices, OptionInfo, Options, SEED, Takes, decimal, number, option, word, words,
};
use tesuji_play::{Pace, SearchFacts, Setup};
use tesuji_play::{PlayerContext, PlayerKind, PlayerSpec};

const FILE: OptionInfo = option(
    "file",
    Takes::File { most: Network::LONGEST_FILE },
    "a critic (.net) (default: what comes with the program for such rows)",
);
const C: OptionInfo = option("c", decimal(0.0, 100.0), "weight of exploration (default 1.5)");
const TEMPERATURE: OptionInfo = option(
    "temperature",
    decimal(0.05, 100.0),
    "less: the critic's favourite moves are looked at more (default 1)",
);
const SIMS: OptionInfo = option(
    "sims",
    number(1, MOST_SIMULATIONS),
    "simulations a move (default 10000, unless there is a time)",
);
const TIME: OptionInfo = option("time", Takes::Time, "time a move at most");

const LEAVES: Choices<LeafChance, 2> =
    [("critic", LeafChance::Critic), ("playout", LeafChance::Playout)];
const PRIORS: Choices<Prior, 2> = [("critic", Prior::Critic), ("even", Prior::Even)];
const VALUES: Choices<LeafChance, 3> = [
    ("critic", LeafChance::Critic),
    ("reply", LeafChance::Reply),
    ("playout", LeafChance::Playout),
];

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "critic",
        summary: "the move after which a critic network sees the best chance (needs Stones)",
        options: &[FILE, MODEL, SEED],
        read: |options| CriticSpec::read(options, "critic", Agent::OnePly, Limits::default()),
    },
    PlayerKind {
        name: "critic-mcts",
        summary: "a tree search after each of a critic's favourite moves, and both opinions mixed (needs Stones)",
        options: &[
            FILE,
            MODEL,
            option(
                "lambda",
                decimal(0.0, 1.0),
                "weight of the critic's own opinion, from 0 to 1 (default 0.5)",
            ),
            option("top", number(1, 1000), "how many moves are searched (default 5)"),
            option(
                "leaf",
                word(&words(&LEAVES)),
                "what a position is worth: the critic's word, or a game to its end (default critic)",
            ),
            C,
            TEMPERATURE,
            SIMS,
            TIME,
            SEED,
        ],
        read: |options| {
            let agent = Agent::Mcts(read_mcts(options));
            CriticSpec::read(options, "critic-mcts", agent, simulations(options))
        },
    },
    PlayerKind {
        name: "uct",
        summary: "a tree search that a critic network guides (needs Stones)",
        options: &[
            FILE,
            MODEL,
            option(
                "prior",
                word(&words(&PRIORS)),
                "which moves first: by the critic, or all alike (default critic)",
            ),
            option(
                "value",
                word(&words(&VALUES)),
                "what a position is worth: the critic's word on it, on the best reply, or a game to its end (default reply)",
            ),
            C,
            TEMPERATURE,
            SIMS,
            TIME,
            SEED,
        ],
        read: |options| {
            let agent = Agent::Uct { tree: read_tree(options), guide: read_guide(options) };
            CriticSpec::read(options, "uct", agent, simulations(options))
        },
    },
];

/// One of the players with its options.
#[derive(Clone, Debug)]
struct CriticSpec {
    player: &'static str,
    agent: Agent,
    limits: Limits,
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

impl CriticSpec {
    fn read(
        options: &Options,
        player: &'static str,
        agent: Agent,
        limits: Limits,
    ) -> Result<Box<dyn Setup>, SpecError> {
        let source = Source::read(options)?;
        Ok(Box::new(CriticSpec { player, agent, limits, source, critic: Arc::default() }))
    }
}

impl Setup for CriticSpec {
    fn facts(&self) -> Option<SearchFacts> {
        let own = self.limits.clone();
        Some(match self.agent {
            Agent::OnePly => SearchFacts::new(Pace::Ends, own),
            Agent::Mcts(_) | Agent::Uct { .. } => {
                let pace = Pace::Simulates(Some(USUAL_SIMULATIONS));
                SearchFacts { trees: FULL_GUIDED_TREE, ..SearchFacts::new(pace, own) }
            }
        })
    }

    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        self.view(player, context).map(drop)
    }

    fn search(&self, player: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
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
                Box::new(Puct::new(tree.clone(), CriticGuide::new(view.evaluator(), guide)))
            }
        }))
    }
}

/// The critic behind a player, on the board of a game; `None` for a player without one.
pub fn view(player: &PlayerSpec, context: &PlayerContext) -> Option<Result<View, SpecError>> {
    let is_critic = PLAYERS.iter().any(|kind| kind.name == player.name());
    is_critic.then(|| {
        let (agent, limits) = (Agent::OnePly, Limits::default());
        let source = Source::read(player.options())?;
        let (player, text, critic) = (player.name(), player.text(), Arc::default());
        CriticSpec { player, agent, limits, source, critic }.view(text, context)
    })
}

impl CriticSpec {
    /// The critic on the board of the game.
    fn view(&self, player: &str, context: &PlayerContext) -> Result<View, SpecError> {
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
    fn shipped(&self, game: &str, wanted: &Grid) -> Result<&'static Shipped, SpecError> {
        if let Source::Named(name) = &self.source {
            let names: Vec<&str> = CRITICS.iter().map(|shipped| shipped.name).collect();
            let expected = format!("one of {}", names.join(", "));
            let named = CRITICS.iter().find(|shipped| shipped.name == name);
            return named.ok_or_else(|| self.unusable(&expected));
        }
        let grid =
            |shipped: &Shipped| registry::start(shipped.game).ok()?.rows().map(|game| game.grid);
        let same_board = CRITICS.iter().find(|shipped| grid(shipped).as_ref() == Some(wanted));
        let same_row = |grid: Grid| grid.k == wanted.k && grid.gravity == wanted.gravity;
        let like_it = || CRITICS.iter().find(|shipped| grid(shipped).is_some_and(same_row));
        same_board.or_else(like_it).ok_or_else(|| {
            self.unusable(&format!("a critic for '{game}': none comes with the program"))
        })
    }

    fn unusable(&self, expected: &str) -> SpecError {
        self.source.unusable(self.player, expected)
    }
}

fn read_mcts(options: &Options) -> CriticMctsOptions {
    let usual = CriticMctsOptions::default();
    let value = options.choice("leaf", &LEAVES).unwrap_or(usual.guide.value);
    let temperature = temperature(options).unwrap_or(usual.guide.temperature);
    CriticMctsOptions {
        lambda: options.decimal("lambda").unwrap_or(usual.lambda),
        top: options.number("top").map_or(usual.top, |top| top as usize),
        tree: read_tree(options),
        guide: GuideOptions { value, temperature, ..usual.guide },
    }
}

fn read_tree(options: &Options) -> PuctOptions {
    let usual = PuctOptions::default();
    PuctOptions { exploration: options.decimal("c").unwrap_or(usual.exploration), ..usual }
}

fn read_guide(options: &Options) -> GuideOptions {
    let usual = GuideOptions::default();
    GuideOptions {
        prior: options.choice("prior", &PRIORS).unwrap_or(usual.prior),
        value: options.choice("value", &VALUES).unwrap_or(usual.value),
        temperature: temperature(options).unwrap_or(usual.temperature),
        ..usual
    }
}

fn temperature(options: &Options) -> Option<f32> {
    options.decimal("temperature").map(|x| x as f32)
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
