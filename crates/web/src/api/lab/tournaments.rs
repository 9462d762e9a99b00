//! Tournaments and matches in the store: cross tables and ratings with error bars, also of running
//! ones.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Path as Address, State};
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use tesuji_play::event::now;
use tesuji_play::recorded_pool::RecordedPool;
use tesuji_play::report::{CrossTable, RatingList, RatingRow};
use tesuji_play::statistics::{PoolOptions, rate};
use tesuji_play::tournament::settings::TournamentSettings;
use tesuji_store::{Direction, Record, RecordKind, RunRecord, Selection, Store, StoreInfo};

use crate::errors::ApiError;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/lab/tournaments", get(list))
        .route("/api/lab/tournaments/{id}", get(one))
}

/// The most listed tournaments and matches, latest first.
const MAX_CARDS: usize = 40;
/// The most counted games of an event.
const MAX_GAMES: usize = 50_000;
/// The prefix of the events of matches.
const MATCH_PREFIX: &str = "match-";
/// How long the content of a store is cached.
const INFO_CACHE_TIME: Duration = Duration::from_millis(1500);
/// A tournament without a game for this many seconds is not running, whatever its record says.
const IDLE_SECONDS: u64 = 120;
/// The time limit for counting games for a list.
const MAX_COUNT_TIME: Duration = Duration::from_secs(3);
/// The number of leaders on a card.
const NUM_LEADERS: usize = 6;

/// The cached tables of events.
#[derive(Default)]
pub(crate) struct TableCache {
    info: Mutex<Option<(Instant, Arc<StoreInfo>)>>,
    tables: Mutex<HashMap<String, Arc<EventTable>>>,
}

/// The table of an event.
#[derive(Debug, Serialize)]
pub(super) struct EventTable {
    game: String,
    games: u64,
    /// Whether there are more games than were counted.
    cut: bool,
    cross: Option<CrossTable>,
    ratings: Option<RatingList>,
    last_game_at: u64,
    /// The number of games in the store when this was counted.
    #[serde(skip)]
    count: u64,
}

impl TableCache {
    /// Returns the content of a store, which may be cached.
    pub(crate) fn info(&self, store: &dyn Store) -> Result<Arc<StoreInfo>, ApiError> {
        let mut known = self.info.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, info)) = &*known
            && at.elapsed() < INFO_CACHE_TIME
        {
            return Ok(info.clone());
        }
        let info = Arc::new(store.info()?);
        *known = Some((Instant::now(), info.clone()));
        Ok(info)
    }

    fn table(
        &self,
        store: &dyn Store,
        event: &str,
        count: u64,
        settings: Option<&TournamentSettings>,
    ) -> Result<Arc<EventTable>, ApiError> {
        if let Some(table) = self.known(event, count) {
            return Ok(table);
        }
        let table = Arc::new(count_games(store, event, count, settings)?);
        let mut tables = self.tables();
        if tables.len() >= 2 * MAX_CARDS {
            tables.clear();
        }
        tables.insert(event.to_string(), table.clone());
        Ok(table)
    }

    /// Returns the table if it is cached.
    fn known(&self, event: &str, count: u64) -> Option<Arc<EventTable>> {
        self.tables().get(event).filter(|table| table.count == count).cloned()
    }

    fn tables(&self) -> MutexGuard<'_, HashMap<String, Arc<EventTable>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventTable {
    /// A table without counted games.
    fn uncounted(count: u64) -> EventTable {
        EventTable {
            game: String::new(),
            games: count,
            cut: true,
            cross: None,
            ratings: None,
            last_game_at: 0,
            count,
        }
    }
}

