//! Streams the metrics of a running run as events.

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

/// The interval between reads.
const POLL_INTERVAL: Duration = Duration::from_millis(400);
/// The most bytes of a read.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Deserialize)]
struct LiveQuery {
    /// Only steps after this one.
    after: Option<u64>,
}

/// Events: `point {step, values}` for each step, and `done {state}` when the run ends.
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
            ApiError::too_many("streams: your address has too many; close one")
        }
        SlotsFull::Total => {
            ApiError::busy("streams: the server has too many; retry in a few seconds")
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
    /// Whether everything was read.
    complete: bool,
}

/// Reads the new lines of the metrics. Checks first whether the run is active, so that its last
/// lines are not missed.
fn read_new(path: &Path, from: u64) -> NewMetrics {
    let at_work = folders::is_at_work(path);
    let mut bytes = Vec::new();
    let read = folders::open(&path.join(metrics::FILE)).and_then(|mut file| {
        // A resumed run may have truncated the file.
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
