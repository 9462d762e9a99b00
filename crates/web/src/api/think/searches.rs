//! Searches at work: the tree of alpha-beta, ever greater depths, the visits of Monte Carlo, and perfect play.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tesuji_app::desk::{self, DepthReached, ExactTable, SearchTree, VisitShares};
use tesuji_search::Game;

use super::{Question, Task, at_once, first_of};
use crate::body::{self, Asked};
use crate::client::Client;
use crate::errors::ApiError;
use crate::state::AppState;
use crate::stream::stream;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/think/tree", get(tree))
        .route("/api/think/deepening", get(deepening).post(deepening_at_once))
        .route("/api/think/visits", get(visits).post(visits_at_once))
        .route("/api/think/solver", get(solver).post(solver_at_once))
}

/// Time for a tree and its counts.
const TREE_SECONDS: f64 = 6.0;
/// Time for a search that is watched.
const WATCHED_SECONDS: f64 = 3.0;
/// Time for perfect play.
const SOLVER_SECONDS: f64 = 20.0;

/// Which tree is to be drawn.
#[derive(Deserialize)]
struct TreeQuestion {
    game: String,
    #[serde(default)]
    moves: String,
    #[serde(default = "usual_depth")]
    depth: u32,
    #[serde(default)]
    ordered: bool,
    seconds: Option<f64>,
}

/// Deep enough to see branches being cut, small enough to be drawn.
fn usual_depth() -> u32 {
    2
}

async fn tree(
    State(state): State<AppState>,
    client: Client,
    Asked(asked): Asked<TreeQuestion>,
) -> Result<Json<SearchTree>, ApiError> {
    let TreeQuestion { game, moves, depth, ordered, seconds } = asked;
    if !(1..=4).contains(&depth) {
        return Err(ApiError::bad("depth must be from 1 to 4: a deeper tree has no room"));
    }
    let question = Question { game, moves, player: None, seconds };
    let task = Task::new(&state, question, TREE_SECONDS, |_| "alphabeta".to_string()).await?;
    let work = move |stop, task: Task| {
        let limits = task.limits(stop);
        Ok(desk::tree(&task.context, &task.moves, depth, ordered, &limits)?)
    };
    at_once(&state, client, task, work).await
}

/// Who looks deeper and deeper when nobody is named.
fn deepener(game: &Game) -> String {
    first_of(&["gomoku:tt=16M", "connect6:tt=16M", "pvs:tt=16M"], game)
}

async fn deepening(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let task = Task::new(&state, question, WATCHED_SECONDS, deepener).await?;
    stream(&state, client, task.time, move |teller| {
        let mut tell = |reached: &DepthReached| teller.tell("depth", reached);
        deepen(&task, teller.stop.clone(), &mut tell)?;
        teller.tell("done", &json!({}));
        Ok(())
    })
}

/// All depths together.
#[derive(Serialize)]
struct Depths {
    depths: Vec<DepthReached>,
}

async fn deepening_at_once(
    State(state): State<AppState>,
    client: Client,
    body::Json(question): body::Json<Question>,
) -> Result<Json<Depths>, ApiError> {
    let task = Task::new(&state, question, WATCHED_SECONDS, deepener).await?;
    let work = |stop, task: Task| {
        let mut depths = Vec::new();
        deepen(&task, stop, &mut |reached| depths.push(reached.clone()))?;
        Ok(Depths { depths })
    };
    at_once(&state, client, task, work).await
}

fn deepen(
    task: &Task,
    stop: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&DepthReached),
) -> Result<(), ApiError> {
    let Task { moves, player, context, .. } = task;
    Ok(desk::deepen(context, moves, player, &task.limits(stop), tell)?)
}

/// Who simulates when nobody is named.
fn simulator(_: &Game) -> String {
    "mcts".to_string()
}

async fn visits(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let task = Task::new(&state, question, WATCHED_SECONDS, simulator).await?;
    stream(&state, client, task.time, move |teller| {
        let mut tell = |so_far: &VisitShares| teller.glimpse("progress", || so_far.clone());
        let found = simulate(&task, teller.stop.clone(), &mut tell)?;
        teller.tell("done", &found);
        Ok(())
    })
}

async fn visits_at_once(
    State(state): State<AppState>,
    client: Client,
    body::Json(question): body::Json<Question>,
) -> Result<Json<VisitShares>, ApiError> {
    let task = Task::new(&state, question, WATCHED_SECONDS, simulator).await?;
    at_once(&state, client, task, |stop, task| simulate(&task, stop, &mut |_| {})).await
}

fn simulate(
    task: &Task,
    stop: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&VisitShares),
) -> Result<VisitShares, ApiError> {
    let Task { moves, player, context, .. } = task;
    Ok(desk::simulate(context, moves, player, &task.limits(stop), tell)?)
}

/// Nobody else can do it.
fn perfect(_: &Game) -> String {
    "solver".to_string()
}

async fn solver(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let task = Task::new(&state, question, SOLVER_SECONDS, perfect).await?;
    stream(&state, client, task.time, move |teller| {
        let found =
            desk::solve(&task.context.game, &task.moves, &task.limits(teller.stop.clone()))?;
        teller.tell("done", &found);
        Ok(())
    })
}

async fn solver_at_once(
    State(state): State<AppState>,
    client: Client,
    body::Json(question): body::Json<Question>,
) -> Result<Json<ExactTable>, ApiError> {
    let task = Task::new(&state, question, SOLVER_SECONDS, perfect).await?;
    let work =
        |stop, task: Task| Ok(desk::solve(&task.context.game, &task.moves, &task.limits(stop))?);
    at_once(&state, client, task, work).await
}
