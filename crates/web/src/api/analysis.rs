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
use tesuji_arena::{PlayerContext, PlayerSpec};
use tesuji_search::{Game, Limits};

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
    let task = Task::new(&state, question).await?;
    stream(&state, client, task.time, move |teller| {
        let mut tell = |so_far: &MoveTable| teller.glimpse("progress", || so_far.clone());
        let found = task.analyze(teller.stop.clone(), &mut tell)?;
        teller.tell("done", &found);
        Ok(())
    })
}

async fn at_once(
    State(state): State<AppState>,
    client: Client,
    body::Json(question): body::Json<Question>,
) -> Result<Json<MoveTable>, ApiError> {
    let task = Task::new(&state, question).await?;
    think(&state, client, task.time, move |stop| task.analyze(stop, &mut |_| {})).await.map(Json)
}

/// A question within bounds, with all that answering it takes.
struct Task {
    moves: String,
    player: PlayerSpec,
    context: PlayerContext,
    time: Duration,
}

impl Task {
    async fn new(state: &AppState, question: Question) -> Result<Task, ApiError> {
        let Question { game, moves, player, seconds } = question;
        check_place(&game, &moves)?;
        let opened = state.open(&game)?;
        let player = admit(state, &player.unwrap_or_else(|| analyst(&opened))).await?;
        let time = time_for(state, seconds, USUAL_SECONDS)?;
        let context = PlayerContext::new(&opened, seed_of(&game, &moves));
        Ok(Task { moves, player, context, time })
    }

    fn limits(&self, stop: Arc<AtomicBool>) -> Limits {
        Limits { stop: Some(stop), ..Limits::time(self.time) }
    }

    fn analyze(
        &self,
        stop: Arc<AtomicBool>,
        tell: &mut dyn FnMut(&MoveTable),
    ) -> Result<MoveTable, ApiError> {
        let limits = self.limits(stop);
        Ok(desk::analyze(&self.context, &self.moves, &self.player, &limits, tell)?)
    }
}

/// Who looks at a game's positions when nobody is named.
fn analyst(game: &Game) -> String {
    let context = PlayerContext::new(game, 0);
    let can = |text: &str| {
        let player = text.parse::<PlayerSpec>();
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
    let task = Task::new(&state, question).await?;
    stream(&state, client, task.time, move |teller| {
        let limits = task.limits(teller.stop.clone());
        let mut tell = |position: &ReviewedPosition| teller.tell("point", position);
        review(&task.moves, &task.player, &task.context, &limits, &mut tell)?;
        teller.tell("done", &json!({}));
        Ok(())
    })
}
