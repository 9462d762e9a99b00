//! `cargo xtask bench`: our speed beside that of the peers, in one run. The peers are a workspace
//! of their own (`peers/`), so that nothing of them enters the product's build.

use crate::steps::{self, cargo};

/// Builds both programs, then runs `tesuji bench` with the peers at hand.
pub(crate) fn run(ids: &[&str]) -> Result<(), String> {
    steps::run(&mut cargo(&["build", "--locked", "--release"]))?;
    let manifest = steps::root().join("peers/Cargo.toml");
    let mut build = cargo(&["build", "--locked", "--release", "--manifest-path"]);
    steps::run(build.arg(&manifest).args(["--target-dir", "target/peers"]))?;
    let peers = steps::root().join("target/peers/release/tesuji-peers");
    let mut bench = cargo(&["run", "--quiet", "--locked", "--release", "--", "bench", "--peers"]);
    steps::run(bench.arg(peers).args(ids))
}
