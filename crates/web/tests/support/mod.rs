//! A server without a socket, and its clients.
#![allow(dead_code, reason = "every test uses its own part")]

use axum::Router;
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tempfile::TempDir;
use tesuji_web::{AppState, ServerOptions, app};
use tower::ServiceExt;

/// A server with its own store, which is deleted with it.
pub(crate) struct Server {
    pub(crate) router: Router,
    pub(crate) folder: TempDir,
}

/// A response.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

/// The token of all servers.
pub(crate) const TOKEN: &str = "word";

/// A client with or without a cookie.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) router: Router,
    pub(crate) cookie: Option<String>,
    /// Whether its requests have the token.
    has_token: bool,
}

/// Default settings of tests: with a store and without rate limits.
pub(crate) fn options(folder: &TempDir) -> ServerOptions {
    ServerOptions {
        registry: tesuji_builtin::registry(),
        store: Some(folder.path().join("games.db").to_string_lossy().into_owned()),
        runs: folder.path().join("runs"),
        reports: folder.path().join("reports"),
        token: Some(TOKEN.to_string()),
        requests_per_second: 1e9,
        sessions_per_address: 1_000_000,
        ..ServerOptions::default()
    }
}

impl Server {
    pub(crate) fn new() -> Server {
        Server::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut ServerOptions)) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(&folder);
        change(&mut options);
        Server { router: app(AppState::new(options).unwrap()), folder }
    }

    /// A client without a cookie.
    pub(crate) fn stranger(&self) -> Person {
        Person { router: self.router.clone(), cookie: None, has_token: false }
    }

    /// A client with a session.
    pub(crate) async fn person(&self) -> Person {
        let answer = self.stranger().get("/api/recording").await;
        let cookie = answer.headers[SET_COOKIE].to_str().unwrap();
        let pair = cookie.split(';').next().unwrap().to_string();
        Person { router: self.router.clone(), cookie: Some(pair), has_token: false }
    }

    /// A client with a session and the token.
    pub(crate) async fn operator(&self) -> Person {
        Person { has_token: true, ..self.person().await }
    }
}

impl Person {
    /// Sends a request with the cookie.
    pub(crate) async fn send(&self, mut request: Request<Body>) -> Answer {
        if let Some(cookie) = &self.cookie {
            request.headers_mut().insert(COOKIE, cookie.parse().unwrap());
        }
        if self.has_token {
            let value = format!("Bearer {TOKEN}").parse().unwrap();
            request.headers_mut().insert(AUTHORIZATION, value);
        }
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.into_body().collect().await.unwrap().to_bytes().to_vec();
        Answer { status, headers, bytes }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// Sends a GET request with encoded parameters.
    pub(crate) async fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> Answer {
        self.get(&address(path, parameters)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_text(path, body.to_string()).await
    }

    pub(crate) async fn post_text(&self, path: &str, body: impl Into<Body>) -> Answer {
        let request = Request::post(path).header(CONTENT_TYPE, "application/json");
        self.send(request.body(body.into()).unwrap()).await
    }
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// The JSON of a successful response.
    #[track_caller]
    pub(crate) fn good(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        self.json()
    }

    /// The error line of a response with this status.
    #[track_caller]
    pub(crate) fn refusal(&self, status: u16) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        let line = self.json()["error"].as_str().expect("an error").to_string();
        assert!(!line.is_empty() && !line.contains('\n'), "{line:?}");
        line
    }

    /// The names and data of server-sent events.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<(String, Value)> {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        assert_eq!(self.headers[CONTENT_TYPE], "text/event-stream");
        let field = |event: &str, name: &str| {
            let value = event.lines().find_map(|line| line.strip_prefix(name));
            value.map(|value| value.trim().to_string())
        };
        let events = self.text().split("\n\n").filter_map(|event| {
            Some((field(event, "event:")?, serde_json::from_str(&field(event, "data:")?).unwrap()))
        });
        events.collect()
    }
}

/// A path with parameters.
pub(crate) fn address(path: &str, parameters: &[(&str, &str)]) -> String {
    let pair = |(name, value): &(&str, &str)| format!("{}={}", encoded(name), encoded(value));
    let pairs: Vec<String> = parameters.iter().map(pair).collect();
    match pairs.is_empty() {
        true => path.to_string(),
        false => format!("{path}?{}", pairs.join("&")),
    }
}

/// Percent-encodes a text.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
