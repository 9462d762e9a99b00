//! Visualizations of searches: the alpha-beta tree, iterative deepening, Monte Carlo visits and the
//! solver.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tesuji_app::position_view::{self, DepthResult, SearchTree, SolvedPosition, VisitDistribution};
use tesuji_search::Game;

use super::{AnalysisQuery, SearchTask, first_supported, respond};
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::state::AppState;
use crate::stream::stream_search;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/think/tree", get(tree))
        .route("/api/think/deepening", get(deepening).post(deepening_once))
        .route("/api/think/visits", get(visits).post(visits_once))
        .route("/api/think/solver", get(solver).post(solver_once))
}

/// The time limit for a tree and its counts.
const TREE_SECONDS: f64 = 6.0;
/// The default time of a streamed search.
const WATCHED_SECONDS: f64 = 3.0;
/// The default time of the solver.
const SOLVER_SECONDS: f64 = 20.0;

/// The tree to record.
#[derive(Deserialize)]
struct TreeQuery {
    game: String,
    #[serde(default)]
    moves: String,
    #[serde(default = "default_depth")]
    depth: u32,
    #[serde(default)]
    ordered: bool,
    seconds: Option<f64>,
}

/// Deep enough for cutoffs, small enough to draw.
fn default_depth() -> u32 {
    2
}

async fn tree(
    State(state): State<AppState>,
    client: Client,
    QueryParams(asked): QueryParams<TreeQuery>,
) -> Result<Json<SearchTree>, ApiError> {
    let TreeQuery { game, moves, depth, ordered, seconds } = asked;
    if !(1..=4).contains(&depth) {
        return Err(ApiError::bad("depth: out of range; expected 1 to 4"));
    }
    let query = AnalysisQuery { game, moves, player: None, seconds };
    let task = SearchTask::new(&state, query, TREE_SECONDS, |_| "alphabeta".to_string()).await?;
    let work = move |stop, task: SearchTask| {
        let limits = task.limits(stop);
        Ok(position_view::tree(&task.context, &task.moves, depth, ordered, &limits)?)
    };
    respond(&state, client, task, work).await
}

/// The default player for iterative deepening.
fn default_deepening_player(game: &Game) -> String {
    first_supported(&["gomoku:tt=16M", "connect6:tt=16M", "pvs:tt=16M"], game)
}

async fn deepening(
    State(state): State<AppState>,
    client: Client,
    QueryParams(query): QueryParams<AnalysisQuery>,
) -> Result<Response, ApiError> {
    let task = SearchTask::new(&state, query, WATCHED_SECONDS, default_deepening_player).await?;
    stream_search(&state, client, task.time, move |sender| {
        let mut tell = |reached: &DepthResult| sender.send("depth", reached);
        deepen(&task, sender.stop.clone(), &mut tell)?;
        sender.send("done", &json!({}));
        Ok(())
    })
}

/// The results of all depths.
#[derive(Serialize)]
struct DepthsResponse {
    depths: Vec<DepthResult>,
}

async fn deepening_once(
    State(state): State<AppState>,
    client: Client,
    JsonBody(query): JsonBody<AnalysisQuery>,
) -> Result<Json<DepthsResponse>, ApiError> {
    let task = SearchTask::new(&state, query, WATCHED_SECONDS, default_deepening_player).await?;
    let work = |stop, task: SearchTask| {
        let mut depths = Vec::new();
        deepen(&task, stop, &mut |reached| depths.push(reached.clone()))?;
        Ok(DepthsResponse { depths })
    };
    respond(&state, client, task, work).await
}

fn deepen(
    task: &SearchTask,
    stop: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&DepthResult),
) -> Result<(), ApiError> {
    let SearchTask { moves, player, context, .. } = task;
    Ok(position_view::deepen(context, moves, player, &task.limits(stop), tell)?)
}

/// The default Monte Carlo player.
fn default_monte_carlo_player(_: &Game) -> String {
    "mcts".to_string()
}

async fn visits(
    State(state): State<AppState>,
    client: Client,
    QueryParams(query): QueryParams<AnalysisQuery>,
) -> Result<Response, ApiError> {
    let task = SearchTask::new(&state, query, WATCHED_SECONDS, default_monte_carlo_player).await?;
    stream_search(&state, client, task.time, move |sender| {
        let mut tell =
            |so_far: &VisitDistribution| sender.send_progress("progress", || so_far.clone());
        let found = simulate(&task, sender.stop.clone(), &mut tell)?;
        sender.send("done", &found);
        Ok(())
    })
}

async fn visits_once(
    State(state): State<AppState>,
    client: Client,
    JsonBody(query): JsonBody<AnalysisQuery>,
) -> Result<Json<VisitDistribution>, ApiError> {
    let task = SearchTask::new(&state, query, WATCHED_SECONDS, default_monte_carlo_player).await?;
    respond(&state, client, task, |stop, task| simulate(&task, stop, &mut |_| {})).await
}

fn simulate(
    task: &SearchTask,
    stop: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&VisitDistribution),
) -> Result<VisitDistribution, ApiError> {
    let SearchTask { moves, player, context, .. } = task;
    Ok(position_view::simulate(context, moves, player, &task.limits(stop), tell)?)
}

/// The only player for exact values.
fn default_solver(_: &Game) -> String {
    "solver".to_string()
}

async fn solver(
    State(state): State<AppState>,
    client: Client,
    QueryParams(query): QueryParams<AnalysisQuery>,
) -> Result<Response, ApiError> {
    let task = SearchTask::new(&state, query, SOLVER_SECONDS, default_solver).await?;
    stream_search(&state, client, task.time, move |sender| {
        let found = position_view::solve(
            &task.context.game,
            &task.moves,
            &task.limits(sender.stop.clone()),
        )?;
        sender.send("done", &found);
        Ok(())
    })
}

async fn solver_once(
    State(state): State<AppState>,
    client: Client,
    JsonBody(query): JsonBody<AnalysisQuery>,
) -> Result<Json<SolvedPosition>, ApiError> {
    let task = SearchTask::new(&state, query, SOLVER_SECONDS, default_solver).await?;
    let work = |stop, task: SearchTask| {
        Ok(position_view::solve(&task.context.game, &task.moves, &task.limits(stop))?)
    };
    respond(&state, client, task, work).await
}
