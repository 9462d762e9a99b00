//! `cargo xtask verify DIR`: checks against case files that stand beside the checkout. The product never
//! needs them.

use std::path::Path;

use crate::steps::{self, cargo};

/// Runs every check whose file is there; an error when a check fails or the folder is not what it
/// should be.
pub(crate) fn run(folder: &Path) -> Result<(), String> {
    // Late positions: the general solver answers them at once.
    let late = folder.join("data/connect4/Test_L3_R1");
    if !late.is_file() {
        return Err(format!("{} is missing; expected the folder `shared`", late.display()));
    }
    println!("Connect Four, end-game positions with known scores");
    let mut solve = cargo(&["run", "--quiet", "--locked", "--release", "--"]);
    steps::run(solve.args(["solve", "connect4", "--file"]).arg(&late))
}
