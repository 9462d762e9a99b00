//! The API: JSON over HTTP, one file a topic. `openapi.json` describes it, and tests hold the two together.

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

/// Which position is to be looked at, by whom, and for how long.
#[derive(Clone, Deserialize)]
struct AnalysisQuery {
    game: String,
    #[serde(default)]
    moves: String,
    player: Option<String>,
    seconds: Option<f64>,
}

/// The longest list of moves that is read: no game here lasts so long that it needs more.
const MAX_MOVES_BYTES: usize = 8 << 10;
/// The longest name of a game.
const MAX_GAME_BYTES: usize = 100;

/// A game and a position in it, within bounds.
fn check_lengths(game: &str, moves: &str) -> Result<(), ApiError> {
    if game.len() > MAX_GAME_BYTES {
        return Err(ApiError::bad(format!(
            "no game's name is longer than {MAX_GAME_BYTES} letters"
        )));
    }
    if moves.len() > MAX_MOVES_BYTES {
        return Err(ApiError::bad(format!(
            "no list of moves is longer than {MAX_MOVES_BYTES} bytes"
        )));
    }
    Ok(())
}

/// The time for a search: what was asked for, or `usual`, within what the server allows.
fn search_time(state: &AppState, asked: Option<f64>, usual: f64) -> Result<Duration, ApiError> {
    let longest = state.options().longest_search;
    match asked {
        None => Ok(Duration::from_secs_f64(usual).min(longest)),
        Some(seconds) if seconds > 0.0 && seconds <= longest.as_secs_f64() => {
            Ok(Duration::from_secs_f64(seconds))
        }
        Some(_) => Err(ApiError::bad(format!(
            "seconds must be more than 0 and at most {}",
            longest.as_secs_f64()
        ))),
    }
}

/// A seed for what players leave to chance: the same position, the same chance.
fn position_seed(game: &str, moves: &str) -> u64 {
    tesuji_store::key::digest_word(&[game, moves])
}

/// The same within a game that has a seed of its own.
fn game_seed(seed: u64, game: &str, moves: &str) -> u64 {
    tesuji_store::key::digest_word(&[&seed.to_string(), game, moves])
}
