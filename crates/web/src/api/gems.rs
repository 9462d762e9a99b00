//! Gem Island: games, hints, beliefs about hidden medals, and high scores. Games run on the server
//! and clients send only swaps, so scores cannot be forged; a game is replayed before its score
//! counts.

mod agents;
mod belief;
mod entries;
mod games;
mod hints;
mod scores;
mod views;

use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tesuji_games::rules::gem_island::text::TextDialect;
use tesuji_games::rules::gem_island::{GemSettings, GemStatus, Swap};
use tesuji_play::event::now;
use tesuji_players::gem_island::AGENTS;
use tesuji_store::{Record, Sample};

use super::records::EVENT;
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::JsonBody;
use crate::state::AppState;
use games::{GemGame, GemGames, SharedGame};
use scores::{HighScores, ScoreBoard};
use views::{GameView, SwapRequest, TurnView, final_score};

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/gems", get(about).post(begin))
        .route("/api/gems/{id}", get(show))
        .route("/api/gems/{id}/swap", post(swap))
        .route("/api/gems/{id}/hint", post(hints::hint))
        .route("/api/gems/{id}/auto", post(hints::auto))
        .route("/api/gems/{id}/belief", get(hints::belief))
        .route("/api/gems/{id}/replay", get(replay))
        .route("/api/gems/{id}/recording", post(recording))
        .route("/api/gems/{id}/score", post(entries::enter))
        .route("/api/scores", get(entries::high_scores))
}

/// The shared state of Gem Island.
pub(crate) struct Gems {
    games: GemGames,
    scores: HighScores,
}

impl Gems {
    pub(crate) fn new(sessions_per_address: usize) -> Gems {
        Gems { games: GemGames::new(sessions_per_address), scores: HighScores::new() }
    }

    fn game(&self, id: &str) -> Result<SharedGame, ApiError> {
        self.games.find(id.parse()?)
    }

    /// Finds a game; an error if the client does not own it.
    fn own_game(&self, id: &str, client: &Client) -> Result<SharedGame, ApiError> {
        let game = self.game(id)?;
        let is_owner = client.matches(&game.lock().owner);
        match is_owner {
            true => Ok(game),
            false => Err(ApiError::forbidden(
                "game: belongs to another session and can only be watched; start a new game",
            )),
        }
    }
}

/// Returns the levels, the agents, and whether games are recorded.
async fn about(State(state): State<AppState>) -> Json<Value> {
    let level = |n: usize| Some(json!({ "level": n, "settings": GemSettings::level(n)? }));
    let levels: Vec<Value> = (1..=3).filter_map(level).collect();
    let agents = AGENTS.iter().map(|it| json!({ "name": it.name, "summary": it.summary }));
    let agents: Vec<Value> = agents.collect();
    Json(json!({
        "levels": levels,
        "agents": agents,
        "agent": agents::DEFAULT_AGENT,
        "recording": state.store().is_some(),
    }))
}

#[derive(Deserialize)]
struct NewGameRequest {
    level: u8,
    /// Whether the finished game may be recorded.
    record: Option<bool>,
}

/// The state of a game.
#[derive(Serialize)]
struct GameResponse {
    id: String,
    /// Whether the client owns the game and may play it.
    yours: bool,
    view: GameView,
    #[serde(flatten)]
    end: Option<GameEnd>,
}

/// The part of a response for finished games.
#[derive(Serialize)]
struct GameEnd {
    /// The 64-bit seed of the board and of all falling gems.
    seed: String,
    /// The rank that its score would have in the high scores of its level; `None` if it is too low
    /// or already entered.
    rank: Option<usize>,
    /// Whether it is entered in the high scores.
    entered: bool,
}

async fn begin(
    State(state): State<AppState>,
    client: Client,
    JsonBody(request): JsonBody<NewGameRequest>,
) -> Result<Json<GameResponse>, ApiError> {
    let (id, game) =
        state.gems().games.open(request.level, request.record.unwrap_or(true), client)?;
    let view = GameView::of(&game.lock());
    Ok(Json(GameResponse { id: id.to_string(), yours: true, view, end: None }))
}

async fn show(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
) -> Result<Json<GameResponse>, ApiError> {
    let game = state.gems().game(&id)?;
    let (view, yours) = {
        let played = game.lock();
        (GameView::of(&played), client.matches(&played.owner))
    };
    let end = end_of(&state, &game).await?;
    Ok(Json(GameResponse { id, yours, view, end }))
}

