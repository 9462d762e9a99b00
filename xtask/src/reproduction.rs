//! `cargo xtask reproduction`: reproduces all published tables and figures for the documentation.
//! After an interruption, it resumes with the missing ones if the commit is the same.

use std::fs;
use std::process::Command;

use crate::steps::{self, cargo};

const DOCUMENT: &str = "docs/reproduction.md";
const README: &str = "README.md";

/// Writes the reports, and the headlines into the README.
pub(crate) fn run() -> Result<(), String> {
    steps::run(&mut cargo(&["build", "--locked", "--release", "--package", "tesuji"]))?;
    let mut reproduce = Command::new(steps::target().join("release/tesuji"));
    reproduce
        .args(["reproduce", "--all", "--resume", "--document", DOCUMENT])
        .current_dir(steps::root());
    steps::run(reproduce.env("TESUJI_COMMIT", commit()?))?;
    let path = |name: &str| steps::root().join(name);
    let read =
        |name: &str| fs::read_to_string(path(name)).map_err(|error| format!("{name}: {error}"));
    let readme = with_headlines(&read(README)?, &read(DOCUMENT)?)?;
    fs::write(path(README), readme).map_err(|error| format!("{README}: {error}"))?;
    println!("written: {DOCUMENT} and the headlines of {README}");
    Ok(())
}

/// The abbreviated hash of the commit.
fn commit() -> Result<String, String> {
    let answer = Command::new("git").args(["rev-parse", "--short=10", "HEAD"]).output();
    let answer = answer.map_err(|error| format!("git: {error}"))?;
    match answer.status.success() {
        true => Ok(String::from_utf8_lossy(&answer.stdout).trim().to_string()),
        false => Err("git rev-parse failed; expected a checkout with a commit".to_string()),
    }
}

/// The README with the table of headlines of the document.
fn with_headlines(readme: &str, document: &str) -> Result<String, String> {
    let (_, rest) = document
        .split_once("## Headlines\n\n")
        .ok_or("docs/reproduction.md: no heading '## Headlines'")?;
    let (table, _) =
        rest.split_once("\n## ").ok_or("docs/reproduction.md: no heading after the headlines")?;
    let (before, rest) =
        readme.split_once("<!-- headlines").ok_or("README.md: no comment '<!-- headlines'")?;
    let (mark, rest) =
        rest.split_once("-->\n").ok_or("README.md: comment '<!-- headlines' without '-->'")?;
    let (_, after) =
        rest.split_once("<!-- end -->").ok_or("README.md: no comment '<!-- end -->'")?;
    Ok(format!("{before}<!-- headlines{mark}-->\n{table}<!-- end -->{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_takes_the_place_of_the_old_one() {
        let readme = "a\n<!-- headlines: x -->\nold\n<!-- end -->\nb\n";
        let document = "# R\n\n## Headlines\n\n| t |\n\n## All\n";
        let expected = "a\n<!-- headlines: x -->\n| t |\n<!-- end -->\nb\n";
        assert_eq!(with_headlines(readme, document).unwrap(), expected);
        assert_eq!(with_headlines(expected, document).unwrap(), expected);
        assert!(with_headlines("", document).is_err());
    }
}
