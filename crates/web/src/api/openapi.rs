//! The OpenAPI description.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

use crate::state::AppState;

/// Written by hand; tests compare it with the routes and with real responses.
const DESCRIPTION: &str = include_str!("../../openapi.json");

pub(super) fn routes() -> Router<AppState> {
    let answer = ([(CONTENT_TYPE, "application/json")], DESCRIPTION);
    Router::new().route("/api/openapi.json", get(async move || answer))
}
