//! `cargo xtask packages`: packages the published libraries and tests a program outside of the
//! workspace against the packages, as a user of the registry would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::steps::{cargo, root, run, target};

/// The libraries that are published, in the order of their dependencies.
const LIBRARIES: [&str; 6] = [
    "tesuji-games",
    "tesuji-search",
    "tesuji-gomoku",
    "tesuji-store",
    "tesuji-queue",
    "tesuji-play",
];

/// Packages all libraries, unpacks them and runs the tests of `examples/own-program` against them.
pub(crate) fn check() -> Result<(), String> {
    let folder = target().join("packages");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let unpacked = unpack_all(&folder)?;
    let program = folder.join("own-program");
    copy_program(&program, &unpacked)?;
    let mut test = cargo(&["test", "--quiet", "--target-dir"]);
    run(test.arg(folder.join("target")).current_dir(&program))
}

/// Packages the libraries and returns the folder with their contents.
fn unpack_all(folder: &Path) -> Result<PathBuf, String> {
    let mut package = cargo(&["package", "--quiet", "--no-verify", "--allow-dirty"]);
    package.arg("--target-dir").arg(folder);
    for library in LIBRARIES {
        package.args(["-p", library]);
    }
    run(&mut package)?;
    let packages = folder.join("package");
    let version = env!("CARGO_PKG_VERSION");
    for library in LIBRARIES {
        let archive = packages.join(format!("{library}-{version}.crate"));
        run(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&packages))?;
    }
    Ok(packages)
}

/// Copies the example program, with its dependencies on the unpacked packages instead of the
/// workspace, and with the workspace's versions of third-party crates.
fn copy_program(program: &Path, packages: &Path) -> Result<(), String> {
    let example = root().join("examples/own-program");
    let named = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(program.join("src")).map_err(|error| named(program, error))?;
    for file in ["src/main.rs", "Cargo.toml"] {
        let path = example.join(file);
        let mut text = fs::read_to_string(&path).map_err(|error| named(&path, error))?;
        for library in LIBRARIES {
            let folder = library.trim_start_matches("tesuji-");
            let package = format!("{library}-{}", env!("CARGO_PKG_VERSION"));
            let unpacked = packages.join(package).display().to_string();
            text = text.replace(&format!("../../crates/{folder}\""), &format!("{unpacked}\""));
        }
        fs::write(program.join(file), text).map_err(|error| named(program, error))?;
    }
    let lock = root().join("Cargo.lock");
    fs::copy(&lock, program.join("Cargo.lock")).map_err(|error| named(&lock, error))?;
    Ok(())
}
