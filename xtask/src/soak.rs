//! `cargo xtask soak`: the long form of what the test suite does briefly, `kill -9` while games are
//! written and while tournaments are played; and `cargo xtask soak web`, the web app under load.

mod attacks;
mod chance;
mod http;
mod malformed;
mod memory;
mod nuisance;
mod players;
mod server;
mod web;

use crate::setup::{self, Suite};
use crate::steps::Steps;
use crate::test::Runner;

/// How often a writer is killed unless one says otherwise.
const KILLS: &str = "200";

/// How a suite is told the number of kills.
const VARIABLE: &str = "TESUJI_KILLS";

/// The suites that kill, and the tests in them that do.
const KILLERS: [(Suite, &str); 5] = [
    (Suite { package: "tesuji-store", target: "processes", server: None }, "killed"),
    (setup::POSTGRES_PROCESSES, "killed"),
    (Suite { package: "tesuji", target: "tournaments", server: None }, "killed"),
    (setup::CLI_POSTGRES, "killed"),
    (setup::CLUSTER, "killed"),
];

/// Runs every suite that kills, or puts the web app under load.
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
    for (suite, tests) in KILLERS {
        if suites.left_out.contains(&suite) {
            println!("left out for want of a system package: {suite}");
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
