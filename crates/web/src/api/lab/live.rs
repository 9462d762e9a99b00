//! A run while it goes on: every new line of its metrics as an event, until it ends or nobody listens.

use std::convert::Infallible;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path as Address, State};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use axum::routing::get;
use futures_util::stream::unfold;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc::{self, Sender};

use super::folders;
use super::metrics::{self, Step};
use crate::body::Asked;
use crate::client::Client;
use crate::errors::ApiError;
use crate::limits::{Full, Slot};
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/api/lab/runs/{id}/live", get(live))
}

/// Between two looks into the folder.
const BETWEEN_LOOKS: Duration = Duration::from_millis(400);
/// No more is read at once.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Deserialize)]
struct From {
    /// Only what comes after this step.
    after: Option<u64>,
}

/// Events: `point {step, values}` for each line, and `done {state}` when nobody works at the run any more.
async fn live(
    State(state): State<AppState>,
    client: Client,
    Address(id): Address<String>,
    Asked(From { after }): Asked<From>,
) -> Result<Response, ApiError> {
    let runs = state.options().runs.clone();
    let folder = state.blocking(move || folders::find(&runs, &id)).await?;
    let slot = state.lab().watchers().take(client.network()).map_err(|full| match full {
        Full::OfOne => ApiError::too_many("your address watches too many runs; close one of them"),
        Full::InAll => ApiError::busy("too many runs are watched at once; try again in a moment"),
    })?;
    let (events, received) = mpsc::channel(64);
    tokio::spawn(watch(state, folder.path, after, events, slot));
    let stream = unfold(received, |mut received| async move {
        let event = received.recv().await?;
        Some((Ok::<Event, Infallible>(event), received))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()).into_response())
}

async fn watch(
    state: AppState,
    path: PathBuf,
    after: Option<u64>,
    events: Sender<Event>,
    _slot: Slot,
) {
    let mut position = 0;
    loop {
        let folder = path.clone();
        let look = state.blocking(move || Ok(look(&folder, position))).await;
        let Ok(Look { at_work, steps, position: now, complete }) = look else { return };
        position = now;
        for step in steps.iter().filter(|step| after.is_none_or(|after| step.step > after)) {
            if say(&events, "point", step).await.is_none() {
                return;
            }
        }
        if !at_work && complete {
            say(&events, "done", &json!({ "state": "over" })).await;
            return;
        }
        if !complete {
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(BETWEEN_LOOKS) => (),
            () = events.closed() => return,
            () = state.closing() => return,
        }
    }
}

async fn say(events: &Sender<Event>, name: &str, data: &impl serde::Serialize) -> Option<()> {
    let event = Event::default().event(name).json_data(data).ok()?;
    events.send(event).await.ok()
}

struct Look {
    at_work: bool,
    steps: Vec<Step>,
    position: u64,
    /// Whether everything that was there has been read.
    complete: bool,
}

/// What was written since the last look. Whether somebody is at work is asked first: what they wrote before they left is
/// read then, too.
fn look(path: &Path, from: u64) -> Look {
    let at_work = folders::is_at_work(path);
    let mut bytes = Vec::new();
    let read = folders::open(&path.join(metrics::FILE)).and_then(|mut file| {
        // A run that was carried on may have taken lines back.
        let from = if file.metadata()?.len() < from { 0 } else { from };
        file.seek(SeekFrom::Start(from))?;
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(from)
    });
    let from = read.unwrap_or(from);
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let steps = bytes[..whole].split(|&byte| byte == b'\n').filter_map(metrics::step_of).collect();
    let complete = (bytes.len() as u64) < MOST_BYTES || whole == 0;
    Look { at_work, steps, position: from + whole as u64, complete }
}
