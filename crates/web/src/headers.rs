//! Security headers of all responses, and the rejection of cross-site requests.

use std::time::Instant;

use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::errors::ApiError;

/// Allows only same-origin scripts, styles and connections, nothing inline, and no framing.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; img-src 'self' data:; \
                                       object-src 'none'; base-uri 'none'; form-action 'self'; \
                                       frame-ancestors 'none'";

const SECURITY_HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Middleware that rejects cross-site requests and adds the security headers.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    // Without the query, which may contain a token.
    let (asked, begun) = (format!("{} {}", request.method(), request.uri().path()), Instant::now());
    let mut response = match is_same_site(request.headers()) {
        true => next.run(request).await,
        false => ApiError::forbidden("cross-site requests are not allowed").into_response(),
    };
    if is_api && response.status().is_client_error() {
        response = as_api_error(response);
    }
    let (status, time) = (response.status().as_u16(), begun.elapsed().as_millis());
    match response.status().is_server_error() {
        true => tracing::warn!(target: "web", "{asked}: {status} after {time} ms"),
        false => tracing::debug!(target: "web", "{asked}: {status} after {time} ms"),
    }
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if is_api {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Converts errors of the framework to the API's format.
fn as_api_error(response: Response) -> Response {
    let is_json = |kind: &HeaderValue| kind.as_bytes().starts_with(b"application/json");
    if response.headers().get(CONTENT_TYPE).is_some_and(is_json) {
        return response;
    }
    let why = match response.status() {
        StatusCode::REQUEST_TIMEOUT => "request timed out; ask for less",
        _ => "invalid request; see /api/openapi.json",
    };
    ApiError::new(response.status(), why).into_response()
}

/// Browsers send the origin of a request; other programs send none and are allowed.
fn is_same_site(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let site = text(HeaderName::from_static("sec-fetch-site"));
    let mode = text(HeaderName::from_static("sec-fetch-mode"));
    // Links from other sites are allowed, calls by their scripts are not.
    let called_from_elsewhere = site == Some("cross-site") && mode != Some("navigate");
    let same_origin = match (headers.get(ORIGIN), text(HOST)) {
        (None, _) => true,
        (Some(origin), Some(host)) => {
            let origin = origin.to_str().unwrap_or_default();
            origin.split_once("://").is_some_and(|(_, place)| place.eq_ignore_ascii_case(host))
        }
        (Some(_), None) => false,
    };
    same_origin && !called_from_elsewhere
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_sites_are_turned_away_and_programs_are_not() {
        let cases: [(&[(&'static str, &'static str)], bool); 8] = [
            (&[], true),
            (&[("host", "127.0.0.1:7800")], true),
            (&[("host", "127.0.0.1:7800"), ("origin", "http://127.0.0.1:7800")], true),
            (&[("host", "127.0.0.1:7800"), ("origin", "http://evil.example")], false),
            (&[("host", "127.0.0.1:7800"), ("origin", "null")], false),
            (&[("origin", "http://127.0.0.1:7800")], false),
            (&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")], false),
            (&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], true),
        ];
        for (given, welcome) in cases {
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.insert(*name, HeaderValue::from_static(value));
            }
            assert_eq!(is_same_site(&headers), welcome, "{given:?}");
        }
    }
}
