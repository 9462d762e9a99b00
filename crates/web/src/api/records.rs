//! Records of games with human players, and statistics of their results.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tesuji_app::position_view::{self, Snapshot};
use tesuji_games::{Outcome, Side};
use tesuji_play::event::now;
use tesuji_store::key::digest;
use tesuji_store::{Ending, EndingKind, GameRecord, PlayerRecord, Record, RecordKind, Selection};

use super::check_lengths;
use super::play::MoveProvenance;
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::JsonBody;
use crate::opponents::is_offered;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/recording", get(recording))
        .route("/api/records", post(keep))
        .route("/api/statistics", get(statistics))
}

/// The event of the recorded games.
pub(crate) const EVENT: &str = "web";
/// The player text of a person.
pub(crate) const PERSON: &str = "human";

async fn recording(State(state): State<AppState>) -> Json<Value> {
    Json(json!({ "on": state.store().is_some() }))
}

/// A finished game.
#[derive(Deserialize)]
struct FinishedGame {
    game: String,
    moves: String,
    /// `human`, or the player as text.
    first: String,
    second: String,
    /// The side that resigned.
    resigned: Option<Side>,
    /// The requested seed of the computer's moves.
    seed: Option<u64>,
    /// The requested time per move of the computer.
    seconds: Option<f64>,
    /// The signatures of the computer's moves, in order.
    #[serde(default)]
    receipts: Vec<String>,
}

async fn keep(
    State(state): State<AppState>,
    client: Client,
    JsonBody(finished): JsonBody<FinishedGame>,
) -> Result<Json<Value>, ApiError> {
    let store =
        state.store().ok_or_else(|| ApiError::conflict("records: the server has no store"))?;
    if !state.rate_limiter().allow_post(&client) {
        return Err(ApiError::too_many("records: at most one game in two seconds"));
    }
    let record = checked(&state, &finished)?;
    let key = record.key.clone();
    let added = state.blocking(move || Ok(store.add(&[Record::Game(record)])?)).await?;
    Ok(Json(json!({ "key": key, "new": added.new == 1 })))
}

/// Verifies a game: replays it, computes its result and checks the signatures of the computer's
/// moves.
fn checked(state: &AppState, finished: &FinishedGame) -> Result<GameRecord, ApiError> {
    let FinishedGame { game, moves, first, second, .. } = finished;
    check_lengths(game, moves)?;
    let players = [first, second];
    if !players.contains(&&PERSON.to_string()) {
        return Err(ApiError::bad("game: no human player; expected one"));
    }
    let played = position_view::snapshot(&state.open(game)?, moves)?;
    if played.start.is_some() || played.played.is_empty() {
        return Err(ApiError::bad(
            "game: not recordable; expected the usual start position and at least one move",
        ));
    }
    let (outcome, ending) = result(&played, finished.resigned, players)?;
    let computer_moved = check_receipts(state, finished, &played)?;
    if players.iter().any(|player| *player != PERSON) && !computer_moved {
        return Err(ApiError::bad("game: the computer made no move; expected at least one"));
    }
    let signed = finished.receipts.concat();
    let contestant = |player: &String| {
        let spec = tesuji_players::roster().canonical(player);
        let name = match finished.seconds {
            Some(seconds) if spec != PERSON => format!("{spec}, {seconds} s a move"),
            _ => spec.clone(),
        };
        PlayerRecord { name, spec }
    };
    Ok(GameRecord {
        // The signatures are part of the key, so a game that is sent twice is stored once.
        key: format!("web/{}", digest(&[game, &played.position, first, second, &signed])),
        event: EVENT.to_string(),
        game: game.clone(),
        players: players.map(contestant),
        pair: None,
        seed: finished.seed.unwrap_or(0),
        start: None,
        moves: played.position,
        opening_plies: 0,
        outcome,
        ending,
        thoughts: Vec::new(),
        played_at: now(),
    })
}

fn result(
    played: &Snapshot,
    resigned: Option<Side>,
    players: [&String; 2],
) -> Result<(Outcome, Ending), ApiError> {
    match (played.outcome, resigned) {
        (Some(outcome), _) => Ok((outcome, Ending::plain(EndingKind::Rules))),
        (None, Some(side)) if players[side.index()] == PERSON => {
            Ok((Outcome::Win(!side), Ending::plain(EndingKind::Resigned)))
        }
        (None, Some(_)) => Err(ApiError::bad("resigned: only the human player may resign")),
        (None, None) => Err(ApiError::bad("game: not over; finish it or resign")),
    }
}

/// Checks that the server made every move of the computer in this game. Returns whether there is
/// one.
fn check_receipts(
    state: &AppState,
    finished: &FinishedGame,
    played: &Snapshot,
) -> Result<bool, ApiError> {
    let FinishedGame { game, seconds, seed, .. } = finished;
    let mut receipts = finished.receipts.iter();
    let mut computer_moved = false;
    for one in &played.played {
        let player = [&finished.first, &finished.second][one.step.side.index()];
        let after = &played.position[..one.until];
        if player == PERSON {
            continue;
        }
        let provenance = MoveProvenance { game, player, seconds: *seconds, seed: *seed };
        if receipts.next() != Some(&provenance.receipt(state, after)) {
            let why = "receipts: a computer's move was not made by this server with these settings";
            return Err(ApiError::bad(why));
        }
        computer_moved = true;
    }
    // An extra signature would change the key of the record.
    match receipts.next() {
        Some(_) => Err(ApiError::bad("receipts: more signatures than moves of the computer")),
        None => Ok(computer_moved),
    }
}

/// The results of the computer against people, for one game and player.
#[derive(Serialize)]
struct StatisticsRow {
    game: String,
    player: String,
    wins: u64,
    ties: u64,
    losses: u64,
}

async fn statistics(State(state): State<AppState>) -> Result<Json<Value>, ApiError> {
    let Some(store) = state.store() else { return Ok(Json(json!({ "rows": [] }))) };
    let games = state.options().registry.clone();
    let rows = state
        .blocking(move || {
            let mut table: BTreeMap<(String, String), [u64; 3]> = BTreeMap::new();
            let selection =
                Selection { event: Some(EVENT.to_string()), ..Selection::all(RecordKind::Game) };
            store.for_each(&selection, &mut |record| {
                if let Record::Game(game) = record {
                    count(&mut table, &game);
                }
                ControlFlow::Continue(())
            })?;
            // Only opponents of the pages count; custom players may be arbitrarily weak.
            table.retain(|(game, player), _| is_offered(&games, game, player));
            Ok(table)
        })
        .await?;
    let row = |((game, player), [wins, ties, losses]): ((_, _), [u64; 3])| StatisticsRow {
        game,
        player,
        wins,
        ties,
        losses,
    };
    let rows: Vec<StatisticsRow> = rows.into_iter().map(row).collect();
    Ok(Json(json!({ "rows": rows })))
}

fn count(table: &mut BTreeMap<(String, String), [u64; 3]>, game: &GameRecord) {
    let computer = match [&*game.players[0].spec, &*game.players[1].spec] {
        [PERSON, PERSON] => return,
        [PERSON, _] => Side::Second,
        _ => Side::First,
    };
    let PlayerRecord { name, spec } = &game.players[computer.index()];
    if name != spec {
        // The player had a requested time in place of its own.
        return;
    }
    let entry = table.entry((game.game.clone(), spec.clone())).or_default();
    entry[match game.outcome.winner() {
        Some(winner) if winner == computer => 0,
        None => 1,
        Some(_) => 2,
    }] += 1;
}
