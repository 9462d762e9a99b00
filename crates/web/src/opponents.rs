//! The opponents of each game, and its available visualizations.

use serde::Serialize;
use tesuji_games::{Draw, Spec};
use tesuji_play::PlayerContext;
use tesuji_search::{Game, Registry};

/// An opponent of the selection list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Opponent {
    /// The title.
    pub(crate) title: &'static str,
    /// The player text.
    pub(crate) player: &'static str,
}

/// All opponents, weakest first; those that do not support a game are left out.
pub(crate) const OPPONENTS: [Opponent; 14] = [
    Opponent { title: "Random", player: "random" },
    Opponent { title: "Beginner", player: "pvs:depth=1" },
    Opponent { title: "Casual", player: "pvs:depth=2" },
    Opponent { title: "Club", player: "pvs:depth=4" },
    Opponent { title: "Monte Carlo", player: "mcts:time=1s" },
    Opponent { title: "Strong", player: "pvs:time=1s" },
    Opponent { title: "Evolved forest", player: "forest:depth=2" },
    Opponent { title: "Learned weights", player: "weights:depth=2" },
    Opponent { title: "Self-taught critic", player: "critic" },
    Opponent { title: "Critic with MCTS", player: "critic-mcts:time=1s" },
    Opponent { title: "Line network", player: "line-mcts:time=1s" },
    Opponent { title: "Connect6 engine", player: "connect6:time=1s" },
    Opponent { title: "Gomoku engine", player: "gomoku:time=1s" },
    Opponent { title: "Perfect", player: "solver" },
];

/// The default opponent of a game is the first of these that supports it.
const DEFAULT_OPPONENTS: [&str; 2] = ["pvs:depth=2", "random"];
/// The strongest player of a game is the first of these that supports it; it gives hints and
/// analyses.
const STRONGEST_PLAYERS: [&str; 4] =
    ["solver", "gomoku:time=1s", "connect6:time=1s", "pvs:time=1s"];

/// The opponents of a game.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Opponents {
    pub(crate) opponents: Vec<Opponent>,
    pub(crate) friendly: &'static str,
    pub(crate) best: &'static str,
    /// The names of all players that support it.
    pub(crate) players: Vec<&'static str>,
    /// The available visualizations.
    pub(crate) pictures: Vec<&'static str>,
}

impl Opponents {
    /// Checks which players support the game.
    pub(crate) fn of(game: &Game) -> Opponents {
        let context = PlayerContext::new(game, 0);
        let can_play = |text: &str| {
            let player = tesuji_players::player(text).map(|player| player.with_default("tt", "1M"));
            player.is_ok_and(|player| player.supports(&context).is_ok())
        };
        let solvable = is_solvable(game);
        let fits = |text: &str| (text != "solver" || solvable) && can_play(text);
        let first = |among: &[&'static str]| among.iter().copied().find(|text| fits(text));
        let names = tesuji_players::roster().all().map(|player| player.name);
        let players: Vec<&'static str> =
            names.filter(|name| !["human", "external"].contains(name) && can_play(name)).collect();
        let has = |name: &str| players.contains(&name);
        let pictures = [
            ("tree", true),
            ("deepening", true),
            ("visits", has("mcts")),
            ("solver", solvable),
            ("forest", has("forest")),
            ("critic", has("critic")),
            ("threats", has("gomoku")),
        ];
        Opponents {
            opponents: OPPONENTS.into_iter().filter(|opponent| fits(opponent.player)).collect(),
            friendly: first(&DEFAULT_OPPONENTS).unwrap_or("random"),
            best: first(&STRONGEST_PLAYERS).unwrap_or("random"),
            pictures: pictures.into_iter().filter(|(_, can)| *can).map(|(name, _)| name).collect(),
            players,
        }
    }
}

/// Whether the pages offer this opponent for a game.
pub(crate) fn is_offered(games: &Registry, game: &str, player: &str) -> bool {
    let is_solved = || games.open(game).is_ok_and(|game| is_solvable(&game));
    OPPONENTS.iter().any(|opponent| opponent.player == player)
        && (player != "solver" || is_solved())
}

/// Whether the solver is fast enough for interactive use: on small boards, and in Connect Four with
/// its book.
pub(crate) fn is_solvable(game: &Game) -> bool {
    const SMALL: usize = 12;
    const CONNECT_FOUR: usize = 42;
    let is_connect_four = Spec::parse(game.name()).is_ok_and(|spec| spec.name() == "connect4");
    let cells = game.start().diagram().cells.len();
    cells <= SMALL || (is_connect_four && cells <= CONNECT_FOUR)
}
