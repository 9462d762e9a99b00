//! Random kills of coordinator, workers and queue: no game is lost or counted twice, and the result
//! equals that of an undisturbed run. The 20 rounds are short; `cargo xtask soak` runs more.

use std::time::Duration;

use serde_json::Value;
use tesuji_games::random::{Rng, below, seeded};

use crate::TIMEOUT;
use crate::machines::Machines;
use crate::processes::Program;
use crate::sharing::{EVOLUTION, GAMES, cup, stop_workers, table};

/// Machines and workers for repeated runs of a few seconds each.
struct KillTest {
    machines: Machines,
    workers: Vec<Program>,
    rng: Rng,
}

impl KillTest {
    fn new(seed: u64) -> KillTest {
        let machines = Machines::new();
        let workers = vec![machines.worker("worker-0"), machines.worker("worker-1")];
        KillTest { machines, workers, rng: seeded(seed) }
    }

    fn pause(&mut self, max_millis: u32) {
        std::thread::sleep(Duration::from_millis(u64::from(below(&mut self.rng, max_millis))));
    }

    /// Runs a command during which a worker, the coordinator or the queue is killed at a random
    /// moment; returns the output of the run.
    fn run_with_kill(&mut self, command_line: &str) -> crate::terminal::CommandOutput {
        let mut run = self.machines.run(command_line);
        self.pause(2500);
        match below(&mut self.rng, 4) {
            worker @ (0 | 1) => {
                self.workers[worker as usize].kill9();
                self.pause(1000);
                let name = format!("worker-{worker}-{}", self.random_suffix());
                self.workers[worker as usize] = self.machines.worker(&name);
            }
            2 => {
                run.kill9();
                self.pause(1000);
                run = self.machines.run(command_line);
            }
            _ => {
                self.machines.nats.kill().unwrap();
                self.pause(1000);
                self.machines.nats.start_again().unwrap();
            }
        }
        let answer = run.wait(TIMEOUT);
        assert_eq!(answer.code, 0, "{command_line}: {}", answer.stderr);
        answer
    }

    fn random_suffix(&mut self) -> u32 {
        below(&mut self.rng, u32::MAX)
    }
}

fn rounds(default: u32) -> u32 {
    std::env::var("TESUJI_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn tournaments_survive_kills() {
    let mut test = KillTest::new(1);
    test.machines.write("cup.toml", &cup("alone"));
    let alone = test.machines.run_locally("tournament cup.toml --json");
    for round in 0..rounds(12) {
        let file = format!("cup-{round}.toml");
        test.machines.write(&file, &cup(&format!("cup {round}")));
        let disturbed = test.run_with_kill(&format!("tournament {file} --json"));
        assert_eq!(table(&disturbed), table(&alone), "round {round}");
        let printed: Value = serde_json::from_str(&disturbed.stdout).unwrap();
        let games = test.machines.games(printed["event"].as_str().unwrap());
        assert_eq!(games.len(), GAMES, "round {round}: every game is stored once");
    }
    stop_workers(test.workers);
}

#[test]
fn evolutions_survive_kills() {
    let mut test = KillTest::new(2);
    test.machines.write("forest.toml", EVOLUTION);
    test.machines.run_locally("train forest.toml --out alone");
    for round in 0..rounds(8) {
        let out = format!("round-{round}");
        // The same command starts and resumes a run.
        test.run_with_kill(&format!("train forest.toml --out {out} --resume"));
        for file in ["best.xml", "checkpoint"] {
            let of = |folder: &str| test.machines.read(&format!("{folder}/{file}"));
            assert!(of(&out) == of("alone"), "round {round}: {file}");
        }
    }
    stop_workers(test.workers);
}