async fn end_of(state: &AppState, game: &SharedGame) -> Result<Option<GameEnd>, ApiError> {
    let (level, score, seed, entered) = {
        let played = game.lock();
        if !played.is_over() {
            return Ok(None);
        }
        (played.level, final_score(&played.game), played.seed, played.entered)
    };
    let rank = match entered {
        true => None,
        false => state.gems().scores.rank(state, level, score).await?,
    };
    Ok(Some(GameEnd { seed: seed.to_string(), rank, entered }))
}

/// A played turn and the state after it.
#[derive(Serialize)]
struct TurnResponse {
    #[serde(flatten)]
    turn: TurnView,
    status: GemStatus,
    view: GameView,
    /// Whether the game was recorded; `None` before its end.
    recorded: Option<bool>,
    #[serde(flatten)]
    end: Option<GameEnd>,
}

async fn swap(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<SwapRequest>,
) -> Result<Json<TurnResponse>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let swap = asked.checked()?;
    let (turn, view) = played(&mut game.lock(), swap)?;
    turn_response(&state, &id, &game, turn, view).await
}

fn played(played: &mut GemGame, swap: Swap) -> Result<(TurnView, GameView), ApiError> {
    let updates = played.play(swap)?;
    Ok((TurnView::of(&played.game, updates), GameView::of(played)))
}

async fn turn_response(
    state: &AppState,
    id: &str,
    game: &SharedGame,
    turn: TurnView,
    view: GameView,
) -> Result<Json<TurnResponse>, ApiError> {
    let status = view.status;
    let recorded = match status {
        GemStatus::Running => None,
        _ => Some(record_game(state, id, game).await),
    };
    let end = end_of(state, game).await?;
    Ok(Json(TurnResponse { turn, status, view, recorded, end }))
}

/// Stores the log of a finished game as training data, if its player agrees. An error of the store
/// loses the log, not the game.
async fn record_game(state: &AppState, id: &str, game: &SharedGame) -> bool {
    let played = game.lock().clone();
    let (Some(store), true) = (state.store(), played.record) else { return false };
    let Some(sample) = sample(id, &played) else { return false };
    let added = state.blocking(move || Ok(store.add(&[Record::Sample(sample)])?)).await;
    added.is_ok()
}

/// Converts a game to a sample: the swaps, the result, and the state-action log as detail.
fn sample(id: &str, played: &GemGame) -> Option<Sample> {
    let again = played.replay()?;
    let swaps: Vec<String> = again.turns.iter().map(|(_, turn)| turn.swap.to_string()).collect();
    let won = again.end.status() == GemStatus::Won;
    Some(Sample {
        key: format!("web/gems/{id}"),
        run: EVENT.to_string(),
        game: ScoreBoard { level: played.level, helped: false }.name(),
        position: swaps.join(" "),
        value: if won { 1.0 } else { -1.0 },
        weight: 1.0,
        detail: json!({
            "log": again.log().to_text(TextDialect::Js),
            "seed": played.seed.to_string(),
            "score": final_score(&again.end),
            "helped": played.helped,
            "started_at": played.started_at,
            "ended_at": now(),
        }),
    })
}

#[derive(Deserialize)]
struct RecordingRequest {
    record: bool,
}

/// Changes whether a running game may be recorded.
async fn recording(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    JsonBody(RecordingRequest { record }): JsonBody<RecordingRequest>,
) -> Result<Json<Value>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let mut played = game.lock();
    if played.is_over() {
        return Err(ApiError::conflict("recording: cannot be changed after the end of the game"));
    }
    played.record = record;
    Ok(Json(json!({ "record": record })))
}

async fn replay(
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let played = state.gems().game(&id)?.lock().clone();
    if !played.is_over() {
        return Err(ApiError::conflict("replay: not available before the end of the game"));
    }
    let again = played.replay().ok_or_else(|| ApiError::internal("the game cannot be replayed"))?;
    let turns = again.turns.into_iter().map(|(_, updates)| TurnView::of(&again.end, updates));
    Ok(Json(json!({
        "id": id,
        "seed": played.seed.to_string(),
        "start": GameView::of_game(&again.start, played.level, played.helped),
        "turns": turns.collect::<Vec<_>>(),
        "end": GameView::of_game(&again.end, played.level, played.helped),
    })))
}
