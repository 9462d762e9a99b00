//! The lab without a socket: real run folders, a real store, and a program that is started, stopped
//! and resumed. The program is a script that treats its folder like `tesuji train`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tesuji_app::experiment::{Experiment, ExperimentOptions, ExperimentResult};
use tesuji_games::{Outcome, Side};
use tesuji_store::{Ending, EndingKind, GameRecord, PlayerRecord, Record, RunRecord};
use tesuji_train::{RunFolder, RunInfo, SettingsFile};
use tesuji_web::{AppState, ServerOptions, app};
use tower::ServiceExt;

struct Place {
    folder: tempfile::TempDir,
    state: AppState,
}

impl Place {
    fn new() -> Place {
        Place::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut ServerOptions)) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, PROGRAM).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let store = folder.path().join("games.db").display().to_string();
        let mut options = ServerOptions {
            store: Some(store),
            runs: folder.path().join("runs"),
            reports: folder.path().join("reports"),
            program: Some(program),
            token: Some("word".to_string()),
            registry: tesuji_builtin::registry(),
            ..ServerOptions::default()
        };
        change(&mut options);
        Place { state: AppState::new(options).unwrap(), folder }
    }

    fn runs(&self) -> &Path {
        &self.state.options().runs
    }

    async fn ask(&self, request: Request<Body>) -> (StatusCode, Vec<u8>) {
        let answer = app(self.state.clone()).oneshot(request).await.unwrap();
        let status = answer.status();
        (status, answer.into_body().collect().await.unwrap().to_bytes().to_vec())
    }

    /// Requests with the token.
    async fn get(&self, path: &str) -> (StatusCode, Value) {
        let request = Request::get(path).header("authorization", "Bearer word");
        let (status, body) = self.ask(request.body(Body::empty()).unwrap()).await;
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    /// Requests with the token.
    async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = Request::post(path)
            .header("content-type", "application/json")
            .header("authorization", "Bearer word");
        let (status, body) = self.ask(request.body(Body::from(body.to_string())).unwrap()).await;
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    /// Waits for a state of the only job.
    async fn job(&self, state: &str) -> Value {
        let since = Instant::now();
        loop {
            let (_, answer) = self.get("/api/lab/jobs").await;
            let job = answer["jobs"][0].clone();
            if job["state"] == state {
                return job;
            }
            assert!(since.elapsed() < Duration::from_secs(20), "wanted {state}: {answer}");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }
}

/// Writes a line per step until it is interrupted; refuses a file with the word `slip`.
const PROGRAM: &str = r#"#!/bin/sh
if [ "$1" != train ]; then echo "played with $*"; exit 0; fi
if [ "$2" = --resume ]; then out="$3"; else
  out="$4"
  if grep -q slip "$2"; then echo "error: $2: line 1: a slip; expected none" >&2; exit 2; fi
  cp "$2" "$out/settings.toml"
fi
trap 'echo "error: interrupted; carry on" >&2; exit 1' INT TERM
step=$(cat "$out/metrics.jsonl" 2>/dev/null | wc -l)
while :; do
  step=$((step + 1))
  echo "{\"step\":$step,\"best\":$step.5,\"seconds\":1}" >> "$out/metrics.jsonl"
  sleep 0.05
done
"#;

fn begin(runs: &Path, name: &str, settings: &str) -> RunFolder {
    let given = SettingsFile { extension: "toml", text: settings.to_string() };
    let learner = tesuji_learn::read_settings(settings).unwrap().kind.name;
    let info = RunInfo::new(name.to_string(), learner);
    RunFolder::create(&runs.join(name), &given, settings, &info).unwrap()
}

#[tokio::test]
async fn runs_are_listed_with_curves_and_states() {
    let place = Place::new();
    assert_eq!(place.get("/api/lab/runs").await.1["runs"], json!([]));
    let settings = "game = \"tictactoe\"\n[stop]\niterations = 500\n";
    let folder = begin(place.runs(), "forest", settings);
    for step in 1..=400 {
        folder.add_metrics(&json!({ "step": step, "best": 2 * step, "seconds": 0.1 })).unwrap();
    }
    let critic = begin(place.runs(), "critic", "learner = 'critic'\ngame = 'gomoku'\n");
    drop(critic);
    let (_, listed) = place.get("/api/lab/runs").await;
    let run = &listed["runs"][0];
    assert_eq!(
        (&run["id"], &run["state"]),
        (&json!("forest"), &json!("running")),
        "held runs first"
    );
    assert_eq!((&run["step"], &run["unit"]), (&json!(400), &json!("iteration")));
    assert_eq!(run["goal"], 500);
    let points = run["main"]["points"].as_array().unwrap();
    assert!(points.len() <= 200 && points.len() > 90);
    assert_eq!(points.last(), Some(&json!([400.0, 800.0])));
    assert_eq!(listed["runs"][1]["state"], "interrupted");

    drop(folder);
    let (status, whole) = place.get("/api/lab/runs/forest").await;
    assert_eq!((status, &whole["state"]), (StatusCode::OK, &json!("interrupted")));
    assert_eq!(whole["charts"][0]["series"], json!(["best"]));
    assert!(whole["settings"].as_str().unwrap().contains("tictactoe"));
    for id in ["nothing", "..", "%2e%2e", "..%2F..%2Fetc", "forest%2F..", "%00"] {
        let (status, error) = place.get(&format!("/api/lab/runs/{id}")).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{id}: {error}");
    }
}

#[tokio::test]
async fn only_plots_are_served() {
    let place = Place::new();
    let folder = begin(place.runs(), "a", "game = 'tictactoe'");
    folder.write_unsynced("plots/score.svg", b"<svg/>").unwrap();
    fs::write(place.folder.path().join("secret.svg"), "secret").unwrap();
    let secret = place.folder.path().join("secret.svg");
    std::os::unix::fs::symlink(secret, place.runs().join("a/plots/link.svg")).unwrap();
    let ask = |name: &str| Request::get(format!("/api/lab/runs/a/plots/{name}"));
    let (status, body) = place.ask(ask("score.svg").body(Body::empty()).unwrap()).await;
    assert_eq!((status, body.as_slice()), (StatusCode::OK, &b"<svg/>"[..]));
    for name in ["link.svg", "..%2Fsettings.toml", "..%2F..%2F..%2Fsecret.svg", "none.svg", "score"]
    {
        let (status, _) = place.ask(ask(name).body(Body::empty()).unwrap()).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{name}");
    }
}

#[tokio::test]
async fn new_points_are_streamed_until_the_run_ends() {
    let place = Place::new();
    let folder = begin(place.runs(), "a", "game = 'tictactoe'");
    folder.add_metrics(&json!({ "step": 1, "best": 1, "seconds": 0.1 })).unwrap();
    let writer = tokio::spawn(async move {
        for step in 2..=4 {
            tokio::time::sleep(Duration::from_millis(150)).await;
            folder.add_metrics(&json!({ "step": step, "best": step, "seconds": 0.1 })).unwrap();
        }
    });
    let request = Request::get("/api/lab/runs/a/live?after=1").body(Body::empty()).unwrap();
    let (status, body) = place.ask(request).await;
    writer.await.unwrap();
    let text = String::from_utf8(body).unwrap();
    assert_eq!(status, StatusCode::OK);
    assert_eq!(text.matches("event: point").count(), 3, "{text}");
    assert!(text.contains(r#""step":4,"values":{"best":4.0,"seconds":0.1}"#), "{text}");
    assert!(text.trim_end().ends_with(r#"data: {"state":"over"}"#), "{text}");
}

#[tokio::test]
async fn a_job_is_started_stopped_and_resumed() {
    let place = Place::new();
    let toml = "game = 'tictactoe'";
    let (status, answer) = place
        .post("/api/lab/jobs", &json!({ "kind": "train", "toml": toml, "name": "mine" }))
        .await;
    assert_eq!((status, &answer["id"]), (StatusCode::OK, &json!("mine")), "{answer}");
    assert_eq!(place.job("running").await["can_stop"], true);
    assert_eq!(fs::read_to_string(place.runs().join("mine/job.toml")).unwrap(), toml);

    let (status, _) = place.post("/api/lab/jobs/mine/stop", &json!({})).await;
    assert_eq!(status, StatusCode::OK);
    let job = place.job("interrupted").await;
    assert_eq!((&job["can_resume"], &job["run"]), (&json!(true), &json!(true)));
    assert!(
        job["output"].as_array().unwrap().iter().any(|line| line == "error: interrupted; carry on")
    );
    let steps =
        fs::read_to_string(place.runs().join("mine/metrics.jsonl")).unwrap().lines().count();

    assert_eq!(place.post("/api/lab/jobs/mine/resume", &json!({})).await.0, StatusCode::OK);
    place.job("running").await;
    let (status, _) = place.post("/api/lab/jobs/mine/resume", &json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT, "it goes on already");
    let more = fs::read_to_string(place.runs().join("mine/metrics.jsonl")).unwrap().lines().count();
    assert!(more > steps);
    place.post("/api/lab/jobs/mine/stop", &json!({})).await;
    place.job("interrupted").await;
}

#[tokio::test]
async fn errors_of_the_program_are_reported_and_leave_no_files() {
    let place = Place::new();
    let wanted = json!({ "kind": "train", "toml": "slip = 1" });
    let (status, answer) = place.post("/api/lab/jobs", &wanted).await;
    assert_eq!(
        (status, &answer["error"]),
        (StatusCode::BAD_REQUEST, &json!("line 1: a slip; expected none"))
    );
    assert_eq!(fs::read_dir(place.runs()).unwrap().count(), 0);
    for (body, expected) in [
        (json!({}), StatusCode::BAD_REQUEST),
        (json!({ "kind": "train" }), StatusCode::BAD_REQUEST),
        (json!({ "example": "../../Cargo.toml" }), StatusCode::NOT_FOUND),
        (json!({ "kind": "train", "toml": "", "name": "../x" }), StatusCode::BAD_REQUEST),
        (json!({ "kind": "train", "toml": "", "name": "-x" }), StatusCode::BAD_REQUEST),
        (json!({ "kind": "cook", "toml": "" }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "kind": "match", "toml": "game = 3" }), StatusCode::BAD_REQUEST),
    ] {
        let (status, answer) = place.post("/api/lab/jobs", &body).await;
        assert_eq!(status, expected, "{body}: {answer}");
    }
    for id in ["x", "..", "..%2F.."] {
        let (status, _) = place.post(&format!("/api/lab/jobs/{id}/stop"), &json!({})).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{id}");
    }
}

#[tokio::test]
async fn parallel_jobs_are_limited_and_names_are_unique() {
    let place = Place::new();
    let wanted = json!({ "example": "training/tictactoe.toml" });
    let names = [
        place.post("/api/lab/jobs", &wanted).await.1,
        place.post("/api/lab/jobs", &wanted).await.1,
    ];
    assert_eq!(names, [json!({ "id": "tictactoe" }), json!({ "id": "tictactoe-2" })]);
    assert_eq!(place.post("/api/lab/jobs", &wanted).await.0, StatusCode::CONFLICT);
    for name in ["tictactoe", "tictactoe-2"] {
        place.post(&format!("/api/lab/jobs/{name}/stop"), &json!({})).await;
    }
}

#[tokio::test]
async fn guests_do_not_see_the_output_of_jobs() {
    let place = Place::new();
    let train = json!({ "example": "training/tictactoe.toml" });
    assert_eq!(place.post("/api/lab/jobs", &train).await.0, StatusCode::OK);
    place.post("/api/lab/jobs/tictactoe/stop", &json!({})).await;
    assert_ne!(place.job("interrupted").await["output"], json!([]));
    let request = Request::get("/api/lab/jobs").body(Body::empty()).unwrap();
    let (_, body) = place.ask(request).await;
    let seen: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&seen["allowed"], &seen["jobs"][0]["output"]), (&json!(false), &json!([])));
}

/// Settings that start a program: directly, under a name, as an opponent of a learner, from the
/// environment.
fn with_programs() -> Vec<Value> {
    let cup = "name='x'\ngame='tictactoe'\n";
    let tournament =
        |players: &str| json!({ "kind": "tournament", "toml": format!("{cup}players={players}") });
    let rivals = "[evolution.scenarios]\nrivals=['external:cmd=/bin/sh']";
    let first = "first='external:cmd=/bin/sh'\nsecond='random'";
    vec![
        tournament("['random','external:cmd=/bin/sh']"),
        tournament("['random',{name='a',spec='external:cmd=/bin/sh'}]"),
        tournament("['random','${PLAYER}']"),
        json!({ "kind": "match", "toml": format!("game='tictactoe'\n{first}") }),
        json!({ "kind": "train", "toml": format!("game='tictactoe'\n{rivals}") }),
    ]
}

#[tokio::test]
async fn programs_need_the_allow_programs_option() {
    let place = Place::new();
    for wanted in with_programs() {
        let (status, answer) = place.post("/api/lab/jobs", &wanted).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{wanted}: {answer}");
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains("--allow-programs") && !error.contains('\n'), "{error}");
    }
    assert!(fs::read_dir(place.runs()).is_err(), "nothing was made");
    let place = Place::with(|options| options.allow_programs = true);
    for wanted in &with_programs()[..4] {
        let (status, answer) = place.post("/api/lab/jobs", wanted).await;
        assert_eq!(status, StatusCode::OK, "{wanted}: {answer}");
    }
}

/// A run from the command line, or from a server that allowed programs, would start them again when
/// it is resumed.
#[tokio::test]
async fn a_run_with_programs_is_not_resumed() {
    for (switch, expected) in [(false, StatusCode::FORBIDDEN), (true, StatusCode::OK)] {
        let place = Place::with(|options| options.allow_programs = switch);
        let rivals = "game='tictactoe'\n[evolution]\nfitness='both'\n[evolution.scenarios]\nrivals=['external:cmd=/bin/sh']";
        drop(begin(place.runs(), "a", rivals));
        let (status, answer) = place.post("/api/lab/jobs/a/resume", &json!({})).await;
        assert_eq!(status, expected, "{answer}");
        place.post("/api/lab/jobs/a/stop", &json!({})).await;
    }
}

/// The visible arguments of a job contain no store, whose address may have a password.
#[tokio::test]
async fn a_job_gets_its_store_by_the_environment() {
    let place = Place::with(|options| {
        let program = options.program.clone().unwrap();
        fs::write(program, "#!/bin/sh\necho \"told $* and by the environment $TESUJI_STORE\"\n")
            .unwrap();
    });
    let (status, answer) = place.post("/api/lab/jobs", &json!({ "example": "match.toml" })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let job = place.job("finished").await;
    let said = job["output"][0].as_str().unwrap();
    let (arguments, environment) = said.split_once(" and by the environment ").unwrap();
    let store = place.state.options().store.as_deref().unwrap();
    assert!(!arguments.contains(store) && !arguments.contains("--store"), "{said}");
    assert_eq!(environment, store);
}

fn game(event: &str, number: u64, players: [&str; 2], outcome: Outcome) -> Record {
    let who = |name: &str| PlayerRecord { name: name.to_string(), spec: name.to_string() };
    Record::Game(GameRecord {
        key: format!("{event}/{number}"),
        event: event.to_string(),
        game: "tictactoe".to_string(),
        players: players.map(who),
        pair: Some(number / 2),
        seed: 1,
        start: None,
        moves: "b2a1c3".to_string(),
        opening_plies: 0,
        outcome,
        ending: Ending::plain(EndingKind::Rules),
        thoughts: Vec::new(),
        played_at: 1000 + number,
    })
}

#[tokio::test]
async fn tournaments_and_matches_have_tables_and_ratings() {
    let place = Place::new();
    assert_eq!(place.get("/api/lab/tournaments").await.1, json!({ "tournaments": [] }));
    let store = tesuji_store::open(place.state.options().store.as_deref().unwrap()).unwrap();
    let mut records: Vec<Record> = (0..20)
        .map(|n| {
            let outcome = [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)];
            game(
                "cup-1",
                n,
                if n % 2 == 0 { ["a", "b"] } else { ["b", "a"] },
                outcome[n as usize % 3],
            )
        })
        .collect();
    records.push(game("match-1", 0, ["x", "y"], Outcome::Draw));
    records.push(Record::Run(RunRecord {
        id: "cup-1".to_string(),
        kind: "tournament".to_string(),
        name: "Cup".to_string(),
        config: "name='Cup'".to_string(),
        state: "running".to_string(),
        started_at: 1,
        updated_at: 2,
    }));
    store.add(&records).unwrap();
    tokio::time::sleep(Duration::from_millis(1600)).await;
    let (_, listed) = place.get("/api/lab/tournaments").await;
    let cards = listed["tournaments"].as_array().unwrap();
    let cup = cards.iter().find(|card| card["id"] == "cup-1").unwrap();
    assert_eq!((&cup["games"], &cup["players"]), (&json!(20), &json!(2)));
    assert_eq!(cup["state"], "interrupted", "nobody has played for a long time");
    assert!(cards.iter().any(|card| card["id"] == "match-1" && card["kind"] == "match"));
    let (_, whole) = place.get("/api/lab/tournaments/cup-1").await;
    let row = &whole["cross"]["rows"][0];
    let total = ["wins", "draws", "losses"].map(|key| row["total"][key].as_u64().unwrap());
    assert_eq!(total.iter().sum::<u64>(), 20);
    assert!(whole["ratings"]["rows"][0]["elo"].is_number());
    assert_eq!(place.get("/api/lab/tournaments/none").await.0, StatusCode::NOT_FOUND);
    let (_, summary) = place.get("/api/lab/summary").await;
    assert!(summary["latest"][0]["words"].is_string(), "{summary}");
}

#[tokio::test]
async fn a_stopping_server_stops_its_jobs() {
    let place = Place::new();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let options =
        ServerOptions { address: "127.0.0.1:0".parse().unwrap(), ..place.state.options().clone() };
    let state = AppState::new(options).unwrap();
    let serving = tokio::spawn(tesuji_web::serve(state.clone(), |_| (), async {
        drop(stopped.await);
    }));
    let inside = Place { state: state.clone(), folder: tempfile::tempdir().unwrap() };
    let wanted = json!({ "example": "training/tictactoe.toml" });
    assert_eq!(inside.post("/api/lab/jobs", &wanted).await.0, StatusCode::OK);
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
    let note = fs::read_to_string(place.runs().join("tictactoe/job.json")).unwrap();
    let lines = || {
        fs::read_to_string(place.runs().join("tictactoe/metrics.jsonl")).unwrap().lines().count()
    };
    let before = lines();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(lines(), before, "it writes no more: {note}");
}

/// Two players against one opponent, with two seeds each.
const TRIED: &str = "title = 'Depth'\nseeds = [1, 2]\n[match]\ngame = 'tictactoe'\nplayer = 'pvs'\nopponents = ['random']\ngames = 4\n[grid]\ndepth = [1, 3]\n";

/// Resumes an experiment until this many more runs are completed.
fn run_experiment(folder: &Path, text: &str, runs: usize) -> Option<ExperimentResult> {
    let games = tesuji_builtin::registry();
    let experiment = Experiment::read(text, &games).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let open = |place: &str, access| tesuji_store::open_with(place, access);
    let options = ExperimentOptions {
        games: &games,
        queue: None,
        store: None,
        open: &open,
        jobs: 1,
        stop: stop.clone(),
    };
    let progress = |done: usize, _: &str| stop.store(done >= runs, Relaxed);
    experiment.run(folder, &options, &progress).unwrap()
}

#[tokio::test]
async fn an_experiment_shows_its_results_so_far() {
    let place = Place::new();
    assert_eq!(place.get("/api/lab/experiments").await.1, json!({ "experiments": [] }));
    let folder = place.runs().join("depth");
    assert_eq!(run_experiment(&folder, TRIED, 3), None, "it was stopped");
    let (_, listed) = place.get("/api/lab/experiments").await;
    let card = &listed["experiments"][0];
    assert_eq!((&card["id"], &card["title"]), (&json!("depth"), &json!("Depth")));
    assert_eq!((&card["state"], &card["done"]), (&json!("interrupted"), &json!(3)));
    assert_eq!((&card["total"], &card["game"]), (&json!(4), &json!("tictactoe")));

    let (status, half) = place.get("/api/lab/experiments/depth").await;
    assert_eq!(status, StatusCode::OK, "{half}");
    assert_eq!((&half["keys"], &half["seeds"]), (&json!(["depth"]), &json!([1, 2])));
    assert_eq!((&half["toml"], &half["picture"]), (&json!(TRIED), &json!(false)));
    let cell = &half["cells"][1];
    assert_eq!((&cell["values"], &cell["opponent"]), (&json!(["3"]), &json!("random")));
    assert_eq!((&cell["games"], &cell["scores"][1]), (&json!(4), &Value::Null));
    assert_eq!(cell["score"], cell["scores"][0]);
    let states: Vec<&Value> =
        half["runs"].as_array().unwrap().iter().map(|run| &run["state"]).collect();
    assert_eq!(states, ["finished", "finished", "finished", "waiting"]);
    let picture = "/api/lab/experiments/depth/results.svg";
    assert_eq!(place.get(picture).await.0, StatusCode::NOT_FOUND);

    let result = run_experiment(&folder, TRIED, 5).expect("it comes to its end");
    let (_, whole) = place.get("/api/lab/experiments/depth").await;
    assert_eq!((&whole["state"], &whole["done"]), (&json!("finished"), &json!(4)));
    for (cell, row) in result.cells.iter().zip(whole["cells"].as_array().unwrap()) {
        assert_eq!(row["score"], json!(cell.score));
        assert_eq!(row["error"], json!(cell.error));
        assert_eq!((&row["scores"], &row["games"]), (&json!(cell.scores), &json!(8)));
    }
    let plot = &whole["plot"];
    assert_eq!((&plot["key"], &plot["labels"]), (&json!("depth"), &Value::Null));
    let series = &plot["series"][0];
    assert_eq!(series["points"][1], json!([3.0, result.cells[1].score]));
    assert_eq!(series["errors"][1], json!(result.cells[1].error));
    let request = Request::get(picture).body(Body::empty()).unwrap();
    let (status, svg) = place.ask(request).await;
    assert!(status == StatusCode::OK && svg.starts_with(b"<svg"));
    let (_, summary) = place.get("/api/lab/summary").await;
    assert!(summary.to_string().contains("Depth (depth): 4 of 4 runs"), "{summary}");

    // Folders without a valid experiment are skipped.
    fs::create_dir_all(place.runs().join("broken")).unwrap();
    fs::write(place.runs().join("broken/experiment.toml"), "[match").unwrap();
    let (_, listed) = place.get("/api/lab/experiments").await;
    assert_eq!(listed["experiments"].as_array().unwrap().len(), 1);
    for (id, expected) in [
        ("broken", StatusCode::CONFLICT),
        ("nothing", StatusCode::NOT_FOUND),
        ("..", StatusCode::NOT_FOUND),
        ("..%2Fruns%2Fdepth", StatusCode::NOT_FOUND),
        ("%00", StatusCode::NOT_FOUND),
    ] {
        let (status, error) = place.get(&format!("/api/lab/experiments/{id}")).await;
        assert_eq!(status, expected, "{id}: {error}");
    }
}

#[tokio::test]
async fn text_values_are_labels_of_the_plot() {
    let place = Place::new();
    let text = "seeds = [1]\n[match]\ngame = 'tictactoe'\nplayer = 'pvs'\nopponents = ['random', 'heuristic']\ngames = 2\n[grid]\ntt = ['off', '1M']\n";
    assert!(run_experiment(&place.runs().join("table"), text, 5).is_some());
    let (_, whole) = place.get("/api/lab/experiments/table").await;
    let plot = &whole["plot"];
    assert_eq!((&plot["key"], &plot["labels"]), (&json!("tt"), &json!(["off", "1M"])));
    assert_eq!(plot["series"].as_array().unwrap().len(), 2);
    assert_eq!(plot["series"][0]["points"][1][0], 1.0);
    assert_eq!(whole["picture"], false, "only numbers are drawn into a file");
}

#[tokio::test]
async fn runs_of_an_experiment_are_in_its_folder() {
    let place = Place::new();
    let text = "seeds = [1, 2]\n[train]\ngame = 'tictactoe'\n[train.stop]\niterations = 3\n[grid]\n\"measure.games\" = [2, 4]\n";
    let names = Experiment::parse(text).unwrap().names();
    let folder = place.runs().join("games");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("experiment.toml"), text).unwrap();
    let run = begin(&folder, &names[2], "game = 'tictactoe'\n[stop]\niterations = 3\n");
    run.add_metrics(&json!({ "step": 1, "best": 1, "seconds": 0.1 })).unwrap();
    let id = format!("games/{}", names[2]);
    let (_, listed) = place.get("/api/lab/runs").await;
    assert_eq!(
        (&listed["runs"][0]["id"], &listed["runs"][0]["state"]),
        (&json!(id), &json!("running"))
    );
    assert_eq!(place.get("/api/lab/runs?alone=true").await.1["runs"], json!([]));
    let path = format!("/api/lab/runs/{}", id.replace('/', "%2F"));
    let (_, one) = place.get(&path).await;
    assert_eq!((&one["experiment"], &one["state"]), (&json!("games"), &json!("running")));
    drop(run);
    assert_eq!(place.get(&path).await.1["state"], "interrupted");
    let (_, whole) = place.get("/api/lab/experiments/games").await;
    assert_eq!(whole["runs"][2]["run"], json!(id));
    assert_eq!(whole["runs"][2]["state"], "interrupted");
    assert_eq!(
        (&whole["runs"][0]["run"], &whole["runs"][0]["state"]),
        (&Value::Null, &json!("waiting"))
    );
    assert_eq!(whole["cells"][0]["score"], Value::Null);
}

