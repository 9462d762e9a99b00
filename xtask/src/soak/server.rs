//! `tesuji serve` in a folder of its own, and how much memory it has.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A running server; it ends, and its folder goes, with the value.
pub(super) struct Server {
    process: Child,
    pub(super) address: SocketAddr,
    program: PathBuf,
    folder: PathBuf,
}

/// Which limits a server has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Limits {
    /// Those of every server.
    Usual,
    /// All visitors come from one address here: what one may do is what all may do.
    ForManyVisitors,
}

/// How long the server may take to end.
const LONGEST_END: Duration = Duration::from_secs(5);
/// Files that it may open, as most systems have it.
const MOST_FILES: &str = "1024";

impl Server {
    pub(super) fn start(program: &Path, limits: Limits) -> Result<Server, String> {
        let folder = std::env::temp_dir().join(format!("tesuji-soak-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
        let program =
            program.canonicalize().map_err(|why| format!("{}: {why}", program.display()))?;
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -n \"$0\"; exec \"$@\"", MOST_FILES]).arg(&program);
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
        let told: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = told["address"].as_str().unwrap_or_default();
        let address = url.trim_start_matches("http://").parse();
        server.address = address.map_err(|_| format!("the server told no address: '{line}'"))?;
        Ok(server)
    }

    /// Memory in use, in KiB.
    pub(super) fn memory(&self) -> Result<u64, String> {
        let file = format!("/proc/{}/status", self.process.id());
        let status = fs::read_to_string(&file).map_err(|why| format!("{file}: {why}"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        number.ok_or_else(|| format!("{file} says nothing about memory"))
    }

    /// Processor time used so far, in seconds.
    pub(super) fn processor_seconds(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()));
        let stat = stat.unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let ticks = after_name.split_whitespace().skip(11).take(2);
        ticks.filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / 100.0
    }

    /// Everything in the store, one record a line, as the program itself reads it.
    pub(super) fn records(&self) -> Result<Vec<Value>, String> {
        let text = self.store(&["export", "games.db", "-", "--format", "jsonl"])?;
        let line = |line: &str| serde_json::from_str(line).map_err(|why| format!("{why}: {line}"));
        // The first and the last line are about the file.
        let lines: Vec<&str> = text.lines().collect();
        let records = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
        records.iter().copied().map(line).collect()
    }

    /// How many games the store has.
    pub(super) fn games_kept(&self) -> Result<u64, String> {
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

    /// A file in the folder where it runs.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Asks it to stop as the system does, and waits; an error when that takes too long.
    pub(super) fn stop(mut self) -> Result<(), String> {
        let id = self.process.id().to_string();
        let asked = Instant::now();
        crate::steps::run(Command::new("sh").args(["-c", "kill -TERM \"$0\"", &id]))?;
        let status = loop {
            if let Some(status) = self.process.try_wait().map_err(|why| why.to_string())? {
                break status;
            }
            if asked.elapsed() > LONGEST_END {
                return Err(format!("the server has not ended after {LONGEST_END:?}"));
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        println!("the server ended within {:.1?}", asked.elapsed());
        if status.success() { Ok(()) } else { Err(format!("the server ended with {status}")) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ended already, if all went well.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if let Err(why) = fs::remove_dir_all(&self.folder) {
            println!("{} is left behind: {why}", self.folder.display());
        }
    }
}
