//! `cargo xtask bench`: compares our speed with that of the peers, in one run. The peers are a
//! separate workspace (`peers/`), so that their dependencies do not enter the build of the product.

use crate::steps::{self, cargo};

/// Builds both programs, then runs `tesuji bench` with the peers.
pub(crate) fn run(ids: &[&str]) -> Result<(), String> {
    steps::run(&mut cargo(&["build", "--locked", "--release"]))?;
    let manifest = steps::root().join("peers/Cargo.toml");
    let mut build = cargo(&["build", "--locked", "--release", "--manifest-path"]);
    steps::run(build.arg(&manifest).args(["--target-dir", "target/peers"]))?;
    let peers = steps::root().join("target/peers/release/tesuji-peers");
    let mut bench = cargo(&["run", "--quiet", "--locked", "--release", "--", "bench", "--peers"]);
    steps::run(bench.arg(peers).args(ids))
}
