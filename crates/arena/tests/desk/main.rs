//! What is told about games and about thinking, held against the games and searches themselves. Everything goes through
//! [`Desk`], so nothing here is compiled once for each game.

mod analysis;
mod exact;
mod learned;
mod review;
mod snapshots;
mod threats;
mod trees;
mod visits;

use tesuji_arena::desk::{self, ChosenMove};
use tesuji_arena::{Desk, PlayerContext, PlayerSpec, Turn};
use tesuji_games::random::{Rng, below, seeded};
use tesuji_games::registry;

/// The desk of a game that there is.
fn desk(game: &str) -> Box<dyn Desk> {
    desk::open(game).unwrap_or_else(|error| panic!("{game}: {error}"))
}

fn context(game: &str) -> PlayerContext {
    PlayerContext::new(game, 1)
}

fn player(text: &str) -> PlayerSpec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What a player plays within its own limits.
fn chosen(game: &str, moves: &str, text: &str) -> ChosenMove {
    let choice = desk(game).choose(moves, &player(text), &context(game), &Turn::default());
    choice.unwrap_or_else(|error| panic!("{game} {moves:?} {text}: {error}"))
}

/// Every game and every preset by name.
fn games() -> impl Iterator<Item = &'static str> {
    registry::names()
}

/// The moves of a game by chance, up to so many plies or its end.
fn random_game(game: &str, plies: usize, seed: u64) -> String {
    let (desk, mut rng) = (desk(game), seeded(seed));
    let mut moves = String::new();
    for _ in 0..plies {
        match random_move(desk.as_ref(), &moves, &mut rng) {
            Some(m) => moves = desk.played(&moves, &m).unwrap(),
            None => break,
        }
    }
    moves
}

/// A legal move by chance; none when the game is over.
fn random_move(desk: &dyn Desk, moves: &str, rng: &mut Rng) -> Option<String> {
    let now = desk.snapshot(moves).unwrap();
    let count = now.moves.len() as u32;
    (count > 0).then(|| now.moves[below(rng, count) as usize].text.clone())
}

/// The same, but the game goes on after it.
fn unfinished_game(game: &str, plies: usize, seed: u64) -> String {
    let all = random_game(game, plies, seed);
    let shown = desk(game).snapshot(&all).unwrap();
    match (shown.outcome, shown.played.len()) {
        (None, _) => all,
        (Some(_), 0 | 1) => String::new(),
        (Some(_), plies) => shown.position[..shown.played[plies - 2].until].to_string(),
    }
}
