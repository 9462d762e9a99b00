//! A position as it is shown, and the computer's moves. Nothing is kept here: a game is in its address.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_arena::desk::{self, ChosenMove, Snapshot};
use tesuji_arena::{PlayerContext, PlayerSpec, Turn, Watch};
use tesuji_search::Limits;

use super::{check_place, seed_in, seed_of, time_for};
use crate::admission::admit;
use crate::body::{self, Asked};
use crate::client::Client;
use crate::errors::ApiError;
use crate::state::AppState;
use crate::stream::{stream, think};

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/position", get(position))
        .route("/api/move", post(computer_move))
        .route("/api/thinking", get(thinking))
}

#[derive(Deserialize)]
struct Place {
    game: String,
    #[serde(default)]
    moves: String,
    play: Option<String>,
}

/// A snapshot with the game that it is of.
#[derive(Serialize)]
pub(super) struct Shown {
    game: String,
    #[serde(flatten)]
    snapshot: Snapshot,
}

async fn position(Asked(place): Asked<Place>) -> Result<Json<Shown>, ApiError> {
    check_place(&place.game, &place.moves)?;
    let desk = desk::open(&place.game)?;
    let moves = match place.play {
        Some(one_more) => desk.played(&place.moves, &one_more)?,
        None => place.moves,
    };
    Ok(Json(Shown { snapshot: desk.snapshot(&moves)?, game: place.game }))
}

/// Who is to think about what, and for how long.
#[derive(Clone, Deserialize)]
struct Question {
    game: String,
    #[serde(default)]
    moves: String,
    player: String,
    seconds: Option<f64>,
    /// Another seed, another game: what decides among moves that the player values equally.
    seed: Option<u64>,
}

#[derive(Serialize)]
struct Answer {
    choice: ChosenMove,
    /// This server's word that its player played this move there.
    receipt: String,
    position: Shown,
}

async fn computer_move(
    State(state): State<AppState>,
    client: Client,
    body::Json(question): body::Json<Question>,
) -> Result<Json<Answer>, ApiError> {
    let (player, time) = check(&state, &question).await?;
    let thinker = state.clone();
    let work = move |stop| answer(&thinker, &question, &player, time, stop, Watch::default());
    think(&state, client, time, work).await.map(Json)
}

async fn thinking(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let (player, time) = check(&state, &question).await?;
    let thinker = state.clone();
    stream(&state, client, time, move |teller| {
        let watcher = teller.clone();
        let watch = Watch::by(move |glimpse| watcher.glimpse("progress", || glimpse));
        let answer = answer(&thinker, &question, &player, time, teller.stop.clone(), watch)?;
        teller.tell("move", &answer);
        Ok(())
    })
}

/// Time for a player that has none of its own and is not asked to keep any.
const USUAL_SECONDS: f64 = 10.0;

async fn check(state: &AppState, question: &Question) -> Result<(PlayerSpec, Duration), ApiError> {
    check_place(&question.game, &question.moves)?;
    let player = admit(state, &question.player).await?;
    Ok((player, time_for(state, question.seconds, USUAL_SECONDS)?))
}

fn answer(
    state: &AppState,
    question: &Question,
    player: &PlayerSpec,
    time: Duration,
    stop: Arc<AtomicBool>,
    watch: Watch,
) -> Result<Answer, ApiError> {
    let Question { game, moves, seed, .. } = question;
    let desk = desk::open(game)?;
    // From the position: otherwise the spelling of the moves would choose the seed of the turn.
    let before = desk.snapshot(moves)?.position;
    let chance = seed.map_or_else(|| seed_of(game, &before), |seed| seed_in(seed, game, &before));
    let context = PlayerContext::new(game, chance);
    // A time limit would take the depth of a plain search away; the stop sign does not.
    let time = question.seconds.map(|_| time);
    let limits = Limits { time, stop: Some(stop), ..Limits::default() };
    let turn = Turn { limits, watch, ..Turn::default() };
    let choice = match seed {
        Some(_) => desk.choose_seeded(moves, player, &context, &turn, chance)?,
        None => desk.choose(moves, player, &context, &turn)?,
    };
    let after = desk.played(moves, &choice.step.text)?;
    let made = Made { game, player: &question.player, seconds: question.seconds, seed: *seed };
    let receipt = made.receipt(state, &after);
    let position = Shown { snapshot: desk.snapshot(&after)?, game: game.clone() };
    Ok(Answer { choice, receipt, position })
}

/// How a move of the computer was made.
pub(super) struct Made<'a> {
    pub(super) game: &'a str,
    pub(super) player: &'a str,
    /// The time that was asked for; `None` for what the server and the player choose.
    pub(super) seconds: Option<f64>,
    /// The seed of the game that was asked for.
    pub(super) seed: Option<u64>,
}

impl Made<'_> {
    /// The server's signature that it made the move that led to this position, and how.
    pub(super) fn receipt(&self, state: &AppState, after: &str) -> String {
        let seconds = self.seconds.map_or("as usual".to_string(), |seconds| seconds.to_string());
        let seed = self.seed.map_or("none".to_string(), |seed| seed.to_string());
        state.secret().sign(&["move", self.game, self.player, &seconds, &seed, after])
    }
}
