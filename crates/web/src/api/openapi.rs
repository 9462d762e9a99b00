//! The description of the API, for programs and for people who write some.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

use crate::state::AppState;

/// Written by hand; tests hold it against the routes and against real answers.
const DESCRIPTION: &str = include_str!("../../openapi.json");

pub(super) fn routes() -> Router<AppState> {
    let answer = ([(CONTENT_TYPE, "application/json")], DESCRIPTION);
    Router::new().route("/api/openapi.json", get(async move || answer))
}
