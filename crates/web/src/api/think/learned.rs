//! What was learned, at work: the votes of a forest, the inputs of a critic. And what neither needs: forced lines.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use tesuji_app::desk::{self, CriticLamps, ForestVotes, Threats};

use super::{Question, Task, at_once};
use crate::body::Asked;
use crate::client::Client;
use crate::errors::ApiError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/think/forest", get(forest))
        .route("/api/think/critic", get(critic))
        .route("/api/think/threats", get(threats))
}

/// More than enough for what is looked up and not searched for.
const SECONDS: f64 = 5.0;
/// Time to look for forced lines.
const THREAT_SECONDS: f64 = 4.0;

async fn forest(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Json<ForestVotes>, ApiError> {
    let task = Task::new(&state, question, SECONDS, |_| "forest".to_string()).await?;
    let work = |_, task: Task| Ok(desk::votes(&task.context, &task.moves, &task.player)?);
    at_once(&state, client, task, work).await
}

async fn critic(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Json<CriticLamps>, ApiError> {
    let task = Task::new(&state, question, SECONDS, |_| "critic".to_string()).await?;
    let work = |_, task: Task| Ok(desk::lamps(&task.context, &task.moves, &task.player)?);
    at_once(&state, client, task, work).await
}

async fn threats(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Json<Threats>, ApiError> {
    let task = Task::new(&state, question, THREAT_SECONDS, |_| "gomoku".to_string()).await?;
    let work =
        |stop, task: Task| Ok(desk::threats(&task.context, &task.moves, &task.limits(stop))?);
    at_once(&state, client, task, work).await
}
