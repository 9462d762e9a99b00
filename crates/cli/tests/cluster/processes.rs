//! The real binary as a child process: its output is collected while it runs, and it can be killed.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::terminal::CommandOutput;

/// A running program; it and its child processes are killed on drop.
pub(crate) struct Program {
    process: Child,
    stdout: CollectedStream,
    stderr: CollectedStream,
}

impl Program {
    /// Runs `tesuji` with these arguments in a folder.
    pub(crate) fn start<W: AsRef<OsStr>>(folder: &Path, words: &[W]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.args(words).current_dir(folder);
        Program::spawn(command)
    }

    /// Runs any command.
    pub(crate) fn spawn(mut command: Command) -> Program {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.process_group(0).spawn().expect("the program is built");
        let stdout = CollectedStream::from(process.stdout.take().expect("stdout is a pipe"));
        let stderr = CollectedStream::from(process.stderr.take().expect("stderr is a pipe"));
        Program { process, stdout, stderr }
    }

    /// Sends SIGKILL to this process only; its child processes keep running, as after a crash.
    pub(crate) fn kill9(&mut self) {
        self.process.kill().expect("it is a child of this process");
        self.process.wait().expect("it is a child of this process");
    }

    /// Sends a signal: `TERM`, `STOP`, `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = signal(name, &self.process.id().to_string());
        assert!(sent, "cannot send {name}; output: {}", self.output());
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.status().is_none()
    }

    /// Waits until the program ends. After a signal the exit code is the negative signal number.
    #[track_caller]
    pub(crate) fn wait(&mut self, timeout: Duration) -> CommandOutput {
        let deadline = Instant::now() + timeout;
        let status = loop {
            match self.status() {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    panic!("it still runs; output: {}", self.output())
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        self.collect_the_rest();
        let code = status.code().or(status.signal().map(|signal| -signal));
        CommandOutput {
            code: code.expect("it has an exit code or a signal"),
            stdout: self.stdout.so_far(),
            stderr: self.stderr.so_far(),
        }
    }

    /// Waits until the output, on either stream, contains a text.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str, timeout: Duration) {
        let deadline = Instant::now() + timeout;
        loop {
            let has_ended = !self.is_running();
            if has_ended {
                self.collect_the_rest();
            }
            if self.stdout.so_far().contains(text) || self.stderr.so_far().contains(text) {
                return;
            }
            let may_print_more = !has_ended && Instant::now() < deadline;
            assert!(may_print_more, "'{text}' is not in the output: {}", self.output());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The output so far: stdout, then stderr.
    pub(crate) fn output(&self) -> String {
        self.stdout.so_far() + &self.stderr.so_far()
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.process.try_wait().expect("it is a child of this process")
    }

    /// Reads the rest of the output after the process has ended. Child processes may hold the pipes
    /// open, so the whole group is killed first.
    fn collect_the_rest(&mut self) {
        self.kill_group();
        self.stdout.finish();
        self.stderr.finish();
    }

    fn kill_group(&self) {
        // Usually the group is already empty, and `kill` fails.
        signal("KILL", &format!("-{}", self.process.id()));
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill_group();
        let _ = self.process.wait();
    }
}

/// Sends a signal to a process, or to a process group if the number is negative; true if a process
/// received it.
fn signal(name: &str, process: &str) -> bool {
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill -s \"$0\" -- \"$1\"", name, process]);
    kill.output().is_ok_and(|output| output.status.success())
}

/// A stream that a thread reads continuously, so that the process never blocks on a full pipe.
struct CollectedStream {
    text: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl CollectedStream {
    fn from(mut stream: impl Read + Send + 'static) -> CollectedStream {
        let text = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut part) {
                collected.lock().expect("no reader panics").extend_from_slice(&part[..length]);
            }
        });
        CollectedStream { text, reader: Some(reader) }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.text.lock().expect("no reader panics")).into_owned()
    }

    fn finish(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.join().expect("no reader panics");
        }
    }
}
