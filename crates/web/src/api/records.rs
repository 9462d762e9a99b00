//! Games that people play here are written down, if they let us; and how the computer fared in them.

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
use tesuji_store::{Contestant, Ending, EndingKind, GameRecord, Kind, Record, Selection};

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

/// The event that games of people belong to.
pub(crate) const EVENT: &str = "web";
/// How a person is written in a record.
pub(crate) const PERSON: &str = "human";

async fn recording(State(state): State<AppState>) -> Json<Value> {
    Json(json!({ "on": state.store().is_some() }))
}

/// A game that has come to its end.
#[derive(Deserialize)]
struct FinishedGame {
    game: String,
    moves: String,
    /// `human`, or the player as text.
    first: String,
    second: String,
    /// Who gave up, if somebody did.
    resigned: Option<Side>,
    /// The seed that the computer's moves were asked with.
    seed: Option<u64>,
    /// The time a move that the computer was asked to keep, if it was.
    seconds: Option<f64>,
    /// What this server signed when it moved, in the order of the moves.
    #[serde(default)]
    receipts: Vec<String>,
}

async fn keep(
    State(state): State<AppState>,
    client: Client,
    JsonBody(finished): JsonBody<FinishedGame>,
) -> Result<Json<Value>, ApiError> {
    let store = state.store().ok_or_else(|| ApiError::conflict("nothing is recorded here"))?;
    if !state.rate_limiter().allow_post(&client) {
        return Err(ApiError::too_many("one game in two seconds can be recorded; wait a moment"));
    }
    let record = checked(&state, &finished)?;
    let key = record.key.clone();
    let added = state.blocking(move || Ok(store.add(&[Record::Game(record)])?)).await?;
    Ok(Json(json!({ "key": key, "new": added.new == 1 })))
}

/// The game as it really was: replayed, its result found again, the computer's moves confirmed.
fn checked(state: &AppState, finished: &FinishedGame) -> Result<GameRecord, ApiError> {
    let FinishedGame { game, moves, first, second, .. } = finished;
    check_lengths(game, moves)?;
    let players = [first, second];
    if !players.contains(&&PERSON.to_string()) {
        return Err(ApiError::bad("only games with a person in them are recorded"));
    }
    let played = position_view::snapshot(&state.open(game)?, moves)?;
    if played.start.is_some() || played.played.is_empty() {
        return Err(ApiError::bad(
            "only games from the usual start are recorded, with a move in them",
        ));
    }
    let (outcome, ending) = result(&played, finished.resigned, players)?;
    let computer_moved = check_receipts(state, finished, &played)?;
    if players.iter().any(|player| *player != PERSON) && !computer_moved {
        return Err(ApiError::bad("the computer has not made a move in this game"));
    }
    let signed = finished.receipts.concat();
    let contestant = |player: &String| {
        let spec = tesuji_players::roster().canonical(player);
        let name = match finished.seconds {
            Some(seconds) if spec != PERSON => format!("{spec}, {seconds} s a move"),
            _ => spec.clone(),
        };
        Contestant { name, spec }
    };
    Ok(GameRecord {
        // Signed moves make the key: who sends a game twice has played it once.
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
        (None, Some(_)) => Err(ApiError::bad("the computer does not give up; only a person may")),
        (None, None) => Err(ApiError::bad("the game is not over; finish it, or give up")),
    }
}

/// Every move of the computer must be one that it really made, after the very moves before it.
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
            let why = "a move of the computer is not one that it made here, with these settings";
            return Err(ApiError::bad(why));
        }
        computer_moved = true;
    }
    // One more would make another record of the same game.
    match receipts.next() {
        Some(_) => Err(ApiError::bad("there are more signatures than moves of the computer")),
        None => Ok(computer_moved),
    }
}

/// How the computer fared against people, for one game and player.
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
                Selection { event: Some(EVENT.to_string()), ..Selection::all(Kind::Game) };
            store.for_each(&selection, &mut |record| {
                if let Record::Game(game) = record {
                    count(&mut table, &game);
                }
                ControlFlow::Continue(())
            })?;
            // A strength that a visitor chose says nothing about the computer.
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
    let Contestant { name, spec } = &game.players[computer.index()];
    if name != spec {
        // It had another time than its own.
        return;
    }
    let entry = table.entry((game.game.clone(), spec.clone())).or_default();
    entry[match game.outcome.winner() {
        Some(winner) if winner == computer => 0,
        None => 1,
        Some(_) => 2,
    }] += 1;
}
