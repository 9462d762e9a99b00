//! Finds and kills all descendants of a program, including those that left its process group or
//! session, and guards against this process being killed.
//!
//! A program can leave its group (`setsid`) and its parent (a double fork), but its children
//! inherit its environment. Each program therefore gets a variable with a unique name, by which its
//! descendants are found in `/proc`; descendants that cleared their environment are found as
//! children of children. The alternatives reach less far: the signal at the parent's death
//! (`PR_SET_PDEATHSIG`) reaches one process, needs `unsafe` and fires when the *thread* that
//! started the program ends; a subreaper cannot tell whose orphan it got; control groups need
//! rights that a user's process seldom has. On systems without `/proc` only the process group is
//! killed.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Maximum number of passes, to find processes that start during a pass.
const MAX_PASSES: usize = 10;

/// Waits for the end of its input, which this process holds open, and then kills every process with
/// the marker.
const GUARD: &str = r#"read -r _
for round in 1 2 3; do
  for file in $(grep -als "$1" /proc/[0-9]*/environ); do
    process=${file#/proc/}
    kill -s KILL "${process%/environ}" 2>/dev/null
  done
done"#;

/// The name of an environment variable that only one program and its descendants have. Each name is
/// unique, so a program that starts other programs keeps both markers.
#[derive(Clone, Debug)]
pub(super) struct EnvMarker(String);

impl EnvMarker {
    pub(super) fn new() -> EnvMarker {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let number = NUMBER.fetch_add(1, Relaxed);
        EnvMarker(format!("TESUJI_ENGINE_{}_{number}_{time}", std::process::id()))
    }

    /// Adds the marker to a command.
    pub(super) fn apply_to(&self, command: &mut Command) {
        command.env(&self.0, "1");
    }

    /// Starts the guard, before the program, so that the program never runs unguarded. Where it
    /// cannot be started there is no guard.
    pub(super) fn guard(&self) -> Option<KillGuard> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", GUARD, "guard", &self.0]).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        shell.spawn().ok().map(KillGuard)
    }

    /// Kills all descendants of a program and the program itself, which must not have been waited
    /// for.
    pub(super) fn kill_all(&self, program: Pid) {
        for _ in 0..MAX_PASSES {
            let of_tree: HashSet<i32> = tree_below(program).into_iter().collect();
            let ended = processes().filter(|&process| self.end(process, &of_tree)).count();
            if ended == 0 {
                return;
            }
        }
    }

    /// Kills one process if it has the marker or belongs to the tree; returns whether it did.
    fn end(&self, process: i32, of_tree: &HashSet<i32>) -> bool {
        let Some(number) = Pid::from_raw(process) else { return false };
        // Open the descriptor before the check: a process id may be reused, a descriptor is not.
        let Ok(descriptor) = pidfd_open(number, PidfdFlags::empty()) else { return false };
        let is_ours = of_tree.contains(&process) || self.is_on(process);
        is_ours && !is_zombie(process) && pidfd_send_signal(descriptor, Signal::KILL).is_ok()
    }

    fn is_on(&self, process: i32) -> bool {
        let Ok(environment) = fs::read(format!("/proc/{process}/environ")) else { return false };
        let has_mark = |entry: &[u8]| entry.strip_prefix(self.0.as_bytes()) == Some(&b"=1"[..]);
        environment.split(|&byte| byte == 0).any(has_mark)
    }
}

/// A process that outlives this one long enough to kill a program that this one can no longer kill.
pub(super) struct KillGuard(Child);

impl Drop for KillGuard {
    fn drop(&mut self) {
        // Kill it before its input closes: it has nothing left to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the ids of all processes.
fn processes() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns the children of a process, their children, and so on.
fn tree_below(program: Pid) -> Vec<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for process in processes() {
        if let Some((_, parent)) = state_and_parent(process) {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut tree = vec![program.as_raw_nonzero().get()];
    let mut looked = 0;
    while looked < tree.len() {
        let below = children.remove(&tree[looked]).unwrap_or_default();
        tree.extend(below);
        looked += 1;
    }
    tree.split_off(1)
}

fn is_zombie(process: i32) -> bool {
    state_and_parent(process).is_none_or(|(state, _)| state == "Z")
}

/// Reads `/proc/N/stat`: `N (name) state parent …`, where the name may contain anything.
fn state_and_parent(process: i32) -> Option<(String, i32)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_string(), fields.next()?.parse().ok()?))
}

/// Waits until a process has exited; a zombie counts.
#[cfg(test)]
pub(super) fn wait_for_exit(process: i32) -> bool {
    let mut looks = (0..2000).map(|_| std::thread::sleep(std::time::Duration::from_millis(10)));
    looks.any(|()| is_zombie(process))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_of_a_process_is_found() {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "sleep 1000 & sleep 1000 & echo; wait"]).stdout(Stdio::piped());
        let mut child = shell.process_group(0).spawn().unwrap();
        let mut line = [0];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();
        let number = Pid::from_child(&child);
        let tree = tree_below(number);
        assert_eq!(tree.len(), 2, "{tree:?}");
        EnvMarker::new().kill_all(number);
        assert!(tree.into_iter().all(wait_for_exit));
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Simulates that this process is killed: the guard's input closes.
    #[test]
    fn the_guard_ends_what_has_the_mark() {
        let marker = EnvMarker::new();
        let mut guard = marker.guard().unwrap();
        let mut sleep = Command::new("/bin/sleep");
        sleep.arg("1000");
        let mut other = sleep.spawn().unwrap();
        marker.apply_to(&mut sleep);
        let mut marked = sleep.spawn().unwrap();
        drop(guard.0.stdin.take());
        assert!(wait_for_exit(marked.id() as i32));
        assert!(other.try_wait().unwrap().is_none(), "a process without the marker lives");
        for child in [&mut marked, &mut other] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
