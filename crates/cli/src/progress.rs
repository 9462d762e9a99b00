//! Long work shows that it is alive: a bar on a terminal, a plain line now and then elsewhere. All of it
//! on stderr, so that results can be piped.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Between two plain lines.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// Between two messages of a bar: nobody reads faster, and a message may take some computing.
const BETWEEN_MESSAGES: Duration = Duration::from_millis(100);

/// The progress of one piece of work.
pub(crate) enum Progress {
    Bar { bar: ProgressBar, last: Mutex<Instant> },
    Lines { total: Option<u64>, unit: &'static str, started: Instant, last: Mutex<Instant> },
    Hidden,
}

/// Whether progress is hidden: `-q`.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Shows no progress from now on.
pub(crate) fn hide() {
    HIDDEN.store(true, Relaxed);
}

impl Progress {
    /// Work of `total` steps, or of nobody knows how many.
    pub(crate) fn new(total: Option<u64>, unit: &'static str) -> Progress {
        if HIDDEN.load(Relaxed) {
            return Progress::Hidden;
        }
        if !io::stderr().is_terminal() {
            let started = Instant::now();
            return Progress::Lines { total, unit, started, last: Mutex::new(started) };
        }
        let bar = match total {
            Some(total) => ProgressBar::new(total).with_style(style(
                "{wide_bar} {pos}/{len} {unit}  {per_sec}  {elapsed}, {eta} left  {msg}",
                unit,
            )),
            None => {
                ProgressBar::new_spinner().with_style(style("{spinner} {elapsed}  {msg}", unit))
            }
        };
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress::Bar { bar, last: Mutex::new(Instant::now()) }
    }

    /// `done` steps are finished; `message` says how it stands.
    pub(crate) fn show(&self, done: u64, message: impl FnOnce() -> String) {
        let mut message = Some(message);
        self.show_lazily(done, &mut || message.take().map(|message| message()).unwrap_or_default());
    }

    /// The same for any message: compiled once.
    fn show_lazily(&self, done: u64, message: &mut dyn FnMut() -> String) {
        match self {
            Progress::Hidden => {}
            Progress::Bar { bar, last } => {
                bar.set_position(done);
                let mut last = last.lock().unwrap_or_else(|poison| poison.into_inner());
                if done <= 1 || last.elapsed() >= BETWEEN_MESSAGES {
                    *last = Instant::now();
                    bar.set_message(message());
                }
            }
            Progress::Lines { total, unit, started, last } => {
                let mut last = last.lock().unwrap_or_else(|poison| poison.into_inner());
                if last.elapsed() >= BETWEEN_LINES {
                    *last = Instant::now();
                    let of = total.map(|total| format!("/{total}")).unwrap_or_default();
                    let pace = pace(done, *total, started.elapsed());
                    // Nobody need listen.
                    let _ = writeln!(io::stderr(), "{done}{of} {unit}  {pace}  {}", message());
                }
            }
        }
    }
}

/// How fast it goes and how long it will go on: `12.5/s, 80 s left`.
fn pace(done: u64, total: Option<u64>, elapsed: Duration) -> String {
    let per_second = done as f64 / elapsed.as_secs_f64().max(1e-9);
    let left = total
        .filter(|_| done > 0)
        .map(|total| format!(", {:.0} s left", total.saturating_sub(done) as f64 / per_second));
    format!("{per_second:.1}/s{}", left.unwrap_or_default())
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Progress::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str, unit: &str) -> ProgressStyle {
    ProgressStyle::with_template(&template.replace("{unit}", unit))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
