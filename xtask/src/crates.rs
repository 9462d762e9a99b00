//! The order of the crates: each uses only crates that stand before it.

use std::process::Command;

use serde_json::Value;

/// The crates from the rules to the faces. A new crate gets its place here.
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
    let told = Command::new(cargo).args(words).output().unwrap();
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    let place = |name: &str| ORDER.iter().position(|known| *known == name);
    let mut seen = 0;
    for package in told["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        if name == "xtask" {
            continue;
        }
        let own = place(name).unwrap_or_else(|| panic!("{name} has no place in the order"));
        seen += 1;
        for used in package["dependencies"].as_array().unwrap() {
            let other = place(used["name"].as_str().unwrap());
            // Tests may use what stands above.
            let is_below = used["kind"] == "dev" || other.is_none_or(|other| other < own);
            assert!(is_below, "{name} uses {}", used["name"]);
        }
    }
    assert_eq!(seen, ORDER.len());
}
