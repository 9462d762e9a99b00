//! Reproduction without a socket: the list, reports made here and shipped ones, invalid files, and
//! an experiment started from a page.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{Answer, Person, Server};
use serde_json::{Value, json};
use tesuji_reproduce::{ComparisonVerdict, Effort, ReproductionReport, experiments, shipped};

/// An experiment whose report is shipped.
const ID: &str = "anigmo-stats";

fn report() -> ReproductionReport {
    shipped::report(ID).unwrap().clone()
}

/// Writes a file into the folder of reports.
fn lay(server: &Server, name: &str, text: &str) {
    let folder = server.folder.path().join("reports");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

fn lay_report(server: &Server, report: &ReproductionReport) {
    lay(server, &format!("{ID}.json"), &serde_json::to_string(report).unwrap());
}

async fn card(person: &Person) -> Value {
    let listed = person.get("/api/lab/reproduction").await.good();
    let cards = listed["experiments"].as_array().unwrap().iter();
    cards.clone().find(|card| card["id"] == ID).unwrap().clone()
}

async fn whole(person: &Person, query: &str) -> Value {
    person.get(&format!("/api/lab/reproduction/{ID}{query}")).await.good()
}

async fn picture(person: &Person, query: &str) -> Answer {
    person.get(&format!("/api/lab/reproduction/{ID}/picture.svg{query}")).await
}

#[tokio::test]
async fn the_catalogue_is_listed_with_shipped_reports() {
    let server = Server::new();
    let person = server.person().await;
    let listed = person.get("/api/lab/reproduction").await.good();
    let ids = |card: &Value| card["id"].as_str().unwrap().to_string();
    let listed: Vec<String> = listed["experiments"].as_array().unwrap().iter().map(ids).collect();
    assert_eq!(listed, experiments().map(|experiment| experiment.id).collect::<Vec<_>>());
    let card = card(&person).await;
    assert_eq!(card["command"], format!("tesuji reproduce {ID}"));
    assert_eq!(
        (&card["here"], &card["shipped"]["summary"]),
        (&json!(null), &json!(report().summary()))
    );
    let verdicts = ComparisonVerdict::ALL.map(|verdict| json!(verdict));
    let rows = verdicts.map(|key| card["shipped"][key.as_str().unwrap()].as_u64().unwrap());
    assert_eq!(rows.iter().sum::<u64>(), report().rows().count() as u64);
}

#[tokio::test]
async fn a_report_is_served_unchanged_with_its_picture() {
    let server = Server::new();
    let person = server.person().await;
    let response = whole(&person, "").await;
    assert_eq!(
        (&response["origin"], &response["origins"]),
        (&json!("shipped"), &json!(["shipped"]))
    );
    assert_eq!(response["report"], serde_json::to_value(report()).unwrap());
    let drawn = picture(&person, "").await;
    assert_eq!((drawn.status.as_u16(), drawn.text()), (200, &*shipped::picture(ID).unwrap()));
    assert_eq!(drawn.headers["content-type"], "image/svg+xml");
    assert_eq!(drawn.headers["x-content-type-options"], "nosniff");
    assert!(
        drawn.headers["content-security-policy"].to_str().unwrap().contains("default-src 'self'")
    );
}

#[tokio::test]
async fn reports_made_here_take_precedence() {
    let server = Server::new();
    let person = server.person().await;
    let mut here = report();
    here.seed = 7;
    here.effort = Effort::Full;
    lay_report(&server, &here);
    let response = whole(&person, "").await;
    assert_eq!((&response["origin"], &response["report"]["seed"]), (&json!("here"), &json!(7)));
    assert_eq!(response["origins"], json!(["here", "shipped"]));
    let other = whole(&person, "?origin=shipped").await;
    assert_eq!(
        (&other["origin"], &other["report"]["seed"]),
        (&json!("shipped"), &json!(report().seed))
    );
    assert_eq!(card(&person).await["here"]["effort"], "full");
    // Without a picture file it is drawn.
    assert!(picture(&person, "").await.text().starts_with("<svg "));
    lay(&server, &format!("{ID}.svg"), "<svg>mine</svg>");
    assert_eq!(picture(&person, "").await.text(), "<svg>mine</svg>");
    assert_eq!(picture(&person, "?origin=shipped").await.text(), shipped::picture(ID).unwrap());
    person.get(&format!("/api/lab/reproduction/{ID}?origin=elsewhere")).await.refusal(400);
}

#[tokio::test]
async fn invalid_reports_are_ignored() {
    let server = Server::new();
    let person = server.person().await;
    let mut foreign = report();
    foreign.id = "another".to_string();
    let foreign = serde_json::to_string(&foreign).unwrap();
    for text in ["", "no json", "{}", "[1,2]", "\0\u{1}", &foreign, &"[".repeat(100_000)] {
        lay(&server, &format!("{ID}.json"), text);
        assert_eq!(card(&person).await["here"], json!(null));
        assert_eq!(whole(&person, "").await["origin"], "shipped");
        assert_eq!(whole(&person, "?origin=here").await["report"], json!(null));
        picture(&person, "?origin=here").await.refusal(404);
    }
    // A link out of the folder is ignored.
    let outside = server.folder.path().join("outside.json");
    fs::write(&outside, serde_json::to_string(&report()).unwrap()).unwrap();
    let inside = server.folder.path().join(format!("reports/{ID}.json"));
    fs::remove_file(&inside).unwrap();
    std::os::unix::fs::symlink(outside, &inside).unwrap();
    assert_eq!(card(&person).await["here"], json!(null));
}

#[tokio::test]
async fn only_ids_of_the_catalogue_are_found() {
    let server = Server::new();
    let person = server.person().await;
    let secret = serde_json::to_string(&report()).unwrap();
    fs::write(server.folder.path().join("secret.json"), secret).unwrap();
    for id in
        ["nothing", "..", "..%2Fsecret", "%2e%2e%2fsecret", "%00", "anigmo-stats.json", "a%2Fb"]
    {
        person.get(&format!("/api/lab/reproduction/{id}")).await.refusal(404);
        person.get(&format!("/api/lab/reproduction/{id}/picture.svg")).await.refusal(404);
    }
}

#[tokio::test]
async fn guests_do_not_see_commands_of_other_programs() {
    let server = Server::new();
    let mut here = report();
    here.command = format!("tesuji reproduce {ID} --engine 'pela=/home/ann/pela'");
    lay_report(&server, &here);
    let operator = server.operator().await;
    assert_eq!(whole(&operator, "").await["report"]["command"], here.command);
    let response = whole(&server.person().await, "").await;
    assert_eq!(response["report"]["command"], format!("tesuji reproduce {ID}"));
}

/// Treats its folder like `tesuji reproduce --quick --out=DIR ID`.
fn program(folder: &Path, report: &ReproductionReport) -> std::path::PathBuf {
    let (report_file, program) = (folder.join("given.json"), folder.join("program"));
    fs::write(&report_file, serde_json::to_string(report).unwrap()).unwrap();
    let script = format!(
        "#!/bin/sh\necho \"did $*\"\nout=\"${{3#--out=}}\"; mkdir -p \"$out\"; cp {} \"$out/$4.json\"\n",
        report_file.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

async fn finished_job(person: &Person) -> Value {
    let since = Instant::now();
    loop {
        let job = person.get("/api/lab/jobs").await.good()["jobs"][0].clone();
        if job["state"] == "finished" {
            return job;
        }
        assert!(since.elapsed() < Duration::from_secs(20), "{job}");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

#[tokio::test]
async fn an_experiment_is_run_and_its_report_is_shown() {
    let place = tempfile::tempdir().unwrap();
    let mut made = report();
    made.seed = 11;
    let program = program(place.path(), &made);
    let server = Server::with(|options| options.program = Some(program));
    let person = server.operator().await;
    let wanted = |toml: &str| json!({ "kind": "reproduce", "toml": toml, "workers": true });
    for (toml, status) in [
        ("experiment = 'nothing'", 404),
        ("experiment = '../x'", 404),
        ("experiment = '--all'", 404),
        ("experiment = 'anigmo-stats'\nseed = 2", 400),
        ("no toml", 400),
    ] {
        person.post("/api/lab/jobs", &wanted(toml)).await.refusal(status);
    }
    let started = person.post("/api/lab/jobs", &wanted("experiment = 'anigmo-stats'")).await.good();
    assert_eq!(started["id"], ID);
    let job = finished_job(&person).await;
    assert_eq!((&job["kind"], &job["experiment"]), (&json!("reproduce"), &json!(ID)));
    let reports = server.folder.path().join("reports");
    let said = format!("did reproduce --quick --out={} {ID}", reports.display());
    assert_eq!((&job["output"][0], &job["workers"]), (&json!(said), &json!(false)));
    let response = whole(&person, "").await;
    assert_eq!((&response["origin"], &response["report"]["seed"]), (&json!("here"), &json!(11)));
}
