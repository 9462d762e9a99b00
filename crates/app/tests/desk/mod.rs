//! What is told about games and about thinking, held against the games and searches themselves.

mod analysis;
mod exact;
mod learned;
mod review;
mod snapshots;
mod threats;
mod trees;
mod visits;

use tesuji_app::desk::{self, ChosenMove, ScoreSheet};
use tesuji_games::random::{Rng, below, seeded};
use tesuji_play::{PlayerContext, PlayerSpec, Turn};
use tesuji_search::Game;

/// A game that there is.
fn opened(game: &str) -> Game {
    tesuji_builtin::registry().open(game).unwrap_or_else(|error| panic!("{game}: {error}"))
}

fn context(game: &str) -> PlayerContext {
    PlayerContext::new(&opened(game), 1)
}

fn player(text: &str) -> PlayerSpec {
    tesuji_players::player(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What a player plays within its own limits.
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

/// The moves of a game by chance, up to so many plies or its end.
fn random_game(game: &str, plies: usize, seed: u64) -> String {
    let (game, mut rng) = (opened(game), seeded(seed));
    let mut moves = String::new();
    for _ in 0..plies {
        match random_move(&game, &moves, &mut rng) {
            Some(m) => moves = desk::played(&game, &moves, &m).unwrap(),
            None => break,
        }
    }
    moves
}

/// A legal move by chance; none when the game is over.
fn random_move(game: &Game, moves: &str, rng: &mut Rng) -> Option<String> {
    let now = desk::snapshot(game, moves).unwrap();
    let count = now.moves.len() as u32;
    (count > 0).then(|| now.moves[below(rng, count) as usize].text.clone())
}

/// The same, but the game goes on after it.
fn unfinished_game(game: &str, plies: usize, seed: u64) -> String {
    let all = random_game(game, plies, seed);
    let shown = desk::snapshot(&opened(game), &all).unwrap();
    match (shown.outcome, shown.played.len()) {
        (None, _) => all,
        (Some(_), 0 | 1) => String::new(),
        (Some(_), plies) => shown.position[..shown.played[plies - 2].until].to_string(),
    }
}
