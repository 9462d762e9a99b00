//! The real binary as a process of its own: what it says is collected while it runs, and it can be killed.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::terminal::Answer;

/// A process; it and all that it started end with the value.
pub(crate) struct Program {
    process: Child,
    stdout: Collected,
    stderr: Collected,
}

impl Program {
    /// Runs `tesuji` with these words in a folder.
    pub(crate) fn start<W: AsRef<OsStr>>(folder: &Path, words: &[W]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.args(words).current_dir(folder);
        Program::spawn(command)
    }

    /// The same for a command that was made elsewhere.
    pub(crate) fn spawn(mut command: Command) -> Program {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.process_group(0).spawn().expect("the program is built");
        let stdout = Collected::from(process.stdout.take().expect("stdout was asked for"));
        let stderr = Collected::from(process.stderr.take().expect("stderr was asked for"));
        Program { process, stdout, stderr }
    }

    /// Kills it without warning, and it alone: what it started is left, as it would be.
    pub(crate) fn kill9(&mut self) {
        self.process.kill().expect("it was started here");
        self.process.wait().expect("it was started here");
    }

    /// Sends it a signal: `TERM`, `STOP`, `CONT`.
    pub(crate) fn signal(&self, name: &str) {
        let sent = signal(name, &self.process.id().to_string());
        assert!(sent, "cannot send {name}; it said: {}", self.said());
    }

    /// Whether it has not ended yet.
    pub(crate) fn is_running(&mut self) -> bool {
        self.status().is_none()
    }

    /// Waits until it has ended by itself. The code of one that was killed by a signal is the signal's number, negated.
    #[track_caller]
    pub(crate) fn wait(&mut self, timeout: Duration) -> Answer {
        let deadline = Instant::now() + timeout;
        let status = loop {
            match self.status() {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    panic!("it still runs; it said: {}", self.said())
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        self.collect_the_rest();
        let code = status.code().or(status.signal().map(|signal| -signal));
        Answer {
            code: code.expect("a code or a signal"),
            stdout: self.stdout.so_far(),
            stderr: self.stderr.so_far(),
        }
    }

    /// Waits until it has said this, on either stream.
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
            let may_say_more = !has_ended && Instant::now() < deadline;
            assert!(may_say_more, "it did not say '{text}', but: {}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What it has said so far, both streams.
    pub(crate) fn said(&self) -> String {
        self.stdout.so_far() + &self.stderr.so_far()
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.process.try_wait().expect("it was started here")
    }

    /// Of a process that has ended. Whatever it left running may hold the other ends of the pipes.
    fn collect_the_rest(&mut self) {
        self.kill_group();
        self.stdout.finish();
        self.stderr.finish();
    }

    fn kill_group(&self) {
        // There is nobody left in it, in the usual case.
        signal("KILL", &format!("-{}", self.process.id()));
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill_group();
        let _ = self.process.wait();
    }
}

/// Sends a signal to a process, or to a group when the number is negative; whether somebody got it.
fn signal(name: &str, process: &str) -> bool {
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill -s \"$0\" -- \"$1\"", name, process]);
    kill.output().is_ok_and(|output| output.status.success())
}

/// A stream that is read as it comes, so that the process never waits for a reader.
struct Collected {
    text: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Collected {
    fn from(mut stream: impl Read + Send + 'static) -> Collected {
        let text = Arc::new(Mutex::new(Vec::new()));
        let end = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(length @ 1..) = stream.read(&mut part) {
                end.lock().expect("no reader panics").extend_from_slice(&part[..length]);
            }
        });
        Collected { text, reader: Some(reader) }
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
