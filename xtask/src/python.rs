//! A Python with the packages that read exported files, in a virtual environment in the build
//! folder. Only the package `venv` may be installed into the system.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::{setup, steps};

/// The name of the requirement; the program itself is any Python 3.
pub(crate) const PROGRAM: &str = "python3-with-packages";

/// The packages with which the suite reads files.
pub(crate) const PACKAGES: &[&str] = &[
    "numpy==2.4.6",
    "pandas==3.1.1",
    "pyarrow==26.0.1",
    "safetensors==0.8.0",
    "tensorboard==2.21.0",
];

/// The environment's Python, if an earlier call installed all packages.
pub(crate) fn find() -> Option<PathBuf> {
    let installed = fs::read_to_string(list()).ok()?;
    let python = folder().join("bin/python3");
    (installed == PACKAGES.join("\n") && python.is_file()).then_some(python)
}

/// Creates the environment.
pub(crate) fn install() -> Result<(), String> {
    let folder = folder();
    // Left by an interrupted call or another list of packages.
    let _ = fs::remove_dir_all(&folder);
    println!("installing {} with pip in {}", PACKAGES.join(", "), folder.display());
    let make = || {
        let mut make = Command::new("python3");
        steps::run(make.args(["-m", "venv"]).arg(&folder))
    };
    if make().is_err() {
        setup::install(&["python3", "python3-venv"])?;
        make()?;
    }
    let mut pip = Command::new(folder.join("bin/python3"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    steps::run(pip.args(["--only-binary", ":all:"]).args(PACKAGES))?;
    // Written last: the environment is complete if this file exists.
    let list = list();
    fs::write(&list, PACKAGES.join("\n")).map_err(|why| format!("{}: {why}", list.display()))
}

/// The folder of the environment: absolute, as the suites run in other folders.
fn folder() -> PathBuf {
    let folder = steps::target().join("python-for-tests");
    std::path::absolute(&folder).unwrap_or(folder)
}

/// The file with the list of installed packages.
fn list() -> PathBuf {
    folder().join("packages.txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_pinned() {
        for package in PACKAGES {
            let version = package.split_once("==").map(|(_, version)| version);
            assert!(version.is_some_and(|it| it.split('.').count() == 3), "{package}");
        }
    }
}
