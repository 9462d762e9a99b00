//! Another program, connected by three pipes. This module knows no protocol: it sends lines,
//! receives lines before a deadline, and ends all processes of the program.
//!
//! Pipes are polled and never block. A program that does not read, writes without end, or leaves
//! children that hold its output open costs at most the deadline, and no thread has to outlive it.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};

use super::process_tree::{EnvMarker, KillGuard};

/// Far longer than any answer of a protocol.
const LONGEST_LINE: usize = 64 * 1024;
/// Number of bytes per read.
const CHUNK: usize = 16 * 1024;
/// How often a silent program is checked: it may have exited while a child of it holds its output
/// open.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait for the exit status after the last line of output.
const EXIT_WAIT: Duration = Duration::from_millis(200);
/// How long a program may take to quit. Gomocup's manager waits about as long.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of characters of a stderr line.
const MAX_STDERR_CHARS: usize = 200;

/// How to start a program and talk to it.
#[derive(Clone, Debug)]
pub(crate) struct LaunchOptions {
    /// The program's file.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// Its working directory; ours by default.
    pub(crate) folder: Option<PathBuf>,
    /// The end of lines sent to it.
    pub(crate) line_end: &'static str,
    /// The command that asks it to quit.
    pub(crate) quit_command: &'static str,
    /// The file that logs all lines, for engine authors.
    pub(crate) log: Option<PathBuf>,
}

/// A fault of a program. The text continues the program's name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum EngineFault {
    /// The deadline passed.
    #[error("does not answer")]
    Timeout,
    /// It exited or closed its output.
    #[error("{0}")]
    Exited(String),
    /// It sent something that is not an answer.
    #[error("{0}")]
    InvalidReply(String),
    /// It answered with an illegal move.
    #[error("{0}")]
    IllegalMove(String),
    /// It resigned.
    #[error("resigns")]
    Resigned,
}

/// A running program. It and all its descendants are killed when this is dropped, and when this
/// process is killed.
pub(crate) struct Process {
    child: Child,
    marker: EnvMarker,
    _guard: Option<KillGuard>,
    group: Pid,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    errors: Option<ChildStderr>,
    unwritten: Vec<u8>,
    received: LineBuffer,
    stderr: StderrTail,
    launch: LaunchOptions,
    log: Option<File>,
    /// Whether to ask it to quit before it is killed.
    pub(crate) ask_to_quit: bool,
}

impl Process {
    /// Starts the program in its own process group.
    pub(crate) fn start(launch: &LaunchOptions) -> io::Result<Process> {
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        let log = launch.log.as_deref().map(open_log).transpose()?;
        let marker = EnvMarker::new();
        marker.apply_to(&mut command);
        let guard = marker.guard();
        let mut child = command.spawn()?;
        let process = Process {
            marker,
            _guard: guard,
            group: Pid::from_child(&child),
            input: child.stdin.take(),
            output: child.stdout.take(),
            errors: child.stderr.take(),
            child,
            unwritten: Vec::new(),
            received: LineBuffer::default(),
            stderr: StderrTail::default(),
            launch: launch.clone(),
            log,
            ask_to_quit: true,
        };
        let pipes = [
            process.input.as_ref().map(AsFd::as_fd),
            process.output.as_ref().map(AsFd::as_fd),
            process.errors.as_ref().map(AsFd::as_fd),
        ];
        for pipe in pipes.into_iter().flatten() {
            ioctl_fionbio(pipe, true)?;
        }
        Ok(process)
    }

    /// Sends a line. Bytes that the program does not read yet are sent while its answer is awaited.
    pub(crate) fn send(&mut self, line: &str) {
        self.log_line('>', line);
        self.unwritten.extend_from_slice(line.as_bytes());
        self.unwritten.extend_from_slice(self.launch.line_end.as_bytes());
        self.write();
    }