fn count_games(
    store: &dyn Store,
    event: &str,
    count: u64,
    settings: Option<&TournamentSettings>,
) -> Result<EventTable, ApiError> {
    let mut pool = RecordedPool::default();
    let (mut game, mut last_game_at, mut games) = (String::new(), 0, 0);
    let selection = Selection { limit: Some(MAX_GAMES as u64), ..Selection::event(event) };
    store.for_each(&selection, &mut |record| {
        if let Record::Game(record) = record {
            pool.add(&record);
            last_game_at = last_game_at.max(record.played_at);
            game = record.game;
            games += 1;
        }
        ControlFlow::Continue(())
    })?;
    let names = pool.names();
    let anchor = settings.and_then(|it| it.ratings.anchor.as_ref());
    let anchor = anchor.and_then(|anchor| names.iter().position(|name| name == anchor));
    // Fewer resamples for many games, as their error bars are stable.
    let resamples = if pool.games().len() > 5000 { 100 } else { 300 };
    let options = PoolOptions {
        anchor: anchor.unwrap_or(0),
        anchor_elo: settings.map_or(0.0, |it| it.ratings.elo),
        resamples,
        ..PoolOptions::default()
    };
    let rated = rate(names.len(), pool.games(), &options).ok();
    Ok(EventTable {
        game,
        games,
        cut: games < count,
        cross: CrossTable::new(&names, pool.games()).ok(),
        ratings: rated.map(|table| RatingList::new(&names, &table)),
        last_game_at,
        count,
    })
}

/// A summary of an event.
#[derive(Debug, Serialize)]
pub(super) struct EventCard {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) name: String,
    game: String,
    pub(super) state: &'static str,
    games: u64,
    players: usize,
    leaders: Vec<RatingRow>,
    pub(super) updated_at: u64,
}

impl EventCard {
    /// Describes the event in one line.
    pub(super) fn text(&self) -> String {
        let EventCard { name, games, .. } = self;
        let led =
            self.leaders.first().map_or(String::new(), |leader| format!("; {} leads", leader.name));
        format!("{} {name}: {games} games{led}", self.kind)
    }
}

/// A tournament or a match of the store.
struct StoredEvent {
    id: String,
    name: String,
    run: Option<RunRecord>,
    count: u64,
}

impl StoredEvent {
    fn kind(&self) -> &'static str {
        if self.run.is_some() { "tournament" } else { "match" }
    }

    fn settings(&self) -> Option<TournamentSettings> {
        self.run.as_ref().and_then(|run| TournamentSettings::read(&run.config).ok())
    }

    fn card(&self, table: &EventTable) -> EventCard {
        let rows = table.ratings.as_ref().map_or(&[][..], |list| &list.rows);
        let settings = self.settings();
        let game = settings.map(|settings| settings.game).filter(|_| table.game.is_empty());
        let recorded_at = self.run.as_ref().map_or(0, |run| run.updated_at);
        EventCard {
            id: self.id.clone(),
            kind: self.kind(),
            name: self.title(rows),
            game: game.unwrap_or_else(|| table.game.clone()),
            state: self.state(table),
            games: table.games,
            players: rows.len(),
            leaders: rows.iter().take(NUM_LEADERS).cloned().collect(),
            updated_at: table.last_game_at.max(recorded_at),
        }
    }

    /// A tournament has a name; a match is named after its players.
    fn title(&self, rows: &[RatingRow]) -> String {
        match (&self.run, rows) {
            (None, [one, other]) => format!("{} – {}", one.name, other.name),
            (None, [one, other, ..]) => format!("{}, {} and others", one.name, other.name),
            _ => self.name.clone(),
        }
    }

    /// Only tournaments record their end; a running match shows in its games.
    fn state(&self, table: &EventTable) -> &'static str {
        let recorded = self.run.as_ref().map(|run| (run.state.as_str(), run.updated_at));
        let last = table.last_game_at.max(recorded.map_or(0, |(_, at)| at));
        let is_fresh = now().saturating_sub(last) < IDLE_SECONDS;
        match recorded {
            Some(("finished", _)) => "finished",
            Some(("running", _)) if is_fresh => "running",
            Some(_) => "interrupted",
            None if now().saturating_sub(last) < 15 => "running",
            None => "finished",
        }
    }
}

