//! Output: results as text or JSON on stdout, with colors on a terminal. Long commands show
//! progress on stderr: a bar on a terminal, otherwise a line every few seconds.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tesuji_store::safe_file::{self, IfExists};

use crate::failure::Failure;

/// When to color.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// Whether to color stdout.
    pub(crate) fn is_on(self) -> bool {
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                io::stdout().is_terminal() && !forbidden && !dumb
            }
        }
    }
}

/// Prints text as it is.
pub(crate) fn print(text: impl Display) -> Result<(), Failure> {
    Ok(write!(io::stdout(), "{text}")?)
}

/// Prints a line; takes the arguments of `format!`.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}
pub(crate) use say;

/// A value as indented JSON.
pub(crate) fn json_text(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map_err(|error| Failure::Failed(format!("cannot write JSON: {error}")))
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    say!("{}", json_text(value)?)
}

/// Prints rows with aligned columns, two spaces apart, below their titles.
pub(crate) fn print_titled<R: AsRef<[String]>>(
    titles: &[&str],
    rows: impl IntoIterator<Item = R>,
) -> Result<(), Failure> {
    let titles = titles.iter().map(|title| title.to_string()).collect();
    let rows = rows.into_iter().map(|row| row.as_ref().to_vec());
    print_table(&std::iter::once(titles).chain(rows).collect::<Vec<Vec<String>>>())
}

/// Prints rows with aligned columns. A row may have fewer cells than others.
pub(crate) fn print_table(rows: &[impl AsRef<[String]>]) -> Result<(), Failure> {
    let mut widths = Vec::new();
    for row in rows {
        let row = row.as_ref();
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths);
        let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
        say!("{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

/// Writes a file atomically.
pub(crate) fn write_file(path: &Path, existing: IfExists, content: &[u8]) -> io::Result<()> {
    safe_file::write(path, existing, |out| out.write_all(content))
}

/// Whether to replace an existing file.
pub(crate) fn existing(force: bool) -> IfExists {
    if force { IfExists::Replace } else { IfExists::Keep }
}

/// The time between two plain lines of progress.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// The time between two messages of a bar: a message may be costly to compute.
const BETWEEN_MESSAGES: Duration = Duration::from_millis(100);

/// Shows the progress of one task.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    total: Option<u64>,
    unit: &'static str,
    started: Instant,
    last: Mutex<Instant>,
}

/// Whether progress is hidden: `-q`.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Hides all progress from now on.
pub(crate) fn hide_progress() {
    HIDDEN.store(true, Relaxed);
}

impl Progress {
    /// Shows the progress of `total` steps, or of an unknown number.
    pub(crate) fn new(total: Option<u64>, unit: &'static str) -> Progress {
        let visible = !HIDDEN.load(Relaxed) && io::stderr().is_terminal();
        let bar = visible.then(|| {
            let (bar, style) = match total {
                Some(total) => (
                    ProgressBar::new(total),
                    "{wide_bar} {pos}/{len} {unit}  {per_sec}  {elapsed}, {eta} left  {msg}",
                ),
                None => (ProgressBar::new_spinner(), "{spinner} {elapsed}  {msg}"),
            };
            let style = ProgressStyle::with_template(&style.replace("{unit}", unit));
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        let started = Instant::now();
        Progress { bar, total, unit, started, last: Mutex::new(started) }
    }

    /// Shows that `done` steps are finished, with a message about the current state.
    pub(crate) fn show(&self, done: u64, message: impl FnOnce() -> String) {
        if HIDDEN.load(Relaxed) {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(|poison| poison.into_inner());
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                if done <= 1 || last.elapsed() >= BETWEEN_MESSAGES {
                    *last = Instant::now();
                    bar.set_message(message());
                }
            }
            None if last.elapsed() >= BETWEEN_LINES => {
                *last = Instant::now();
                let of = self.total.map(|total| format!("/{total}")).unwrap_or_default();
                let rate = rate_text(done, self.total, self.started.elapsed());
                // A closed stderr is no error.
                let _ = writeln!(io::stderr(), "{done}{of} {}  {rate}  {}", self.unit, message());
            }
            None => {}
        }
    }
}

/// The rate and the estimated time left: `12.5/s, 80 s left`.
fn rate_text(done: u64, total: Option<u64>, elapsed: Duration) -> String {
    let per_second = done as f64 / elapsed.as_secs_f64().max(1e-9);
    let left = total
        .filter(|_| done > 0)
        .map(|total| format!(", {:.0} s left", total.saturating_sub(done) as f64 / per_second));
    format!("{per_second:.1}/s{}", left.unwrap_or_default())
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