#[tokio::test]
async fn an_experiment_is_started_and_resumed_by_the_same_command() {
    let place = Place::new();
    let wanted = json!({ "kind": "experiment", "toml": TRIED, "name": "mine" });
    let (status, answer) = place.post("/api/lab/jobs", &wanted).await;
    assert_eq!((status, &answer["id"]), (StatusCode::OK, &json!("mine")), "{answer}");
    let job = place.job("finished").await;
    let folder = place.runs().join("mine");
    let command = format!("played with experiment {0}/job.toml --out {0}", folder.display());
    assert_eq!((&job["output"], &job["kind"]), (&json!([command]), &json!("experiment")));
    for toml in [
        TRIED.replace("'random'", "'external:cmd=/bin/sh'"),
        TRIED.replace("'random'", "'forest:file=/etc/passwd'"),
        TRIED.replace("depth = [1, 3]", "book = ['/etc/passwd']"),
        TRIED.replace("depth = [1, 3]", "depth = ['1,book=/etc/passwd']"),
        TRIED.replace("'pvs'", "'external'").replace("depth = [1, 3]", "cmd = ['/bin/sh']"),
    ] {
        let wanted = json!({ "kind": "experiment", "toml": toml });
        let (status, answer) = place.post("/api/lab/jobs", &wanted).await;
        assert!(status == StatusCode::FORBIDDEN || status == StatusCode::BAD_REQUEST, "{answer}");
        assert!(answer["error"].is_string(), "{answer}");
    }
    assert_eq!(fs::read_dir(place.runs()).unwrap().count(), 1, "nothing else was made");
    // An experiment from the command line is resumed from the file in its folder.
    let other = place.runs().join("other");
    run_experiment(&other, TRIED, 1);
    assert_eq!(place.post("/api/lab/jobs/other/resume", &json!({})).await.0, StatusCode::OK);
    let said = fs::read_to_string(other.join("output.txt")).unwrap();
    let expected = format!("experiment {0}/experiment.toml --out {0}", other.display());
    assert!(said.contains(&expected), "{said}");
}
