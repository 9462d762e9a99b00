//! Real servers for the tests, each in a temporary folder and on a free port of this machine. They
//! can be killed and restarted, and end when the value is dropped. Test suites include these files,
//! so they do not use the rest of this program.
#![allow(dead_code, reason = "each includer uses a part")]
#![allow(clippy::print_stdout, reason = "drop cannot return an error")]

pub(crate) mod nats;
pub(crate) mod postgres;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The environment variable with the URL of a database whose user may create others.
pub(crate) const POSTGRES: &str = "TESUJI_POSTGRES";

/// The environment variables with the folder of PostgreSQL's programs and the path of nats-server.
pub(crate) const POSTGRES_PROGRAMS: &str = "TESUJI_TEST_POSTGRES_PROGRAMS";
pub(crate) const NATS_SERVER: &str = "TESUJI_TEST_NATS_SERVER";

/// The environment variable with the path of a Python that has the packages for exported files.
pub(crate) const PYTHON: &str = "TESUJI_TEST_PYTHON";

/// The time limit for a server to start or to stop.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A folder accessible only to this user, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder, String> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("tesuji-{name}-{}-{number}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        fs::create_dir(&folder.0)
            .and_then(|()| fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o700)))
            .map_err(|why| format!("{}: cannot be created: {why}", folder.0.display()))?;
        Ok(folder)
    }

    /// The log file of a server, opened for appending.
    fn log(&self) -> Result<fs::File, String> {
        let file = fs::OpenOptions::new().create(true).append(true).open(self.0.join("log"));
        file.map_err(|why| format!("cannot write a log: {why}"))
    }

    fn last_log_line(&self) -> String {
        let log = fs::read_to_string(self.0.join("log")).unwrap_or_default();
        log.lines().last().unwrap_or("its log is empty").to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(why) = fs::remove_dir_all(&self.0) {
            println!("{}: not removed: {why}", self.0.display());
        }
    }
}

/// A free port, below those that the system gives to clients: a client that retries a dead server
/// might otherwise get the server's port and keep it.
fn free_port() -> Result<u16, String> {
    const FIRST: u32 = 16_000;
    const PORTS: u32 = 16_000;
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // Starts at a number that differs from those of other processes.
    let start = std::process::id().wrapping_mul(97);
    for _ in 0..PORTS {
        let number = start.wrapping_add(NUMBER.fetch_add(1, Ordering::Relaxed));
        let port = (FIRST + number % PORTS) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err("no free port".to_string())
}

/// Sends a signal to a server.
fn signal(name: &str, process: &Child) -> Result<(), String> {
    let id = process.id().to_string();
    let sent = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", name, &id]).status();
    match sent {
        Ok(status) if status.success() => Ok(()),
        _ => Err(format!("process {id}: cannot send {name}")),
    }
}

/// Waits until a server is ready; returns an error if it has ended.
fn wait_until_ready(
    name: &str,
    process: &mut Child,
    folder: &Folder,
    is_ready: impl Fn(u32) -> bool,
) -> Result<(), String> {
    let deadline = Instant::now() + TIMEOUT;
    while !is_ready(process.id()) {
        let has_ended = !matches!(process.try_wait(), Ok(None));
        if has_ended || Instant::now() > deadline {
            return Err(format!("{name}: did not start: {}", folder.last_log_line()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Waits until a server has ended after a signal.
fn wait_until_gone(name: &str, process: &mut Child) -> Result<(), String> {
    let deadline = Instant::now() + TIMEOUT;
    while matches!(process.try_wait(), Ok(None)) {
        if Instant::now() > deadline {
            return Err(format!("{name}: does not stop"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// A command for a program in a folder; an error if it does not exist.
fn program_in(folder: &Path, name: &str) -> Result<Command, String> {
    let program = folder.join(name);
    if program.is_file() {
        Ok(Command::new(program))
    } else {
        Err(format!("{}: program does not exist", program.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_differ() {
        let [first, second] = [free_port().unwrap(), free_port().unwrap()];
        assert_ne!(first, second);
    }

    #[test]
    fn a_taken_port_is_not_given() {
        let taken = TcpListener::bind(("127.0.0.1", free_port().unwrap())).unwrap();
        for _ in 0..100 {
            assert_ne!(free_port().unwrap(), taken.local_addr().unwrap().port());
        }
    }

    #[test]
    fn folders_go_with_the_value() {
        let folder = Folder::new("test").unwrap();
        let path = folder.0.clone();
        assert!(path.is_dir());
        drop(folder);
        assert!(!path.exists());
    }
}
