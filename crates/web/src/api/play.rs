//! Positions and moves of the computer. The page's address holds the game; the server only caches
//! the player of a current game with its search state, and can always build a new one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_app::PositionViewError;
use tesuji_app::position_view::{ChosenMove, ScoreSheet, Snapshot, vary};
use tesuji_play::{InfoListener, PlayerContext, PlayerSpec, Turn};
use tesuji_search::Limits;

use super::{check_lengths, game_seed, position_seed, search_time};
use crate::admission::admit;
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::player_cache::PlayerKey;
use crate::state::AppState;
use crate::stream::{run_search, stream_search};

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/position", get(position))
        .route("/api/move", post(computer_move))
        .route("/api/thinking", get(thinking))
}

#[derive(Deserialize)]
struct PositionQuery {
    game: String,
    #[serde(default)]
    moves: String,
    play: Option<String>,
}

/// A snapshot with its game.
#[derive(Serialize)]
pub(super) struct PositionResponse {
    game: String,
    #[serde(flatten)]
    snapshot: Snapshot,
}

async fn position(
    State(state): State<AppState>,
    QueryParams(query): QueryParams<PositionQuery>,
) -> Result<Json<PositionResponse>, ApiError> {
    check_lengths(&query.game, &query.moves)?;
    let mut sheet = ScoreSheet::read(&state.open(&query.game)?, &query.moves)?;
    if let Some(one_more) = query.play {
        sheet.play_text(&one_more)?;
    }
    Ok(Json(PositionResponse { snapshot: sheet.snapshot(), game: query.game }))
}

/// A request for a move.
#[derive(Clone, Deserialize)]
struct MoveRequest {
    game: String,
    #[serde(default)]
    moves: String,
    player: String,
    seconds: Option<f64>,
    /// Selects among moves that the player values equally.
    seed: Option<u64>,
}

#[derive(Serialize)]
struct MoveResponse {
    choice: ChosenMove,
    /// The server's signature of the move.
    receipt: String,
    position: PositionResponse,
}

async fn computer_move(
    State(state): State<AppState>,
    client: Client,
    JsonBody(request): JsonBody<MoveRequest>,
) -> Result<Json<MoveResponse>, ApiError> {
    let task = MoveTask::new(&state, client, request).await?;
    let time = task.time;
    let work = move |stop| task.run(stop, InfoListener::default());
    run_search(&state, client, time, work).await.map(Json)
}

async fn thinking(
    State(state): State<AppState>,
    client: Client,
    QueryParams(request): QueryParams<MoveRequest>,
) -> Result<Response, ApiError> {
    let task = MoveTask::new(&state, client, request).await?;
    stream_search(&state, client, task.time, move |sender| {
        let watcher = sender.clone();
        let watch = InfoListener::new(move |glimpse| watcher.send_progress("progress", || glimpse));
        let response = task.run(sender.stop.clone(), watch)?;
        sender.send("move", &response);
        Ok(())
    })
}

/// The default time for players without their own limit.
const DEFAULT_SECONDS: f64 = 10.0;

/// A checked request with everything for its search.
struct MoveTask {
    state: AppState,
    client: Client,
    request: MoveRequest,
    player: PlayerSpec,
    time: Duration,
}

impl MoveTask {
    async fn new(
        state: &AppState,
        client: Client,
        request: MoveRequest,
    ) -> Result<MoveTask, ApiError> {
        check_lengths(&request.game, &request.moves)?;
        let player = admit(state, &request.player).await?;
        let time = search_time(state, request.seconds, DEFAULT_SECONDS)?;
        Ok(MoveTask { state: state.clone(), client, request, player, time })
    }

    fn run(&self, stop: Arc<AtomicBool>, watch: InfoListener) -> Result<MoveResponse, ApiError> {
        let MoveRequest { game, moves, seed, .. } = &self.request;
        let opened = self.state.open(game)?;
        let mut sheet = ScoreSheet::read(&opened, moves)?.unfinished()?;
        // Use the canonical text: the spelling of the moves must not change the seed.
        let before = &sheet.position;
        let move_seed =
            seed.map_or_else(|| position_seed(game, before), |seed| game_seed(seed, game, before));
        let context = PlayerContext::new(&opened, move_seed);
        // A time limit would override the depth of a plain search; the stop flag does not.
        let time = self.request.seconds.map(|_| self.time);
        let limits = Limits { time, stop: Some(stop), ..Limits::default() };
        let turn = Turn { limits, listener: watch, ..Turn::default() };
        let key =
            self.may_use_cache(&turn).then(|| PlayerKey::of(&self.client, &self.player, &sheet));
        let cached = key.as_ref().and_then(|key| self.state.player_cache().take(key, &sheet));
        let mut player = match cached {
            Some(player) => player,
            None => self.player.build(&context)?,
        };
        let mut choice = player.choose(&sheet.line, &turn).map_err(PositionViewError::from)?;
        if seed.is_some() {
            choice = vary(choice, &sheet.line, &self.player, &context, &turn, move_seed)?;
        }
        let chosen = ChosenMove::of(&sheet.line.end, &choice);
        sheet.play(choice.m)?;
        if let Some(key) = key {
            self.state.player_cache().keep(key, &sheet, player);
        }
        let receipt = self.provenance().receipt(&self.state, &sheet.position);
        let position = PositionResponse { snapshot: sheet.snapshot(), game: game.clone() };
        Ok(MoveResponse { choice: chosen, receipt, position })
    }

    /// Whether a player may keep its search state between turns. With a seed the same moves must
    /// give the same game, so this needs a time limit, which is not reproducible anyway, or an
    /// exact solver.
    fn may_use_cache(&self, turn: &Turn) -> bool {
        let Some(search) = self.player.search_profile() else { return false };
        let limits = search.limits(&turn.limits);
        let is_exact = search.exact && limits.nodes.is_none();
        self.request.seed.is_none() || limits.time.is_some() || is_exact
    }

    fn provenance(&self) -> MoveProvenance<'_> {
        let MoveRequest { game, player, seconds, seed, .. } = &self.request;
        MoveProvenance { game, player, seconds: *seconds, seed: *seed }
    }
}

/// The settings with which a computer's move was made.
pub(super) struct MoveProvenance<'a> {
    pub(super) game: &'a str,
    pub(super) player: &'a str,
    /// The requested time; `None` for the default.
    pub(super) seconds: Option<f64>,
    /// The requested seed.
    pub(super) seed: Option<u64>,
}

impl MoveProvenance<'_> {
    /// Signs the move that led to a position.
    pub(super) fn receipt(&self, state: &AppState, after: &str) -> String {
        let seconds = self.seconds.map_or("as usual".to_string(), |seconds| seconds.to_string());
        let seed = self.seed.map_or("none".to_string(), |seed| seed.to_string());
        state.secret().sign(&["move", self.game, self.player, &seconds, &seed, after])
    }
}
