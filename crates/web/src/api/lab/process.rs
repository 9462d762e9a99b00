//! One job: a child process in a group of its own, its output in a file, asked to stop with growing emphasis.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// The file with what the program said.
pub(super) const OUTPUT: &str = "output.txt";
/// Between two looks at the child.
const POLL_INTERVAL: Duration = Duration::from_millis(40);
/// So long after being interrupted it is told to end, and so long after that it is ended.
const ESCALATION_TIMES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(15)];

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProcessEnd {
    Finished,
    Failed,
    /// It was asked to stop.
    Interrupted,
}

/// A child at work, or what became of it; copies are the same one.
#[derive(Clone)]
pub(super) struct Process(Arc<Mutex<ProcessInner>>);

struct ProcessInner {
    child: Child,
    group: Option<Pid>,
    /// When it was asked to stop, and how often so far.
    asked: Option<(Instant, usize)>,
    /// Whether the system has forgotten the child: its number may be another process's now.
    is_gone: bool,
    end: Option<ProcessEnd>,
}

impl Process {
    /// Starts a program and watches it. `ended` is called once, from another thread, before anybody else hears of the
    /// end.
    pub(super) fn start(
        mut command: Command,
        folder: &Path,
        ended: impl FnOnce(ProcessEnd) + Send + 'static,
    ) -> io::Result<Process> {
        let output = File::options().create(true).append(true).open(folder.join(OUTPUT))?;
        let child = command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0)
            .spawn()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let inner = ProcessInner { child, group, asked: None, is_gone: false, end: None };
        let process = Process(Arc::new(Mutex::new(inner)));
        let watched = process.clone();
        let watch = move || {
            let end = watched.watch();
            ended(end);
            watched.inner().end = Some(end);
        };
        thread::Builder::new().name("job".to_string()).spawn(watch)?;
        Ok(process)
    }

    /// Asks it to stop, kindly.
    pub(super) fn stop(&self) {
        let mut inner = self.inner();
        if inner.end.is_none() && inner.asked.is_none() {
            inner.asked = Some((Instant::now(), 0));
            inner.signal(Signal::INT);
        }
    }

    /// Ends it and everything in its group at once.
    pub(super) fn kill(&self) {
        let inner = self.inner();
        if inner.end.is_none() {
            inner.signal(Signal::KILL);
        }
    }

    /// How it ended; nothing while it is at work.
    pub(super) fn end(&self) -> Option<ProcessEnd> {
        self.inner().end
    }

    /// Whether it was asked to stop and has not done so yet.
    pub(super) fn is_stopping(&self) -> bool {
        let inner = self.inner();
        inner.end.is_none() && inner.asked.is_some()
    }

    fn watch(&self) -> ProcessEnd {
        loop {
            if let Some(end) = self.inner().poll() {
                return end;
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn inner(&self) -> MutexGuard<'_, ProcessInner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProcessInner {
    /// Whether the child is gone. Only here it is waited for, so a signal cannot meet another process by its number.
    fn poll(&mut self) -> Option<ProcessEnd> {
        let status = match self.child.try_wait() {
            Ok(None) => {
                self.escalate();
                return None;
            }
            Ok(Some(status)) => Some(status),
            Err(_) => None,
        };
        self.is_gone = true;
        let well = status.is_some_and(|status| status.success());
        Some(match (well, self.asked) {
            (true, _) => ProcessEnd::Finished,
            (false, Some(_)) => ProcessEnd::Interrupted,
            (false, None) => ProcessEnd::Failed,
        })
    }

    fn escalate(&mut self) {
        let Some((since, times)) = self.asked else { return };
        let Some(timeout) = ESCALATION_TIMES.get(times) else { return };
        if since.elapsed() >= *timeout {
            self.asked = Some((since, times + 1));
            self.signal(if times == 0 { Signal::TERM } else { Signal::KILL });
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group.filter(|_| !self.is_gone) {
            // It may have ended just now, which is what is wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}

/// What the program said last.
pub(super) fn output_of(folder: &Path) -> Vec<String> {
    super::folders::tail_of(&output_file(folder), 8 << 10, 12)
}

fn output_file(folder: &Path) -> PathBuf {
    folder.join(OUTPUT)
}
