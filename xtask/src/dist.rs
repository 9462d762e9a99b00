//! `cargo xtask dist`: a release build that runs on other machines too.

use crate::steps::{self, cargo};

/// Every x86-64 processor since about 2009 has these; the program checks at its start.
const PORTABLE: &str = "-C target-cpu=x86-64-v2";

/// Builds `target/dist/release/tesuji`.
pub(crate) fn run() -> Result<(), String> {
    let mut build = cargo(&["build", "--locked", "--release", "--target-dir", "target/dist"]);
    steps::run(build.env("RUSTFLAGS", PORTABLE))?;
    println!("target/dist/release/tesuji is built with {PORTABLE}");
    Ok(())
}
