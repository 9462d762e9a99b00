//! The players `line-mcts` and `line-alphabeta`: PUCT and alpha-beta with a line network, from a
//! file or shipped.

use std::sync::Arc;

use tesuji_games::{RowBoard, SpecError};
use tesuji_learn::line_network::{
    LineGuide, LineNetwork, LineSearchOptions, LineWeights, UnsupportedBoard, line_search,
};
use tesuji_learn::network::NetworkError;
use tesuji_play::options::{
    OptionInfo, PlayerOptions, THREADS, ValueType, decimal, number, option,
};
use tesuji_play::{PlayerContext, PlayerFile, PlayerKind, PlayerSetup, SearchKind, SearchProfile};
use tesuji_search::Search;
use tesuji_search::puct::{Puct, PuctOptions};

use crate::five_in_a_row::FiveInARow;
use crate::monte_carlo::MOST_SIMULATIONS;
use crate::rows::RowGameSearch;
use crate::searching::{
    Cached, DEPTH_AT_MOST, FULL_GUIDED_TREE, NO_CHANCE, NODES, TABLE, TIME_AT_MOST,
    depth_and_effort, impossible, search_setup, simulations,
};

const FILE: OptionInfo = option(
    "file",
    ValueType::File { most: LineWeights::MAX_BYTES },
    "line network (.lines) [default: shipped network]",
);

/// Default number of simulations.
const DEFAULT_SIMULATIONS: u64 = 2_000;

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "line-mcts",
        former_name: None,
        summary: "PUCT guided by a line network (five in a row)",
        options: &[
            FILE,
            option("sims", number(1, MOST_SIMULATIONS), "simulations per move [default: 2000]"),
            TIME_AT_MOST,
            option(
                "c",
                decimal(0.0, 100.0),
                "exploration constant, the weight of the network's prior [default: 1.5]",
            ),
            option(
                "fpu",
                decimal(0.0, 10.0),
                "first play urgency: score reduction of unvisited moves [default: 0.2]",
            ),
            option("solver", ValueType::Switch, "back up proven wins and losses [default: on]"),
            option("reuse", ValueType::Switch, "keep the tree between moves [default: on]"),
            NO_CHANCE,
        ],
        read: |options| {
            let usual = PuctOptions::default();
            let tree = PuctOptions {
                exploration: options.decimal("c").unwrap_or(usual.exploration),
                first_play: options.decimal("fpu").unwrap_or(usual.first_play),
                solver: options.switch("solver").unwrap_or(usual.solver),
                reuse: options.switch("reuse").unwrap_or(usual.reuse),
                default_simulations: DEFAULT_SIMULATIONS,
                ..usual
            };
            let facts = SearchProfile::new(SearchKind::Simulations(None), simulations(options));
            let facts = SearchProfile { trees: FULL_GUIDED_TREE, ..facts };
            line_player(options, facts, move |(_, guide, _), _| {
                Ok(Box::new(Puct::<RowBoard, LineGuide>::new(tree.clone(), guide)))
            })
        },
    },
    PlayerKind {
        name: "line-alphabeta",
        former_name: None,
        summary: "alpha-beta with a line network (five in a row)",
        options: &[
            FILE,
            DEPTH_AT_MOST,
            option(
                "time",
                ValueType::Time,
                "maximum time per move [default: 1s without other limits]",
            ),
            NODES,
            option(
                "width",
                number(1, 400),
                "number of most promising moves to search per position [default: 12]",
            ),
            TABLE,
            THREADS,
            NO_CHANCE,
        ],
        read: |options| {
            let usual = LineSearchOptions::default();
            let alphabeta = LineSearchOptions {
                width: options.number("width").map_or(usual.width, |width| width as usize),
                table: options.size("tt").unwrap_or(usual.table),
                threads: options.threads(),
            };
            let facts =
                SearchProfile::new(SearchKind::IterativeDeepening, depth_and_effort(options));
            let facts = SearchProfile { tables: alphabeta.table.bytes(), ..facts };
            line_player(options, facts, move |(network, _, size), context| {
                let search = line_search::<RowBoard>(network, size, &alphabeta)?;
                Ok(match &context.scheduler {
                    Some(scheduler) => Box::new(search.with_scheduler(scheduler.clone())),
                    None => Box::new(search),
                })
            })
        },
    },
];

