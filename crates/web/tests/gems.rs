//! Gem Island over the API, without a socket: whole games, hidden data, help, high scores, and
//! invalid requests.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tesuji_games::rules::gem_island::log::GemLog;
use tesuji_store::{Record, RecordKind, Selection};
use tesuji_web::{AppState, ServerOptions, app};
use tower::ServiceExt;

/// A server without a socket, with its own store.
struct Server {
    app: Router,
    store: String,
    _folder: tempfile::TempDir,
}

impl Server {
    fn new() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("games.db").display().to_string();
        Server { app: router(Some(store.clone())), store, _folder: folder }
    }

    async fn send(&self, request: Request<Body>) -> (StatusCode, Value) {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    async fn post_as(&self, who: &str, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = Request::post(path)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::COOKIE, who)
            .body(Body::from(body.to_string()))
            .unwrap();
        self.send(request).await
    }

    async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        self.post_as("", path, body).await
    }

    /// A cookie of a new session.
    async fn session(&self) -> String {
        let request = Request::get("/api/gems").body(Body::empty()).unwrap();
        let response = self.app.clone().oneshot(request).await.unwrap();
        let cookie = response.headers()[header::SET_COOKIE].to_str().unwrap();
        cookie.split(';').next().unwrap().to_string()
    }

    async fn begin(&self, level: u8) -> (String, Value) {
        let (status, game) = self.post("/api/gems", &json!({ "level": level })).await;
        assert_eq!(status, StatusCode::OK, "{game}");
        (format!("/api/gems/{}", game["id"].as_str().unwrap()), game["view"].clone())
    }

    /// Plays the first legal swap until the game is over.
    async fn play_to_the_end(&self, address: &str, mut view: Value) -> Value {
        loop {
            let (status, answer) = self.post(&format!("{address}/swap"), &view["swaps"][0]).await;
            assert_eq!(status, StatusCode::OK, "{answer}");
            if answer["status"] != "running" {
                return answer;
            }
            view = answer["view"].clone();
        }
    }

    fn records(&self, kind: RecordKind) -> Vec<Record> {
        let store = tesuji_store::open(&self.store).unwrap();
        let mut found = Vec::new();
        let each = &mut |record| {
            found.push(record);
            std::ops::ControlFlow::Continue(())
        };
        store.for_each(&Selection::all(kind), each).unwrap();
        found
    }
}

