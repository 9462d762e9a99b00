//! `cargo xtask verify DIR`: checks against case files next to the checkout. The product does not
//! need them.

use std::path::Path;
use std::process::Command;

use crate::steps::{self, cargo};

/// Pascal Pons' sets of Connect Four positions with scores, from the end of the game to its
/// beginning.
const SETS: [&str; 3] = ["Test_L3_R1", "Test_L2_R1", "Test_L1_R1"];

/// Lists of openings of Gomocup's managers, and a board on which all openings of a list are legal.
const OPENINGS: [(&str, &str); 4] = [
    ("openings_piskvork_offset.txt", "mnk:17x17,k=5"),
    ("openings_piskvork_offset.txt", "mnk:20x20,k=5"),
    ("openings_gomocupjudge_20x20_offset.txt", "mnk:20x20,k=5"),
    ("openings_cgomokucli_20x20_offset.txt", "mnk:20x20,k=5"),
];

/// Runs every check; returns an error if one fails or the folder is not the expected one.
pub(crate) fn run(folder: &Path) -> Result<(), String> {
    for name in SETS {
        let set = folder.join("data/connect4").join(name);
        if !set.is_file() {
            return Err(format!("{}: missing; expected the folder `shared`", set.display()));
        }
        println!("Connect Four, positions with known scores: {name}");
        steps::run(tesuji(&["solve", "connect4", "--no-book", "--file"]).arg(&set))?;
    }
    for (name, board) in OPENINGS {
        println!("Gomoku, openings: {name} on {board}");
        let words = ["match", board, "random", "random", "--games", "2", "--openings"];
        steps::run(tesuji(&words).arg(folder.join("data/gomoku").join(name)))?;
    }
    println!("Gomoku, wins by fours (goals: median under 5 ms, none above 2 s)");
    let problems = folder.join("data/gomoku/vcf.jsonl");
    steps::run(tesuji(&["solve", "gomoku", "--file"]).arg(&problems))?;
    println!("Gem Island: turns, swaps and evaluations of the published program");
    let cases = folder.join("data/gem-island/cases.json");
    steps::run(tesuji(&["gem", "verify"]).arg(&cases))?;
    println!("Connect Four, every column of the empty board (up to a minute)");
    steps::run(&mut tesuji(&["bench", "connect4-boards/7x6"]))
}

/// The program with these arguments: the optimized build of the tests.
fn tesuji(words: &[&str]) -> Command {
    let mut command = cargo(&["run", "--quiet", "--locked", "--"]);
    command.args(words);
    command
}
