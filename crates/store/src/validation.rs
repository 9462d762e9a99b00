//! Validation of records. Both databases refuse the same records before anything is written: text
//! with NUL characters (impossible in PostgreSQL), numbers that are not finite (impossible in
//! SQLite and JSON), names too long for an index, and scores and JSON that could not be read again.

use serde_json::Value;
use tesuji_games::Score;

use crate::{Record, StoreError};

/// The longest key, in bytes. PostgreSQL indexes at most about 2,700 bytes.
const MAX_KEY_BYTES: usize = 2000;
/// The longest of the other indexed names: events, games, runs, stages, pools, boards, players.
const MAX_NAME_BYTES: usize = 1000;
/// The longest output of a job, in bytes. With all quotes escaped it still fits a line of an
/// export.
const MAX_OUTPUT_BYTES: usize = 6 << 20;
/// serde_json stops at a depth of 128.
const MAX_JSON_DEPTH: u32 = 100;

/// Checks records; the error names the first that cannot be stored.
pub(crate) fn check(records: &[Record]) -> Result<(), StoreError> {
    records.iter().try_for_each(|record| {
        check_one(record).map_err(|why| StoreError::InvalidRecord {
            record: description(record),
            why: why.to_string(),
        })
    })
}

fn check_one(record: &Record) -> Result<(), Problem> {
    match record {
        Record::Game(game) => {
            key("key", &game.key)?;
            name("event", &game.event)?;
            name("game", &game.game)?;
            for player in &game.players {
                name("player's name", &player.name)?;
                text("player's spec", &player.spec)?;
            }
            text("start", game.start.as_deref().unwrap_or_default())?;
            text("moves", &game.moves)?;
            text("ending", &game.ending.detail)?;
            if game.ending.is_unfinished() {
                return Err(Problem::Unfinished);
            }
            game.thoughts.iter().filter_map(|thought| thought.score).try_for_each(score)
        }
        Record::Sample(sample) => {
            key("key", &sample.key)?;
            name("run", &sample.run)?;
            name("game", &sample.game)?;
            text("position", &sample.position)?;
            number("value", sample.value)?;
            number("weight", sample.weight)?;
            json("detail", &sample.detail)
        }
        Record::Run(run) => {
            name("id", &run.id)?;
            text("kind", &run.kind)?;
            text("name", &run.name)?;
            text("config", &run.config)?;
            text("state", &run.state)
        }
        Record::Job(job) => {
            key("key", &job.key)?;
            name("run", &job.run)?;
            name("stage", &job.stage)?;
            for (field, value) in [
                ("task", &job.task),
                ("brief", &job.brief),
                ("error", &job.error),
                ("worker", &job.worker),
            ] {
                text(field, value)?;
            }
            short("output", &job.output, MAX_OUTPUT_BYTES)
        }
        Record::Metric(metric) => {
            name("run", &metric.run)?;
            name("name", &metric.name)?;
            number("value", metric.value)
        }
        Record::Rating(rating) => {
            name("pool", &rating.pool)?;
            name("player's name", &rating.player.name)?;
            text("player's spec", &rating.player.spec)?;
            number("elo", rating.elo)?;
            number("low", rating.low.unwrap_or_default())?;
            number("high", rating.high.unwrap_or_default())?;
            number("points", rating.points)
        }
        Record::Human(score) => {
            key("key", &score.key)?;
            name("board", &score.board)?;
            text("name", &score.name)
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("{0} contains a NUL character; expected text without NUL")]
    Nul(&'static str),
    #[error("{field} has {length} bytes; expected at most {most}")]
    Long { field: &'static str, length: usize, most: usize },
    #[error("{0} is {1}; expected a finite number")]
    NotFinite(&'static str, f64),
    #[error("a score of a search is out of range; expected at most a win and at least a loss")]
    NoScore,
    #[error("the game is unfinished; expected a game with a result")]
    Unfinished,
    #[error("{0} is nested too deeply; expected at most {MAX_JSON_DEPTH} levels")]
    Deep(&'static str),
}

fn text(field: &'static str, text: &str) -> Result<(), Problem> {
    if text.contains('\0') { Err(Problem::Nul(field)) } else { Ok(()) }
}

fn short(field: &'static str, value: &str, most: usize) -> Result<(), Problem> {
    if value.len() > most {
        return Err(Problem::Long { field, length: value.len(), most });
    }
    text(field, value)
}

fn key(field: &'static str, value: &str) -> Result<(), Problem> {
    short(field, value, MAX_KEY_BYTES)
}

fn name(field: &'static str, value: &str) -> Result<(), Problem> {
    short(field, value, MAX_NAME_BYTES)
}

fn number(field: &'static str, number: f64) -> Result<(), Problem> {
    if number.is_finite() { Ok(()) } else { Err(Problem::NotFinite(field, number)) }
}

/// The bounds of a search are not scores of a position and have no text form.
fn score(score: Score) -> Result<(), Problem> {
    if Score::MIN < score && score < Score::MAX { Ok(()) } else { Err(Problem::NoScore) }
}

fn json(field: &'static str, value: &Value) -> Result<(), Problem> {
    if is_within(value, MAX_JSON_DEPTH) { Ok(()) } else { Err(Problem::Deep(field)) }
}

fn is_within(value: &Value, levels: u32) -> bool {
    let Some(inner) = levels.checked_sub(1) else { return false };
    match value {
        Value::Array(items) => items.iter().all(|item| is_within(item, inner)),
        Value::Object(fields) => fields.values().all(|item| is_within(item, inner)),
        _ => true,
    }
}

/// A short description of the record, on one line.
fn description(record: &Record) -> String {
    let short = |text: &str| {
        let start: String = text.chars().take(60).collect();
        let dots = if start.len() < text.len() { "…" } else { "" };
        format!("'{}{dots}'", start.escape_debug())
    };
    match record {
        Record::Game(game) => format!("game {}", short(&game.key)),
        Record::Sample(sample) => format!("sample {}", short(&sample.key)),
        Record::Run(run) => format!("run {}", short(&run.id)),
        Record::Job(job) => format!("job {}", short(&job.key)),
        Record::Metric(metric) => {
            format!("metric {} of run {}", short(&metric.name), short(&metric.run))
        }
        Record::Rating(rating) => {
            format!("rating of {} in {}", short(&rating.player.name), short(&rating.pool))
        }
        Record::Human(score) => format!("human score {}", short(&score.key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Metric, Sample};

    fn metric(run: &str, value: f64) -> Record {
        Record::Metric(Metric {
            run: run.to_string(),
            name: "loss".to_string(),
            step: 3,
            value,
            at: 0,
        })
    }

    #[test]
    fn invalid_records_are_refused_in_one_line() {
        for (record, words) in [
            (
                metric("r", f64::NAN),
                "metric 'loss' of run 'r': value is NaN; expected a finite number",
            ),
            (metric("r", f64::INFINITY), "value is inf"),
            (metric("a\0b", 0.0), "run contains a NUL character"),
            (metric(&"x".repeat(1001), 0.0), "run has 1001 bytes; expected at most 1000"),
        ] {
            let message = check(&[metric("fine", 1.0), record]).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
            assert!(!message.contains(['\n', '\0']), "{message}");
        }
    }

    #[test]
    fn json_may_be_deep_but_not_too_deep() {
        let nested = |levels: u32| {
            let detail = (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
            Record::Sample(Sample {
                key: "k".to_string(),
                run: String::new(),
                game: "connect4".to_string(),
                position: String::new(),
                value: 0.0,
                weight: 1.0,
                detail,
            })
        };
        check(&[nested(99)]).unwrap();
        let message = check(&[nested(100)]).unwrap_err().to_string();
        assert!(message.contains("nested too deeply"), "{message}");
    }
}
