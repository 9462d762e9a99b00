//! Authorization. Only requests with the server's token may start, stop or change something in the
//! lab. The address of a client gives no rights, because other users of this machine and all
//! clients behind a reverse proxy share it.
//!
//! Programs send the token as `Authorization: Bearer TOKEN`. A browser opens a page with
//! `?token=TOKEN` once, gets a cookie and is redirected to the same page without the token, so
//! that the token stays out of addresses.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, Query, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, COOKIE, HOST, LOCATION, SET_COOKIE,
    WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::client::Client;
use crate::errors::ApiError;
use crate::state::{AppState, SetupError};

/// The error for requests without the token.
pub(crate) const TOKEN_REQUIRED: &str = "server token required: open the link that `tesuji serve` \
     printed at its start, or send the header `Authorization: Bearer TOKEN`";

/// Creates a random token.
pub fn new_token() -> Result<String, SetupError> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).map_err(|_| SetupError::NoRandomness)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The role of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Has the token and may do everything.
    Operator,
    /// May play, analyze and watch.
    Guest,
}

impl FromRequestParts<AppState> for Role {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Role, Infallible> {
        let token = state.options().token.as_deref();
        let headers = &parts.headers;
        Ok(
            match token
                .is_some_and(|token| has_header(headers, token) || has_cookie(headers, token))
            {
                true => Role::Operator,
                false => Role::Guest,
            },
        )
    }
}

/// Extractor for requests with the token. Other requests are rejected before their body is read.
pub(crate) struct Operator;

impl FromRequestParts<AppState> for Operator {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Operator, Response> {
        match Role::from_request_parts(parts, state).await {
            Ok(Role::Operator) => Ok(Operator),
            Ok(Role::Guest) => {
                let refusal = ApiError::new(StatusCode::UNAUTHORIZED, TOKEN_REQUIRED);
                Err(([(WWW_AUTHENTICATE, "Bearer")], refusal).into_response())
            }
        }
    }
}

fn has_header(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    given
        .and_then(|value| value.strip_prefix("Bearer "))
        .is_some_and(|given| has_same_digest(given, token))
}

/// Compares digests, so that the time does not depend on the position of a difference.
fn has_same_digest(given: &str, token: &str) -> bool {
    blake3::hash(given.as_bytes()) == blake3::hash(token.as_bytes())
}

fn has_cookie(headers: &HeaderMap, token: &str) -> bool {
    let (name, expected) = (cookie_name(headers), cookie_value(token));
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).map(str::trim);
    pairs.any(|pair| {
        let value = pair.strip_prefix(&name).and_then(|rest| rest.strip_prefix('='));
        value.and_then(|value| blake3::Hash::from_hex(value).ok()) == Some(expected)
    })
}

/// The cookie name contains the port, because browsers send the cookies of a host to all its ports.
fn cookie_name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let port = if port.bytes().all(|byte| byte.is_ascii_digit()) { port } else { "" };
    format!("tesuji-token{port}")
}

/// A key derived from the token, so that a stolen cookie file does not contain the token.
fn cookie_value(token: &str) -> blake3::Hash {
    blake3::derive_key("tesuji 2026 cookie of the laboratory", token.as_bytes()).into()
}

/// Middleware that exchanges the token in the address of a page for a cookie.
pub(crate) async fn exchange_token(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let is_page = !request.uri().path().starts_with("/api/") && request.method() == Method::GET;
    let Some(given) = token_of(request.uri()).filter(|_| is_page) else {
        return next.run(request).await;
    };
    let client = request.extensions().get::<Client>();
    if client.is_some_and(|client| !state.rate_limiter().allow(client)) {
        return ApiError::too_many("token: too many attempts; retry in a few seconds")
            .into_response();
    }
    match state.options().token.as_deref().filter(|token| has_same_digest(&given, token)) {
        Some(token) => {
            let (name, value) = (cookie_name(request.headers()), cookie_value(token).to_hex());
            let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict");
            let place = without_token(request.uri());
            let headers =
                [(SET_COOKIE, cookie), (LOCATION, place), (CACHE_CONTROL, "no-store".to_string())];
            (StatusCode::SEE_OTHER, headers).into_response()
        }
        None => {
            let why = "token: not valid for this server; open the link that `tesuji serve` \
                       printed last\n";
            let kind = [(CONTENT_TYPE, "text/plain; charset=utf-8")];
            (StatusCode::UNAUTHORIZED, kind, why).into_response()
        }
    }
}

fn token_of(uri: &Uri) -> Option<String> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    pairs.into_iter().find(|(name, _)| name == "token").map(|(_, value)| value)
}

/// Removes the token from an address. Also removes extra leading slashes, because an address with
/// two slashes leads to another host.
fn without_token(uri: &Uri) -> String {
    let is_token = |pair: &&str| pair.split('=').next() == Some("token");
    let pairs = uri.query().unwrap_or_default().split('&');
    let query: Vec<&str> = pairs.filter(|pair| !is_token(pair) && !pair.is_empty()).collect();
    let path = uri.path().trim_start_matches(['/', '\\']);
    match query.is_empty() {
        true => format!("/{path}"),
        false => format!("/{path}?{}", query.join("&")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(given: &[(&'static str, &str)]) -> HeaderMap {
        given.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn the_token_is_taken_out_of_an_address_and_nothing_else_is() {
        for (address, expected) in [
            ("/?token=a", "/"),
            ("/lab?token=a&x=1", "/lab?x=1"),
            ("/play/mnk:10x10,k=5?x=%26&token=a&y", "/play/mnk:10x10,k=5?x=%26&y"),
            ("//elsewhere.example/?token=a", "/elsewhere.example/"),
        ] {
            let uri: Uri = address.parse().unwrap();
            assert_eq!(token_of(&uri).as_deref(), Some("a"), "{address}");
            assert_eq!(without_token(&uri), expected);
        }
        assert_eq!(token_of(&"/?token=%C3%A4+b".parse().unwrap()).as_deref(), Some("ä b"));
        assert_eq!(token_of(&"/lab?tokens=a".parse().unwrap()), None);
    }

    #[test]
    fn only_the_token_and_its_cookie_are_taken() {
        for (value, right) in [
            ("Bearer word", true),
            ("Bearer wort", false),
            ("Bearer ", false),
            ("Bearer words", false),
            ("word", false),
            ("Basic word", false),
        ] {
            assert_eq!(has_header(&headers(&[("authorization", value)]), "word"), right, "{value}");
        }
        let cookie = |port: &str, value: &str| format!("a=b; tesuji-token{port}={value}");
        let (value, other) = (cookie_value("word").to_string(), cookie_value("wort").to_string());
        let host = ("host", "127.0.0.1:7800");
        for (given, right) in [
            (cookie("7800", &value), true),
            (cookie("7801", &value), false),
            (cookie("", &value), false),
            (cookie("7800", &other), false),
            (cookie("7800", "word"), false),
            (cookie("7800", ""), false),
        ] {
            let given = headers(&[host, ("cookie", &given)]);
            assert_eq!(has_cookie(&given, "word"), right, "{given:?}");
        }
        assert!(has_cookie(&headers(&[("cookie", &cookie("", &value))]), "word"));
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let (one, another) = (new_token().unwrap(), new_token().unwrap());
        assert!(one.len() == 48 && one != another);
    }
}
