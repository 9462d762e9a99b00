//! Another program on the other end of three pipes. Nothing here knows a protocol: lines go out, lines come
//! in before a deadline, and in the end nothing of the program is left.
//!
//! Pipes are polled and never block. So a program that does not read, writes without end, or leaves children
//! behind that hold its output open costs no more than the deadline, and there are no threads to outlive it.

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

/// No answer of any protocol is nearly as long.
const LONGEST_LINE: usize = 64 * 1024;
/// How much is read at once.
const CHUNK: usize = 16 * 1024;
/// How often a silent program is looked at: it may have ended while a child of it holds its output open.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long after the last line of output the end of a program is waited for, to tell how it ended.
const EXIT_WAIT: Duration = Duration::from_millis(200);
/// How long a program that was told to quit may take. Gomocup's manager waits about as long.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);
/// Characters of a line of its error output that are kept.
const MAX_STDERR_CHARS: usize = 200;

/// How a program is started and spoken to.
#[derive(Clone, Debug)]
pub(crate) struct LaunchOptions {
    /// The program, found.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// The folder it runs in; ours by default.
    pub(crate) folder: Option<PathBuf>,
    /// What ends the lines sent to it.
    pub(crate) line_end: &'static str,
    /// The line that asks it to quit.
    pub(crate) quit_command: &'static str,
    /// Where all lines are written down, for people who write engines.
    pub(crate) log: Option<PathBuf>,
}

/// What went wrong with a program. The text goes on after its name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum EngineFault {
    /// The deadline passed.
    #[error("gives no answer")]
    Timeout,
    /// It is gone, or as good as gone.
    #[error("{0}")]
    Exited(String),
    /// It said something that is no answer.
    #[error("{0}")]
    InvalidReply(String),
    /// It answered with a move that the rules forbid.
    #[error("{0}")]
    IllegalMove(String),
    /// It gave up.
    #[error("resigns")]
    Resigned,
}

/// A running program. It and all that descends from it end when this is dropped, and when this
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
    /// Whether it is asked to quit before it is ended.
    pub(crate) ask_to_quit: bool,
}

impl Process {
    /// Starts the program in a process group of its own.
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

    /// Sends a line. What the program does not read yet is sent while its answer is waited for.
    pub(crate) fn send(&mut self, line: &str) {
        self.log_line('>', line);
        self.unwritten.extend_from_slice(line.as_bytes());
        self.unwritten.extend_from_slice(self.launch.line_end.as_bytes());
        self.write();
    }

    /// The next line it says, without its end.
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
            // What it said before it ended has been read when another look finds nothing.
            if silent && self.has_exited().is_some() && !self.poll_pipes(Duration::ZERO) {
                return Err(self.ended());
            }
        }
    }

    /// The last line of its error output.
    pub(crate) fn last_stderr_line(&mut self) -> Option<String> {
        self.poll_pipes(Duration::ZERO);
        self.stderr.last()
    }

    /// Asks it to quit; true when it does so within its grace. Its children may live until the drop.
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
            // Its input ends too, once it has read its quit_command.
            if self.unwritten.is_empty() {
                self.input = None;
            }
            self.received.0.clear();
        }
        true
    }

    /// Waits until something can be read or written, at most so long, and does it. True when something was
    /// read from its output.
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
                // It closed its input. That is its end, or it will be late.
                _ => {
                    self.input = None;
                    self.unwritten.clear();
                }
            }
        }
    }

    /// How it ended, if it has. It stays a zombie until the drop, so that nobody else can get the number of
    /// its process group in the meantime.
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

    /// Writes down what is said (`>`) and heard (`<`): seconds since 1970, the number of the process, the line. Several
    /// programs may share a log: each line is written at once.
    fn log_line(&mut self, arrow: char, line: &str) {
        let number = self.child.id();
        tracing::trace!(target: "engine", "{number} {arrow} {line}");
        if let Some(log) = &mut self.log {
            let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let text = format!("{:.3} {number} {arrow} {line}\n", time.as_secs_f64());
            // A log on a full disk is no reason to lose a game.
            let _ = log.write_all(text.as_bytes());
        }
    }
}

/// A file at whose end lines are added.
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

/// Quits politely where that makes sense, then ends whatever descends from it and reaps the child.
impl Drop for Process {
    fn drop(&mut self) {
        if self.ask_to_quit {
            self.quit();
        }
        // Before the group, while it can still be seen who is whose child.
        self.marker.kill_all(self.group);
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
    }
}

/// What can be read now. A pipe that is closed goes.
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

/// Bytes that have come in and were not yet taken as lines.
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

/// The last line of its error output that says something, and the beginning of the next one.
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

    /// Neither a session of its own nor a missing parent nor an empty environment hides a
    /// descendant.
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
        // Nor does an end of the program itself.
        let script = "setsid sh -c 'echo $$; exec sleep 1000' & sleep 0.2";
        let mut process = Process::start(&launch(&["/bin/sh", "-c", script])).unwrap();
        let number = process.next_line(deadline).unwrap().parse().unwrap();
        while process.has_exited().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(process);
        assert!(wait_for_exit(number), "process {number} is left");
    }

    /// More than a pipe holds is sent to a program that never reads, and nothing hangs.
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
