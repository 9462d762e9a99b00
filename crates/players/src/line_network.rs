//! The players `line-mcts` and `line-alphabeta`: a tree search and alpha-beta with a line network, from a file or from the
//! program.

use std::sync::{Arc, Mutex};

use tesuji_games::{RowBoard, SpecError};
use tesuji_learn::line_network::{
    LineGuide, LineNetwork, LineSearchOptions, LineWeights, line_search,
};
use tesuji_learn::network::NetworkError;
use tesuji_search::Limits;
use tesuji_search::game::BoxedSearch;
use tesuji_search::puct::{Puct, PuctOptions};

use super::five_in_a_row::FiveInARow;
use super::gomoku::NO_CHANCE;
use super::monte_carlo::MOST_SIMULATIONS;
use super::rows::RowSearch;
use crate::limits::{FULL_GUIDED_TREE, depth_and_effort, simulations};
use tesuji_play::PlayerFile;
use tesuji_play::options::{OptionInfo, Options, THREADS, Takes, decimal, number, option};
use tesuji_play::{Pace, SearchFacts, Setup};
use tesuji_play::{PlayerContext, PlayerKind};

const FILE: OptionInfo = option(
    "file",
    Takes::File { most: LineWeights::LONGEST_FILE },
    "a line network (.lines) (default: what comes with the program)",
);

pub(super) static PLAYERS: &[PlayerKind] = &[
    PlayerKind {
        name: "line-mcts",
        summary: "a tree search that a line network leads (five in a row)",
        options: &[
            FILE,
            option("sims", number(1, MOST_SIMULATIONS), "simulations a move (default 2000)"),
            option("time", Takes::Time, "time a move at most"),
            option(
                "c",
                decimal(0.0, 100.0),
                "the weight of the network's word on moves (default 1.5)",
            ),
            option(
                "fpu",
                decimal(0.0, 10.0),
                "how much worse a move counts that was never tried (default 0.2)",
            ),
            option(
                "solver",
                Takes::Switch,
                "whether certain wins and losses go up the tree (default on)",
            ),
            option("reuse", Takes::Switch, "keep the tree for the next move (default on)"),
            NO_CHANCE,
        ],
        read: |options| {
            let way = Way::Tree(tree_options(options));
            Ok(Box::new(LineSpec::new(options, way, simulations(options))))
        },
    },
    PlayerKind {
        name: "line-alphabeta",
        summary: "alpha-beta with a line network (five in a row)",
        options: &[
            FILE,
            option("depth", number(1, 255), "plies to look ahead at most"),
            option("time", Takes::Time, "time a move at most (default 1s without other limits)"),
            option("nodes", number(1, u64::MAX), "positions a move at most"),
            option(
                "width",
                number(1, 400),
                "moves of a position that are tried: the most promising (default 12)",
            ),
            option("tt", Takes::Size, "memory for known positions (default 16M)"),
            THREADS,
            NO_CHANCE,
        ],
        read: |options| {
            let way = Way::AlphaBeta(alphabeta_options(options));
            Ok(Box::new(LineSpec::new(options, way, depth_and_effort(options))))
        },
    },
];

/// The options, understood.
#[derive(Clone, Debug)]
struct LineSpec {
    file: Option<PlayerFile>,
    way: Way,
    limits: Limits,
    /// The file, read and tabulated when first wanted: a player is made anew for every game.
    network: Arc<Mutex<Option<Arc<LineNetwork>>>>,
}

#[derive(Clone, Debug)]
enum Way {
    Tree(PuctOptions),
    AlphaBeta(LineSearchOptions),
}

/// Simulations by default.
const USUAL_SIMULATIONS: u64 = 2_000;

impl Setup for LineSpec {
    fn facts(&self) -> Option<SearchFacts> {
        let own = self.limits.clone();
        Some(match &self.way {
            Way::Tree(_) => SearchFacts {
                trees: FULL_GUIDED_TREE,
                ..SearchFacts::new(Pace::Simulates(None), own)
            },
            Way::AlphaBeta(options) => SearchFacts {
                tables: options.table.bytes(),
                ..SearchFacts::new(Pace::Deepens, own)
            },
        })
    }

    /// Whether the network sees the board of the game.
    fn supports(&self, player: &str, context: &PlayerContext) -> Result<(), SpecError> {
        let game = FiveInARow::for_player(player, context)?;
        let guide = LineGuide::new(self.network(player)?, game.width, game.height);
        guide.map(drop).map_err(|error| unfit(player, &error))
    }

    fn search(&self, player: &str, context: &PlayerContext) -> Result<BoxedSearch, SpecError> {
        let game = FiveInARow::for_player(player, context)?;
        let network = self.network(player)?;
        let unfit = |error| unfit(player, &error);
        Ok(RowSearch::boxed(match &self.way {
            Way::Tree(options) => {
                let guide = LineGuide::new(network, game.width, game.height).map_err(unfit)?;
                Box::new(Puct::<RowBoard, LineGuide>::new(options.clone(), guide))
            }
            Way::AlphaBeta(options) => {
                let board = (game.width, game.height);
                let mut search = line_search::<RowBoard>(network, board, options).map_err(unfit)?;
                if let Some(scheduler) = &context.scheduler {
                    search = search.with_scheduler(scheduler.clone());
                }
                Box::new(search)
            }
        }))
    }
}

impl LineSpec {
    fn new(options: &Options, way: Way, limits: Limits) -> LineSpec {
        LineSpec { file: options.file("file"), way, limits, network: Arc::default() }
    }

    fn network(&self, player: &str) -> Result<Arc<LineNetwork>, SpecError> {
        let Some(file) = &self.file else { return Ok(LineNetwork::shipped()) };
        let mut known = self.network.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(network) = known.as_ref() {
            return Ok(network.clone());
        }
        let bytes = file.bytes().map_err(NetworkError::from);
        let weights = bytes.and_then(LineWeights::from_bytes);
        let weights = weights.map_err(|error| file.unusable(player, &error))?;
        Ok(known.insert(Arc::new(LineNetwork::new(weights))).clone())
    }
}

fn tree_options(options: &Options) -> PuctOptions {
    let usual = PuctOptions::default();
    PuctOptions {
        exploration: options.decimal("c").unwrap_or(usual.exploration),
        first_play: options.decimal("fpu").unwrap_or(usual.first_play),
        solver: options.switch("solver").unwrap_or(usual.solver),
        reuse: options.switch("reuse").unwrap_or(usual.reuse),
        default_simulations: USUAL_SIMULATIONS,
        ..usual
    }
}

fn alphabeta_options(options: &Options) -> LineSearchOptions {
    let usual = LineSearchOptions::default();
    LineSearchOptions {
        width: options.number("width").map_or(usual.width, |width| width as usize),
        table: options.size("tt").unwrap_or(usual.table),
        threads: options.threads(),
    }
}

fn unfit(player: &str, error: &tesuji_learn::line_network::UnfitBoard) -> SpecError {
    SpecError::Impossible { owner: player.to_string(), why: error.to_string() }
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
    fn what_is_wrong_is_said() {
        for (text, game, words) in [
            ("line-mcts", "connect6", "'connect6' is another game"),
            ("line-alphabeta", "mnk:9x9,k=4", "'mnk:9x9,k=4' is another game"),
            ("line-mcts:file=/no/such.lines", "gomoku", "/no/such.lines"),
            ("line-mcts:width=3", "gomoku", "has no option 'width'"),
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
        std::fs::write(&file, LineWeights::untaught(1).to_bytes()).unwrap();
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
