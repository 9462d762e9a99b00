//! Tests of the web app in a real Chromium against the real `tesuji serve`. All tests share one
//! browser and one server and run one after another, each in a fresh tab, so this target has its
//! own `main`. It accepts filters of test names and `--list`. A test also fails on errors in the
//! browser's console.
#![allow(clippy::print_stdout, reason = "this is the harness: it tells how the tests went")]

mod analysis;
mod appearance;
mod details;
mod driver;
mod game_page;
mod games;
mod gems;
#[allow(dead_code, reason = "the tests of the cluster use the rest")]
mod http;
mod lab;
mod play_page;
mod server;
mod tab;
mod think;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use driver::Browser;
use server::Server;
use tab::Tab;

/// The name and the function of a test.
pub(crate) type Test = (&'static str, fn(&Tab));

/// All tests in their order.
const TESTS: &[&[Test]] = &[
    games::TESTS,
    play_page::TESTS,
    details::TESTS,
    analysis::TESTS,
    think::TESTS,
    gems::TESTS,
    lab::TESTS,
    appearance::TESTS,
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (options, filters): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.starts_with('-'));
    let chosen = |test: &&Test| {
        filters.is_empty() || filters.iter().any(|word| test.0.contains(word.as_str()))
    };
    let tests: Vec<&Test> = TESTS.iter().copied().flatten().filter(chosen).collect();
    if options.iter().any(|word| *word == "--list") {
        tests.iter().for_each(|test| println!("{}: test", test.0));
        return ExitCode::SUCCESS;
    }
    let server = Server::start();
    let browser = Browser::start();
    let started = Instant::now();
    let failed: Vec<&str> =
        tests.iter().filter(|test| !passes(&browser, &server, test)).map(|test| test.0).collect();
    drop(browser);
    let stopped = server.stop();
    let seconds = started.elapsed().as_secs_f64();
    println!("\n{} of {} tests passed in {seconds:.0} s", tests.len() - failed.len(), tests.len());
    failed.iter().for_each(|name| println!("failed: {name}"));
    if let Err(why) = &stopped {
        println!("failed: {why}");
    }
    if failed.is_empty() && stopped.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a test and reports the result, with the console output of a failure.
fn passes(browser: &Browser, server: &Server, (name, test): &Test) -> bool {
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let tab = Tab::open_new(browser, server, name);
        let outcome = catch_unwind(AssertUnwindSafe(|| test(&tab)));
        let (errors, console) = tab.console();
        let passed = outcome.is_ok() && (errors.is_empty() || tab.refusals_expected());
        if !passed {
            println!("at {}; the console got:", tab.address());
            console.iter().for_each(|line| println!("  {line}"));
            tab.picture("failed");
        }
        passed
    }));
    let passed = outcome.unwrap_or(false);
    let verdict = if passed { "ok" } else { "FAILED" };
    println!("test {name} ... {verdict} ({:.1} s)", started.elapsed().as_secs_f64());
    passed
}
