//! The command line with the built-in games.

use std::process::ExitCode;

fn main() -> ExitCode {
    tesuji::run(&tesuji_builtin::registry())
}
