//! The players `critic`, `critic-mcts` and `critic-puct`: a critic network alone, in the report's
//! Algorithm 1, and as the guide of PUCT.

use std::sync::Arc;

use tesuji_games::{RowBoard, RowGrid, SpecError, registry};
use tesuji_learn::critic::agents::{
    BoardCritic, CriticGuide, CriticLeafValue, CriticMcts, CriticMctsOptions, GuideOptions, OnePly,
    PriorSource,
};
use tesuji_learn::critic::{Critic, CriticError};
use tesuji_learn::network::{Network, NetworkError};
use tesuji_learn::shipped::{SHIPPED_CRITICS, ShippedModel};
use tesuji_play::options::{
    OptionInfo, PlayerOptions, SEED, ValueType, WordValues, decimal, number, option, word, words,
};
use tesuji_play::{PlayerContext, PlayerKind, PlayerSetup, PlayerSpec, SearchKind, SearchProfile};
use tesuji_search::{Limits, Puct, PuctOptions, Search};

use crate::model_source::{MODEL, ModelSource};
use crate::monte_carlo::{DEFAULT_SIMULATIONS, MOST_SIMULATIONS};
use crate::rows::{RowGameSearch, row_game_for};
use crate::searching::{
    Cached, FULL_GUIDED_TREE, TIME_AT_MOST, impossible, search_setup, simulations,
};

const FILE: OptionInfo = option(
    "file",
    ValueType::File { most: Network::MAX_BYTES },
    "critic network (.net) [default: shipped critic for the row length]",
);
const C: OptionInfo = option("c", decimal(0.0, 100.0), "exploration constant [default: 1.5]");
const TEMPERATURE: OptionInfo = option(
    "temperature",
    decimal(0.05, 100.0),
    "softmax temperature of the prior; lower favors the critic's best moves [default: 1]",
);
const SIMS: OptionInfo = option(
    "sims",
    number(1, MOST_SIMULATIONS),
    "simulations per move [default: 10000, unless time is given]",
);

const LEAVES: WordValues<CriticLeafValue, 2> =
    [("critic", CriticLeafValue::Critic), ("playout", CriticLeafValue::Playout)];
const PRIORS: WordValues<PriorSource, 2> =
    [("critic", PriorSource::Critic), ("even", PriorSource::Even)];
const VALUES: WordValues<CriticLeafValue, 3> = [
    ("critic", CriticLeafValue::Critic),
    ("reply", CriticLeafValue::Reply),
    ("playout", CriticLeafValue::Playout),
];

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "critic",
        former_name: None,
        summary: "the move with the best win probability of a critic network (needs RowPosition)",
        options: &[FILE, MODEL, SEED],
        read: |options| {
            let facts = SearchProfile::new(SearchKind::SelfTerminating, Limits::default());
            critic_player(options, facts, |view, _| Box::new(OnePly::new(view)))
        },
    },
    PlayerKind {
        name: "critic-mcts",
        former_name: None,
        summary: "tree search after the critic's best moves, mixed with the critic's own score (needs RowPosition)",
        options: &[
            FILE,
            MODEL,
            option(
                "lambda",
                decimal(0.0, 1.0),
                "weight of the critic's own score, 0 to 1 [default: 0.5]",
            ),
            option("top", number(1, 1000), "number of moves to search [default: 5]"),
            option(
                "leaf",
                word(&words(&LEAVES)),
                "leaf evaluation: critic network or random playout [default: critic]",
            ),
            C,
            TEMPERATURE,
            SIMS,
            TIME_AT_MOST,
            SEED,
        ],
        read: |options| {
            let usual = CriticMctsOptions::default();
            let agent = CriticMctsOptions {
                lambda: options.decimal("lambda").unwrap_or(usual.lambda),
                top: options.number("top").map_or(usual.top, |top| top as usize),
                tree: tree_options(options),
                guide: GuideOptions {
                    value: options.choice("leaf", &LEAVES).unwrap_or(usual.guide.value),
                    temperature: temperature(options, &usual.guide),
                    ..usual.guide
                },
            };
            critic_player(options, tree_facts(options), move |view, seed| {
                let guide = GuideOptions { seed, ..agent.guide.clone() };
                Box::new(CriticMcts::new(view, CriticMctsOptions { guide, ..agent.clone() }))
            })
        },
    },
    PlayerKind {
        name: "critic-puct",
        former_name: Some("uct"),
        summary: "PUCT guided by a critic network (needs RowPosition)",
        options: &[
            FILE,
            MODEL,
            option(
                "prior",
                word(&words(&PRIORS)),
                "move prior: critic network or uniform [default: critic]",
            ),
            option(
                "value",
                word(&words(&VALUES)),
                "leaf evaluation: critic, critic after the best reply, or random playout [default: reply]",
            ),
            C,
            TEMPERATURE,
            SIMS,
            TIME_AT_MOST,
            SEED,
        ],
        read: |options| {
            let (tree, usual) = (tree_options(options), GuideOptions::default());
            let guide = GuideOptions {
                prior: options.choice("prior", &PRIORS).unwrap_or(usual.prior),
                value: options.choice("value", &VALUES).unwrap_or(usual.value),
                temperature: temperature(options, &usual),
                ..usual
            };
            critic_player(options, tree_facts(options), move |view, seed| {
                let guide = GuideOptions { seed, ..guide.clone() };
                Box::new(Puct::new(tree.clone(), CriticGuide::new(view.evaluator(), guide)))
            })
        },
    },
];

