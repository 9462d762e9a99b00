//! Requests that no page would send: random bytes, huge numbers, wrong types, scripts in names.
//! Some parts are valid, so that the following code is reached.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request};
use serde_json::{Value, json};
use tesuji_games::random::{Rng, below, choose, word};

use crate::support::{address, encoded};

/// All paths and methods of the API description.
pub(crate) fn described() -> Vec<(Method, String)> {
    let text = include_str!("../../openapi.json");
    let description: Value = serde_json::from_str(text).unwrap();
    let mut found = Vec::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            if let Ok(method) = method.to_ascii_uppercase().parse() {
                found.push((method, path.clone()));
            }
        }
    }
    found
}

const NAMES: [&str; 17] = [
    "game", "moves", "player", "seconds", "play", "format", "text", "first", "second", "receipts",
    "resigned", "level", "nickname", "depth", "id", "limit", "config",
];

/// Texts that have broken servers, and some valid ones.
fn hostile_text(rng: &mut Rng) -> String {
    const TEXTS: [&str; 30] = [
        "tictactoe",
        "connect4",
        "chess",
        "gomoku",
        "random",
        "a1",
        "4453",
        "e2e4",
        "",
        "<script>alert(1)</script>",
        "' OR 1=1; DROP TABLE games; --",
        "../../etc/passwd",
        "%00",
        "\0",
        "\u{202e}\u{feff}",
        "nan",
        "-1",
        "1e999",
        "18446744073709551616",
        "mnk:99999x99999,k=5",
        "mnk:0x0",
        "connect4:1x1",
        "tictactoe-nd:9x9x9x9x9x9",
        "mnk:3x3,k=3,p=4294967296",
        "pvs:depth=-1",
        "startpos moves e2e4 e9e9",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "(;GM[4]",
        "[White \"",
        "Piskvorky 9999x9999, 0:0, 0",
    ];
    match below(rng, 8) {
        0 => (0..below(rng, 60)).map(|_| char::from(word(rng) as u8)).collect(),
        1 => choose(rng, &TEXTS).unwrap().repeat(1 + below(rng, 400) as usize),
        _ => choose(rng, &TEXTS).unwrap().to_string(),
    }
}

fn hostile_value(rng: &mut Rng, depth: u32) -> Value {
    match below(rng, 12) {
        0 => Value::Null,
        1 => json!(below(rng, 2) == 0),
        2 => json!(word(rng)),
        3 => json!(-(word(rng) as i64 / 3)),
        4 => json!(f64::from_bits(word(rng))),
        5 if depth < 4 => (0..below(rng, 4)).map(|_| hostile_value(rng, depth + 1)).collect(),
        6 if depth < 4 => hostile_object(rng, depth + 1),
        _ => json!(hostile_text(rng)),
    }
}

fn hostile_object(rng: &mut Rng, depth: u32) -> Value {
    let mut object = serde_json::Map::new();
    for name in NAMES {
        if below(rng, 3) > 0 {
            object.insert(name.to_string(), hostile_value(rng, depth));
        }
    }
    // Short searches, in case a request is valid by chance.
    if !object.get("seconds").is_some_and(Value::is_string) {
        object.insert("seconds".to_string(), json!(0.01));
    }
    Value::Object(object)
}

fn hostile_body(rng: &mut Rng) -> Vec<u8> {
    match below(rng, 10) {
        0 => (0..below(rng, 300)).map(|_| word(rng) as u8).collect(),
        1 => "[".repeat(1 + below(rng, 60_000) as usize).into_bytes(),
        2 => format!("{{\"game\":{}", "{\"a\":".repeat(5000)).into_bytes(),
        3 => {
            let mut bytes = hostile_object(rng, 0).to_string().into_bytes();
            let at = below(rng, bytes.len() as u32) as usize;
            bytes[at] = word(rng) as u8;
            bytes
        }
        4 => b"{\"game\":\"tictactoe\",\"player\":\"random\",\"seconds\":1e400}".to_vec(),
        _ => hostile_object(rng, 0).to_string().into_bytes(),
    }
}

/// A mostly invalid request.
pub(crate) fn hostile_request(rng: &mut Rng, routes: &[(Method, String)]) -> Request<Body> {
    let (method, path) = choose(rng, routes).unwrap();
    let segments: Vec<String> = path
        .split('/')
        .map(|segment| match segment.starts_with('{') {
            true => encoded(&hostile_text(rng)).chars().take(500).collect(),
            false => segment.to_string(),
        })
        .collect();
    let mut path = segments.join("/");
    if *method == Method::GET {
        let mut parameters = vec![("seconds", "0.01".to_string())];
        for name in NAMES.iter().filter(|name| **name != "seconds") {
            if below(rng, 3) > 0 {
                parameters.push((*name, hostile_text(rng)));
            }
        }
        let parameters: Vec<(&str, &str)> =
            parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
        path = address(&path, &parameters);
    }
    let body = if *method == Method::GET { Vec::new() } else { hostile_body(rng) };
    let kind = *choose(rng, &["application/json", "application/json", "text/plain", ""]).unwrap();
    let request = Request::builder().method(method.clone()).uri(path).header(CONTENT_TYPE, kind);
    // Invalid addresses are refused before the router.
    request.body(Body::from(body)).unwrap_or_else(|_| Request::new(Body::empty()))
}
