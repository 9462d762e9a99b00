//! The order of the crates: a crate uses only crates before it.

use std::process::Command;

use serde_json::Value;

/// The crates, from the rules to the user interfaces. Add a new crate here.
const ORDER: [&str; 15] = [
    "tesuji-games",
    "tesuji-search",
    "tesuji-builtin",
    "tesuji-gomoku",
    "tesuji-store",
    "tesuji-queue",
    "tesuji-queue-nats",
    "tesuji-play",
    "tesuji-train",
    "tesuji-learn",
    "tesuji-players",
    "tesuji-app",
    "tesuji-reproduce",
    "tesuji-web",
    "tesuji",
];

#[test]
fn crates_use_only_crates_before_them() {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".to_string());
    let words = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new(cargo).args(words).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let index = |name: &str| ORDER.iter().position(|other| *other == name);
    let mut seen = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        if name == "xtask" {
            continue;
        }
        let own = index(name).unwrap_or_else(|| panic!("{name} is missing in ORDER"));
        seen += 1;
        for used in package["dependencies"].as_array().unwrap() {
            let other = index(used["name"].as_str().unwrap());
            // Tests may use later crates.
            let is_below = used["kind"] == "dev" || other.is_none_or(|other| other < own);
            assert!(is_below, "{name} uses {}", used["name"]);
        }
    }
    assert_eq!(seen, ORDER.len());
}
