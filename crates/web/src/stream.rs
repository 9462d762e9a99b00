//! Runs searches for clients: queued, on blocking threads, and stopped when their client leaves.
//! The result is one response ([`run_search`]) or a stream of events ([`stream_search`]).

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::Serialize;
use serde_json::json;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::client::Client;
use crate::errors::ApiError;
use crate::search_queue::SearchPermit;
use crate::state::AppState;

/// The shortest time between two progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(60);
/// The event buffer of a slow reader: a review has one event per ply of the longest list of moves.
/// A stream with more unread events is ended.
const MAX_UNREAD: usize = 8 << 10;
/// Progress events are dropped while this many events are unread.
const MAX_UNREAD_FOR_PROGRESS: usize = 32;
/// The time over its limit after which a search is stopped.
const GRACE: Duration = Duration::from_millis(500);

/// Sets a stop flag on drop.
pub(crate) struct StopOnDrop(pub(crate) Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` when a search slot is free. Its stop flag is set when the client leaves, or soon
/// after `time`.
pub(crate) async fn run_search<T: Send + 'static>(
    state: &AppState,
    client: Client,
    time: Duration,
    work: impl FnOnce(Arc<AtomicBool>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let permit = state.search_queue().enter(&client)?.permit().await?;
    let stop = Arc::new(AtomicBool::new(false));
    let _stop_on_drop = StopOnDrop(stop.clone());
    run_permitted(state, permit, stop, time, work).await
}

async fn run_permitted<T: Send + 'static>(
    state: &AppState,
    permit: SearchPermit,
    stop: Arc<AtomicBool>,
    time: Duration,
    work: impl FnOnce(Arc<AtomicBool>) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let sign = stop.clone();
    let mut done = tokio::task::spawn_blocking(move || {
        let result = work(sign);
        drop(permit);
        result
    });
    let closing = state.closing();
    let result = tokio::select! {
        result = &mut done => result,
        () = async { tokio::select! { () = tokio::time::sleep(time + GRACE) => (), () = closing => () } } => {
            stop.store(true, Ordering::Relaxed);
            done.await
        }
    };
    result.unwrap_or_else(|_| {
        Err(ApiError::internal("search: failed unexpectedly; retry, the game is not lost"))
    })
}

/// Sends events from the thread of a search.
#[derive(Clone)]
pub(crate) struct EventSender {
    events: Sender<Event>,
    /// Set when the client leaves.
    pub(crate) stop: Arc<AtomicBool>,
    last: Arc<Mutex<Option<Instant>>>,
    /// Set when the buffer was full; no event is sent after that.
    overflowed: Arc<AtomicBool>,
}

impl EventSender {
    /// Sends an event that must not be dropped. Never waits: a search holds a permit, which a slow
    /// reader must not keep. If the buffer is full, the stream ends.
    pub(crate) fn send(&self, name: &str, data: &impl Serialize) {
        if self.overflowed.load(Ordering::Relaxed) {
            return;
        }
        if let Ok(event) = Event::default().event(name).json_data(data)
            && self.events.try_send(event).is_err()
        {
            self.overflowed.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Sends a progress event, unless one was sent just before.
    pub(crate) fn send_progress<T: Serialize>(&self, name: &str, data: impl FnOnce() -> T) {
        if MAX_UNREAD - self.events.capacity() >= MAX_UNREAD_FOR_PROGRESS {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < PROGRESS_INTERVAL) {
            return;
        }
        *last = Some(Instant::now());
        drop(last);
        if let Ok(event) = Event::default().event(name).json_data(data()) {
            drop(self.events.try_send(event));
        }
    }
}

/// A stream of one event, for a result that needs no search.
pub(crate) fn stream_event(name: &str, data: &impl Serialize) -> Result<Response, ApiError> {
    let event = Event::default().event(name).json_data(data);
    let event = event.map_err(|_| ApiError::internal("internal server error; retry"))?;
    let events = futures_util::stream::iter([Ok::<Event, Infallible>(event)]);
    Ok(Sse::new(events).into_response())
}

/// Runs `work` when a search slot is free and streams its events, after `queued` if it waits;
/// `problem` reports an error.
pub(crate) fn stream_search(
    state: &AppState,
    client: Client,
    time: Duration,
    work: impl FnOnce(EventSender) -> Result<(), ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let slot = state.search_queue().enter(&client)?;
    let (events, received) = mpsc::channel(MAX_UNREAD);
    let stop = Arc::new(AtomicBool::new(false));
    let stop_on_drop = StopOnDrop(stop.clone());
    let state = state.clone();
    let task = async move {
        if slot.ahead > 0 {
            send_event(&events, "queued", &json!({ "ahead": slot.ahead })).await;
        }
        // A client that leaves gives up its slot.
        let permit = tokio::select! {
            permit = slot.permit() => permit,
            () = events.closed() => return,
        };
        let result = match permit {
            Ok(permit) => {
                let last = Arc::new(Mutex::new(None));
                let overflowed = Arc::new(AtomicBool::new(false));
                let sender =
                    EventSender { events: events.clone(), stop: stop.clone(), last, overflowed };
                run_permitted(&state, permit, stop, time, move |_| work(sender)).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            send_event(&events, "problem", &json!({ "error": error.message })).await;
        }
    };
    tokio::spawn(task);
    let events = Sse::new(events_of(received, stop_on_drop)).keep_alive(KeepAlive::default());
    Ok(events.into_response())
}

async fn send_event(events: &Sender<Event>, name: &str, data: &impl Serialize) {
    if let Ok(event) = Event::default().event(name).json_data(data) {
        drop(events.send(event).await);
    }
}

/// The events of a stream; dropping it sets the stop flag.
fn events_of(
    received: Receiver<Event>,
    stop_on_drop: StopOnDrop,
) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold((received, stop_on_drop), |(mut received, stop_on_drop)| async move {
        let event = received.recv().await?;
        Some((Ok(event), (received, stop_on_drop)))
    })
}