fn router(store: Option<String>) -> Router {
    let registry = tesuji_builtin::registry();
    let options = ServerOptions {
        registry,
        store,
        requests_per_second: 10_000.0,
        ..ServerOptions::default()
    };
    app(AppState::new(options).unwrap())
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

/// Applies a pass to the cells, as a page does.
fn applied(cells: &mut [Value], frame: &Value) {
    let at = |cell: &Value| 9 * number(&cell["row"]) + number(&cell["column"]);
    let gem = |cells: &mut [Value], place: usize, gem: &Value| {
        cells[place]["kind"] = gem["kind"].clone();
        cells[place]["bonus"] = gem["bonus"].clone();
    };
    for created in frame["created"].as_array().unwrap() {
        gem(cells, at(&created["cell"]), &created["gem"]);
    }
    for ice in frame["ice"].as_array().unwrap() {
        cells[at(&ice["cell"])]["ice"] = ice["layers"].clone();
    }
    for fall in frame["falls"].as_array().unwrap() {
        let falling = cells[at(&fall["from"])].clone();
        gem(cells, at(&fall["to"]), &falling);
    }
    for new in frame["refills"].as_array().unwrap() {
        gem(cells, at(&new["cell"]), &new["gem"]);
    }
}

fn gems_and_ice(cells: &[Value]) -> Vec<(Value, Value, Value)> {
    cells.iter().map(|c| (c["kind"].clone(), c["bonus"].clone(), c["ice"].clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_lead_from_each_view_to_the_next() {
    let server = Server::new();
    for level in 1..=3 {
        let (address, mut view) = server.begin(level).await;
        let mut score = 0;
        loop {
            let swap = view["swaps"][number(&view["moves_left"]) % 3].clone();
            let swap = if swap.is_null() { view["swaps"][0].clone() } else { swap };
            let (_, answer) = server.post(&format!("{address}/swap"), &swap).await;
            let mut cells = view["cells"].as_array().unwrap().clone();
            let at = |cell: &Value| 9 * number(&cell["row"]) + number(&cell["column"]);
            let (a, b) = (at(&swap["first"]), at(&swap["second"]));
            let ice = [cells[a]["ice"].clone(), cells[b]["ice"].clone()];
            cells.swap(a, b);
            (cells[a]["ice"], cells[b]["ice"]) = (ice[0].clone(), ice[1].clone());
            for frame in answer["frames"].as_array().unwrap() {
                applied(&mut cells, frame);
            }
            let after = answer["view"]["cells"].as_array().unwrap();
            if answer["reshuffled"].is_null() {
                assert_eq!(gems_and_ice(&cells), gems_and_ice(after));
            }
            score += number(&answer["gained"]);
            view = answer["view"].clone();
            if answer["status"] != "running" {
                assert_eq!(score + number(&view["bonus"]), number(&view["score"]));
                break;
            }
            assert_eq!(score, number(&view["score"]));
            assert!(answer["seed"].is_null(), "the seed is a secret until the end");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn medals_are_shown_only_with_an_uncovered_part() {
    let server = Server::new();
    let (address, view) = server.begin(3).await;
    assert!(view["cells"].as_array().unwrap().iter().all(|cell| cell["medal"].is_null()));
    let mut view = view;
    while view["status"] == "running" {
        let (_, answer) = server.post(&format!("{address}/swap"), &view["swaps"][0]).await;
        view = answer["view"].clone();
        let cells = view["cells"].as_array().unwrap();
        for (n, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell["medal"].is_null()) {
            let part = number(&cell["medal"]);
            let upper_left = n - 9 * (part >> 1) - (part & 1);
            let bare = [0, 1, 9, 10].map(|step| cells[upper_left + step]["ice"] == 0);
            assert!(bare.contains(&true), "no part of the medal at {upper_left} is seen");
            assert!(bare.contains(&false), "a medal that is bare is free and gone");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_game_is_recorded_replayed_and_entered_once() {
    let server = Server::new();
    let (address, view) = server.begin(1).await;
    let (status, _) = server.get(&format!("{address}/replay")).await;
    assert_eq!(status, StatusCode::CONFLICT);
    let (status, _) = server.post(&format!("{address}/score"), &json!({"nickname": "Ada"})).await;
    assert_eq!(status, StatusCode::CONFLICT, "the game is not over");
    let end = server.play_to_the_end(&address, view).await;
    assert_eq!((&end["recorded"], &end["rank"]), (&json!(true), &json!(1)));

    let (_, replay) = server.get(&format!("{address}/replay")).await;
    assert_eq!(replay["seed"], end["seed"]);
    assert_eq!(replay["end"]["cells"], end["view"]["cells"]);
    assert_eq!(replay["turns"].as_array().unwrap().len(), number(&end["view"]["moves_made"]));

    let Some(Record::Sample(sample)) = server.records(RecordKind::Sample).into_iter().next() else {
        panic!("no sample was kept")
    };
    let reading = GemLog::read(sample.detail["log"].as_str().unwrap().as_bytes()).unwrap();
    assert_eq!(reading.repairs, []);
    let log = reading.log.unwrap();
    assert_eq!(log.turns.len(), number(&end["view"]["moves_made"]));
    assert_eq!(log.won(), sample.value > 0.0);
    assert_eq!(sample.detail["helped"], json!(false));

    let [ada, bob] = [server.session().await, server.session().await];
    let entry = format!("{address}/score");
    let (status, entered) = server.post_as(&ada, &entry, &json!({"nickname": "Ada"})).await;
    assert_eq!(status, StatusCode::OK, "{entered}");
    let (status, _) = server.post_as(&ada, &entry, &json!({"nickname": "Ada"})).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    let (status, _) = server.post_as(&bob, &entry, &json!({"nickname": "Bob"})).await;
    assert_eq!(status, StatusCode::CONFLICT, "a game is entered once");
    let (_, scores) = server.get("/api/scores?level=1").await;
    let rows = scores["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((&rows[0]["nickname"], &rows[0]["helped"]), (&json!("Ada"), &json!(false)));
    assert_eq!(rows[0]["score"], end["view"]["score"]);
    let (_, others) = server.get("/api/scores?level=2").await;
    assert_eq!(others["rows"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn scores_persist_only_with_a_store() {
    let mut server = Server::new();
    for (store, left) in [(Some(server.store.clone()), 1), (None, 0)] {
        server.app = router(store.clone());
        let (address, view) = server.begin(2).await;
        let end = server.play_to_the_end(&address, view).await;
        assert_eq!(end["recorded"], json!(store.is_some()));
        let (status, _) =
            server.post(&format!("{address}/score"), &json!({"nickname": "Ada"})).await;
        assert_eq!(status, StatusCode::OK);
        let (_, scores) = server.get("/api/scores?level=2").await;
        assert_eq!(scores["rows"][0]["score"], end["view"]["score"]);
        server.app = router(store);
        let (_, scores) = server.get("/api/scores?level=2").await;
        assert_eq!(scores["rows"].as_array().unwrap().len(), left);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_play_wins_and_its_scores_are_marked() {
    let server = Server::new();
    let (address, view) = server.begin(1).await;
    assert_eq!(view["helped"], json!(false));
    let end = loop {
        let (status, answer) = server.post(&format!("{address}/auto"), &json!({})).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        if answer["status"] != "running" {
            break answer;
        }
    };
    // It wins a thousand of a thousand games.
    assert_eq!((&end["status"], &end["view"]["helped"]), (&json!("won"), &json!(true)));
    let (status, entered) =
        server.post(&format!("{address}/score"), &json!({"nickname": "Auto"})).await;
    assert_eq!((status, &entered["helped"]), (StatusCode::OK, &json!(true)));
    let names = async |who: &str| {
        let (_, scores) = server.get(&format!("/api/scores?level=1&who={who}")).await;
        scores["rows"].as_array().unwrap().len()
    };
    assert_eq!([names("all").await, names("helped").await, names("alone").await], [1, 1, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_are_legal_and_beliefs_add_up() {
    let server = Server::new();
    let (address, view) = server.begin(2).await;
    for agent in ["belief", "greedy:width=5", "flat-ucb:sims=20", "random"] {
        let (status, hint) =
            server.post(&format!("{address}/hint"), &json!({"agent": agent})).await;
        assert_eq!(status, StatusCode::OK, "{hint}");
        assert!(view["swaps"].as_array().unwrap().contains(&hint["swap"]), "{agent}: {hint}");
    }
    let (_, belief) = server.get(&format!("{address}/belief")).await;
    let cells = belief["cells"].as_array().unwrap();
    let sum: f64 = cells.iter().filter_map(Value::as_f64).sum();
    assert!((sum - 16.0).abs() < 1e-6, "four medals of four parts, not {sum}");
    assert!(cells[..18].iter().all(Value::is_null), "two rows have no ice");
    let swaps = |value: &Value| value["swaps"].as_array().unwrap().len();
    assert_eq!(swaps(&belief), swaps(&view));
    let (_, again) = server.get(&address).await;
    assert_eq!(again["view"]["helped"], json!(true));
}

/// The id of a game is enough to watch it, but not to play it.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_can_change_a_game() {
    let server = Server::new();
    let [ada, bob] = [server.session().await, server.session().await];
    let (_, game) = server.post_as(&ada, "/api/gems", &json!({ "level": 1 })).await;
    assert_eq!(game["yours"], json!(true));
    let address = format!("/api/gems/{}", game["id"].as_str().unwrap());
    let look = async |who: &str, what: &str| {
        let request = Request::get(format!("{address}{what}")).header(header::COOKIE, who);
        server.send(request.body(Body::empty()).unwrap()).await
    };
    let swap = game["view"]["swaps"][0].clone();
    let actions = [
        ("swap", swap.clone()),
        ("auto", json!({})),
        ("hint", json!({})),
        ("recording", json!({ "record": false })),
        ("score", json!({ "nickname": "Bob" })),
    ];
    for who in [bob.as_str(), ""] {
        for (action, body) in &actions {
            let (status, answer) = server.post_as(who, &format!("{address}/{action}"), body).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{action}: {answer}");
            let error = answer["error"].as_str().unwrap();
            assert!(error.contains("another session") && error.contains("watched"), "{error}");
        }
        // Otherwise a second window would give uncounted hints.
        assert_eq!(look(who, "/belief").await.0, StatusCode::FORBIDDEN);
        let (status, seen) = look(who, "").await;
        assert_eq!((status, &seen["yours"]), (StatusCode::OK, &json!(false)));
        assert_eq!(seen["view"], game["view"], "nothing has changed");
    }
    let (status, answer) = server.post_as(&ada, &format!("{address}/swap"), &swap).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let (_, seen) = look(&bob, "").await;
    assert_eq!(seen["view"]["moves_made"], json!(1), "others watch");
    assert_eq!(look(&ada, "").await.1["yours"], json!(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn games_are_recorded_only_with_permission() {
    let server = Server::new();
    let (_, game) = server.post("/api/gems", &json!({ "level": 1, "record": false })).await;
    let address = format!("/api/gems/{}", game["id"].as_str().unwrap());
    let end = server.play_to_the_end(&address, game["view"].clone()).await;
    assert_eq!(end["recorded"], json!(false));

    let (address, view) = server.begin(1).await;
    let wish = format!("{address}/recording");
    let (status, _) = server.post(&wish, &json!({ "record": false })).await;
    assert_eq!(status, StatusCode::OK);
    let end = server.play_to_the_end(&address, view).await;
    assert_eq!(end["recorded"], json!(false));
    assert!(server.records(RecordKind::Sample).is_empty());
    let (status, _) = server.post(&wish, &json!({ "record": true })).await;
    assert_eq!(status, StatusCode::CONFLICT, "it is too late");
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_refused_in_one_line() {
    let server = Server::new();
    let (address, view) = server.begin(1).await;
    let corner = json!({"row": 0, "column": 0});
    let swap = |second: Value| json!({"first": corner, "second": second});
    let unknown = "/api/gems/0123456789abcdef0123456789abcdef";
    let posts = [
        ("/api/gems".to_string(), json!({"level": 0})),
        ("/api/gems".to_string(), json!({"level": 4})),
        ("/api/gems".to_string(), json!({"level": 1e300})),
        ("/api/gems".to_string(), json!({"level": "1"})),
        ("/api/gems".to_string(), json!([])),
        (format!("{address}/swap"), swap(json!({"row": 5, "column": 5}))),
        (format!("{address}/swap"), swap(json!({"row": 0, "column": 0}))),
        (format!("{address}/swap"), swap(json!({"row": 0, "column": -1}))),
        (format!("{address}/swap"), swap(json!({"row": 0, "column": 256}))),
        (
            format!("{address}/swap"),
            json!({"first": {"row": 255, "column": 255}, "second": {"row": 255, "column": 254}}),
        ),
        (format!("{address}/swap"), json!("0-0-0-1")),
        (format!("{address}/hint"), json!({"agent": "belief:rollouts=999999999"})),
        (format!("{address}/hint"), json!({"agent": "flat-ucb:eval=nn-outcome,file=/etc/passwd"})),
        (format!("{address}/auto"), json!({"agent": "<script>"})),
        (format!("{unknown}/swap"), view["swaps"][0].clone()),
        ("/api/gems/%00/hint".to_string(), json!({})),
    ];
    for (path, body) in posts {
        let (status, answer) = server.post(&path, &body).await;
        assert!(status.is_client_error(), "{path} {body}: {status}");
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(!error.is_empty() && !error.contains('\n'), "{path} {body}: {answer}");
    }
    for path in ["/api/scores", "/api/scores?level=9", "/api/scores?level=1&who=x", unknown] {
        let (status, _) = server.get(path).await;
        assert!(status.is_client_error(), "{path}: {status}");
    }
    let (_, after) = server.get(&address).await;
    assert_eq!(after["view"]["cells"], view["cells"], "nothing has changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_nicknames_are_refused() {
    let server = Server::new();
    let (address, view) = server.begin(1).await;
    server.play_to_the_end(&address, view).await;
    let names =
        ["", "  ", "<img src=x>", "a'; DROP TABLE human_scores; --", "123456789012345678901"];
    for name in names {
        let session = server.session().await;
        let body = json!({ "nickname": name });
        let (status, _) = server.post_as(&session, &format!("{address}/score"), &body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{name}");
    }
    assert!(server.records(RecordKind::Human).is_empty());
}
