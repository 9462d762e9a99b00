//! Finished games enter the high scores: under a nickname, once, with the score that comes out when they are played again.

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use tesuji_games::rules::gem_island::{GemSettings, GemStatus};
use tesuji_play::event::now;
use tesuji_store::HumanScore;

use super::scores::{Board, Line, Who, checked_nickname};
use super::shapes::final_score;
use super::table::Played;
use crate::body::{self, Asked};
use crate::client::Client;
use crate::errors::ApiError;
use crate::state::AppState;

#[derive(Deserialize)]
pub(super) struct Entry {
    nickname: String,
}

pub(super) async fn enter(
    State(state): State<AppState>,
    client: Client,
    Path(id): Path<String>,
    body::Json(entry): body::Json<Entry>,
) -> Result<Json<Value>, ApiError> {
    let game = state.gems().own_game(&id, &client)?;
    let nickname = checked_nickname(&entry.nickname)?;
    if !state.rates().allow_post(&client) {
        return Err(ApiError::too_many("one score in two seconds can be entered; wait a moment"));
    }
    let (board, score) = claimed(&id, &mut game.lock(), nickname.clone())?;
    let (points, level) = (score.score, board.level);
    let scores = &state.gems().scores;
    if let Err(error) = scores.enter(&state, board, score).await {
        game.lock().entered = false;
        return Err(error);
    }
    let lines = scores.top(&state, level, Who::All).await?;
    let own = |line: &&Line| line.nickname == nickname && line.helped == board.helped;
    let rank = lines.iter().find(own).map(|line| line.rank);
    Ok(Json(json!({
        "level": level,
        "nickname": nickname,
        "score": points,
        "helped": board.helped,
        "rank": rank,
    })))
}

/// The score of a finished game, found by playing it again, and the mark that it has been entered.
fn claimed(
    id: &str,
    played: &mut Played,
    nickname: String,
) -> Result<(Board, HumanScore), ApiError> {
    if !played.is_over() {
        return Err(ApiError::conflict("the game is not over; only finished games are entered"));
    }
    if played.entered {
        return Err(ApiError::conflict("this game stands in the high scores already"));
    }
    let again = played.again().ok_or_else(|| ApiError::internal("the game cannot be replayed"))?;
    played.entered = true;
    let board = Board { level: played.level, helped: played.helped };
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
pub(super) struct Which {
    level: u8,
    #[serde(default)]
    who: Who,
}

pub(super) async fn high_scores(
    State(state): State<AppState>,
    Asked(Which { level, who }): Asked<Which>,
) -> Result<Json<Value>, ApiError> {
    if GemSettings::level(level.into()).is_none() {
        return Err(ApiError::bad(format!("level {level} is unknown; there are 1, 2 and 3")));
    }
    let rows = state.gems().scores.top(&state, level, who).await?;
    Ok(Json(json!({ "level": level, "who": who, "rows": rows })))
}
