//! Runs other programs in order, each under a heading, and prints a table of the times.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The build folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// `cargo` with these words, in the root of the workspace.
pub(crate) fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).current_dir(root());
    // `cargo xtask` sets variables of its own package. Build scripts that depend on them would run
    // again after a direct call of cargo.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    if std::env::var_os("CI").is_some() {
        // A clean clone is built once, so data for a second build or a debugger is not needed.
        command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
        // One unit per crate takes less processor time, and there are enough crates for the cores.
        command.env("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1");
    }
    command
}

/// Runs a command to its end; a failure is an error that names the command.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let text = command_text(command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{text}` failed: {status}")),
        Err(error) => Err(format!("`{text}` could not be started: {error}")),
    }
}

/// The command line of a command.
fn command_text(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The steps done so far.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<(String, Duration, Result<(), String>)>,
}

impl Steps {
    /// Runs a step and records its result. Later steps run after a failure, too, so that one call
    /// shows all failures.
    pub(crate) fn step(&mut self, title: &str, work: impl FnOnce() -> Result<(), String>) {
        println!("\n── {title}");
        let started = Instant::now();
        let result = work();
        if let Err(message) = &result {
            println!("{message}");
        }
        self.done.push((title.to_string(), started.elapsed(), result));
    }

    /// Prints the table; returns an error if a step failed.
    pub(crate) fn finish(self) -> Result<(), String> {
        println!("\n── summary");
        for (title, time, result) in &self.done {
            let verdict = if result.is_ok() { "ok" } else { "FAILED" };
            println!("{verdict:>7} {:7.1} s  {title}", time.as_secs_f64());
        }
        let failed = self.done.iter().filter(|(_, _, result)| result.is_err()).count();
        if failed == 0 {
            Ok(())
        } else {
            Err(format!("{failed} of {} steps failed", self.done.len()))
        }
    }
}
