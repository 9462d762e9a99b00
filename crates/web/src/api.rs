//! The HTTP API, one module per topic. `openapi.json` describes it; tests compare the two.

mod analysis;
mod exchange;
mod games;
pub(crate) mod gems;
mod lab;
mod library;
mod openapi;
mod play;
mod records;
mod think;

use std::time::Duration;

use axum::Router;
use serde::Deserialize;

use crate::errors::ApiError;
use crate::state::AppState;
pub(crate) use lab::{Lab, model_file};

pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .merge(games::routes())
        .merge(play::routes())
        .merge(analysis::routes())
        .merge(records::routes())
        .merge(exchange::routes())
        .merge(think::routes())
        .merge(gems::routes())
        .merge(lab::routes())
        .merge(library::routes())
        .merge(openapi::routes())
}

/// A position to analyze, with the player and the time.
#[derive(Clone, Deserialize)]
struct AnalysisQuery {
    game: String,
    #[serde(default)]
    moves: String,
    player: Option<String>,
    seconds: Option<f64>,
}

/// The longest list of moves; no game needs more.
const MAX_MOVES_BYTES: usize = 8 << 10;
/// The longest text of a game.
const MAX_GAME_BYTES: usize = 100;

/// Checks the lengths of a game and of a list of moves.
fn check_lengths(game: &str, moves: &str) -> Result<(), ApiError> {
    if game.len() > MAX_GAME_BYTES {
        return Err(ApiError::bad(format!(
            "game: too long; expected at most {MAX_GAME_BYTES} bytes"
        )));
    }
    if moves.len() > MAX_MOVES_BYTES {
        return Err(ApiError::bad(format!(
            "moves: too long; expected at most {MAX_MOVES_BYTES} bytes"
        )));
    }
    Ok(())
}

/// The time for a search: the requested time if the server allows it, or a default.
fn search_time(state: &AppState, asked: Option<f64>, usual: f64) -> Result<Duration, ApiError> {
    let longest = state.options().longest_search;
    match asked {
        None => Ok(Duration::from_secs_f64(usual).min(longest)),
        Some(seconds) if seconds > 0.0 && seconds <= longest.as_secs_f64() => {
            Ok(Duration::from_secs_f64(seconds))
        }
        Some(_) => Err(ApiError::bad(format!(
            "seconds: out of range; expected more than 0 and at most {}",
            longest.as_secs_f64()
        ))),
    }
}

/// The seed of a position, for players that use randomness.
fn position_seed(game: &str, moves: &str) -> u64 {
    tesuji_store::key::digest_word(&[game, moves])
}

/// The seed of a position in a game with its own seed.
fn game_seed(seed: u64, game: &str, moves: &str) -> u64 {
    tesuji_store::key::digest_word(&[&seed.to_string(), game, moves])
}
