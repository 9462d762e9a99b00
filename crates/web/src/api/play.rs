//! A position as it is shown, and the computer's moves. A game is in its address; what is kept here
//! is the player of a game under way, which goes on where it was. Nothing is lost without it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_app::DeskError;
use tesuji_app::desk::{ChosenMove, ScoreSheet, Snapshot, vary};
use tesuji_play::{InfoListener, PlayerContext, PlayerSpec, Turn};
use tesuji_search::Limits;

use super::{check_place, seed_in, seed_of, time_for};
use crate::admission::admit;
use crate::body::{self, Asked};
use crate::client::Client;
use crate::errors::ApiError;
use crate::kept_players::Seat;
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

async fn position(
    State(state): State<AppState>,
    Asked(place): Asked<Place>,
) -> Result<Json<Shown>, ApiError> {
    check_place(&place.game, &place.moves)?;
    let mut sheet = ScoreSheet::read(&state.open(&place.game)?, &place.moves)?;
    if let Some(one_more) = place.play {
        sheet.play_text(&one_more)?;
    }
    Ok(Json(Shown { snapshot: sheet.snapshot(), game: place.game }))
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
    let task = Task::new(&state, client, question).await?;
    let time = task.time;
    let work = move |stop| task.answer(stop, InfoListener::default());
    think(&state, client, time, work).await.map(Json)
}

async fn thinking(
    State(state): State<AppState>,
    client: Client,
    Asked(question): Asked<Question>,
) -> Result<Response, ApiError> {
    let task = Task::new(&state, client, question).await?;
    stream(&state, client, task.time, move |teller| {
        let watcher = teller.clone();
        let watch = InfoListener::new(move |glimpse| watcher.glimpse("progress", || glimpse));
        let answer = task.answer(teller.stop.clone(), watch)?;
        teller.tell("move", &answer);
        Ok(())
    })
}

/// Time for a player that has none of its own and is not asked to keep any.
const USUAL_SECONDS: f64 = 10.0;

/// A question within bounds, with all that answering it takes.
struct Task {
    state: AppState,
    client: Client,
    question: Question,
    player: PlayerSpec,
    time: Duration,
}

impl Task {
    async fn new(state: &AppState, client: Client, question: Question) -> Result<Task, ApiError> {
        check_place(&question.game, &question.moves)?;
        let player = admit(state, &question.player).await?;
        let time = time_for(state, question.seconds, USUAL_SECONDS)?;
        Ok(Task { state: state.clone(), client, question, player, time })
    }

    fn answer(&self, stop: Arc<AtomicBool>, watch: InfoListener) -> Result<Answer, ApiError> {
        let Question { game, moves, seed, .. } = &self.question;
        let opened = self.state.open(game)?;
        let mut sheet = ScoreSheet::read(&opened, moves)?.unfinished()?;
        // From the position: otherwise the spelling of the moves would choose the seed of the turn.
        let before = &sheet.position;
        let chance = seed.map_or_else(|| seed_of(game, before), |seed| seed_in(seed, game, before));
        let context = PlayerContext::new(&opened, chance);
        // A time limit would take the depth of a plain search away; the stop sign does not.
        let time = self.question.seconds.map(|_| self.time);
        let limits = Limits { time, stop: Some(stop), ..Limits::default() };
        let turn = Turn { limits, listener: watch, ..Turn::default() };
        let seat = self.may_remember(&turn).then(|| Seat::of(&self.client, &self.player, &sheet));
        let known = seat.as_ref().and_then(|seat| self.state.players().take(seat, &sheet));
        let mut player = match known {
            Some(player) => player,
            None => self.player.build(&context)?,
        };
        let mut choice = player.choose(&sheet.line, &turn).map_err(DeskError::from)?;
        if seed.is_some() {
            choice = vary(choice, &sheet.line, &self.player, &context, &turn, chance)?;
        }
        let chosen = ChosenMove::of(&sheet.line.end, &choice);
        sheet.play(choice.m)?;
        if let Some(seat) = seat {
            self.state.players().keep(seat, &sheet, player);
        }
        let receipt = self.made().receipt(&self.state, &sheet.position);
        let position = Shown { snapshot: sheet.snapshot(), game: game.clone() };
        Ok(Answer { choice: chosen, receipt, position })
    }

    /// Whether what the player saw in earlier turns may count in this one. With a seed the same
    /// moves give the same game, so that it may only where a clock decides anyway, or where nothing
    /// but the truth is found.
    fn may_remember(&self, turn: &Turn) -> bool {
        let Some(search) = self.player.search_profile() else { return false };
        let limits = search.limits(&turn.limits);
        let is_truthful = search.exact && limits.nodes.is_none();
        self.question.seed.is_none() || limits.time.is_some() || is_truthful
    }

    fn made(&self) -> Made<'_> {
        let Question { game, player, seconds, seed, .. } = &self.question;
        Made { game, player, seconds: *seconds, seed: *seed }
    }
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
