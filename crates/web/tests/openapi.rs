//! The API description is complete: every route is described, every description has a route, and
//! real responses match the schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

#[path = "support/schema.rs"]
mod schema;

use crate::support::{Answer, Person, Server, address};

const TEXT: &str = include_str!("../openapi.json");

fn description() -> Value {
    serde_json::from_str(TEXT).unwrap()
}

/// All routes in the source, with their methods.
fn routes() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]").next().unwrap();
            // `.route("/api/x", get(a).post(b))`, on one or several lines.
            for route in source.split(".route(").skip(1) {
                let Some((_, rest)) = route.split_once('"') else { continue };
                let (path, handlers) = rest.split_once('"').unwrap();
                let end = handlers.find(".route(").unwrap_or(handlers.len());
                let handlers = handlers[..end].split(['\n', ';']).next().unwrap();
                let methods = ["get", "post", "put", "delete"].into_iter();
                let named = |method: &&str| {
                    [format!(" {method}("), format!(".{method}(")]
                        .iter()
                        .any(|word| handlers.contains(word))
                };
                let methods: BTreeSet<String> = methods.filter(named).map(str::to_string).collect();
                assert!(!methods.is_empty(), "{path}: {handlers}");
                found.entry(path.to_string()).or_default().extend(methods);
            }
        }
    }
    found
}

fn described() -> BTreeMap<String, BTreeSet<String>> {
    let description = description();
    let paths = description["paths"].as_object().unwrap();
    let methods = |value: &Value| value.as_object().unwrap().keys().cloned().collect();
    paths.iter().map(|(path, value)| (path.clone(), methods(value))).collect()
}

#[test]
fn every_route_is_described_and_nothing_else() {
    assert_eq!(routes(), described());
}

#[tokio::test]
async fn the_description_is_served_unchanged() {
    let answer = Server::new().stranger().get("/api/openapi.json").await;
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(answer.text(), TEXT);
    let description = answer.good();
    assert_eq!(description["openapi"], "3.1.0");
    for (name, schema) in description["components"]["schemas"].as_object().unwrap() {
        assert!(TEXT.contains(&format!("#/components/schemas/{name}\"")), "{name} is never used");
        // Checks that the schema uses only supported keywords.
        let faults = schema::faults(&description, schema, &Value::Null);
        assert!(
            !faults
                .iter()
                .any(|fault| fault.contains("is nowhere") || fault.contains("not checked")),
            "{faults:?}"
        );
    }
}

#[tokio::test]
async fn every_described_path_has_a_route() {
    let server = Server::new();
    let person = server.person().await;
    for (path, methods) in described() {
        let address = path.replace("{id}", "0").replace("{name}", "x.svg");
        for method in methods {
            let request =
                Request::builder().method(method.to_ascii_uppercase().as_str()).uri(&address);
            let answer = person.send(request.body(Body::empty()).unwrap()).await;
            let status = answer.status.as_u16();
            assert!(status != 405 && status < 500, "{method} {path}: {status}");
            let nowhere = status == 404 && answer.text().contains("path: not found");
            assert!(!nowhere, "{method} {path} leads nowhere");
        }
        let other = Request::patch(&address).body(Body::empty()).unwrap();
        person.send(other).await.refusal(405);
    }
}

/// Every status of a refused body is described, and every route has a rate limit.
#[tokio::test]
async fn refusals_of_bodies_are_described() {
    let server = Server::new();
    let person = server.person().await;
    let description = description();
    let mut seen = BTreeSet::new();
    for (path, methods) in described() {
        let address = path.replace("{id}", "0").replace("{name}", "x.svg");
        for method in methods {
            let operation = &description["paths"][&path][&method];
            let is_described = |status: &str| operation["responses"][status].is_object();
            assert!(is_described("429"), "{method} {path}: 429");
            if operation["requestBody"].is_null() {
                continue;
            }
            for (kind, body) in [
                ("text/plain", "{}".to_string()),
                ("application/json", "{".to_string()),
                ("application/json", "[[]]".to_string()),
                ("application/json", format!("\"{}\"", "x".repeat(2 << 20))),
            ] {
                let request = Request::post(&address).header("content-type", kind);
                let answer = person.send(request.body(Body::from(body)).unwrap()).await;
                let status = answer.status.as_str();
                assert!(is_described(status), "{method} {path}, {kind}: {status}");
                seen.insert(status.to_string());
            }
        }
    }
    for status in ["400", "413", "415", "422"] {
        assert!(seen.contains(status), "{status} was never answered: {seen:?}");
    }
}

