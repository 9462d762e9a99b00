//! Views of positions and searches, compared with the games and searches.

mod analysis;
mod exact;
mod learned;
mod review;
mod snapshots;
mod threats;
mod trees;
mod visits;

use tesuji_app::position_view::{self, ChosenMove, ScoreSheet};
use tesuji_games::random::{Rng, below, seeded};
use tesuji_play::{PlayerContext, PlayerSpec, Turn};
use tesuji_search::Game;

/// Opens a game.
fn opened(game: &str) -> Game {
    tesuji_builtin::registry().open(game).unwrap_or_else(|error| panic!("{game}: {error}"))
}

fn context(game: &str) -> PlayerContext {
    PlayerContext::new(&opened(game), 1)
}

fn player(text: &str) -> PlayerSpec {
    tesuji_players::player(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The move of a player within its own limits.
fn chosen(game: &str, moves: &str, text: &str) -> ChosenMove {
    let position = ScoreSheet::read(&opened(game), moves).unwrap().line;
    let choice = player(text).build(&context(game)).unwrap().choose(&position, &Turn::default());
    let choice = choice.unwrap_or_else(|error| panic!("{game} {moves:?} {text}: {error}"));
    ChosenMove::of(&position.end, &choice)
}

/// Every game and every preset by name.
fn games() -> Vec<&'static str> {
    tesuji_builtin::registry().names().collect()
}

/// A random game of up to `plies` plies.
fn random_game(game: &str, plies: usize, seed: u64) -> String {
    let (game, mut rng) = (opened(game), seeded(seed));
    let mut moves = String::new();
    for _ in 0..plies {
        match random_move(&game, &moves, &mut rng) {
            Some(m) => moves = position_view::played(&game, &moves, &m).unwrap(),
            None => break,
        }
    }
    moves
}

/// A random legal move; `None` if the game is over.
fn random_move(game: &Game, moves: &str, rng: &mut Rng) -> Option<String> {
    let now = position_view::snapshot(game, moves).unwrap();
    let count = now.moves.len() as u32;
    (count > 0).then(|| now.moves[below(rng, count) as usize].text.clone())
}

/// A random game that is not over after its last move.
fn unfinished_game(game: &str, plies: usize, seed: u64) -> String {
    let all = random_game(game, plies, seed);
    let shown = position_view::snapshot(&opened(game), &all).unwrap();
    match (shown.outcome, shown.played.len()) {
        (None, _) => all,
        (Some(_), 0 | 1) => String::new(),
        (Some(_), plies) => shown.position[..shown.played[plies - 2].until].to_string(),
    }
}
