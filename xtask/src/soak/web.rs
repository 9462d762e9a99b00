//! `cargo xtask soak web`: tests the web app under load on this machine: many simultaneous players,
//! malformed requests, very many games, and attacks.

use std::path::PathBuf;
use std::time::Duration;

use super::server::{Limits, Server};
use super::{attacks, malformed, memory, players};
use crate::steps::{self, Steps};

const USAGE: &str = "expected: cargo xtask soak web [--program FILE] [--players N] [--seconds N] \
                     [--requests N] [--games N] [--attackers N] [--seed N]; 0 skips a part";

/// The amounts of each part.
struct Plan {
    program: Option<PathBuf>,
    players: usize,
    seconds: u64,
    requests: usize,
    games: usize,
    /// The connections or requests of an attack.
    attackers: usize,
    seed: u64,
}

impl Plan {
    fn read(words: &[&str]) -> Result<Plan, String> {
        let mut plan = Plan {
            program: None,
            players: 200,
            seconds: 60,
            requests: 10_000,
            games: 100_000,
            attackers: 1_100,
            seed: 1,
        };
        for pair in words.chunks(2) {
            let [option, value] = pair else { return Err(USAGE.to_string()) };
            let number = || value.parse::<u64>().map_err(|_| format!("'{value}': {USAGE}"));
            match *option {
                "--program" => plan.program = Some(PathBuf::from(value)),
                "--players" => plan.players = number()? as usize,
                "--seconds" => plan.seconds = number()?,
                "--requests" => plan.requests = number()? as usize,
                "--games" => plan.games = number()? as usize,
                "--attackers" => plan.attackers = number()? as usize,
                "--seed" => plan.seed = number()?,
                _ => return Err(format!("'{option}': {USAGE}")),
            }
        }
        Ok(plan)
    }
}

/// Runs all parts, each with a new server.
pub(super) fn run(words: &[&str]) -> Result<(), String> {
    let plan = Plan::read(words)?;
    let mut steps = Steps::default();
    let program = match plan.program {
        Some(program) => program,
        None => {
            steps::run(&mut steps::cargo(&["build", "--locked", "--release", "-p", "tesuji"]))?;
            steps::target().join("release/tesuji")
        }
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{} on {cores} processors, seed {}", program.display(), plan.seed);
    if plan.players > 0 && plan.seconds > 0 {
        steps.step("many simultaneous players", || {
            let server = Server::start(&program, Limits::ForManyVisitors)?;
            let time = Duration::from_secs(plan.seconds);
            players::run(&server, plan.players, time, plan.seed).print(plan.players, time)?;
            server.stop()
        });
    }
    if plan.requests > 0 {
        steps.step("malformed requests", || {
            let server = Server::start(&program, Limits::ForManyVisitors)?;
            malformed::run(&server, plan.requests, plan.seed).check(&server)?;
            server.stop()
        });
    }
    if plan.games > 0 {
        steps.step("very many games", || {
            let server = Server::start(&program, Limits::ForManyVisitors)?;
            memory::run(&server, plan.games, plan.seed)?.check(&server)?;
            server.stop()
        });
    }
    for (title, attack) in attacks::ATTACKS.iter().filter(|_| plan.attackers > 0) {
        steps.step(title, || {
            let server = Server::start(&program, Limits::Default)?;
            attack(&server, plan.attackers)?;
            server.stop()
        });
    }
    steps.finish()
}