    /// Returns the next line without its end.
    pub(crate) fn next_line(&mut self, deadline: Instant) -> Result<String, EngineFault> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(EngineFault::Timeout);
            }
            if let Some(line) = self.received.take_line()? {
                self.log_line('<', &line);
                return Ok(line);
            }
            if self.output.is_none() {
                return Err(self.ended());
            }
            let silent = !self.poll_pipes(left.min(POLL_INTERVAL));
            // All output before the exit was read when another poll finds nothing.
            if silent && self.has_exited().is_some() && !self.poll_pipes(Duration::ZERO) {
                return Err(self.ended());
            }
        }
    }

    /// Returns the last line of its stderr.
    pub(crate) fn last_stderr_line(&mut self) -> Option<String> {
        self.poll_pipes(Duration::ZERO);
        self.stderr.last()
    }

    /// Asks it to quit; returns whether it does so in time. Its children may live until the drop.
    pub(crate) fn quit(&mut self) -> bool {
        self.ask_to_quit = false;
        self.send(self.launch.quit_command);
        let deadline = Instant::now() + QUIT_TIMEOUT;
        while self.has_exited().is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.poll_pipes(left.min(Duration::from_millis(5)));
            // Close its input as well, once the command is written.
            if self.unwritten.is_empty() {
                self.input = None;
            }
            self.received.0.clear();
        }
        true
    }

    /// Waits until a pipe is ready, at most `patience`, then reads and writes. Returns whether
    /// output was read.
    fn poll_pipes(&mut self, patience: Duration) -> bool {
        let writing = self.input.as_ref().filter(|_| !self.unwritten.is_empty());
        let mut pipes: Vec<PollFd<'_>> = Vec::with_capacity(3);
        pipes.extend(self.output.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        pipes.extend(self.errors.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        pipes.extend(writing.map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        let timeout = Timespec::try_from(patience).unwrap_or_default();
        // An interrupted wait is a short one.
        let _ = poll(&mut pipes, Some(&timeout));
        self.write();
        self.stderr.extend(&read_chunk(&mut self.errors));
        let said = read_chunk(&mut self.output);
        self.received.0.extend(&said);
        !said.is_empty()
    }

    fn write(&mut self) {
        while let Some(pipe) = self.input.as_mut().filter(|_| !self.unwritten.is_empty()) {
            match pipe.write(&self.unwritten) {
                Ok(sent) if sent > 0 => drop(self.unwritten.drain(..sent)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It closed its input: it exits or misses the deadline.
                _ => {
                    self.input = None;
                    self.unwritten.clear();
                }
            }
        }
    }

    /// Returns its exit status, if it has exited. It stays a zombie until the drop, so that the id
    /// of its process group is not reused.
    fn has_exited(&self) -> Option<WaitIdStatus> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.group), options).ok().flatten()
    }

    fn ended(&mut self) -> EngineFault {
        let deadline = Instant::now() + EXIT_WAIT;
        loop {
            if let Some(status) = self.has_exited() {
                return EngineFault::Exited(ending_text(&status));
            }
            if Instant::now() >= deadline {
                return EngineFault::Exited("closed its output".to_string());
            }
            self.poll_pipes(Duration::ZERO);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Logs a line sent (`>`) or received (`<`): seconds since 1970, process id, line. Several
    /// programs may share a log: each line is one write.
    fn log_line(&mut self, arrow: char, line: &str) {
        let number = self.child.id();
        tracing::trace!(target: "engine", "{number} {arrow} {line}");
        if let Some(log) = &mut self.log {
            let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let text = format!("{:.3} {number} {arrow} {line}\n", time.as_secs_f64());
            // A full disk must not lose the game.
            let _ = log.write_all(text.as_bytes());
        }
    }
}

/// Opens a file for appending.
fn open_log(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.map_err(|error| io::Error::other(format!("cannot open {}: {error}", path.display())))
}

fn ending_text(status: &WaitIdStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_string(),
    }
}

/// Asks the program to quit where that makes sense, kills its descendants and reaps the child.
impl Drop for Process {
    fn drop(&mut self) {
        if self.ask_to_quit {
            self.quit();
        }
        // Before the group is killed, while parents are still known.
        self.marker.kill_all(self.group);
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
    }
}

/// Reads what is available. Drops a closed pipe.
fn read_chunk(pipe: &mut Option<impl Read>) -> Vec<u8> {
    let mut bytes = vec![0; CHUNK];
    let count = match pipe.as_mut().map(|pipe| pipe.read(&mut bytes)) {
        Some(Ok(count)) if count > 0 => count,
        Some(Err(error))
            if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
        {
            0
        }
        _ => {
            *pipe = None;
            0
        }
    };
    bytes.truncate(count);
    bytes
}

/// Received bytes that were not taken as lines yet.
#[derive(Default)]
struct LineBuffer(VecDeque<u8>);

impl LineBuffer {
    fn take_line(&mut self) -> Result<Option<String>, EngineFault> {
        if let Some(end) = self.0.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.0.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            return Ok(Some(line.trim_end_matches('\n').trim_end_matches('\r').to_string()));
        }
        if self.0.len() > LONGEST_LINE {
            self.0.clear();
            return Err(EngineFault::InvalidReply(format!(
                "sent a line of more than {LONGEST_LINE} bytes"
            )));
        }
        Ok(None)
    }
}

/// The last nonempty line of stderr, and the beginning of the next one.
#[derive(Default)]
struct StderrTail {
    last: Option<String>,
    unfinished: Vec<u8>,
}