/// Sets up a player with a critic; `agent` makes its search for a seed.
fn critic_player(
    options: &PlayerOptions,
    facts: SearchProfile,
    agent: impl Fn(BoardCritic, u64) -> Box<dyn Search<RowBoard>> + Send + Sync + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let (source, cache) = (ModelSource::read(options)?, Cached::default());
    let view = move |player: &str, context: &PlayerContext| {
        let grid = grid_of(player, context)?;
        cache.get(grid, || load_critic(&source, grid, player, context))
    };
    search_setup(facts, view, move |view, context| {
        Ok(RowGameSearch::boxed(agent(view, context.seed)))
    })
}

/// Describes a tree search with a critic.
fn tree_facts(options: &PlayerOptions) -> SearchProfile {
    let facts = SearchProfile::new(
        SearchKind::Simulations(Some(DEFAULT_SIMULATIONS)),
        simulations(options),
    );
    SearchProfile { trees: FULL_GUIDED_TREE, ..facts }
}

/// Loads the critic of a player for the board of a game; `None` for a player without one.
pub fn board_critic(
    player: &PlayerSpec,
    context: &PlayerContext,
) -> Option<Result<BoardCritic, SpecError>> {
    let is_critic = PLAYERS.iter().any(|kind| kind.name == player.name());
    is_critic.then(|| {
        let source = ModelSource::read(player.options())?;
        load_critic(&source, grid_of(player.text(), context)?, player.text(), context)
    })
}

fn grid_of(player: &str, context: &PlayerContext) -> Result<RowGrid, SpecError> {
    let remedy = "a game such as gomoku, renju or connect6";
    Ok(row_game_for(player, context, remedy)?.grid)
}

/// Loads the critic for the board of the game.
fn load_critic(
    source: &ModelSource,
    grid: RowGrid,
    player: &str,
    context: &PlayerContext,
) -> Result<BoardCritic, SpecError> {
    let critic = match &source.file {
        Some(file) => {
            let bytes = file.bytes().map_err(NetworkError::from);
            bytes.and_then(Network::from_bytes).map_err(CriticError::from).and_then(Critic::new)
        }
        None => shipped(source, context.game.name(), grid)?.critic(),
    };
    let critic =
        critic.map_err(|error| source.unusable(&format!("a valid critic file ({error})")))?;
    BoardCritic::new(&grid, Arc::new(critic)).map_err(|error| impossible(player, error))
}

/// Finds the shipped critic for the same board, or else for the same row length: its inputs do not
/// depend on the board.
fn shipped(
    source: &ModelSource,
    game: &str,
    wanted: RowGrid,
) -> Result<&'static ShippedModel, SpecError> {
    if let Some(named) = source.named(SHIPPED_CRITICS.iter(), |shipped| shipped.name)? {
        return Ok(named);
    }
    let grid =
        |shipped: &ShippedModel| registry::start(shipped.game).ok()?.rows().map(|game| game.grid);
    let same_board = SHIPPED_CRITICS.iter().find(|shipped| grid(shipped) == Some(wanted));
    let same_row = |grid: RowGrid| grid.k == wanted.k && grid.gravity == wanted.gravity;
    let like_it = || SHIPPED_CRITICS.iter().find(|shipped| grid(shipped).is_some_and(same_row));
    same_board
        .or_else(like_it)
        .ok_or_else(|| source.unusable(&format!("a critic for '{game}': none is shipped")))
}

fn tree_options(options: &PlayerOptions) -> PuctOptions {
    let usual = PuctOptions::default();
    PuctOptions { exploration: options.decimal("c").unwrap_or(usual.exploration), ..usual }
}

fn temperature(options: &PlayerOptions, usual: &GuideOptions) -> f32 {
    options.decimal("temperature").map_or(usual.temperature, |x| x as f32)
}

#[cfg(test)]
mod tests;
