//! The limits of an address: new cookies do not raise them, other addresses are not affected, and a
//! client that reads nothing does not block searches of others.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use axum::http::{Request, Response};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tesuji_train::{RunFolder, RunInfo, SettingsFile};
use tower::ServiceExt;

use crate::support::{Server, address};

/// The limits of an address in these tests, in sessions.
const SESSIONS: usize = 8;

fn server(change: impl FnOnce(&mut tesuji_web::ServerOptions)) -> Server {
    Server::with(|options| {
        options.sessions_per_address = SESSIONS;
        change(options);
    })
}

/// A client at an address, with its own cookie.
struct Client<'s> {
    server: &'s Server,
    address: String,
    cookie: Option<String>,
}

impl<'s> Client<'s> {
    /// Starts a new session. Pages are not rate-limited.
    async fn new(server: &'s Server, address: &str) -> Client<'s> {
        let mut client = Client { server, address: address.to_string(), cookie: None };
        let page = client.send(Request::get("/").body(Body::empty()).unwrap()).await;
        let cookie = page.headers()[SET_COOKIE].to_str().unwrap();
        client.cookie = cookie.split(';').next().map(str::to_string);
        client
    }

    async fn send(&self, mut request: Request<Body>) -> Response<Body> {
        let peer: SocketAddr = format!("{}:4000", self.address).parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        if let Some(cookie) = &self.cookie {
            request.headers_mut().insert(COOKIE, cookie.parse().unwrap());
        }
        self.server.router.clone().oneshot(request).await.unwrap()
    }

    async fn get(&self, path: &str) -> Response<Body> {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = Request::post(path).header(CONTENT_TYPE, "application/json");
        let response = self.send(request.body(Body::from(body.to_string())).unwrap()).await;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap())
    }
}

const LOCAL: &str = "127.0.0.1";
const ELSEWHERE: &str = "192.0.2.1";

#[tokio::test]
async fn new_cookies_do_not_raise_the_request_limit() {
    let server = server(|options| options.requests_per_second = 1.0);
    let burst = 4 * SESSIONS;
    for (addresses, other) in [
        ([LOCAL, LOCAL], ELSEWHERE),
        (["[2001:db8:1:2::1]", "[2001:db8:1:2:ffff::9]"], "[2001:db8:1:3::1]"),
    ] {
        let (began, mut answered) = (Instant::now(), 0);
        for n in 0..10 * burst {
            let client = Client::new(&server, addresses[n % 2]).await;
            answered += usize::from(client.get("/api/recording").await.status() == 200);
        }
        let most = burst + (began.elapsed().as_secs_f64() * SESSIONS as f64).ceil() as usize;
        assert!((burst..=most).contains(&answered), "{answered}, at most {most}");
        let other = Client::new(&server, other).await;
        assert_eq!(other.get("/api/recording").await.status(), 200);
    }
}

#[tokio::test]
async fn new_cookies_do_not_raise_the_record_limit() {
    let server = server(|_| ());
    let game = json!({ "game": "tictactoe", "moves": "a1a2b1b2c1", "first": "human",
                       "second": "human", "resigned": null });
    let (began, mut kept) = (Instant::now(), 0);
    for _ in 0..100 {
        let client = Client::new(&server, LOCAL).await;
        kept += usize::from(client.post("/api/records", &game).await.0 == 200);
    }
    // One in two seconds per session.
    let most = SESSIONS + (began.elapsed().as_secs_f64() * SESSIONS as f64 / 2.0).ceil() as usize;
    assert!((SESSIONS..=most).contains(&kept), "{kept} of 100 records, at most {most}");
    let other = Client::new(&server, ELSEWHERE).await;
    assert_eq!(other.post("/api/records", &game).await.0, 200);
}

/// A long search whose events are not read.
fn long_search() -> String {
    address("/api/thinking", &[("game", "gomoku"), ("player", "mcts"), ("seconds", "20")])
}

