//! Whoever is killed, and whenever: no game is lost, none counts twice, and what comes out is what comes out of a run
//! that nobody disturbed. The 20 rounds are short; `cargo xtask soak` has more of them.

use std::time::Duration;

use serde_json::Value;
use tesuji_games::random::{Rng, below, seeded};

use crate::TIMEOUT;
use crate::machines::Machines;
use crate::processes::Program;
use crate::sharing::{EVOLUTION, GAMES, cup, stop_workers, table};

/// A run that takes a few seconds, again and again under new names.
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

    fn pause(&mut self, most: u32) {
        std::thread::sleep(Duration::from_millis(u64::from(below(&mut self.rng, most))));
    }

    /// Does a run during which somebody is killed at a random moment; gives what the run printed in the end.
    fn run_with_kill(&mut self, command_line: &str) -> crate::terminal::Answer {
        let mut run = self.machines.run(command_line);
        self.pause(2500);
        match below(&mut self.rng, 4) {
            worker @ (0 | 1) => {
                self.workers[worker as usize].kill9();
                self.pause(1000);
                let name = format!("worker-{worker}-{}", self.rng_word());
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

    fn rng_word(&mut self) -> u32 {
        below(&mut self.rng, u32::MAX)
    }
}

fn rounds(usual: u32) -> u32 {
    std::env::var("TESUJI_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn tournaments_survive_what_is_killed() {
    let mut test = KillTest::new(1);
    test.machines.write("cup.toml", &cup("alone"));
    let alone = test.machines.alone("tournament cup.toml --json");
    for round in 0..rounds(12) {
        let file = format!("cup-{round}.toml");
        test.machines.write(&file, &cup(&format!("cup {round}")));
        let disturbed = test.run_with_kill(&format!("tournament {file} --json"));
        assert_eq!(table(&disturbed), table(&alone), "round {round}");
        let printed: Value = serde_json::from_str(&disturbed.stdout).unwrap();
        let games = test.machines.games(printed["event"].as_str().unwrap());
        assert_eq!(games.len(), GAMES, "round {round}: every game is there once");
    }
    stop_workers(test.workers);
}

#[test]
fn evolutions_survive_what_is_killed() {
    let mut test = KillTest::new(2);
    test.machines.write("forest.toml", EVOLUTION);
    test.machines.alone("train forest.toml --out alone");
    for round in 0..rounds(8) {
        let out = format!("round-{round}");
        // The same words begin a run and carry on with it.
        test.run_with_kill(&format!("train forest.toml --out {out} --resume"));
        for file in ["best.xml", "checkpoint"] {
            let of = |folder: &str| test.machines.read(&format!("{folder}/{file}"));
            assert!(of(&out) == of("alone"), "round {round}: {file}");
        }
    }
    stop_workers(test.workers);
}
