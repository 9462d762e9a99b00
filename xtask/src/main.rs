//! `cargo xtask <command>`: tasks of the workspace, such as tests, benchmarks and releases.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod cluster;
#[cfg(test)]
mod crates;
mod dist;
mod fuzz;
mod nats;
mod packages;
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

  test [--quick]        set up the machine, check format, lints and documentation, run all tests
                        (--quick: check format and lints, run the fast tests)
  soak [KILLS]          kill processes that write stores, 200 times each, and check for losses
  soak web [OPTION…]    test the web app under load: 200 players, malformed requests, attacks
  verify DIR            check against the case files in DIR (the folder `shared`)
  packages              package the libraries, test a program that uses the packages
  bench [ID…]           build the peers and run `tesuji bench` with them
  bench cluster         measure the cost of a queue and the gain of a second worker
  reproduction          reproduce all published tables and figures, for docs/ and the README
  fuzz [TARGET] [SECS]  run the fuzz targets (needs a nightly toolchain and cargo-fuzz)
  dist                  build a portable release, for any x86-64 with SSE4.2 and POPCNT
  help                  print this help
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
        ["packages"] => packages::check(),
        ["reproduction"] => reproduction::run(),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["dist"] => dist::run(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(format!("command '{}': unknown\n\n{HELP}", other.join(" "))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
