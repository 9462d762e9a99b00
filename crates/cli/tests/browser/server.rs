//! A `tesuji serve` process at a free port, in its own folder. Dropping the value ends it.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The timeout of the shutdown.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A running server.
pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
    /// The token of the server.
    pub(crate) token: String,
    /// The folder with the server's files.
    _folder: TempDir,
}

impl Server {
    /// Starts the server and waits until it listens.
    pub(crate) fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["serve", "--addr", "127.0.0.1:0", "--json", "--rate", "1000"])
            .args(["--store", "games.db", "--runs", "runs"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("the program is built");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("stdout was asked for");
        BufReader::new(stdout).read_line(&mut line).expect("the server tells its address");
        let ready: Value =
            serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        let url = ready["address"].as_str().expect("an address");
        let address = url.trim_start_matches("http://").parse().expect("an address");
        let token = ready["token"].as_str().expect("a token").to_string();
        Server { process, address, token, _folder: folder }
    }

    /// Stops the server with SIGTERM; it must exit by itself.
    pub(crate) fn stop(mut self) -> Result<(), String> {
        signal("TERM", &self.process.id().to_string());
        let started = Instant::now();
        while started.elapsed() < TIMEOUT {
            match self.process.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("the server ended with {status}")),
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        Err("the server does not stop on request".to_string())
    }
}

/// Sends a signal to a process started here, or to its group if the number is negative. The process
/// may have ended.
pub(crate) fn signal(name: &str, process: &str) {
    let _ = Command::new("sh").args(["-c", "kill -s \"$0\" -- \"$1\"", name, process]).output();
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends the group, so that the server's jobs end as well.
        signal("KILL", &format!("-{}", self.process.id()));
        let _ = self.process.wait();
    }
}
