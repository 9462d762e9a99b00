//! `cargo xtask test`: all that must hold before a change is taken.

use crate::steps::{self, Steps, cargo};
use crate::{setup, verify};

/// How much to test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What CI runs.
    Everything,
    /// What one runs between two edits.
    Quick,
}

/// Runs it all and prints a summary.
pub(crate) fn run(extent: Extent) -> Result<(), String> {
    println!("── set-up");
    let suites = setup::prepare()?;
    let mut steps = Steps::default();
    steps.step("format", || steps::run(&mut cargo(&["fmt", "--all", "--check"])));
    steps.step("clippy", || {
        let mut clippy = cargo(&["clippy", "--locked", "--workspace", "--all-targets"]);
        steps::run(clippy.args(["--test", "*", "--", "-D", "warnings"]))
    });
    match extent {
        Extent::Quick => steps.step("fast tests", || {
            steps::run(&mut cargo(&["test", "--locked", "--workspace", "--lib", "--bins"]))
        }),
        Extent::Everything => {
            steps.step("documentation", || {
                let mut doc = cargo(&["doc", "--locked", "--workspace", "--no-deps"]);
                steps::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
            });
            steps.step("tests", || {
                steps::run(&mut cargo(&["test", "--locked", "--workspace", "--no-fail-fast"]))
            });
            for suite in &suites.ready {
                steps.step(&format!("tests of {suite}"), || {
                    let words = ["test", "--locked", "-p", suite.package, "--test", suite.target];
                    steps::run(&mut cargo(&words))
                });
            }
            match setup::shared_folder() {
                Some(folder) => {
                    steps.step("verification against ../shared", || verify::run(&folder));
                }
                None => println!("\n../shared is not there: its case files were not checked"),
            }
        }
    }
    for suite in &suites.left_out {
        println!("left out for want of a system package: {suite}");
    }
    steps.finish()
}
