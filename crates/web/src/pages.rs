//! The pages: files embedded in the program. Debug builds read them from disk, so a reload shows
//! changes.

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rust_embed::{Embed, EmbeddedFile};

use crate::errors::ApiError;
use crate::state::AppState;

#[derive(Embed)]
#[folder = "pages"]
struct Pages;

/// The page of each path.
const PAGES_BY_PATH: [(&str, &str); 7] = [
    ("/", "index.html"),
    ("/play/{*game}", "play.html"),
    ("/gems", "gems.html"),
    ("/lab", "lab.html"),
    ("/lab/{*rest}", "lab.html"),
    ("/library", "library.html"),
    ("/scores", "scores.html"),
];

pub(crate) fn routes() -> Router<AppState> {
    let mut router = Router::new().route("/pages/{*file}", get(file));
    for (address, page) in PAGES_BY_PATH {
        router = router.route(address, get(async move |headers: HeaderMap| serve(page, &headers)));
    }
    router.fallback(not_found)
}

/// Responds to unknown paths: with a page for browsers, with a JSON error for programs.
async fn not_found(uri: Uri, headers: HeaderMap) -> Response {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepted.contains("text/html") && !uri.path().starts_with("/api/") {
        let mut response = serve("missing.html", &HeaderMap::new());
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    }
    ApiError::missing("path: not found; the games are at /").into_response()
}

async fn file(Path(file): Path<String>, headers: HeaderMap) -> Response {
    serve(&file, &headers)
}

fn serve(name: &str, headers: &HeaderMap) -> Response {
    // Type declarations are only for the type checker.
    let Some(page) = Pages::get(name).filter(|_| !name.ends_with(".d.ts")) else {
        return ApiError::missing("file: not found; the games are at /").into_response();
    };
    let tag = tag_of(&page);
    let common = [
        (CONTENT_TYPE, content_type(name).to_string()),
        // Browsers revalidate each time; an unchanged page costs a few bytes.
        (CACHE_CONTROL, "no-cache".to_string()),
        (ETAG, tag.clone()),
    ];
    if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    (common, Body::from(page.data.into_owned())).into_response()
}

fn tag_of(page: &EmbeddedFile) -> String {
    let hash = page.metadata.sha256_hash();
    let digits: String = hash[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    // A weak tag, because the page may be compressed.
    format!("W/\"{digits}\"")
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
