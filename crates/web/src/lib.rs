//! A web server to play, analyze and train in a browser, with its pages embedded.
//!
//! [`app`] returns the router, which tests call without a socket; [`serve`] binds an address and
//! runs until it is stopped. The pages use only the API under `/api`; the rules and all searches
//! are on the server.

mod access;
pub mod admission;
mod answer_cache;
mod api;
mod client;
mod connections;
mod errors;
mod extract;
mod headers;
mod limits;
mod opponents;
mod pages;
mod picture;
mod player_cache;
mod queue_client;
mod search_queue;
mod signature;
mod state;
mod stream;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::{Router, middleware};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;

use connections::Connections;

pub use access::new_token;
pub use queue_client::QueueAccess;
pub use state::{AppState, ServerOptions, SetupError};

/// The largest body of a request, except for imports.
const MAX_BODY_BYTES: usize = 64 << 10;
/// The timeout of a request, except for streams.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(90);
/// The time for open responses to finish when the server stops.
const RESPONSE_GRACE: Duration = Duration::from_secs(2);
/// The time for jobs to stop before they are killed. Killed jobs can be resumed.
const JOB_GRACE: Duration = Duration::from_millis(3_500);

/// Returns the router of the whole app.
pub fn app(state: AppState) -> Router {
    let routes = api::routes().merge(pages::routes());
    guarded(routes.method_not_allowed_fallback(errors::method_not_allowed), state)
}

/// Wraps routes in all middleware.
fn guarded(routes: Router<AppState>, state: AppState) -> Router {
    routes
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(middleware::from_fn_with_state(state.clone(), access::exchange_token))
        .layer(middleware::from_fn_with_state(state.clone(), client::identify))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, REQUEST_TIMEOUT))
        .layer(CatchPanicLayer::custom(errors::after_panic))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn(headers::guard))
        .with_state(state)
}

/// Serves until `until` completes, then finishes open responses, which takes less than five seconds
/// whatever clients do. `ready` gets the address, whose port the system may have chosen.
///
/// A search that does not stop stays on its thread, so shut the runtime down with a timeout
/// afterwards.
pub async fn serve(
    state: AppState,
    ready: impl FnOnce(SocketAddr),
    until: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let options = state.options();
    let listener = tokio::net::TcpListener::bind(options.address).await?;
    ready(listener.local_addr()?);
    let connections = Connections::new(options.sessions_per_address, options.stall);
    let sweeping = tokio::spawn(state.clone().sweep());
    let asked = OnceLock::new();
    let stopped = async {
        until.await;
        // Ends searches and streams; connections close after their last response.
        state.close();
        asked.get_or_init(Instant::now);
    };
    connections.serve(listener, app(state.clone()), stopped, RESPONSE_GRACE).await;
    sweeping.abort();
    let since = asked.get_or_init(Instant::now).elapsed();
    state.end_jobs(JOB_GRACE.saturating_sub(since)).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::State;
    use axum::http::Request;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn a_handler_that_panics_is_answered_for_and_the_server_lives() {
        let options =
            ServerOptions { registry: tesuji_builtin::registry(), ..ServerOptions::default() };
        let state = AppState::new(options).unwrap();
        let falls = get(async || -> &'static str { panic!("on purpose") });
        let falls_asleep = get(async |State(state): State<AppState>| {
            state.blocking(|| -> Result<String, errors::ApiError> { panic!("on purpose") }).await
        });
        let routes =
            api::routes().route("/api/falls", falls).route("/api/falls-asleep", falls_asleep);
        let router = guarded(routes, state);
        for _ in 0..3 {
            let ask = |path: &str| Request::get(path).body(Body::empty()).unwrap();
            for path in ["/api/falls", "/api/falls-asleep"] {
                let fallen = router.clone().oneshot(ask(path)).await.unwrap();
                assert_eq!(fallen.status(), StatusCode::INTERNAL_SERVER_ERROR, "{path}");
                assert!(fallen.headers().contains_key("content-security-policy"), "{path}");
            }
            let alive = router.clone().oneshot(ask("/api/recording")).await.unwrap();
            assert_eq!(alive.status(), StatusCode::OK);
        }
    }
}
