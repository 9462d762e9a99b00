//! Gem Island: games on the server, hints, what may lie under the ice, high scores. A page sends swaps and nothing else,
//! so nobody can make a score up; what was played is played again before it counts.

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
use tesuji_games::rules::gem_island::text::Dialect;
use tesuji_games::rules::gem_island::{Settings, Status, Swap};
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

/// Gem Island as all requests share it.
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

    /// The game, for the client who began it.
    fn own_game(&self, id: &str, client: &Client) -> Result<SharedGame, ApiError> {
        let game = self.game(id)?;
        let is_owner = client.matches(&game.lock().owner);
        match is_owner {
            true => Ok(game),
            false => Err(ApiError::forbidden(
                "this game belongs to another session and can only be watched; start a new one",
            )),
        }
    }
}

/// The levels, the agents, and whether games are written down.
async fn about(State(state): State<AppState>) -> Json<Value> {
    let level = |n: usize| Some(json!({ "level": n, "settings": Settings::level(n)? }));
    let levels: Vec<Value> = (1..=3).filter_map(level).collect();
    let agent = |agent: &tesuji_players::gem_island::AgentKind| json!({ "name": agent.name, "summary": agent.summary });
    let agents: Vec<Value> = AGENTS.iter().map(agent).collect();
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
    /// Whether the game may be written down when it is over.
    record: Option<bool>,
}

/// A game and how it stands.
#[derive(Serialize)]
struct GameResponse {
    id: String,
    /// Whether the one who asks may play it; others may watch.
    yours: bool,
    view: GameView,
    #[serde(flatten)]
    end: Option<GameEnd>,
}

/// What is told when a game is over.
#[derive(Serialize)]
struct GameEnd {
    /// What decided the board and all that fell, as a number of 64 bits.
    seed: String,
    /// Where its score would stand in the table of its level; nothing beyond the last line, or if it stands there.
    rank: Option<usize>,
    /// Whether it has been entered there.
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

/// A turn that was played and how the game stands after it.
#[derive(Serialize)]
struct TurnResponse {
    #[serde(flatten)]
    turn: TurnView,
    status: Status,
    view: GameView,
    /// Whether the game was written down; nothing while it goes on.
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
        Status::Running => None,
        _ => Some(record_game(state, id, game).await),
    };
    let end = end_of(state, game).await?;
    Ok(Json(TurnResponse { turn, status, view, recorded, end }))
}

/// Keeps the log of a finished game for whoever learns from games, if its player agrees. A store that fails costs the log,
/// not the game.
async fn record_game(state: &AppState, id: &str, game: &SharedGame) -> bool {
    let played = game.lock().clone();
    let (Some(store), true) = (state.store(), played.record) else { return false };
    let Some(sample) = sample(id, &played) else { return false };
    let added = state.blocking(move || Ok(store.add(&[Record::Sample(sample)])?)).await;
    added.is_ok()
}

/// One game as a sample: its swaps, whether it was won, and in its detail the state-action log.
fn sample(id: &str, played: &GemGame) -> Option<Sample> {
    let again = played.replay()?;
    let swaps: Vec<String> = again.turns.iter().map(|(_, turn)| turn.swap.to_string()).collect();
    let won = again.end.status() == Status::Won;
    Some(Sample {
        key: format!("web/gems/{id}"),
        run: EVENT.to_string(),
        game: ScoreBoard { level: played.level, helped: false }.name(),
        position: swaps.join(" "),
        value: if won { 1.0 } else { -1.0 },
        weight: 1.0,
        detail: json!({
            "log": again.log().to_text(Dialect::Js),
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

/// A player may change their mind until the game is over.
async fn recording(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    JsonBody(RecordingRequest { record }): JsonBody<RecordingRequest>,
) -> Result<Json<Value>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let mut played = game.lock();
    if played.is_over() {
        return Err(ApiError::conflict("the game is over; what was recorded stays recorded"));
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
        return Err(ApiError::conflict("the game is not over; there is nothing to replay yet"));
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
