//! Data of the search visualizations. Where `GET` is a stream of events, `POST` returns one JSON
//! response for scripts.

mod learned;
mod searches;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::{Json, Router};
use tesuji_play::{PlayerContext, PlayerSpec};
use tesuji_search::{Game, Limits};

use super::{AnalysisQuery, check_lengths, position_seed, search_time};
use crate::admission::admit;
use crate::client::Client;
use crate::errors::ApiError;
use crate::state::AppState;
use crate::stream::run_search;

pub(super) fn routes() -> Router<AppState> {
    searches::routes().merge(learned::routes())
}

/// A checked query with everything for its search.
pub(super) struct SearchTask {
    pub(super) moves: String,
    pub(super) player: PlayerSpec,
    pub(super) context: PlayerContext,
    pub(super) time: Duration,
}

impl SearchTask {
    /// Checks a query; `default_player` gives the player if the query names none.
    pub(super) async fn new(
        state: &AppState,
        query: AnalysisQuery,
        default_seconds: f64,
        default_player: impl FnOnce(&Game) -> String,
    ) -> Result<SearchTask, ApiError> {
        let AnalysisQuery { game, moves, player, seconds } = query;
        check_lengths(&game, &moves)?;
        let opened = state.open(&game)?;
        let player = admit(state, &player.unwrap_or_else(|| default_player(&opened))).await?;
        let time = search_time(state, seconds, default_seconds)?;
        let context = PlayerContext::new(&opened, position_seed(&game, &moves));
        Ok(SearchTask { moves, player, context, time })
    }

    pub(super) fn limits(&self, stop: Arc<AtomicBool>) -> Limits {
        Limits { stop: Some(stop), ..Limits::time(self.time) }
    }
}

/// Runs a search and returns one response.
pub(super) async fn respond<T: Send + 'static>(
    state: &AppState,
    client: Client,
    task: SearchTask,
    work: impl FnOnce(Arc<AtomicBool>, SearchTask) -> Result<T, ApiError> + Send + 'static,
) -> Result<Json<T>, ApiError> {
    let time = task.time;
    run_search(state, client, time, move |stop| work(stop, task)).await.map(Json)
}

/// The first of these players that supports a game.
fn first_supported(players: &[&str], game: &Game) -> String {
    let context = PlayerContext::new(game, 0);
    let can = |text: &&&str| {
        let player = tesuji_players::player(text).map(|player| player.with_default("tt", "1M"));
        player.is_ok_and(|player| player.supports(&context).is_ok())
    };
    let found = players.iter().find(can).or(players.last());
    found.map_or_else(String::new, |text| text.to_string())
}
