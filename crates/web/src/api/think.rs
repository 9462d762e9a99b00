//! See it think: what goes on inside the searches, as data. One file a family of pictures; each picture is JSON for
//! scripts as well, by `POST` where `GET` is a stream of events.

mod learned;
mod searches;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::{Json, Router};
use tesuji_play::{PlayerContext, PlayerSpec};
use tesuji_search::{Game, Limits};

use super::{Question, check_place, seed_of, time_for};
use crate::admission::admit;
use crate::client::Client;
use crate::errors::ApiError;
use crate::state::AppState;
use crate::stream::think;

pub(super) fn routes() -> Router<AppState> {
    searches::routes().merge(learned::routes())
}

/// A question within bounds, with all that answering it takes.
pub(super) struct Task {
    pub(super) moves: String,
    pub(super) player: PlayerSpec,
    pub(super) context: PlayerContext,
    pub(super) time: Duration,
}

impl Task {
    /// Who thinks when nobody is named is said by `usual`.
    pub(super) async fn new(
        state: &AppState,
        question: Question,
        usual_seconds: f64,
        usual: impl FnOnce(&Game) -> String,
    ) -> Result<Task, ApiError> {
        let Question { game, moves, player, seconds } = question;
        check_place(&game, &moves)?;
        let opened = state.open(&game)?;
        let player = admit(state, &player.unwrap_or_else(|| usual(&opened))).await?;
        let time = time_for(state, seconds, usual_seconds)?;
        let context = PlayerContext::new(&opened, seed_of(&game, &moves));
        Ok(Task { moves, player, context, time })
    }

    pub(super) fn limits(&self, stop: Arc<AtomicBool>) -> Limits {
        Limits { stop: Some(stop), ..Limits::time(self.time) }
    }
}

/// Answers a question in one piece.
pub(super) async fn at_once<T: Send + 'static>(
    state: &AppState,
    client: Client,
    task: Task,
    work: impl FnOnce(Arc<AtomicBool>, Task) -> Result<T, ApiError> + Send + 'static,
) -> Result<Json<T>, ApiError> {
    let time = task.time;
    think(state, client, time, move |stop| work(stop, task)).await.map(Json)
}

/// The first of these players that can play a game.
fn first_of(players: &[&str], game: &Game) -> String {
    let context = PlayerContext::new(game, 0);
    let can = |text: &&&str| {
        let player = tesuji_players::player(text).map(|player| player.with_default("tt", "1M"));
        player.is_ok_and(|player| player.supports(&context).is_ok())
    };
    let found = players.iter().find(can).or(players.last());
    found.map_or_else(String::new, |text| text.to_string())
}
