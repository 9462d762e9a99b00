//! The distributed queue: its state for all clients, and draining workers and retrying jobs for
//! operators.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tesuji_queue_nats::QueueStatus;
use tesuji_store::Store;

use crate::access::{Operator, Role, TOKEN_REQUIRED};
use crate::errors::ApiError;
use crate::extract::JsonBody;
use crate::queue_client::QueueClient;
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/lab/queue", get(show))
        .route("/api/lab/queue/drain", post(drain))
        .route("/api/lab/queue/retry", post(retry))
}

/// The most listed runs, unfinished ones first.
const MAX_RUNS: usize = 100;

/// The state of a queue, or why it is unknown.
#[derive(Serialize)]
struct QueueResponse {
    /// `none`: the server has no queue; `away`: the queue does not respond; `there`.
    state: &'static str,
    /// Why the state is not `there`.
    why: Option<String>,
    queue: Option<QueueStatus>,
    /// The number of runs that are not listed.
    left_out: usize,
    /// Whether the client may drain workers and retry jobs.
    allowed: bool,
    /// Why it may not.
    refusal: Option<&'static str>,
    /// Whether a token would allow it.
    token: bool,
}

async fn show(State(state): State<AppState>, role: Role) -> Json<QueueResponse> {
    let is_operator = role == Role::Operator;
    let mut shown = QueueResponse {
        state: "none",
        why: None,
        queue: None,
        left_out: 0,
        allowed: is_operator,
        refusal: (!is_operator).then_some(TOKEN_REQUIRED),
        token: !is_operator && state.options().token.is_some(),
    };
    let (client, store) = match queue_of(&state) {
        Ok(parts) => parts,
        Err(error) => return Json(QueueResponse { why: Some(error.message), ..shown }),
    };
    match client.state(store).await {
        Ok(mut queue) => {
            shown.left_out = truncate_runs(&mut queue);
            if !is_operator {
                hide_details(&mut queue);
            }
            Json(QueueResponse { state: "there", queue: Some(queue), ..shown })
        }
        Err(error) => {
            // The reason contains addresses.
            let why =
                if is_operator { error.message } else { "the queue does not answer".to_string() };
            Json(QueueResponse { state: "away", why: Some(why), ..shown })
        }
    }
}

/// Returns the queue and the store, or an error if the server lacks one.
fn queue_of(state: &AppState) -> Result<(Arc<QueueClient>, Arc<dyn Store>), ApiError> {
    let client = state.queue_client().ok_or_else(|| {
        ApiError::conflict("queue: none; expected a server started with --queue nats://HOST")
    })?;
    let store = state.store().ok_or_else(|| {
        ApiError::conflict(
            "store: none, but the state of jobs is in it; expected a server started with --store",
        )
    })?;
    Ok((client, store))
}

/// Puts unfinished runs first and truncates the list; returns the number of dropped runs.
fn truncate_runs(queue: &mut QueueStatus) -> usize {
    queue.runs.sort_by_key(|run| (run.open + run.poisoned == 0, Reverse(run.last)));
    let left_out = queue.runs.len().saturating_sub(MAX_RUNS);
    queue.runs.truncate(MAX_RUNS);
    left_out
}

/// Hides addresses, and errors that may name files, from guests.
fn hide_details(queue: &mut QueueStatus) {
    queue.queue.clear();
    queue.runs.iter_mut().for_each(|run| run.error.clear());
}

#[derive(Deserialize)]
struct DrainRequest {
    /// The worker to drain; all if missing.
    worker: Option<String>,
}

async fn drain(
    _: Operator,
    State(state): State<AppState>,
    JsonBody(DrainRequest { worker }): JsonBody<DrainRequest>,
) -> Result<Json<Value>, ApiError> {
    let (client, store) = queue_of(&state)?;
    if let Some(name) = &worker {
        let queue = client.clone().state(store).await?;
        if !queue.workers.iter().any(|card| card.name == *name) {
            return Err(ApiError::missing("worker: not found; it may have left"));
        }
    }
    let leaving = client.drain(worker).await?;
    Ok(Json(json!({ "leaving": leaving })))
}

#[derive(Deserialize)]
struct RetryRequest {
    /// The run to retry; all if missing.
    run: Option<String>,
}

async fn retry(
    _: Operator,
    State(state): State<AppState>,
    JsonBody(RetryRequest { run }): JsonBody<RetryRequest>,
) -> Result<Json<Value>, ApiError> {
    let (client, store) = queue_of(&state)?;
    let retried = client.retry(store, run).await?;
    Ok(Json(json!({ "retried": retried })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_queue_nats::RunProgress;

    #[test]
    fn unfinished_runs_come_first_and_details_are_hidden() {
        let run = |name: String, open, poisoned, last| RunProgress {
            run: name,
            done: 1,
            open,
            poisoned,
            last,
            error: "cannot read /home/ann/model".to_string(),
            ..RunProgress::default()
        };
        let old = (0..150).map(|n| run(format!("old-{n}"), 0, 0, n));
        let runs = old.chain([run("open".into(), 1, 0, 0), run("failed".into(), 0, 1, 7)]);
        let mut queue = QueueStatus {
            queue: "nats://secret.example".to_string(),
            jobs: 1,
            under_way: 0,
            workers: Vec::new(),
            games_per_second: 0.0,
            runs: runs.collect(),
        };
        assert_eq!(truncate_runs(&mut queue), 52);
        let names: Vec<&str> = queue.runs.iter().take(4).map(|run| run.run.as_str()).collect();
        assert_eq!(names, ["failed", "open", "old-149", "old-148"]);
        hide_details(&mut queue);
        let text = serde_json::to_string(&queue).unwrap();
        assert!(!text.contains("secret") && !text.contains("ann"), "{text}");
    }
}
