//! The process of a job: a child in its own process group, with its output in a file, stopped by
//! escalating signals.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// The file with the output.
pub(super) const OUTPUT: &str = "output.txt";
/// The interval between checks of the child.
const POLL_INTERVAL: Duration = Duration::from_millis(40);
/// The times after the interrupt at which the process gets SIGTERM and then SIGKILL.
const ESCALATION_TIMES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(15)];

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProcessEnd {
    Finished,
    Failed,
    /// It was stopped by request.
    Interrupted,
}

/// A running or ended child process; clones share it.
#[derive(Clone)]
pub(super) struct Process(Arc<Mutex<ProcessInner>>);

struct ProcessInner {
    child: Child,
    group: Option<Pid>,
    /// The time of the stop request and the number of escalations.
    asked: Option<(Instant, usize)>,
    /// Whether the child was reaped; its process id may be reused.
    is_gone: bool,
    end: Option<ProcessEnd>,
}

impl Process {
    /// Starts a program and a thread that watches it. `ended` is called once on that thread before
    /// the end is visible to others.
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

    /// Interrupts the process.
    pub(super) fn stop(&self) {
        let mut inner = self.inner();
        if inner.end.is_none() && inner.asked.is_none() {
            inner.asked = Some((Instant::now(), 0));
            inner.signal(Signal::INT);
        }
    }

    /// Kills the process group.
    pub(super) fn kill(&self) {
        let inner = self.inner();
        if inner.end.is_none() {
            inner.signal(Signal::KILL);
        }
    }

    /// How it ended; `None` while it runs.
    pub(super) fn end(&self) -> Option<ProcessEnd> {
        self.inner().end
    }

    /// Whether it was asked to stop and still runs.
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
    /// Checks whether the child has ended. Only this method reaps it, so a signal cannot reach
    /// another process of the same id.
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
            // The process may have just ended.
            let _ = kill_process_group(group, signal);
        }
    }
}

/// The last lines of the output.
pub(super) fn output_of(folder: &Path) -> Vec<String> {
    super::folders::tail_of(&output_file(folder), 8 << 10, 12)
}

fn output_file(folder: &Path) -> PathBuf {
    folder.join(OUTPUT)
}
