//! Analysis of positions and review of games.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tesuji_app::position_view::review::{ReviewedPosition, review};
use tesuji_app::position_view::{self, MoveTable};
use tesuji_play::PlayerContext;
use tesuji_search::Game;

use super::AnalysisQuery;
use super::think::{self, SearchTask};
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::opponents::is_solvable;
use crate::state::AppState;
use crate::stream::stream_search;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/analysis", get(stream).post(post_analysis))
        .route("/api/chart", get(chart))
}

/// The default time of an analysis.
const DEFAULT_SECONDS: f64 = 3.0;
/// The size of the transposition table.
const TABLE: &str = "16M";

async fn stream(
    State(state): State<AppState>,
    client: Client,
    QueryParams(query): QueryParams<AnalysisQuery>,
) -> Result<Response, ApiError> {
    let task = task(&state, query).await?;
    stream_search(&state, client, task.time, move |sender| {
        let mut tell = |so_far: &MoveTable| sender.send_progress("progress", || so_far.clone());
        let found = analyze(&task, sender.stop.clone(), &mut tell)?;
        sender.send("done", &found);
        Ok(())
    })
}

async fn post_analysis(
    State(state): State<AppState>,
    client: Client,
    JsonBody(query): JsonBody<AnalysisQuery>,
) -> Result<Json<MoveTable>, ApiError> {
    let task = task(&state, query).await?;
    think::respond(&state, client, task, |stop, task| analyze(&task, stop, &mut |_| {})).await
}

async fn task(state: &AppState, query: AnalysisQuery) -> Result<SearchTask, ApiError> {
    SearchTask::new(state, query, DEFAULT_SECONDS, default_analysis_player).await
}

fn analyze(
    task: &SearchTask,
    stop: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, ApiError> {
    let limits = task.limits(stop);
    Ok(position_view::analyze(&task.context, &task.moves, &task.player, &limits, tell)?)
}

/// The default player for the analysis of a game.
fn default_analysis_player(game: &Game) -> String {
    let context = PlayerContext::new(game, 0);
    let can = |text: &str| {
        let player = tesuji_players::player(text);
        player.is_ok_and(|player| player.supports(&context).is_ok())
    };
    let special = ["gomoku:tt=16M", "connect6"].into_iter().find(|text| can(text));
    match (is_solvable(game), special) {
        (true, _) => "solver".to_string(),
        (false, Some(special)) => special.to_string(),
        (false, None) => format!("pvs:tt={TABLE}"),
    }
}

async fn chart(
    State(state): State<AppState>,
    client: Client,
    QueryParams(query): QueryParams<AnalysisQuery>,
) -> Result<Response, ApiError> {
    let task = task(&state, query).await?;
    stream_search(&state, client, task.time, move |sender| {
        let limits = task.limits(sender.stop.clone());
        let mut tell = |position: &ReviewedPosition| sender.send("point", position);
        review(&task.context, &task.moves, &task.player, &limits, &mut tell)?;
        sender.send("done", &json!({}));
        Ok(())
    })
}
