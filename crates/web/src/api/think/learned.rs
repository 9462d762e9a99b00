//! Visualizations without a stream: the votes of a forest, the activations of a critic, and forced
//! lines.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use tesuji_app::position_view::{self, CriticActivations, ForestVotes, Threats};

use super::{AnalysisQuery, SearchTask, respond};
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::QueryParams;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/think/forest", get(forest))
        .route("/api/think/critic", get(critic))
        .route("/api/think/threats", get(threats))
}

/// The time limit of evaluations without a search.
const SECONDS: f64 = 5.0;
/// The time limit for forced lines.
const THREAT_SECONDS: f64 = 4.0;

async fn forest(
    State(state): State<AppState>,
    client: Client,
    QueryParams(query): QueryParams<AnalysisQuery>,
) -> Result<Json<ForestVotes>, ApiError> {
    let task = SearchTask::new(&state, query, SECONDS, |_| "forest".to_string()).await?;
    let work =
        |_, task: SearchTask| Ok(position_view::votes(&task.context, &task.moves, &task.player)?);
    respond(&state, client, task, work).await
}

async fn critic(
    State(state): State<AppState>,
    client: Client,
    QueryParams(query): QueryParams<AnalysisQuery>,
) -> Result<Json<CriticActivations>, ApiError> {
    let task = SearchTask::new(&state, query, SECONDS, |_| "critic".to_string()).await?;
    let work = |_, task: SearchTask| {
        Ok(position_view::activations(&task.context, &task.moves, &task.player)?)
    };
    respond(&state, client, task, work).await
}

async fn threats(
    State(state): State<AppState>,
    client: Client,
    QueryParams(query): QueryParams<AnalysisQuery>,
) -> Result<Json<Threats>, ApiError> {
    let task = SearchTask::new(&state, query, THREAT_SECONDS, |_| "gomoku".to_string()).await?;
    let work = |stop, task: SearchTask| {
        Ok(position_view::threats(&task.context, &task.moves, &task.limits(stop))?)
    };
    respond(&state, client, task, work).await
}
