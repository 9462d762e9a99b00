//! Runs `tesuji serve` in a temporary folder, and measures its memory.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A running server; dropping it ends the server and removes the folder.
pub(super) struct Server {
    process: Child,
    pub(super) address: SocketAddr,
    program: PathBuf,
    folder: PathBuf,
}

/// The limits of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Limits {
    /// The default limits.
    Default,
    /// Limits for many visitors from one address, as all visitors are on this machine.
    ForManyVisitors,
}

/// The time limit for the server to end.
const END_TIMEOUT: Duration = Duration::from_secs(5);
/// The limit of open files, as on most systems.
const OPEN_FILES: &str = "1024";

impl Server {
    pub(super) fn start(program: &Path, limits: Limits) -> Result<Server, String> {
        let folder = std::env::temp_dir().join(format!("tesuji-soak-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
        let program =
            program.canonicalize().map_err(|why| format!("{}: {why}", program.display()))?;
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -n \"$0\"; exec \"$@\"", OPEN_FILES]).arg(&program);
        command.args(["serve", "--addr", "127.0.0.1:0", "--json", "--store", "games.db"]);
        if limits == Limits::ForManyVisitors {
            command.args(["--rate", "1000000", "--sessions-per-address", "1000000"]);
        }
        let mut process = command
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|why| format!("{}: {why}", program.display()))?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        let mut server =
            Server { process, address: SocketAddr::from(([127, 0, 0, 1], 0)), program, folder };
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = ready["address"].as_str().unwrap_or_default();
        let address = url.trim_start_matches("http://").parse();
        server.address = address.map_err(|_| format!("server: no address in '{line}'"))?;
        Ok(server)
    }

    /// Memory in use, in KiB.
    pub(super) fn memory(&self) -> Result<u64, String> {
        let file = format!("/proc/{}/status", self.process.id());
        let status = fs::read_to_string(&file).map_err(|why| format!("{file}: {why}"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| format!("{file}: no memory in it; expected a line VmRSS"))
    }

    /// Processor time used so far, in seconds.
    pub(super) fn processor_seconds(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()));
        let stat = stat.unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let ticks = after_name.split_whitespace().skip(11).take(2);
        ticks.filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / 100.0
    }

    /// All records of the store, as the program exports them.
    pub(super) fn records(&self) -> Result<Vec<Value>, String> {
        let text = self.store(&["export", "games.db", "-", "--format", "jsonl"])?;
        let line = |line: &str| serde_json::from_str(line).map_err(|why| format!("{why}: {line}"));
        // The first and the last line are header and footer.
        let lines: Vec<&str> = text.lines().collect();
        let records = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
        records.iter().copied().map(line).collect()
    }

    /// The number of games in the store.
    pub(super) fn games_stored(&self) -> Result<u64, String> {
        let info: Value = serde_json::from_str(&self.store(&["info", "games.db", "--json"])?)
            .map_err(|why| why.to_string())?;
        info["counts"]["game"].as_u64().ok_or_else(|| format!("no number of games in {info}"))
    }

    fn store(&self, words: &[&str]) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        let output = command.arg("store").args(words).current_dir(&self.folder).output();
        let output = output.map_err(|why| format!("{}: {why}", self.program.display()))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    /// A file in the folder of the server.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Stops the server with SIGTERM and waits; returns an error after a timeout.
    pub(super) fn stop(mut self) -> Result<(), String> {
        let id = self.process.id().to_string();
        let sent = Instant::now();
        crate::steps::run(Command::new("sh").args(["-c", "kill -TERM \"$0\"", &id]))?;
        let status = loop {
            if let Some(status) = self.process.try_wait().map_err(|why| why.to_string())? {
                break status;
            }
            if sent.elapsed() > END_TIMEOUT {
                return Err(format!("server: still running {END_TIMEOUT:?} after SIGTERM"));
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        println!("the server ended within {:.1?}", sent.elapsed());
        if status.success() { Ok(()) } else { Err(format!("server: failed: {status}")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Has already ended after `stop`.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if let Err(why) = fs::remove_dir_all(&self.folder) {
            println!("{}: not removed: {why}", self.folder.display());
        }
    }
}
