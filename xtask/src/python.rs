//! A Python with the packages that exported files are for, in an environment of its own in the
//! build folder: nothing is installed into the system but what makes such environments.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::{setup, steps};

/// What the requirement is called; the program itself is any Python 3.
pub(crate) const PROGRAM: &str = "python3-with-packages";

/// What the suite reads files with.
pub(crate) const PACKAGES: &[&str] = &[
    "numpy==2.4.6",
    "pandas==3.1.1",
    "pyarrow==26.0.1",
    "safetensors==0.8.0",
    "tensorboard==2.21.0",
];

/// The environment's Python, if all packages were installed by an earlier call.
pub(crate) fn find() -> Option<PathBuf> {
    let installed = fs::read_to_string(list()).ok()?;
    let python = folder().join("bin/python3");
    (installed == PACKAGES.join("\n") && python.is_file()).then_some(python)
}

/// Makes the environment.
pub(crate) fn install() -> Result<(), String> {
    let folder = folder();
    // What an interrupted call or another list of packages has left.
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
    // Written last: with it all packages are there.
    let list = list();
    fs::write(&list, PACKAGES.join("\n")).map_err(|why| format!("{}: {why}", list.display()))
}

/// Where the environment is. The suites run in other folders, so the path begins at the root.
fn folder() -> PathBuf {
    let folder = steps::target().join("python-for-tests");
    std::path::absolute(&folder).unwrap_or(folder)
}

/// The file in it that says which packages were installed.
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
