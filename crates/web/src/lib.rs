//! Play, see why, watch it learn: a server for browsers, with its pages inside.
//!
//! [`app`] is the whole of it as a router, which tests call without a socket; [`serve`] binds an address and runs until
//! it is told to stop. What the pages show comes from the API under `/api`, and nothing else; the rules of the games and
//! all thinking stay on this side.

mod access;
pub mod admission;
mod api;
mod body;
mod client;
mod cluster;
mod errors;
mod headers;
mod limits;
mod opponents;
mod pages;
mod picture;
mod queue;
mod signature;
mod state;
mod stream;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::{Router, middleware};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;

pub use access::new_token;
pub use cluster::QueueAccess;
pub use state::{AppState, Options, SetUpError};

/// The largest request that is read, except for files to be imported.
const LARGEST_BODY: usize = 64 << 10;
/// No request takes longer, except for streams, which tell how far they are.
const LONGEST_REQUEST: Duration = Duration::from_secs(90);

/// Everything that is served.
pub fn app(state: AppState) -> Router {
    let routes = api::routes().merge(pages::routes());
    guarded(routes.method_not_allowed_fallback(errors::wrong_method), state)
}

/// What is served, behind everything that protects the server and those who use it.
fn guarded(routes: Router<AppState>, state: AppState) -> Router {
    routes
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(state.clone(), access::enter))
        .layer(middleware::from_fn_with_state(state.clone(), client::meet))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, LONGEST_REQUEST))
        .layer(CatchPanicLayer::custom(errors::after_panic))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn(headers::guard))
        .with_state(state)
}

/// Serves until `until` is there; then finishes what is under way. `ready` hears the address, whose port may have been
/// left to the system.
pub async fn serve(
    state: AppState,
    ready: impl FnOnce(SocketAddr),
    until: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::bind(state.options().address).await?;
    ready(listener.local_addr()?);
    let closing = state.clone();
    let stopped = async move {
        until.await;
        // Streams end when nobody thinks any more; connections are closed after their last answer.
        closing.close();
    };
    let service = app(state.clone()).into_make_service_with_connect_info::<SocketAddr>();
    let served = axum::serve(listener, service).with_graceful_shutdown(stopped).await;
    state.close();
    state.jobs_stopped().await;
    served
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
        let state = AppState::new(Options::default()).unwrap();
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