#[test]
fn the_validator_finds_faults() {
    let description = description();
    let faults = |name: &str, value: Value| {
        let schema = &description["components"]["schemas"][name];
        schema::faults(&description, schema, &value).join("; ")
    };
    let right = json!({ "move": "a1", "side": "first", "cells": [0, 3], "until": 2 });
    assert_eq!(faults("PlayedStep", right.clone()), "");
    for (field, value, words) in [
        ("side", json!("third"), "$.side: \"third\" is none of"),
        ("cells", json!([-1]), "$.cells[0]: -1 is beyond the minimum"),
        ("move", json!(7), "$.move: 7 is no \"string\""),
        ("until", json!(1.5), "$.until: 1.5 is no \"integer\""),
    ] {
        let mut wrong = right.clone();
        wrong[field] = value;
        assert!(faults("PlayedStep", wrong.clone()).contains(words), "{wrong}");
        wrong.as_object_mut().unwrap().remove(field);
        assert_eq!(faults("PlayedStep", wrong), format!("$: {field} is missing"));
    }
    assert!(faults("Outcome", json!({ "win": "nobody" })).contains("fits nothing"));
    assert_eq!(faults("Outcome", json!("draw")), "");
}

/// Responses that are checked against the description.
struct Checked {
    description: Value,
    person: Person,
    seen: BTreeSet<String>,
}

impl Checked {
    async fn get(&mut self, path: &str, parameters: &[(&str, &str)]) -> Value {
        let answer = self.person.ask(path, parameters).await;
        self.check("get", path, path, &answer)
    }

    async fn post(&mut self, path: &str, body: Value) -> Value {
        self.post_to(path, path, body).await
    }

    /// Sends a request to a path with parameters.
    async fn post_to(&mut self, pattern: &str, path: &str, body: Value) -> Value {
        let schema = self.operation("post", pattern)["requestBody"]["content"]["application/json"]
            ["schema"]
            .clone();
        self.fits(&format!("the question to {pattern}"), &schema, &body);
        let answer = self.person.post(path, &body).await;
        self.check("post", pattern, path, &answer)
    }

    fn operation(&self, method: &str, pattern: &str) -> &Value {
        let operation = &self.description["paths"][pattern][method];
        assert!(operation.is_object(), "{method} {pattern} is not described");
        operation
    }

    fn check(&mut self, method: &str, pattern: &str, path: &str, answer: &Answer) -> Value {
        let value = answer.good();
        let content = &self.operation(method, pattern)["responses"]["200"]["content"];
        let schema = content["application/json"]["schema"].clone();
        self.fits(path, &schema, &value);
        self.seen.insert(format!("{method} {pattern}"));
        value
    }

    fn fits(&self, what: &str, schema: &Value, value: &Value) {
        let faults = schema::faults(&self.description, schema, value);
        assert!(faults.is_empty(), "{what}: {faults:#?}");
    }

    /// Checks the events of a stream.
    async fn stream(&mut self, path: &str, parameters: &[(&str, &str)]) {
        let answer = self.person.get(&address(path, parameters)).await;
        let content = &self.operation("get", path)["responses"]["200"]["content"];
        let shapes = content["text/event-stream"]["x-events"].clone();
        let events = answer.events();
        assert!(!events.is_empty(), "{path}");
        for (name, data) in events {
            assert!(shapes[&name].is_object(), "{path} names {name}, which is not described");
            assert_ne!(name, "problem", "{path}: {data}");
            self.fits(&format!("{path} {name}"), &shapes[&name], &data);
        }
        self.seen.insert(format!("get {path}"));
    }

    /// Checks that a refusal is described.
    async fn refused(&mut self, path: &str, parameters: &[(&str, &str)], status: u16) {
        let answer = self.person.ask(path, parameters).await;
        answer.refusal(status);
        let responses = &self.operation("get", path)["responses"];
        assert!(responses[status.to_string()].is_object(), "{path}: {status} is not described");
    }
}

#[tokio::test]
async fn real_responses_match_the_schemas() {
    let server = Server::new();
    let person = server.person().await;
    let mut api = Checked { description: description(), person, seen: BTreeSet::new() };
    api.get("/api/games", &[]).await;
    for game in ["connect4", "mnk:6x6,k=4", "chess", "tictactoe3d"] {
        api.get("/api/game", &[("game", game)]).await;
        api.get("/api/position", &[("game", game)]).await;
    }
    for (game, moves) in
        [("chess", "e2e4"), ("tictactoe", "a1a2b1b2c1"), ("checkers", ""), ("renju", "h8h9")]
    {
        api.get("/api/position", &[("game", game), ("moves", moves)]).await;
    }
    api.refused("/api/position", &[("game", "nonsense")], 400).await;
    api.get("/api/player", &[("game", "connect4"), ("player", "pvs:depth=3")]).await;
    api.refused("/api/player", &[("game", "connect4"), ("player", "nosuch")], 400).await;
    let place = [("game", "connect4"), ("moves", "4453")];
    let timed = |player: &'static str| [place[0], place[1], ("player", player), ("seconds", "0.2")];
    let question = json!({ "game": "connect4", "moves": "4453", "player": "pvs:depth=3" });
    api.post("/api/move", question.clone()).await;
    api.stream("/api/thinking", &timed("pvs")).await;
    let brief = json!({ "game": "connect4", "moves": "4453", "player": "pvs", "seconds": 0.2 });
    api.post("/api/analysis", brief.clone()).await;
    api.stream("/api/analysis", &timed("pvs")).await;
    api.stream("/api/chart", &timed("pvs")).await;
    exchange(&mut api).await;
    thinking(&mut api).await;
    gems(&mut api).await;
    lab(&mut api).await;
    assert!(api.seen.len() > 40, "{:?}", api.seen);
}

