//! `cargo xtask fuzz`: runs the coverage-guided fuzz targets of `fuzz/` for a limited time.

use std::process::Command;

use crate::steps;

const TARGETS: [&str; 6] = ["specs", "lines", "laws", "files", "forests", "gems"];
const DEFAULT_SECONDS: &str = "60";

/// Runs one target or all of them.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    let (targets, seconds): (Vec<&str>, &str) = match words {
        [] => (TARGETS.to_vec(), DEFAULT_SECONDS),
        [target] => (vec![*target], DEFAULT_SECONDS),
        [target, seconds] => (vec![*target], *seconds),
        _ => return Err("expected: cargo xtask fuzz [TARGET] [SECONDS]".to_string()),
    };
    if seconds.parse::<u32>().is_err() {
        return Err(format!("SECONDS '{seconds}': not a number; expected a number such as 60"));
    }
    for target in targets {
        if !TARGETS.contains(&target) {
            return Err(format!("target '{target}': unknown; expected {}", TARGETS.join(", ")));
        }
        let time = format!("-max_total_time={seconds}");
        let mut command = Command::new("cargo");
        command.args(["+nightly", "fuzz", "run", target, "--", &time]);
        // The C code of SQLite is linked into a target twice, which the sanitizer takes for a
        // mistake.
        command.env("ASAN_OPTIONS", "detect_odr_violation=0");
        // cargo sets these for xtask; they would keep `+nightly` from taking effect.
        command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC");
        steps::run(command.current_dir(steps::root()))?;
    }
    Ok(())
}
