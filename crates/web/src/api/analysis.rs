//! What every move is worth, and how a game went.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tesuji_app::desk::review::{ReviewedPosition, review};
use tesuji_app::desk::{self, MoveTable};
use tesuji_play::PlayerContext;
use tesuji_search::Game;

use super::Question;
use super::think::{self, Task};
use crate::body::{self, Asked};
use crate::client::Client;
use crate::errors::ApiError;
use crate::opponents::is_solvable;
use crate::state::AppState;
use crate::stream::stream;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/api/analysis", get(live).post(at_once)).route("/api/chart", get(chart))
}

/// Time for an analysis.
const USUAL_SECONDS: f64 = 3.0;
/// Memory of an analysis.
const TABLE: &str = "16M";

async fn live(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let task = task(&state, question).await?;
    stream(&state, client, task.time, move |teller| {
        let mut tell = |so_far: &MoveTable| teller.glimpse("progress", || so_far.clone());
        let found = analyze(&task, teller.stop.clone(), &mut tell)?;
        teller.tell("done", &found);
        Ok(())
    })
}

async fn at_once(
    State(state): State<AppState>,
    client: Client,
    body::Json(question): body::Json<Question>,
) -> Result<Json<MoveTable>, ApiError> {
    let task = task(&state, question).await?;
    think::at_once(&state, client, task, |stop, task| analyze(&task, stop, &mut |_| {})).await
}

async fn task(state: &AppState, question: Question) -> Result<Task, ApiError> {
    Task::new(state, question, USUAL_SECONDS, analyst).await
}

fn analyze(
    task: &Task,
    stop: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, ApiError> {
    let limits = task.limits(stop);
    Ok(desk::analyze(&task.context, &task.moves, &task.player, &limits, tell)?)
}

/// Who looks at a game's positions when nobody is named.
fn analyst(game: &Game) -> String {
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
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let task = task(&state, question).await?;
    stream(&state, client, task.time, move |teller| {
        let limits = task.limits(teller.stop.clone());
        let mut tell = |position: &ReviewedPosition| teller.tell("point", position);
        review(&task.context, &task.moves, &task.player, &limits, &mut tell)?;
        teller.tell("done", &json!({}));
        Ok(())
    })
}
