//! What every move is worth, and how a game went.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tesuji_arena::desk::review::{ReviewedPosition, review};
use tesuji_arena::desk::{self, MoveTable};
use tesuji_arena::{Desk, PlayerContext, PlayerSpec};
use tesuji_search::Limits;

use super::{Question, check_place, seed_of, time_for};
use crate::admission::admit;
use crate::body::{self, Asked};
use crate::client::Client;
use crate::errors::ApiError;
use crate::opponents::is_solvable;
use crate::state::AppState;
use crate::stream::{stream, think};

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
    let (player, time) = check(&state, &question).await?;
    stream(&state, client, time, move |teller| {
        let mut tell = |so_far: &MoveTable| teller.glimpse("progress", || so_far.clone());
        let found = analyze(&question, &player, time, teller.stop.clone(), &mut tell)?;
        teller.tell("done", &found);
        Ok(())
    })
}

async fn at_once(
    State(state): State<AppState>,
    client: Client,
    body::Json(question): body::Json<Question>,
) -> Result<Json<MoveTable>, ApiError> {
    let (player, time) = check(&state, &question).await?;
    let work = move |stop| analyze(&question, &player, time, stop, &mut |_| {});
    think(&state, client, time, work).await.map(Json)
}

async fn check(state: &AppState, question: &Question) -> Result<(PlayerSpec, Duration), ApiError> {
    check_place(&question.game, &question.moves)?;
    let text = {
        let desk = desk::open(&question.game)?;
        let usual = || analyst(&question.game, desk.as_ref());
        question.player.as_deref().map_or_else(usual, str::to_string)
    };
    let player = admit(state, &text).await?;
    Ok((player, time_for(state, question.seconds, USUAL_SECONDS)?))
}

/// Who looks at a game's positions when nobody is named.
fn analyst(game: &str, desk: &dyn Desk) -> String {
    let can = |text: &str| {
        let player = text.parse::<PlayerSpec>();
        player.is_ok_and(|player| desk.admits(&player, &PlayerContext::new(game, 0)).is_ok())
    };
    let special = ["gomoku:tt=16M", "connect6"].into_iter().find(|text| can(text));
    match (is_solvable(game, desk), special) {
        (true, _) => "solver".to_string(),
        (false, Some(special)) => special.to_string(),
        (false, None) => format!("pvs:tt={TABLE}"),
    }
}

fn analyze(
    question: &Question,
    player: &PlayerSpec,
    time: Duration,
    stop: Arc<AtomicBool>,
    tell: &mut dyn FnMut(&MoveTable),
) -> Result<MoveTable, ApiError> {
    let Question { game, moves, .. } = question;
    let context = PlayerContext::new(game, seed_of(game, moves));
    let limits = Limits { stop: Some(stop), ..Limits::time(time) };
    Ok(desk::open(game)?.analyze(moves, player, &context, &limits, tell)?)
}

async fn chart(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let (player, time) = check(&state, &question).await?;
    stream(&state, client, time, move |teller| {
        let Question { game, moves, .. } = &question;
        let context = PlayerContext::new(game, seed_of(game, moves));
        let limits = Limits { stop: Some(teller.stop.clone()), ..Limits::time(time) };
        let mut tell = |position: &ReviewedPosition| teller.tell("point", position);
        let desk = desk::open(game)?;
        review(desk.as_ref(), moves, &player, &context, &limits, &mut tell)?;
        teller.tell("done", &json!({}));
        Ok(())
    })
}
