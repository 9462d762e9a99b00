//! The cost of matches: storing games, the overhead of a move, rating a pool of players.

use std::time::Instant;

use tesuji_games::random::{Rng, below, seeded, unit};
use tesuji_games::{Outcome, Side};
use tesuji_play::statistics::{PoolGame, PoolOptions, rate};
use tesuji_play::{Match, MatchResult, Openings};
use tesuji_store::Store;

const GAMES: u64 = 20_000;

/// Games per second between random players, each stored in a SQLite file; NaN if no file can be
/// created.
pub(crate) fn stored_games() -> f64 {
    let Ok(folder) = tempfile::tempdir() else { return f64::NAN };
    let path = folder.path().join("games.db");
    let Ok(store) = tesuji_store::open(&path.to_string_lossy()) else { return f64::NAN };
    let started = Instant::now();
    match random_match("tictactoe", Some(&*store)) {
        Some(result) => result.games.len() as f64 / started.elapsed().as_secs_f64(),
        None => f64::NAN,
    }
}

/// Microseconds for a move between random players: the overhead of a match.
pub(crate) fn overhead() -> f64 {
    let started = Instant::now();
    let Some(result) = random_match("connect4", None) else { return f64::NAN };
    let elapsed = started.elapsed().as_secs_f64();
    let moves: usize = result.games.iter().map(|game| game.record.moves.len()).sum();
    1e6 * elapsed / moves as f64
}

fn random_match(game: &str, store: Option<&dyn Store>) -> Option<MatchResult> {
    let game = tesuji_builtin::registry().open(game).ok()?;
    let random = || tesuji_players::player("random");
    let players = [random().ok()?, random().ok()?];
    let settings = Match { games: GAMES, ..Match::default() };
    settings.prepare(&game, &players, &Openings::none()).ok()?.run(store, &|_| {}).ok()
}

/// Milliseconds to rate 20 players with 10,000 games each, error bars included.
pub(crate) fn pool() -> f64 {
    const PLAYERS: usize = 20;
    const EACH: usize = 10_000;
    let mut rng = seeded(1);
    let games: Vec<PoolGame> = (0..PLAYERS * EACH / 4)
        .flat_map(|pair| simulated_pair(pair as u64, PLAYERS, &mut rng))
        .collect();
    let started = Instant::now();
    let table = rate(PLAYERS, &games, &PoolOptions::default());
    let elapsed = started.elapsed().as_secs_f64() * 1000.0;
    if table.is_ok() { elapsed } else { f64::NAN }
}

/// Two games with swapped colors between two random players; each player is 50 Elo stronger than
/// the one before.
fn simulated_pair(pair: u64, players: usize, rng: &mut Rng) -> [PoolGame; 2] {
    let one = below(rng, players as u32) as usize;
    let other = (one + 1 + below(rng, players as u32 - 1) as usize) % players;
    [[one, other], [other, one]].map(|sides| {
        let difference = 50.0 * (sides[0] as f64 - sides[1] as f64) + 30.0;
        let expected = 1.0 / (1.0 + 10f64.powf(-difference / 400.0));
        let outcome = match unit(rng) {
            luck if luck < 0.2 => Outcome::Draw,
            luck if luck < 0.2 + 0.8 * expected => Outcome::Win(Side::First),
            _ => Outcome::Win(Side::Second),
        };
        PoolGame { players: sides, outcome, pair }
    })
}
