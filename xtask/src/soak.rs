//! `cargo xtask soak`: long versions of tests that kill processes while they write games and play
//! tournaments; and `cargo xtask soak web`, which tests the web app under load.

mod attacks;
mod chance;
mod http;
mod malformed;
mod malformed_visitor;
mod memory;
mod players;
mod server;
mod web;

use crate::setup::{self, Suite};
use crate::steps::Steps;
use crate::test::Runner;

/// The default number of kills.
const KILLS: &str = "200";

/// The environment variable with the number of kills.
const VARIABLE: &str = "TESUJI_KILLS";

/// The suites that kill processes, and a filter for the tests that do.
const KILL_SUITES: [(Suite, &str); 5] = [
    (Suite { package: "tesuji-store", target: "processes", server: None }, "killed"),
    (setup::POSTGRES_PROCESSES, "killed"),
    (Suite { package: "tesuji", target: "tournaments", server: None }, "killed"),
    (setup::CLI_POSTGRES, "killed"),
    (setup::CLUSTER, "killed"),
];

/// Runs every suite that kills processes, or tests the web app under load.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    let kills = match words {
        ["web", rest @ ..] => return web::run(rest),
        [] => KILLS,
        [kills] if kills.parse::<u32>().is_ok() => kills,
        _ => return Err("expected: cargo xtask soak [KILLS], or cargo xtask soak web".to_string()),
    };
    let suites = setup::prepare()?;
    let mut steps = Steps::default();
    let mut runner = Runner::default();
    for (suite, tests) in KILL_SUITES {
        if suites.left_out.contains(&suite) {
            println!("left out, as a system package is missing: {suite}");
            continue;
        }
        steps.step(&format!("{kills} kills in {suite}"), || {
            runner.run(suite, |test| {
                test.args(["--", tests]).env(VARIABLE, kills);
            })
        });
    }
    steps.finish()
}
