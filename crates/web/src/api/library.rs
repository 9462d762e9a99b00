//! The library of recorded games: filtered pages, newest first, and single games.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tesuji_games::{Outcome, Side};
use tesuji_search::{Game, Registry};
use tesuji_store::{Direction, GameRecord, Record, RecordKind, Selection};

use crate::errors::ApiError;
use crate::extract::QueryParams;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/library", get(list))
        .route("/api/library/game", get(one))
        .route("/api/library/info", get(info))
}

/// The default number of games of a page.
const DEFAULT_PAGE_SIZE: usize = 30;
/// The most games of a page.
const MAX_PAGE_SIZE: usize = 100;
/// The most games to scan for a page; the store itself filters by game and event only.
const MAX_SCANNED: usize = 50_000;
/// The longest time to scan for a page. The next page continues.
const MAX_SCAN_TIME: Duration = Duration::from_secs(2);
/// The longest filter.
const MAX_FILTER_BYTES: usize = 2000;

/// The filters of a page.
#[derive(Default, Deserialize)]
struct GameFilter {
    game: Option<String>,
    /// A part of the name or the text of a player.
    player: Option<String>,
    /// `first`, `second` or `draw`.
    result: Option<String>,
    event: Option<String>,
    /// The first moves, in the game's notation.
    opening: Option<String>,
    /// Only games recorded before the one with this key.
    before: Option<String>,
    limit: Option<usize>,
}

impl GameFilter {
    fn check(mut self) -> Result<GameFilter, ApiError> {
        // Forms also send their empty fields.
        let fields = [
            &mut self.game,
            &mut self.player,
            &mut self.result,
            &mut self.event,
            &mut self.opening,
            &mut self.before,
        ];
        for field in fields {
            *field = field.take().filter(|text| !text.is_empty());
            if field
                .as_ref()
                .is_some_and(|text| text.len() > MAX_FILTER_BYTES || text.contains('\0'))
            {
                return Err(ApiError::bad(format!(
                    "filter: too long; expected at most {MAX_FILTER_BYTES} bytes"
                )));
            }
        }
        if self.result.as_deref().is_some_and(|word| outcome_of(word).is_none()) {
            return Err(ApiError::bad("result: unknown; expected first, second or draw"));
        }
        self.player = self.player.map(|text| text.to_lowercase());
        self.opening = self.opening.map(|text| without_spaces(&text));
        Ok(self)
    }

    fn selection(&self) -> Selection {
        Selection {
            game: self.game.clone(),
            event: self.event.clone(),
            after: self.before.clone(),
            direction: Direction::NewestFirst,
            ..Selection::all(RecordKind::Game)
        }
    }

    /// Checks the filters that the store does not support.
    fn fits(&self, game: &GameRecord) -> bool {
        let names = |wanted: &String| {
            let says = |text: &str| text.to_lowercase().contains(wanted);
            game.players.iter().any(|player| says(&player.name) || says(&player.spec))
        };
        self.player.as_ref().is_none_or(names)
            && self.result.as_ref().is_none_or(|word| outcome_of(word) == Some(game.outcome))
            && self
                .opening
                .as_ref()
                .is_none_or(|begin| without_spaces(&game.moves).starts_with(begin))
    }
}

fn outcome_of(word: &str) -> Option<Outcome> {
    match word {
        "first" => Some(Outcome::Win(Side::First)),
        "second" => Some(Outcome::Win(Side::Second)),
        "draw" => Some(Outcome::Draw),
        _ => None,
    }
}

/// Removes the optional spaces between moves.
fn without_spaces(moves: &str) -> String {
    moves.split_whitespace().collect()
}

/// A game of a page.
#[derive(Serialize)]
struct GameRow {
    key: String,
    game: String,
    players: [String; 2],
    outcome: Outcome,
    ending: &'static str,
    plies: Option<usize>,
    /// The moves, for `/api/position`.
    moves: String,
    played_at: u64,
    event: String,
}

#[derive(Serialize)]
struct LibraryPage {
    games: Vec<GameRow>,
    /// The key for the next page; `None` on the last page.
    next: Option<String>,
    /// The number of scanned games.
    looked_at: usize,
}

