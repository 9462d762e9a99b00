//! Positions and moves of the computer. The page's address holds the game; the server only caches
//! the player of a current game with its search state, and can always build a new one. Answers that
//! depend only on the request are cached for all clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
use crate::answer_cache::{Answer, AnswerCache};
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::player_cache::PlayerKey;
use crate::state::AppState;
use crate::stream::{run_search, stream_event, stream_search};

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
    if let Some(response) = task.known_answer()? {
        return Ok(Json(response));
    }
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
    // An error is an event of the stream.
    if let Ok(Some(response)) = task.known_answer() {
        return stream_event("move", &response);
    }
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

/// The number of different choices of a searching player among equal moves of a position. More seeds
/// than these choose alike, so that the games of many clients share answers.
const NUM_VARIANTS: u64 = 16;

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

    /// The answer to an earlier request for the same move, unless the client's own player has kept
    /// its search state.
    fn known_answer(&self) -> Result<Option<MoveResponse>, ApiError> {
        let opened = self.state.open(&self.request.game)?;
        let mut sheet = ScoreSheet::read(&opened, &self.request.moves)?.unfinished()?;
        let turn = self.turn(None, InfoListener::default());
        let own = self.own_player(&turn, &sheet);
        if own.is_some_and(|key| self.state.player_cache().contains(&key, &sheet)) {
            return Ok(None);
        }
        let Some(question) = self.question(&turn, &sheet) else { return Ok(None) };
        let Some(answer) = self.state.answer_cache().get(&question) else { return Ok(None) };
        sheet.play(answer.m)?;
        Ok(Some(self.response(sheet, answer.chosen)))
    }

    fn run(&self, stop: Arc<AtomicBool>, watch: InfoListener) -> Result<MoveResponse, ApiError> {
        let opened = self.state.open(&self.request.game)?;
        let mut sheet = ScoreSheet::read(&opened, &self.request.moves)?.unfinished()?;
        let move_seed = self.move_seed(&sheet);
        let context = PlayerContext::new(&opened, move_seed);
        let turn = self.turn(Some(stop.clone()), watch);
        let key = self.own_player(&turn, &sheet);
        let kept = key.as_ref().and_then(|key| self.state.player_cache().take(key, &sheet));
        let question = self.question(&turn, &sheet).filter(|_| kept.is_none());
        let mut player = match kept {
            Some(player) => player,
            None => self.player.build(&context)?,
        };
        let mut choice = player.choose(&sheet.line, &turn).map_err(PositionViewError::from)?;
        if self.request.seed.is_some() {
            choice = vary(choice, &sheet.line, &self.player, &context, &turn, move_seed)?;
        }
        let answer = Answer { m: choice.m, chosen: ChosenMove::of(&sheet.line.end, &choice) };
        if let Some(question) = question.filter(|_| !stop.load(Ordering::Relaxed)) {
            self.state.answer_cache().keep(question, answer.clone());
        }
        sheet.play(choice.m)?;
        if let Some(key) = key {
            self.state.player_cache().keep(key, &sheet, player);
        }
        Ok(self.response(sheet, answer.chosen))
    }

    /// The response with the position after the chosen move.
    fn response(&self, sheet: ScoreSheet, choice: ChosenMove) -> MoveResponse {
        let receipt = self.provenance().receipt(&self.state, &sheet.position);
        let game = self.request.game.clone();
        let position = PositionResponse { snapshot: sheet.snapshot(), game };
        MoveResponse { choice, receipt, position }
    }

    fn turn(&self, stop: Option<Arc<AtomicBool>>, listener: InfoListener) -> Turn {
        // A time limit would override the depth of a plain search; the stop flag does not.
        let time = self.request.seconds.map(|_| self.time);
        Turn { limits: Limits { time, stop, ..Limits::default() }, listener, ..Turn::default() }
    }

    /// The seed of the move. It follows from the canonical text of the moves, so that their spelling
    /// does not change it.
    fn move_seed(&self, sheet: &ScoreSheet) -> u64 {
        let (game, moves) = (&self.request.game, &sheet.position);
        let searches = self.player.search_profile().is_some();
        match self.request.seed {
            None => position_seed(game, moves),
            Some(seed) if searches => game_seed(seed % NUM_VARIANTS, game, moves),
            Some(seed) => game_seed(seed, game, moves),
        }
    }

    /// The text of the request in the cache of answers; `None` if the answer depends on more than
    /// the request: on a clock, or on randomness that the player does not take from its seed.
    fn question(&self, turn: &Turn, sheet: &ScoreSheet) -> Option<String> {
        let search = self.player.search_profile()?;
        let reproducible = search.limits(&turn.limits).time.is_none();
        let (game, player) = (&self.request.game, self.player.text());
        reproducible
            .then(|| AnswerCache::question(game, &sheet.position, player, self.move_seed(sheet)))
    }

    /// The key of the client's own player, if the player may keep its search state.
    fn own_player(&self, turn: &Turn, sheet: &ScoreSheet) -> Option<PlayerKey> {
        self.may_use_cache(turn).then(|| PlayerKey::of(&self.client, &self.player, sheet))
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
