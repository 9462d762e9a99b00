//! Which games there are, how they are played, and against whom.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tesuji_games::registry::GameInfo;
use tesuji_games::{BoardStyle, Draw, Spec};
use tesuji_play::{PlayerContext, PlayerKind};
use tesuji_search::Registry;

use super::check_place;
use crate::admission::admit;
use crate::body::Asked;
use crate::errors::ApiError;
use crate::opponents::Opponents;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/games", get(games))
        .route("/api/game", get(game))
        .route("/api/player", get(player))
}

#[derive(Serialize)]
struct Games {
    games: Vec<Entry>,
    players: Vec<&'static PlayerKind>,
    /// The games of one player, which have pages of their own.
    puzzles: Vec<Entry>,
}

/// A game of the registry, or a short name for one with certain options.
#[derive(Clone, Serialize)]
struct Entry {
    name: &'static str,
    spec: &'static str,
    title: &'static str,
    summary: &'static str,
    rules: &'static str,
    options: &'static [(&'static str, &'static str)],
    #[serde(flatten)]
    look: Option<BoardStyle>,
}

async fn games(State(state): State<AppState>) -> Json<Games> {
    let look = |name: &str| state.open(name).ok().map(|game| game.start().style());
    let entries = entries(&state.options().registry);
    let games = entries.map(|entry| Entry { look: look(entry.name), ..entry }).collect();
    let guests = |player: &&'static PlayerKind| !["human", "external"].contains(&player.name);
    let players = tesuji_players::roster().all().filter(guests).collect();
    let puzzles = state.options().registry.puzzles();
    let puzzles = puzzles.flat_map(|puzzle| entries_of(&puzzle.info)).collect();
    Json(Games { games, players, puzzles })
}

fn entries(games: &Registry) -> impl Iterator<Item = Entry> + use<'_> {
    games.games().flat_map(entries_of)
}

/// A game and its presets.
fn entries_of(info: &GameInfo) -> impl Iterator<Item = Entry> + use<> {
    let options = info.options;
    let game = Entry {
        name: info.name,
        spec: info.name,
        title: info.title,
        summary: info.summary,
        rules: info.rules,
        options,
        look: None,
    };
    let presets = info.presets.iter().map(move |preset| Entry {
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
struct Which {
    game: String,
}

#[derive(Serialize)]
struct Described {
    #[serde(flatten)]
    entry: Entry,
    /// The game with its options, as it was asked for.
    game: String,
    #[serde(flatten)]
    opponents: Opponents,
}

async fn game(
    State(state): State<AppState>,
    Asked(Which { game }): Asked<Which>,
) -> Result<Json<Described>, ApiError> {
    check_place(&game, "")?;
    let name = Spec::parse(&game)?.name().to_string();
    let opened = state.open(&game)?;
    let entry = entries(&state.options().registry).find(|entry| entry.name == name);
    let entry = entry.ok_or_else(|| ApiError::missing(format!("there is no game '{name}'")))?;
    let look = Some(opened.start().style());
    let opponents = state.opponents_of(&opened).await?;
    Ok(Json(Described { entry: Entry { look, ..entry }, game, opponents }))
}

#[derive(Deserialize)]
struct Who {
    game: String,
    player: String,
}

/// A player that can play a game here.
#[derive(Serialize)]
struct Playing {
    game: String,
    player: String,
}

/// Whether a player can play a game from a page, before a game depends on it.
async fn player(
    State(state): State<AppState>,
    Asked(Who { game, player }): Asked<Who>,
) -> Result<Json<Playing>, ApiError> {
    check_place(&game, "")?;
    let admitted = admit(&state, &player).await?;
    let opened = state.open(&game)?;
    let check = move || {
        let able = admitted.supports(&PlayerContext::new(&opened, 0));
        able.map_err(|error| {
            let error = ApiError::from(error);
            // As it was asked for, without the defaults of guests.
            ApiError { message: error.message.replace(admitted.text(), &player), ..error }
        })?;
        Ok(Playing { game, player })
    };
    state.blocking(check).await.map(Json)
}
