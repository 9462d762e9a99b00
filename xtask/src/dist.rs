//! `cargo xtask dist`: builds a portable release.

use std::path::Path;
use std::{fs, io};

use crate::steps::{self, cargo};

/// Processor features that every x86-64 since about 2009 has. The program checks them when it
/// starts.
const PORTABLE: &str = "-C target-cpu=x86-64-v2";

/// The path of the program, and its path under the name that Gomocup's managers expect.
const PROGRAM: &str = "target/dist/release/tesuji";
const BRAIN: &str = "target/dist/release/pbrain-tesuji";

/// Builds the program.
pub(crate) fn run() -> Result<(), String> {
    let mut build = cargo(&["build", "--locked", "--release", "--target-dir", "target/dist"]);
    steps::run(build.env("RUSTFLAGS", PORTABLE))?;
    let (program, brain) = (steps::root().join(PROGRAM), steps::root().join(BRAIN));
    link(&program, &brain).map_err(|error| format!("{BRAIN}: {error}"))?;
    println!("built {PROGRAM} with {PORTABLE}, and {BRAIN} for Gomocup's managers");
    Ok(())
}

/// Makes a hard link, or a copy where the file system has no hard links.
fn link(program: &Path, brain: &Path) -> io::Result<()> {
    match fs::remove_file(brain) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::hard_link(program, brain).or_else(|_| fs::copy(program, brain).map(drop))
}
