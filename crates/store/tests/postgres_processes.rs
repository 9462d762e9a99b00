//! PostgreSQL and several processes: killed ones, and many at once. `TESUJI_POSTGRES` is the URL of a
//! database in which others may be made; `cargo xtask test` starts a server and sets it.
#![allow(clippy::print_stdout)] // there is no harness that would print

mod database;
mod plain;
mod process;

use std::collections::BTreeSet;
use std::process::ExitCode;

use tesuji_games::random::seeded;

use self::database::Database;
use self::plain::keys;
use self::process::{kills, named, other_process, whole_lines};

fn main() -> ExitCode {
    process::main(laws)
}

fn laws() -> Vec<process::Law> {
    named![a_killed_process_loses_nothing_that_was_acknowledged, processes_share_a_database,]
}

fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let mut rng = seeded(10);
    let rounds = kills::rounds(6);
    let mut total = 0;
    for file in 0..rounds.div_ceil(4) {
        let database = Database::new();
        let mut acknowledged = BTreeSet::new();
        for round in 0..(rounds - 4 * file).min(4) {
            let name = format!("{file}.{round}");
            acknowledged.extend(kills::add_and_kill(&mut rng, &database.url, &name));
            kills::check(&*database.open(), &acknowledged);
        }
        total += acknowledged.len();
    }
    println!("{rounds} kills, {total} acknowledged batches");
    assert!(total > 0, "no process lived long enough to write anything");
}

fn processes_share_a_database() {
    let database = Database::new();
    let children: Vec<_> = ["ann", "bob", "eve"]
        .iter()
        .map(|name| other_process("add some", &database.url, name).spawn().unwrap())
        .collect();
    let mut new = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", output.status);
        new += whole_lines(&output.stdout)[0].parse::<u32>().unwrap();
    }
    assert_eq!(new, 400, "each game is new to one process");
    assert_eq!(keys(&*database.open()).len(), 400);
}
