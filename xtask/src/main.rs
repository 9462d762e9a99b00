//! `cargo xtask <command>`: everything about this workspace that is not the product itself.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod cluster;
#[cfg(test)]
mod crates;
mod dist;
mod fuzz;
mod nats;
mod pages;
mod programs;
mod python;
mod reproduction;
mod servers;
mod setup;
mod soak;
mod steps;
mod test;
mod verify;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <command>

  test [--quick]        set-up, format check, clippy, documentation, every test
                        (--quick: format check, clippy and the fast tests)
  soak [KILLS]          kills writers of stores, 200 times each, and looks for losses
  soak web [OPTION…]    the web app under load: 200 players, senseless requests, attacks
  verify DIR            checks against the case files in DIR (the folder `shared`)
  bench [ID…]           `tesuji bench` beside the peers, which are built first
  bench cluster         what a queue costs, and what a second worker brings
  reproduction          every published table and figure in full, into docs/ and the README
  fuzz [TARGET] [SECS]  runs the fuzz targets (needs a nightly toolchain and cargo-fuzz)
  dist                  a portable release build, for any x86-64 with SSE4.2 and POPCNT
  help                  this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test"] => test::run(test::Extent::Everything),
        ["test", "--quick"] => test::run(test::Extent::Quick),
        ["soak", rest @ ..] => soak::run(rest),
        ["verify", folder] => verify::run(folder.as_ref()),
        ["bench", "cluster"] => cluster::run(),
        ["bench", ids @ ..] => bench::run(ids),
        ["reproduction"] => reproduction::run(),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["dist"] => dist::run(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("unknown command '{}'\n\n{HELP}", other.join(" "))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
