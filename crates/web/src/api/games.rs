//! The games, their rules and their players.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_games::registry::GameInfo;
use tesuji_games::{BoardStyle, Draw, Spec};
use tesuji_play::{PlayerContext, PlayerKind};
use tesuji_search::Registry;

use super::check_lengths;
use crate::admission::admit;
use crate::errors::ApiError;
use crate::extract::QueryParams;
use crate::opponents::Opponents;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/games", get(games))
        .route("/api/game", get(game))
        .route("/api/player", get(player))
}

#[derive(Serialize)]
struct GamesResponse {
    games: Vec<GameEntry>,
    players: Vec<&'static PlayerKind>,
    /// The single-player games, which have their own pages.
    puzzles: Vec<GameEntry>,
}

/// A game of the registry, or a preset of one.
#[derive(Clone, Serialize)]
struct GameEntry {
    name: &'static str,
    spec: &'static str,
    title: &'static str,
    summary: &'static str,
    rules: &'static str,
    options: &'static [(&'static str, &'static str)],
    #[serde(flatten)]
    look: Option<BoardStyle>,
}

async fn games(State(state): State<AppState>) -> Json<GamesResponse> {
    let look = |name: &str| state.open(name).ok().map(|game| game.start().style());
    let entries = entries(&state.options().registry);
    let games = entries.map(|entry| GameEntry { look: look(entry.name), ..entry }).collect();
    let guests = |player: &&'static PlayerKind| !["human", "external"].contains(&player.name);
    let players = tesuji_players::roster().all().filter(guests).collect();
    let puzzles = state.options().registry.puzzles();
    let puzzles = puzzles.flat_map(|puzzle| entries_of(&puzzle.info)).collect();
    Json(GamesResponse { games, players, puzzles })
}

fn entries(games: &Registry) -> impl Iterator<Item = GameEntry> + use<'_> {
    games.games().flat_map(entries_of)
}

/// A game and its presets.
fn entries_of(info: &GameInfo) -> impl Iterator<Item = GameEntry> + use<> {
    let options = info.options;
    let game = GameEntry {
        name: info.name,
        spec: info.name,
        title: info.title,
        summary: info.summary,
        rules: info.rules,
        options,
        look: None,
    };
    let presets = info.presets.iter().map(move |preset| GameEntry {
        name: preset.name,
        spec: preset.stands_for,
        title: preset.title,
        summary: preset.summary,
        rules: preset.rules,
        options,
        look: None,
    });
    std::iter::once(game).chain(presets)
}

#[derive(Deserialize)]
struct GameQuery {
    game: String,
}

#[derive(Serialize)]
struct GameResponse {
    #[serde(flatten)]
    entry: GameEntry,
    /// The game with its options, as requested.
    game: String,
    #[serde(flatten)]
    opponents: Opponents,
}

async fn game(
    State(state): State<AppState>,
    QueryParams(GameQuery { game }): QueryParams<GameQuery>,
) -> Result<Json<GameResponse>, ApiError> {
    check_lengths(&game, "")?;
    let name = Spec::parse(&game)?.name().to_string();
    let opened = state.open(&game)?;
    let entry = entries(&state.options().registry).find(|entry| entry.name == name);
    let entry = entry.ok_or_else(|| ApiError::missing(format!("game '{name}': not found")))?;
    let look = Some(opened.start().style());
    let opponents = state.opponents_of(&opened).await?;
    Ok(Json(GameResponse { entry: GameEntry { look, ..entry }, game, opponents }))
}

#[derive(Deserialize)]
struct PlayerQuery {
    game: String,
    player: String,
}

/// A game and a player that can play it.
#[derive(Serialize)]
struct PlayerResponse {
    game: String,
    player: String,
}

/// Checks whether a player can play a game, before a page uses it.
async fn player(
    State(state): State<AppState>,
    QueryParams(PlayerQuery { game, player }): QueryParams<PlayerQuery>,
) -> Result<Json<PlayerResponse>, ApiError> {
    check_lengths(&game, "")?;
    let admitted = admit(&state, &player).await?;
    let opened = state.open(&game)?;
    let check = move || {
        let able = admitted.supports(&PlayerContext::new(&opened, 0));
        able.map_err(|error| {
            let error = ApiError::from(error);
            // Quote the requested text, without the defaults for guests.
            ApiError { message: error.message.replace(admitted.text(), &player), ..error }
        })?;
        Ok(PlayerResponse { game, player })
    };
    state.blocking(check).await.map(Json)
}