impl StderrTail {
    fn extend(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte == b'\n' {
                self.finish_line();
            } else if self.unfinished.len() < 4 * MAX_STDERR_CHARS {
                self.unfinished.push(byte);
            }
        }
    }

    fn finish_line(&mut self) {
        let line = String::from_utf8_lossy(&self.unfinished);
        let line: String = line.trim().chars().take(MAX_STDERR_CHARS).collect();
        self.unfinished.clear();
        if !line.is_empty() {
            self.last = Some(line);
        }
    }

    fn last(&mut self) -> Option<String> {
        self.finish_line();
        self.last.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::process_tree::wait_for_exit;
    use super::*;
    use tesuji_games::random::{below, seeded};

    fn launch(words: &[&str]) -> LaunchOptions {
        LaunchOptions {
            program: PathBuf::from(words[0]),
            arguments: words[1..].iter().map(ToString::to_string).collect(),
            folder: None,
            line_end: "\n",
            quit_command: "quit",
            log: None,
        }
    }

    fn within(time: Duration) -> Instant {
        Instant::now() + time
    }

    #[test]
    fn lines_go_out_and_come_back() {
        let mut process = Process::start(&launch(&["/bin/cat"])).unwrap();
        for line in ["one", "two words", "", "drei \u{e4}"] {
            process.send(line);
            assert_eq!(process.next_line(within(Duration::from_secs(10))), Ok(line.to_string()));
        }
        let soon = within(Duration::from_millis(20));
        assert_eq!(process.next_line(soon), Err(EngineFault::Timeout));
        assert!(process.quit(), "cat ends with its input");
    }

    #[test]
    fn the_end_of_a_program_is_told_with_its_last_words() {
        let script = "echo first; echo to err >&2; exit 3";
        let mut process = Process::start(&launch(&["/bin/sh", "-c", script])).unwrap();
        let deadline = within(Duration::from_secs(10));
        assert_eq!(process.next_line(deadline), Ok("first".to_string()));
        let ended = EngineFault::Exited("ended with exit status 3".to_string());
        assert_eq!(process.next_line(deadline), Err(ended));
        assert_eq!(process.last_stderr_line().as_deref(), Some("to err"));
        let mut process = Process::start(&launch(&["/bin/sh", "-c", "kill -SEGV $$"])).unwrap();
        let ended = EngineFault::Exited("was ended by signal 11".to_string());
        assert_eq!(process.next_line(deadline), Err(ended));
    }

    /// A new session, an orphaned process or an empty environment does not hide a descendant.
    #[test]
    fn what_left_its_group_is_ended_too() {
        let script = "setsid sh -c 'echo $$; exec sleep 1000' & \
                      (setsid sh -c 'echo $$; exec sleep 1000' &); \
                      env -i setsid sh -c 'echo $$; exec sleep 1000' & \
                      cat";
        let mut process = Process::start(&launch(&["/bin/sh", "-c", script])).unwrap();
        let deadline = within(Duration::from_secs(20));
        let numbers = [(); 3].map(|()| process.next_line(deadline).unwrap().parse().unwrap());
        process.ask_to_quit = false;
        drop(process);
        for number in numbers {
            assert!(wait_for_exit(number), "process {number} is left");
        }
        // Nor does the exit of the program itself.
        let script = "setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.2";
        let mut process = Process::start(&launch(&["/bin/sh", "-c", script])).unwrap();
        let number = process.next_line(deadline).unwrap().parse().unwrap();
        while process.has_exited().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(process);
        assert!(wait_for_exit(number), "process {number} is left");
    }

    /// Sends more than a pipe holds to a program that never reads; nothing hangs.
    #[test]
    fn a_deaf_program_is_late_and_does_not_hang_us() {
        let mut process = Process::start(&launch(&["/bin/sleep", "100"])).unwrap();
        let long = "x".repeat(100_000);
        for _ in 0..10 {
            process.send(&long);
        }
        let soon = within(Duration::from_millis(20));
        assert_eq!(process.next_line(soon), Err(EngineFault::Timeout));
        let started = Instant::now();
        process.ask_to_quit = false;
        drop(process);
        assert!(started.elapsed() < QUIT_TIMEOUT, "a killed program gets no grace");
    }

    #[test]
    fn received_bytes_become_lines_however_they_are_cut() {
        let mut rng = seeded(11);
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..below(&mut rng, 60))
                .map(|_| b"ab\r\n\xff\n"[below(&mut rng, 6) as usize])
                .collect();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let mut expected: Vec<&str> = text.split('\n').collect();
            expected.pop();
            let mut received = LineBuffer::default();
            let mut lines = Vec::new();
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                let (now, later) = rest.split_at(1 + below(&mut rng, rest.len() as u32) as usize);
                received.0.extend(now);
                while below(&mut rng, 4) > 0 {
                    lines.extend(received.take_line().unwrap());
                }
                rest = later;
            }
            while let Some(line) = received.take_line().unwrap() {
                lines.push(line);
            }
            let expected: Vec<&str> =
                expected.iter().map(|line| line.trim_end_matches('\r')).collect();
            assert_eq!(lines, expected);
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut received = LineBuffer::default();
        received.0.extend([b'x'; LONGEST_LINE]);
        assert_eq!(received.take_line(), Ok(None));
        received.0.push_back(b'x');
        assert!(matches!(received.take_line(), Err(EngineFault::InvalidReply(_))));
        assert!(received.0.is_empty());
    }

    #[test]
    fn complaints_are_kept_short() {
        let mut stderr = StderrTail::default();
        for number in 0..100 {
            stderr.extend(format!("{number} {}\n \n", "y".repeat(5000)).as_bytes());
        }
        let last = stderr.last().unwrap();
        assert!(last.starts_with("99 y") && last.len() <= MAX_STDERR_CHARS, "{last}");
        stderr.extend(b"unfinished");
        assert_eq!(stderr.last().as_deref(), Some("unfinished"));
    }
}