#[tokio::test]
async fn streams_of_one_address_leave_room_for_others() {
    let server = server(|options| options.searches = 1);
    let mut held = Vec::new();
    for _ in 0..1_010 {
        let response = Client::new(&server, LOCAL).await.get(&long_search()).await;
        match response.status().as_u16() {
            200 => held.push(response),
            429 => (),
            other => panic!("{other}"),
        }
    }
    assert_eq!(held.len(), 6 * SESSIONS);
    // The other address has no running search, so it is next when a search ends.
    let other = Client::new(&server, ELSEWHERE).await;
    held.remove(0);
    let question = json!({ "game": "tictactoe", "player": "random" });
    let answer = tokio::time::timeout(Duration::from_secs(15), other.post("/api/move", &question));
    assert_eq!(answer.await.expect("its turn comes").0, 200);
}

/// Before its end a search sends more events than fit into the buffer of a client that does not
/// read; then it must release its slot.
#[tokio::test]
async fn a_client_that_does_not_read_does_not_block_searches() {
    let server = server(|options| options.searches = 2);
    let mut unread = Vec::new();
    for _ in 0..2 {
        let client = Client::new(&server, LOCAL).await;
        let parameters = [("game", "gomoku"), ("seconds", "6")];
        let response = client.get(&address("/api/think/visits", &parameters)).await;
        assert_eq!(response.status(), 200);
        unread.push(response);
    }
    let other = Client::new(&server, LOCAL).await;
    let question = json!({ "game": "tictactoe", "player": "random" });
    let answer = tokio::time::timeout(Duration::from_secs(40), other.post("/api/move", &question));
    assert_eq!(answer.await.expect("the searches are over").0, 200);
    // The final events are kept for them.
    for response in unread {
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        assert!(text.contains("event: done"), "{:.300}", text);
    }
}

#[tokio::test]
async fn new_cookies_do_not_evict_games_in_play() {
    let server = server(|_| ());
    let mut games = Vec::new();
    for player in [LOCAL, ELSEWHERE] {
        let player = Client::new(&server, player).await;
        let (status, begun) = player.post("/api/gems", &json!({ "level": 1 })).await;
        assert_eq!(status, 200, "{begun}");
        let path = format!("/api/gems/{}", begun["id"].as_str().unwrap());
        let swapped = player.post(&format!("{path}/swap"), &begun["view"]["swaps"][0]).await;
        assert_eq!(swapped.0, 200, "{}", swapped.1);
        games.push((player, path));
    }
    let mut begun = 0;
    for _ in 0..6_000 {
        let client = Client::new(&server, LOCAL).await;
        let (status, answer) = client.post("/api/gems", &json!({ "level": 1 })).await;
        assert!([200, 429].contains(&status), "{answer}");
        begun += usize::from(status == 200);
    }
    assert!(begun < 20 * SESSIONS * 2, "{begun} games of one address");
    for (player, path) in &games {
        assert_eq!(player.get(path).await.status(), 200, "{}", player.address);
    }
    let other = Client::new(&server, ELSEWHERE).await;
    assert_eq!(other.post("/api/gems", &json!({ "level": 1 })).await.0, 200);
}

#[tokio::test]
async fn one_address_cannot_take_all_streams_of_runs() {
    let server = server(|_| ());
    let settings = "game = 'tictactoe'";
    let given = SettingsFile { extension: "toml", text: settings.to_string() };
    let info = RunInfo::new("a".to_string(), "forest");
    let path = server.folder.path().join("runs/a");
    // This process holds the run's lock, so the run is active and its streams stay open.
    let run = RunFolder::create(&path, &given, settings, &info).unwrap();
    let mut held = Vec::new();
    for _ in 0..210 {
        let response = Client::new(&server, LOCAL).await.get("/api/lab/runs/a/live").await;
        match response.status().as_u16() {
            200 => held.push(response),
            429 => (),
            other => panic!("{other}"),
        }
    }
    assert_eq!(held.len(), 3 * SESSIONS);
    let other = Client::new(&server, ELSEWHERE).await;
    assert_eq!(other.get("/api/lab/runs/a/live").await.status(), 200);
    drop(run);
}