/// A network for a game: the network, its guide on the board, and the board's size.
type NetworkOnBoard = (Arc<LineNetwork>, LineGuide, (usize, usize));

fn line_player(
    options: &PlayerOptions,
    facts: SearchProfile,
    search: impl Fn(
        NetworkOnBoard,
        &PlayerContext,
    ) -> Result<Box<dyn Search<RowBoard>>, UnsupportedBoard>
    + Send
    + Sync
    + 'static,
) -> Result<Box<dyn PlayerSetup>, SpecError> {
    let (file, cache, name) = (options.file("file"), Cached::default(), options.owner);
    let check = move |player: &str, context: &PlayerContext| {
        let FiveInARow { width, height, .. } = FiveInARow::for_player(player, context)?;
        let network = match &file {
            None => LineNetwork::shipped(),
            Some(file) => cache.get((), || read_network(file, player))?,
        };
        let guide = LineGuide::new(network.clone(), width, height);
        let guide = guide.map_err(|error| impossible(player, error))?;
        Ok((network, guide, (width, height)))
    };
    search_setup(facts, check, move |network, context| {
        search(network, context).map(RowGameSearch::boxed).map_err(|error| impossible(name, error))
    })
}

fn read_network(file: &PlayerFile, player: &str) -> Result<Arc<LineNetwork>, SpecError> {
    let weights = file.bytes().map_err(NetworkError::from).and_then(LineWeights::from_bytes);
    let weights = weights.map_err(|error| file.unusable(player, &error))?;
    Ok(Arc::new(LineNetwork::new(weights)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened;
    use tesuji_games::Position;
    use tesuji_play::{PlayerSpec, Turn};
    use tesuji_search::Limits;

    fn error(text: &str, game: &str) -> String {
        match crate::player(text) {
            Err(error) => error.to_string(),
            Ok(spec) => match spec.build(&PlayerContext::new(&opened(game), 1)) {
                Err(error) => error.to_string(),
                Ok(_) => String::new(),
            },
        }
    }

    #[test]
    fn errors_name_the_problem() {
        for (text, game, words) in [
            ("line-mcts", "connect6", "does not support 'connect6'"),
            ("line-alphabeta", "mnk:9x9,k=4", "does not support 'mnk:9x9,k=4'"),
            ("line-mcts:file=/no/such.lines", "gomoku", "/no/such.lines"),
            ("line-mcts:width=3", "gomoku", "unknown option 'width'"),
            ("line-alphabeta:width=0", "gomoku", "1 to 400"),
            ("line-mcts:c=-1", "gomoku", "a number from 0 to 100"),
        ] {
            let found = error(text, game);
            assert!(found.contains(words) && !found.contains('\n'), "{text}: {found}");
        }
        assert_eq!(error("line-mcts", "mnk:10x10,k=5"), "");
    }

    #[test]
    fn both_play_and_analyse_with_what_is_shipped_and_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.lines");
        std::fs::write(&file, LineWeights::random_init(1).to_bytes()).unwrap();
        let file = format!("file={}", file.display());
        let gomoku = opened("gomoku");
        let context = PlayerContext::new(&gomoku, 1);
        // The first side wins at once.
        let line = gomoku.line("h8h9i8i9j8j9k8k9").unwrap();
        assert!(line.end.winning_move().is_some());
        for player in ["line-mcts:sims=50", "line-alphabeta:depth=2"] {
            for options in ["", &file] {
                let text =
                    if options.is_empty() { player.into() } else { format!("{player},{options}") };
                let spec: PlayerSpec = crate::player(&text).unwrap();
                let mut player = spec.build(&context).unwrap();
                player.new_game(3);
                let choice = player.choose(&line, &Turn::default()).unwrap();
                let mut after = line.end.clone();
                after.play(choice.m);
                assert!(after.outcome().is_some(), "{text}");
                let quiet = gomoku.line("h8h9i8").unwrap();
                let limits = Limits::default();
                let found = tesuji_play::analyze(&quiet.end, &spec, &limits, &context, &mut |_| {});
                assert!(found.is_ok_and(|found| !found.moves.is_empty()), "{text}");
            }
        }
    }
}