/// Finds the latest tournaments and matches.
fn events(store: &dyn Store, info: &StoreInfo) -> Result<Vec<StoredEvent>, ApiError> {
    let mut found = Vec::new();
    let latest = Selection {
        direction: Direction::NewestFirst,
        limit: Some(1000),
        ..Selection::all(RecordKind::Run)
    };
    store.for_each(&latest, &mut |record| {
        if let Record::Run(run) = record
            && run.kind == "tournament"
        {
            found.push(tournament_event(run, info));
        }
        if found.len() < MAX_CARDS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    let matches = info.events.keys().filter(|id| id.starts_with(MATCH_PREFIX)).take(200);
    let mut dated: Vec<(u64, StoredEvent)> = Vec::new();
    for id in matches {
        dated.push((last_game_at(store, id)?, match_event(id, info)));
    }
    dated.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    found.extend(dated.into_iter().take(MAX_CARDS).map(|(_, event)| event));
    Ok(found)
}

fn tournament_event(run: RunRecord, info: &StoreInfo) -> StoredEvent {
    let count = info.events.get(&run.id).copied().unwrap_or(0);
    StoredEvent { id: run.id.clone(), name: run.name.clone(), count, run: Some(run) }
}

fn match_event(id: &str, info: &StoreInfo) -> StoredEvent {
    let count = info.events.get(id).copied().unwrap_or(0);
    let short = id.strip_prefix(MATCH_PREFIX).unwrap_or(id);
    StoredEvent { id: id.to_string(), name: short.chars().take(6).collect(), run: None, count }
}

fn last_game_at(store: &dyn Store, event: &str) -> Result<u64, ApiError> {
    let selection =
        Selection { direction: Direction::NewestFirst, limit: Some(1), ..Selection::event(event) };
    Ok(store.games(&selection)?.first().map_or(0, |game| game.played_at))
}

/// Returns the latest tournaments and matches; none without a store.
pub(super) async fn cards(state: &AppState) -> Result<Vec<EventCard>, ApiError> {
    let Some(store) = state.store() else { return Ok(Vec::new()) };
    let shared = state.clone();
    let work = move || {
        let tables = shared.lab().tables();
        let info = tables.info(&*store)?;
        let since = Instant::now();
        let card = |event: StoredEvent| {
            let settings = event.settings();
            // The next request continues the count.
            if since.elapsed() > MAX_COUNT_TIME && tables.known(&event.id, event.count).is_none() {
                return Ok(event.card(&EventTable::uncounted(event.count)));
            }
            let table = tables.table(&*store, &event.id, event.count, settings.as_ref())?;
            Ok(event.card(&table))
        };
        let mut cards: Vec<EventCard> =
            events(&*store, &info)?.into_iter().map(card).collect::<Result<_, ApiError>>()?;
        cards.sort_by_key(|card| (card.state != "running", std::cmp::Reverse(card.updated_at)));
        cards.truncate(MAX_CARDS);
        Ok(cards)
    };
    state.blocking(work).await
}

#[derive(Serialize)]
struct TournamentsResponse {
    tournaments: Vec<EventCard>,
}

async fn list(State(state): State<AppState>) -> Result<Json<TournamentsResponse>, ApiError> {
    Ok(Json(TournamentsResponse { tournaments: cards(&state).await? }))
}

/// The details of a tournament or a match.
#[derive(Serialize)]
struct EventResponse {
    #[serde(flatten)]
    card: EventCard,
    /// Its file.
    config: Option<String>,
    cut: bool,
    cross: Option<CrossTable>,
    ratings: Option<RatingList>,
}

async fn one(
    State(state): State<AppState>,
    Address(id): Address<String>,
) -> Result<Json<EventResponse>, ApiError> {
    let missing = || ApiError::missing("tournament: not found; see /api/lab/tournaments");
    let store = state.store().ok_or_else(missing)?;
    let shared = state.clone();
    let work = move || {
        let tables = shared.lab().tables();
        let info = tables.info(&*store)?;
        let event = match run_of(&*store, &id)? {
            Some(run) => tournament_event(run, &info),
            None if id.starts_with(MATCH_PREFIX) && info.events.contains_key(&id) => {
                match_event(&id, &info)
            }
            None => return Err(missing()),
        };
        let settings = event.settings();
        let table = tables.table(&*store, &event.id, event.count, settings.as_ref())?;
        Ok(EventResponse {
            card: event.card(&table),
            config: event.run.map(|run| run.config),
            cut: table.cut,
            cross: table.cross.clone(),
            ratings: table.ratings.clone(),
        })
    };
    state.blocking(work).await.map(Json)
}

fn run_of(store: &dyn Store, id: &str) -> Result<Option<RunRecord>, ApiError> {
    let selection = Selection::key(RecordKind::Run, id);
    let mut found = None;
    store.for_each(&selection, &mut |record| {
        found = match record {
            Record::Run(run) if run.kind == "tournament" => Some(run),
            _ => None,
        };
        ControlFlow::Break(())
    })?;
    Ok(found)
}
