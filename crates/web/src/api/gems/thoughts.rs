//! What the computer thinks of a game: what an agent would do, or does; what may lie under the ice. A game in which it was
//! asked is marked as helped.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use tesuji_games::rules::gem_island::Swap;
use tesuji_search::gem_island::{Decision, SwapValue};
use tesuji_store::key::digest_word;

use super::belief::{Believed, believed};
use super::table::Shared;
use super::{Answer, agents, answer, played};
use crate::body;
use crate::client::Client;
use crate::errors::ApiError;
use crate::state::AppState;
use crate::stream::think;

/// Time that agents and beliefs never need; beyond it they are given up.
const LONGEST_THOUGHT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
pub(super) struct Question {
    agent: Option<String>,
}

/// What an agent would do.
#[derive(Serialize)]
pub(super) struct Hint {
    agent: String,
    swap: Swap,
    /// What the agent thinks it is worth, on a scale of its own.
    value: f64,
    /// Games that were played out in thought.
    rollouts: u64,
    /// Each swap that was compared, best first.
    swaps: Vec<SwapValue>,
}

pub(super) async fn hint(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    body::Json(question): body::Json<Question>,
) -> Result<Json<Hint>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let agent = question.agent.unwrap_or_else(|| agents::USUAL.to_string());
    let (decision, _) = decided(&state, client, &id, &game, &agent).await?;
    let Decision { swap, value, rollouts, swaps } = decision;
    Ok(Json(Hint { agent, swap, value, rollouts, swaps }))
}

/// What an agent would do, and after how many moves it was asked.
async fn decided(
    state: &AppState,
    client: Client,
    id: &str,
    game: &Shared,
    agent: &str,
) -> Result<(Decision, u16), ApiError> {
    let agent = agents::admit(agent)?;
    let view = {
        let mut played = game.lock();
        if played.is_over() {
            return Err(ApiError::conflict("the game is over; start a new one"));
        }
        played.helped = true;
        played.game.view()
    };
    let moves = view.known.moves_made();
    let seed = seed_of(id, moves);
    let work = move |_| agents::decide(&agent, &view, seed);
    Ok((think(state, client, LONGEST_THOUGHT, work).await?, moves))
}

/// Chance for those who think about a game; it has nothing to do with the game's own.
fn seed_of(id: &str, moves: u16) -> u64 {
    digest_word(&["gems", id, &moves.to_string()])
}

pub(super) async fn auto(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    body::Json(question): body::Json<Question>,
) -> Result<Json<Answer>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let agent = question.agent.as_deref().unwrap_or(agents::USUAL);
    let (decision, moves) = decided(&state, client, &id, &game, agent).await?;
    let (turn, view) = {
        let mut current = game.lock();
        if current.game.moves_made() != moves {
            return Err(ApiError::conflict("somebody else made a move meanwhile; look again"));
        }
        played(&mut current, decision.swap)?
    };
    answer(&state, &id, &game, turn, view).await
}

pub(super) async fn beliefs(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
) -> Result<Json<Believed>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let view = {
        let mut played = game.lock();
        played.helped |= !played.is_over();
        played.game.view()
    };
    let seed = seed_of(&id, view.known.moves_made());
    let work = move |_| Ok(believed(&view, seed));
    think(&state, client, LONGEST_THOUGHT, work).await.map(Json)
}
