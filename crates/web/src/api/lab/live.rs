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
use super::metrics::{self, MetricStep};
use crate::client::Client;
use crate::errors::ApiError;
use crate::extract::QueryParams;
use crate::limits::{Slot, SlotsFull};
use crate::state::AppState;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/api/lab/runs/{id}/live", get(live))
}

/// Between two looks into the folder.
const POLL_INTERVAL: Duration = Duration::from_millis(400);
/// No more is read at once.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Deserialize)]
struct LiveQuery {
    /// Only what comes after this step.
    after: Option<u64>,
}

/// Events: `point {step, values}` for each line, and `done {state}` when nobody works at the run any more.
async fn live(
    State(state): State<AppState>,
    client: Client,
    Address(id): Address<String>,
    QueryParams(LiveQuery { after }): QueryParams<LiveQuery>,
) -> Result<Response, ApiError> {
    let runs = state.options().runs.clone();
    let folder = state.blocking(move || folders::find(&runs, &id)).await?;
    let slot = state.lab().watchers().take(client.network()).map_err(|full| match full {
        SlotsFull::PerNetwork => {
            ApiError::too_many("your address watches too many runs; close one of them")
        }
        SlotsFull::Total => {
            ApiError::busy("too many runs are watched at once; try again in a moment")
        }
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
        let read = state.blocking(move || Ok(read_new(&folder, position))).await;
        let Ok(NewMetrics { at_work, steps, position: now, complete }) = read else { return };
        position = now;
        for step in steps.iter().filter(|step| after.is_none_or(|after| step.step > after)) {
            if send(&events, "point", step).await.is_none() {
                return;
            }
        }
        if !at_work && complete {
            send(&events, "done", &json!({ "state": "over" })).await;
            return;
        }
        if !complete {
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => (),
            () = events.closed() => return,
            () = state.closing() => return,
        }
    }
}

async fn send(events: &Sender<Event>, name: &str, data: &impl serde::Serialize) -> Option<()> {
    let event = Event::default().event(name).json_data(data).ok()?;
    events.send(event).await.ok()
}

struct NewMetrics {
    at_work: bool,
    steps: Vec<MetricStep>,
    position: u64,
    /// Whether everything that was there has been read.
    complete: bool,
}

/// What was written since the last look. Whether somebody is at work is asked first: what they wrote before they left is
/// read then, too.
fn read_new(path: &Path, from: u64) -> NewMetrics {
    let at_work = folders::is_at_work(path);
    let mut bytes = Vec::new();
    let read = folders::open(&path.join(metrics::FILE)).and_then(|mut file| {
        // A run that was carried on may have taken lines back.
        let from = if file.metadata()?.len() < from { 0 } else { from };
        file.seek(SeekFrom::Start(from))?;
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(from)
    });
    let from = read.unwrap_or(from);
    let complete_len = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let steps =
        bytes[..complete_len].split(|&byte| byte == b'\n').filter_map(metrics::step_of).collect();
    let complete = (bytes.len() as u64) < MAX_BYTES || complete_len == 0;
    NewMetrics { at_work, steps, position: from + complete_len as u64, complete }
}
