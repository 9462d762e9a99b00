//! `cargo xtask test`: the checks that a change must pass.

use std::process::Command;

use crate::servers::{self, postgres::Postgres};
use crate::setup::{self, Server, Suite};
use crate::steps::{self, Steps, cargo};
use crate::{nats, packages, pages, programs, python, verify};

/// How much to test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All checks, as in CI.
    Everything,
    /// Fast checks, for use between two edits.
    Quick,
}

/// Runs the checks and prints a summary.
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
            steps.step("packages", packages::check);
            match pages::type_checker() {
                Ok(checker) => steps.step("types of the pages", || checker.run()),
                Err(why) => println!("\nleft out: types of the pages: {why}"),
            }
            let mut runner = Runner::default();
            for suite in suites.ready {
                steps.step(&format!("tests of {suite}"), || runner.run(suite, |_| {}));
            }
            match setup::shared_folder() {
                Some(folder) => {
                    steps.step("verification against ../shared", || verify::run(&folder));
                }
                None => println!(
                    "\nleft out: ../shared does not exist, so its case files were not checked"
                ),
            }
        }
    }
    for suite in &suites.left_out {
        println!("left out, as a system package is missing: {suite}");
    }
    steps.finish()
}

/// Runs suites by name with the servers that they need, which are started once.
#[derive(Default)]
pub(crate) struct Runner {
    postgres: Option<Postgres>,
}

impl Runner {
    /// Runs a suite; `adjust` may add to the command.
    pub(crate) fn run(
        &mut self,
        suite: Suite,
        adjust: impl FnOnce(&mut Command),
    ) -> Result<(), String> {
        // A single package would select other features of its dependencies, and compile them all
        // again.
        let words = ["test", "--locked", "--workspace", "--test", suite.target];
        let mut test = cargo(&words);
        match suite.server {
            Some(Server::Postgres) => {
                test.env(servers::POSTGRES, self.postgres()?.url());
            }
            Some(Server::Own) => set_server_paths(&mut test),
            Some(Server::Python) => {
                test.env(servers::PYTHON, python::find().ok_or("python3: packages are missing")?);
            }
            None => {}
        }
        adjust(&mut test);
        steps::run(&mut test)
    }

    fn postgres(&mut self) -> Result<&Postgres, String> {
        let server = match self.postgres.take() {
            Some(server) => server,
            None => {
                let folder = programs::postgres().ok_or("postgres: not found")?;
                let server = Postgres::start(&folder)?;
                println!("PostgreSQL runs on port {}", server.port());
                server
            }
        };
        Ok(self.postgres.insert(server))
    }
}

/// Sets the environment variables with the paths of installed servers.
fn set_server_paths(test: &mut Command) {
    if let Some(program) = nats::find() {
        test.env(servers::NATS_SERVER, program);
    }
    if let Some(folder) = programs::postgres() {
        test.env(servers::POSTGRES_PROGRAMS, folder);
    }
}
