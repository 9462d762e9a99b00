//! The players `critic`, `critic-mcts` and `uct`: a critic network alone, in the report's Algorithm 1, and as the guide
//! of a tree search.

use std::sync::Arc;

use tesuji_games::{Grid, RowBoard, SpecError, registry};
use tesuji_learn::critic::agents::{
    BoardCritic, CriticGuide, CriticMcts, CriticMctsOptions, GuideOptions, LeafValue, OnePly, Prior,
};
use tesuji_learn::critic::{Critic, CriticError};
use tesuji_learn::network::{Network, NetworkError};
use tesuji_learn::shipped::{SHIPPED_CRITICS, ShippedModel};
use tesuji_play::options::{
    Choices, OptionInfo, Options, SEED, Takes, decimal, number, option, word, words,
};
use tesuji_play::{Pace, PlayerContext, PlayerKind, PlayerSpec, SearchFacts, Setup};
use tesuji_search::{Limits, Puct, PuctOptions, Search};

use crate::model_source::{MODEL, Source};
use crate::monte_carlo::{MOST_SIMULATIONS, USUAL_SIMULATIONS};
use crate::rows::{RowSearch, rows_for};
use crate::searching::{FULL_GUIDED_TREE, Kept, TIME_AT_MOST, impossible, searcher, simulations};

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

const LEAVES: Choices<LeafValue, 2> =
    [("critic", LeafValue::Critic), ("playout", LeafValue::Playout)];
const PRIORS: Choices<Prior, 2> = [("critic", Prior::Critic), ("even", Prior::Even)];
const VALUES: Choices<LeafValue, 3> =
    [("critic", LeafValue::Critic), ("reply", LeafValue::Reply), ("playout", LeafValue::Playout)];

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "critic",
        summary: "the move after which a critic network sees the best chance (needs Stones)",
        options: &[FILE, MODEL, SEED],
        read: |options| {
            let facts = SearchFacts::new(Pace::Ends, Limits::default());
            critic_player(options, facts, |view, _| Box::new(OnePly::new(view)))
        },
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

/// A player that asks a critic; `agent` is the search with it, for a seed.
fn critic_player(
    options: &Options,
    facts: SearchFacts,
    agent: impl Fn(BoardCritic, u64) -> Box<dyn Search<RowBoard>> + Send + Sync + 'static,
) -> Result<Box<dyn Setup>, SpecError> {
    let (source, kept) = (Source::read(options)?, Kept::default());
    let view = move |player: &str, context: &PlayerContext| {
        let grid = grid_of(player, context)?;
        kept.get(grid, || view_of(&source, grid, player, context))
    };
    searcher(facts, view, move |view, context| Ok(RowSearch::boxed(agent(view, context.seed))))
}

/// What is known of a tree search with a critic.
fn tree_facts(options: &Options) -> SearchFacts {
    let facts = SearchFacts::new(Pace::Simulates(Some(USUAL_SIMULATIONS)), simulations(options));
    SearchFacts { trees: FULL_GUIDED_TREE, ..facts }
}

/// The critic behind a player, on the board of a game; `None` for a player without one.
pub fn view(
    player: &PlayerSpec,
    context: &PlayerContext,
) -> Option<Result<BoardCritic, SpecError>> {
    let is_critic = PLAYERS.iter().any(|kind| kind.name == player.name());
    is_critic.then(|| {
        let source = Source::read(player.options())?;
        view_of(&source, grid_of(player.text(), context)?, player.text(), context)
    })
}

fn grid_of(player: &str, context: &PlayerContext) -> Result<Grid, SpecError> {
    let remedy = "critics play games such as gomoku, renju and connect6";
    Ok(rows_for(player, context, remedy)?.grid)
}

/// The critic on the board of the game.
fn view_of(
    source: &Source,
    grid: Grid,
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
        critic.map_err(|error| source.unusable(&format!("a critic that can be used ({error})")))?;
    BoardCritic::new(&grid, Arc::new(critic)).map_err(|error| impossible(player, error))
}

/// The critic in the program: for the same board, or else for rows of the same length. What it counts does not
/// depend on the board.
fn shipped(source: &Source, game: &str, wanted: Grid) -> Result<&'static ShippedModel, SpecError> {
    if let Some(named) = source.named(SHIPPED_CRITICS, |shipped| shipped.name)? {
        return Ok(named);
    }
    let grid = |shipped: &ShippedModel| registry::start(shipped.game).ok()?.rows().map(|game| game.grid);
    let same_board = SHIPPED_CRITICS.iter().find(|shipped| grid(shipped) == Some(wanted));
    let same_row = |grid: Grid| grid.k == wanted.k && grid.gravity == wanted.gravity;
    let like_it = || SHIPPED_CRITICS.iter().find(|shipped| grid(shipped).is_some_and(same_row));
    same_board.or_else(like_it).ok_or_else(|| {
        source.unusable(&format!("a critic for '{game}': none comes with the program"))
    })
}

fn tree_options(options: &Options) -> PuctOptions {
    let usual = PuctOptions::default();
    PuctOptions { exploration: options.decimal("c").unwrap_or(usual.exploration), ..usual }
}

fn temperature(options: &Options, usual: &GuideOptions) -> f32 {
    options.decimal("temperature").map_or(usual.temperature, |x| x as f32)
}

#[cfg(test)]
mod tests;