async fn list(
    State(state): State<AppState>,
    QueryParams(filter): QueryParams<GameFilter>,
) -> Result<Json<LibraryPage>, ApiError> {
    let filter = filter.check()?;
    let Some(store) = state.store() else {
        return Ok(Json(LibraryPage { games: Vec::new(), next: None, looked_at: 0 }));
    };
    let most = filter.limit.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE);
    let registry = state.options().registry.clone();
    let work = move || {
        let (mut found, mut looked_at, mut next) = (Vec::new(), 0, None);
        let since = Instant::now();
        store.for_each(&filter.selection(), &mut |record| {
            let Record::Game(game) = record else { return ControlFlow::Continue(()) };
            looked_at += 1;
            let key = game.key.clone();
            if filter.fits(&game) {
                found.push(game);
            }
            if found.len() >= most || looked_at >= MAX_SCANNED || since.elapsed() > MAX_SCAN_TIME {
                next = Some(key);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        let mut cache = GameCache { registry, games: HashMap::new() };
        let games = found.into_iter().map(|game| cache.row(game)).collect();
        Ok(LibraryPage { games, next, looked_at })
    };
    state.blocking(work).await.map(Json)
}

/// Opened games; the rows of a page share a few.
struct GameCache {
    registry: Registry,
    games: HashMap<String, Option<Game>>,
}

impl GameCache {
    fn row(&mut self, record: GameRecord) -> GameRow {
        let moves = position_of(&record);
        let GameRecord { key, game, players, outcome, ending, played_at, event, .. } = record;
        GameRow {
            plies: self.plies(&game, &moves),
            players: players.map(|player| player.name),
            ending: ending.kind.word(),
            key,
            game,
            outcome,
            moves,
            played_at,
            event,
        }
    }

    /// The number of moves; `None` for an unknown game.
    fn plies(&mut self, game: &str, moves: &str) -> Option<usize> {
        let open = || self.registry.open(game).ok();
        let game = self.games.entry(game.to_string()).or_insert_with(open).as_ref()?;
        game.line(moves).ok().map(|line| line.moves.len())
    }
}

/// The moves of a game, after its start position if that is not the usual one.
fn position_of(record: &GameRecord) -> String {
    let moves = Some(record.moves.as_str()).filter(|moves| !moves.is_empty());
    let parts: Vec<&str> = record.start.as_deref().into_iter().chain(moves).collect();
    parts.join(" ")
}

#[derive(Deserialize)]
struct KeyQuery {
    key: String,
}

/// A recorded game.
#[derive(Serialize)]
struct GameResponse {
    record: GameRecord,
    /// The moves, for `/api/position`.
    moves: String,
}

async fn one(
    State(state): State<AppState>,
    QueryParams(KeyQuery { key }): QueryParams<KeyQuery>,
) -> Result<Json<GameResponse>, ApiError> {
    let missing = || ApiError::missing("game: not found; see /api/library");
    let store = state.store().ok_or_else(missing)?;
    if key.len() > MAX_FILTER_BYTES || key.contains('\0') {
        return Err(missing());
    }
    let work = move || {
        let selection = Selection::key(RecordKind::Game, &key);
        let record = store.games(&selection)?.into_iter().next().ok_or_else(missing)?;
        Ok(GameResponse { moves: position_of(&record), record })
    };
    state.blocking(work).await.map(Json)
}

/// The most listed events.
const MAX_EVENTS: usize = 200;

async fn info(State(state): State<AppState>) -> Result<Json<Value>, ApiError> {
    let Some(store) = state.store() else {
        return Ok(Json(json!({ "place": null, "count": 0, "games": {}, "events": {} })));
    };
    let shared = state.clone();
    let info = state.blocking(move || shared.lab().tables().info(&*store)).await?;
    let events: serde_json::Map<String, Value> =
        info.events.iter().take(MAX_EVENTS).map(|(name, n)| (name.clone(), json!(n))).collect();
    Ok(Json(json!({
        "place": place_name(&info.place),
        "engine": info.engine,
        "count": info.counts.get(&RecordKind::Game).copied().unwrap_or(0),
        "games": info.games,
        "events": events,
    })))
}

/// The last part of a store's address, to hide the folders of the server.
fn place_name(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or(place)
}
