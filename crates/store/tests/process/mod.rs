//! Tests with several processes. The test program runs itself again with a task (`tasks.rs`), so it
//! has this small harness instead of the standard one.

pub(crate) mod kills;
pub(crate) mod tasks;

use std::process::{Command, ExitCode, Stdio};

/// The variables for the task of the other process and its store.
const TASK: &str = "TESUJI_STORE_TASK";
const PLACE: &str = "TESUJI_STORE_PLACE";
/// Distinguishes the keys of one process from those of others.
const NAME: &str = "TESUJI_STORE_NAME";

/// A test and its name.
pub(crate) type Law = (&'static str, fn());

/// Makes a list of tests from their names.
macro_rules! named {
    ($($law:ident),+ $(,)?) => { vec![$((stringify!($law), $law as fn())),+] };
}
pub(crate) use named;

/// Runs the task that is set, or else the tests whose names contain one of the given words.
pub(crate) fn main(laws: fn() -> Vec<Law>) -> ExitCode {
    if let Ok(task) = std::env::var(TASK) {
        let given = |name| std::env::var(name).unwrap_or_default();
        return tasks::run(&task, &given(PLACE), &given(NAME));
    }
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    let mut failed = 0;
    for (name, law) in laws().iter().filter(|(name, _)| wanted(name)) {
        let result = std::panic::catch_unwind(law);
        println!("test {name} ... {}", if result.is_ok() { "ok" } else { "FAILED" });
        failed += u32::from(result.is_err());
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A command that runs this program with a task.
pub(crate) fn other_process(task: &str, place: &str, name: &str) -> Command {
    with_task(Command::new(std::env::current_exe().unwrap()), task, place, name)
}

/// Sets the task of any command that runs this program.
pub(crate) fn with_task(mut command: Command, task: &str, place: &str, name: &str) -> Command {
    command.env(TASK, task).env(PLACE, place).env(NAME, name);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// The complete lines: a killed process may have written a part of one.
pub(crate) fn whole_lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let end = text.rfind('\n').map_or(0, |at| at + 1);
    text[..end].lines().map(str::to_string).collect()
}
