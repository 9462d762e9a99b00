//! Entries in the high scores: once for each finished game, under a nickname, with the score of its
//! replay.

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use tesuji_games::rules::gem_island::{GemSettings, GemStatus};
use tesuji_play::event::now;
use tesuji_store::HumanScore;

use super::games::GemGame;
use super::scores::{ScoreBoard, ScoreFilter, ScoreRow, checked_nickname};
use super::views::final_score;
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::{JsonBody, QueryParams};
use crate::state::AppState;

#[derive(Deserialize)]
pub(super) struct ScoreRequest {
    nickname: String,
}

pub(super) async fn enter(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    JsonBody(request): JsonBody<ScoreRequest>,
) -> Result<Json<Value>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let nickname = checked_nickname(&request.nickname)?;
    if !state.rate_limiter().allow_post(&client) {
        return Err(ApiError::too_many("high scores: at most one entry in two seconds"));
    }
    let (board, score) = claim_score(&id, &mut game.lock(), nickname.clone())?;
    let (points, level) = (score.score, board.level);
    let scores = &state.gems().scores;
    if let Err(error) = scores.enter(&state, board, score).await {
        game.lock().entered = false;
        return Err(error);
    }
    let lines = scores.top(&state, level, ScoreFilter::All).await?;
    let own = |line: &&ScoreRow| line.nickname == nickname && line.helped == board.helped;
    let rank = lines.iter().find(own).map(|line| line.rank);
    Ok(Json(json!({
        "level": level,
        "nickname": nickname,
        "score": points,
        "helped": board.helped,
        "rank": rank,
    })))
}

/// Replays a finished game, returns its score and marks it as entered.
fn claim_score(
    id: &str,
    played: &mut GemGame,
    nickname: String,
) -> Result<(ScoreBoard, HumanScore), ApiError> {
    if !played.is_over() {
        return Err(ApiError::conflict("high scores: the game is not over"));
    }
    if played.entered {
        return Err(ApiError::conflict("high scores: this game is already entered"));
    }
    let again = played.replay().ok_or_else(|| ApiError::internal("the game cannot be replayed"))?;
    played.entered = true;
    let board = ScoreBoard { level: played.level, helped: played.helped };
    let score = HumanScore {
        key: format!("web/gems/{id}"),
        board: board.name(),
        name: nickname,
        score: final_score(&again.end).try_into().unwrap_or(i64::MAX),
        moves: again.end.moves_made().into(),
        won: again.end.status() == GemStatus::Won,
        at: now(),
    };
    Ok((board, score))
}

#[derive(Deserialize)]
pub(super) struct ScoresQuery {
    level: u8,
    #[serde(default)]
    who: ScoreFilter,
}

pub(super) async fn high_scores(
    State(state): State<AppState>,
    QueryParams(ScoresQuery { level, who }): QueryParams<ScoresQuery>,
) -> Result<Json<Value>, ApiError> {
    if GemSettings::level(level.into()).is_none() {
        return Err(ApiError::bad(format!("level {level}: unknown; expected 1, 2 or 3")));
    }
    let rows = state.gems().scores.top(&state, level, who).await?;
    Ok(Json(json!({ "level": level, "who": who, "rows": rows })))
}
