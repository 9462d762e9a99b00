//! Identifies clients by a signed session cookie, or by their address without one. No other data
//! about clients is kept.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::header::{COOKIE, HOST, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tesuji_store::key::digest_word;

use crate::errors::ApiError;
use crate::limits::network_of;
use crate::state::AppState;

const COOKIE_NAME: &str = "tesuji";

/// A client.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Client {
    /// The id of the session.
    pub(crate) session: u64,
    /// The remote address.
    pub(crate) address: IpAddr,
}

impl Client {
    /// Whether this client owns what `owner` created. Without a session, all clients of the same
    /// address share ownership, as nothing else tells them apart.
    pub(crate) fn matches(&self, owner: &Client) -> bool {
        self.session == owner.session || anonymous_session(self.address) == owner.session
    }

    /// The key of its address for limits.
    pub(crate) fn network(&self) -> IpAddr {
        network_of(self.address)
    }
}

impl FromRequestParts<AppState> for Client {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Client, ApiError> {
        let missing = || ApiError::internal("client: not identified");
        parts.extensions.get::<Client>().copied().ok_or_else(missing)
    }
}

/// Middleware that checks the Host header and the rate limits, identifies the client, and sets a
/// session cookie.
pub(crate) async fn identify(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    if !has_expected_host(&state, request.headers()) {
        let why = "unexpected Host header; use the server's own address";
        return ApiError::forbidden(why).into_response();
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let address = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |peer| peer.0.ip().to_canonical());
    let known = session_of(&state, request.headers());
    let client = Client { session: known.unwrap_or_else(|| anonymous_session(address)), address };
    if request.uri().path().starts_with("/api/") && !state.rate_limiter().allow(&client) {
        let why = "too many requests; wait a few seconds";
        return ApiError::too_many(why).into_response();
    }
    request.extensions_mut().insert(client);
    let mut response = next.run(request).await;
    if known.is_none()
        && let Some(cookie) = new_cookie(&state)
    {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// The shared session of all clients of an address without a cookie.
fn anonymous_session(address: IpAddr) -> u64 {
    digest_word(&["anonymous", &address.to_string()])
}

/// Checks the Host header of a server on a loopback address, against DNS rebinding.
fn has_expected_host(state: &AppState, headers: &HeaderMap) -> bool {
    if !state.options().address.ip().is_loopback() {
        return true;
    }
    let Some(host) = headers.get(HOST).map(|host| host.to_str().unwrap_or_default()) else {
        return true;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn session_of(state: &AppState, headers: &HeaderMap) -> Option<u64> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).map(str::trim);
    pairs.find_map(|pair| {
        let (number, signature) =
            pair.strip_prefix(COOKIE_NAME)?.strip_prefix('=')?.split_once('.')?;
        let signed = state.secret().verify(&["session", number], signature);
        signed.then(|| digest_word(&["session", number]))
    })
}

fn new_cookie(state: &AppState) -> Option<HeaderValue> {
    let number = format!("{:016x}", getrandom::u64().ok()?);
    let signature = state.secret().sign(&["session", &number]);
    let cookie = format!(
        "{COOKIE_NAME}={number}.{signature}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
    );
    HeaderValue::from_str(&cookie).ok()
}
