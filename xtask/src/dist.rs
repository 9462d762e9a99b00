//! `cargo xtask dist`: a release build that runs on other machines too.

use std::path::Path;
use std::{fs, io};

use crate::steps::{self, cargo};

/// Every x86-64 processor since about 2009 has these; the program checks at its start.
const PORTABLE: &str = "-C target-cpu=x86-64-v2";

/// Where the program lies then, and the same under the name that Gomocup's managers look for.
const PROGRAM: &str = "target/dist/release/tesuji";
const BRAIN: &str = "target/dist/release/pbrain-tesuji";

/// Builds the program.
pub(crate) fn run() -> Result<(), String> {
    let mut build = cargo(&["build", "--locked", "--release", "--target-dir", "target/dist"]);
    steps::run(build.env("RUSTFLAGS", PORTABLE))?;
    let (program, brain) = (steps::root().join(PROGRAM), steps::root().join(BRAIN));
    link(&program, &brain).map_err(|error| format!("{BRAIN}: {error}"))?;
    println!("{PROGRAM} is built with {PORTABLE}; {BRAIN} is the same for Gomocup's managers");
    Ok(())
}

/// A second name for a file, or a copy where the disk has no such thing.
fn link(program: &Path, brain: &Path) -> io::Result<()> {
    match fs::remove_file(brain) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::hard_link(program, brain).or_else(|_| fs::copy(program, brain).map(drop))
}
