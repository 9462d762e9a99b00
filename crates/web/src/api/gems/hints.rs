//! Hints, auto-play and beliefs. A game that uses them is marked as helped.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use tesuji_games::rules::gem_island::Swap;
use tesuji_search::gem_island::{Decision, SwapValue};
use tesuji_store::key::digest_word;

use super::belief::{BeliefResponse, belief_response};
use super::games::SharedGame;
use super::{TurnResponse, agents, played, turn_response};
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::JsonBody;
use crate::state::AppState;
use crate::stream::run_search;

/// The time limit of agents and beliefs; far more than they need.
const MAX_AGENT_TIME: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
pub(super) struct HintRequest {
    agent: Option<String>,
}

/// The decision of an agent.
#[derive(Serialize)]
pub(super) struct HintResponse {
    agent: String,
    swap: Swap,
    /// The agent's value of the swap, on its own scale.
    value: f64,
    /// Rollouts.
    rollouts: u64,
    /// The compared swaps, best first.
    swaps: Vec<SwapValue>,
}

pub(super) async fn hint(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    JsonBody(request): JsonBody<HintRequest>,
) -> Result<Json<HintResponse>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let agent = request.agent.unwrap_or_else(|| agents::DEFAULT_AGENT.to_string());
    let (decision, _) = decide(&state, client, &id, &game, &agent).await?;
    let Decision { swap, value, rollouts, swaps } = decision;
    Ok(Json(HintResponse { agent, swap, value, rollouts, swaps }))
}

/// Returns the decision of an agent and the number of moves before it.
async fn decide(
    state: &AppState,
    client: Client,
    id: &str,
    game: &SharedGame,
    agent: &str,
) -> Result<(Decision, u16), ApiError> {
    let agent = agents::admit(agent)?;
    let view = {
        let mut played = game.lock();
        if played.is_over() {
            return Err(ApiError::conflict("the game is over: start a new game"));
        }
        played.helped = true;
        played.game.view()
    };
    let moves = view.known.moves_made();
    let seed = decision_seed(id, moves);
    let work = move |_| agents::decide(&agent, &view, seed);
    Ok((run_search(state, client, MAX_AGENT_TIME, work).await?, moves))
}

/// The seed of a decision, which is independent of the game's seed.
fn decision_seed(id: &str, moves: u16) -> u64 {
    digest_word(&["gems", id, &moves.to_string()])
}

pub(super) async fn auto(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    JsonBody(request): JsonBody<HintRequest>,
) -> Result<Json<TurnResponse>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let agent = request.agent.as_deref().unwrap_or(agents::DEFAULT_AGENT);
    let (decision, moves) = decide(&state, client, &id, &game, agent).await?;
    let (turn, view) = {
        let mut current = game.lock();
        if current.game.moves_made() != moves {
            return Err(ApiError::conflict("game: another request made a move; reload the game"));
        }
        played(&mut current, decision.swap)?
    };
    turn_response(&state, &id, &game, turn, view).await
}

pub(super) async fn belief(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
) -> Result<Json<BeliefResponse>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let view = {
        let mut played = game.lock();
        played.helped |= !played.is_over();
        played.game.view()
    };
    let seed = decision_seed(&id, view.known.moves_made());
    let work = move |_| Ok(belief_response(&view, seed));
    run_search(&state, client, MAX_AGENT_TIME, work).await.map(Json)
}
