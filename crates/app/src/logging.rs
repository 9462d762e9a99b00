//! Log output of [`tracing`]: lines on stderr, filtered by level and area, and the log file of each
//! training run.
//!
//! Crates log with their area as the target: `tracing::info!(target: "train", "…")`. Programs call
//! [`init`] once.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::time::Instant;

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber, span};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use tesuji_train::run::{SPAN, SPAN_FOLDER, SPAN_TARGET};

/// The areas of log lines.
pub const AREAS: [&str; 7] = ["engine", "experiment", "match", "queue", "store", "train", "web"];

/// The levels, from the fewest lines to the most.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The environment variable with the filter.
pub const VARIABLE: &str = "TESUJI_LOG";

/// Starts logging: lines up to this level, or by a filter such as `debug` or `warn,train=debug`, go
/// to stderr. Events of training runs also go into their folders. Only the first call in a process
/// has an effect.
pub fn init(level: Level, text: Option<&str>) -> Result<(), String> {
    let targets = match text {
        Some(text) if !text.trim().is_empty() => targets(text)?,
        _ => Targets::new().with_default(level),
    };
    let lines = StderrLines { begun: Instant::now() }.with_filter(targets);
    let files = RunFiles.with_filter(Targets::new().with_target(SPAN_TARGET, Level::INFO));
    // A program with its own subscriber has installed it before; it stays.
    let _ = tracing_subscriber::registry().with(lines).with(files).try_init();
    Ok(())
}

/// Parses `LEVEL` or `AREA=LEVEL`, or several of them separated by commas.
fn targets(text: &str) -> Result<Targets, String> {
    let known = |part: &str| {
        let (area, level) =
            part.split_once('=').map_or((None, part), |(area, level)| (Some(area), level));
        area.is_none_or(|area| AREAS.contains(&area.trim())) && LEVELS.contains(&level.trim())
    };
    let wrong = || {
        let (shown, areas, levels) = (text.escape_debug(), AREAS.join(", "), LEVELS.join(", "));
        format!(
            "{VARIABLE} '{shown}': unknown level or area; expected LEVEL or AREA=LEVEL,… \
             (levels: {levels}; areas: {areas}), such as train=debug"
        )
    };
    if !text.split(',').all(known) {
        return Err(wrong());
    }
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    plain.parse().map_err(|_| wrong())
}

/// Writes events to stderr: errors and warnings as `error: …` and `warning: …`, lower levels with
/// time, level and area.
struct StderrLines {
    begun: Instant,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for StderrLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let message = message(event);
        let line = match *event.metadata().level() {
            Level::ERROR => format!("error: {message}"),
            Level::WARN => format!("warning: {message}"),
            level => {
                let (seconds, area) =
                    (self.begun.elapsed().as_secs_f64(), event.metadata().target());
                format!("{seconds:10.3} {:5} {area}: {message}", level.as_str().to_lowercase())
            }
        };
        // A closed stderr must not stop the program.
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Writes the events of a training run into `log.txt` in its folder. The span of the run holds the
/// file.
struct RunFiles;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for RunFiles {
    fn on_new_span(
        &self,
        attributes: &span::Attributes<'_>,
        id: &span::Id,
        context: Context<'_, S>,
    ) {
        if attributes.metadata().name() != SPAN {
            return;
        }
        let mut folder = Folder(None);
        attributes.record(&mut folder);
        let file = folder.0.and_then(|folder| {
            let path = std::path::Path::new(&folder).join("log.txt");
            OpenOptions::new().create(true).append(true).open(path).ok()
        });
        if let (Some(file), Some(span)) = (file, context.span(id)) {
            span.extensions_mut().insert(file);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let scope = context.event_scope(event).into_iter().flatten();
        for span in scope {
            if let Some(file) = span.extensions_mut().get_mut::<File>() {
                let line = format!("{} {}\n", tesuji_train::folder::now(), message(event));
                // A full disk is reported when results are written.
                let _ = file.write_all(line.as_bytes());
            }
        }
    }
}

/// The folder among the fields of a run's span.
struct Folder(Option<String>);

impl Visit for Folder {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == SPAN_FOLDER {
            self.0 = Some(value.to_string());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

/// Formats an event on one line: its message, then its other fields.
fn message(event: &Event<'_>) -> String {
    let mut text = String::new();
    let written = DefaultFields::new().format_fields(Writer::new(&mut text), event);
    debug_assert!(written.is_ok(), "writing to a string does not fail");
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_areas_are_read() {
        for text in ["debug", "off", "train=debug", "warn, train = debug,engine=trace"] {
            assert!(targets(text).is_ok(), "{text}");
        }
        let train = targets("warn,train=debug").unwrap();
        assert!(
            train.would_enable("train", &Level::DEBUG) && !train.would_enable("web", &Level::INFO)
        );
        for text in ["loud", "train=", "trane=debug", "train=debug,", "=debug", "a=b=c", "\n"] {
            let error = targets(text).unwrap_err();
            assert!(error.contains("expected LEVEL") && !error.contains('\n'), "{error}");
        }
    }
}