async fn exchange(api: &mut Checked) {
    api.get("/api/recording", &[]).await;
    let finished = json!({ "game": "tictactoe", "moves": "a1a2b1b2c1", "first": "human", "second": "human", "resigned": null, "receipts": [] });
    let recorded = api.post("/api/records", finished).await;
    api.get("/api/statistics", &[]).await;
    let wanted = json!({ "game": "chess", "moves": "e2e4", "format": "pgn", "first": "Ann", "second": null });
    let file = api.post("/api/export", wanted).await;
    api.post("/api/import", json!({ "text": file["text"], "game": "chess", "format": null })).await;
    api.get("/api/library", &[("game", "tictactoe"), ("limit", "5")]).await;
    api.get("/api/library/game", &[("key", recorded["key"].as_str().unwrap())]).await;
    api.get("/api/library/info", &[]).await;
}

async fn thinking(api: &mut Checked) {
    let small = [("game", "tictactoe"), ("moves", "a1b1"), ("seconds", "0.5")];
    api.get("/api/think/tree", &[small[0], small[1], ("depth", "3"), ("ordered", "true")]).await;
    api.get("/api/think/forest", &[small[0], small[1]]).await;
    let gomoku = [("game", "gomoku"), ("moves", "h8h9i8i9"), ("seconds", "0.5")];
    api.get("/api/think/critic", &gomoku).await;
    api.get("/api/think/threats", &gomoku).await;
    for picture in ["deepening", "visits", "solver"] {
        let path = format!("/api/think/{picture}");
        api.stream(&path, &small).await;
        let question =
            json!({ "game": "tictactoe", "moves": "a1b1", "player": null, "seconds": 0.5 });
        api.post(&path, question).await;
    }
}

async fn gems(api: &mut Checked) {
    // At most one entry in two seconds per session; the first session has just recorded a game.
    api.person.cookie = None;
    api.get("/api/gems", &[]).await;
    let begun = api.post("/api/gems", json!({ "level": 1, "record": true })).await;
    let id = begun["id"].as_str().unwrap().to_string();
    let post =
        |action: &str| (format!("/api/gems/{{id}}/{action}"), format!("/api/gems/{id}/{action}"));
    let swap = begun["view"]["swaps"][0].clone();
    let (pattern, path) = post("swap");
    api.post_to(&pattern, &path, swap).await;
    let (pattern, path) = post("recording");
    api.post_to(&pattern, &path, json!({ "record": false })).await;
    let (pattern, path) = post("hint");
    api.post_to(&pattern, &path, json!({ "agent": "greedy" })).await;
    for (pattern, path) in [
        ("/api/gems/{id}", format!("/api/gems/{id}")),
        ("/api/gems/{id}/belief", format!("/api/gems/{id}/belief")),
    ] {
        let answer = api.person.get(&path).await;
        api.check("get", pattern, &path, &answer);
    }
    let (pattern, path) = post("auto");
    loop {
        let answer = api.post_to(&pattern, &path, json!({ "agent": "random" })).await;
        if answer["status"] != "running" {
            break;
        }
    }
    let path = format!("/api/gems/{id}/replay");
    let answer = api.person.get(&path).await;
    api.check("get", "/api/gems/{id}/replay", &path, &answer);
    let (pattern, path) = post("score");
    api.post_to(&pattern, &path, json!({ "nickname": "Ann" })).await;
    let scores = api.get("/api/scores", &[("level", "1")]).await;
    assert_eq!(scores["rows"][0]["nickname"], "Ann");
}

async fn lab(api: &mut Checked) {
    for path in [
        "runs",
        "tournaments",
        "examples",
        "jobs",
        "summary",
        "queue",
        "reproduction",
        "experiments",
    ] {
        api.get(&format!("/api/lab/{path}"), &[]).await;
    }
    for query in ["", "?origin=here"] {
        let path = format!("/api/lab/reproduction/anigmo-stats{query}");
        let answer = api.person.get(&path).await;
        api.check("get", "/api/lab/reproduction/{id}", &path, &answer);
    }
}
