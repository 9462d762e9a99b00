//! Window samples as records of a store, and back.
//!
//! The position of such a record is the window as rows of `.`, `X` and `O` joined by `/`, where X moved first; its
//! value is 1, 0 or −1 for X; its detail says `{"window": SIDE}`.

use tesuji_store::Sample;

use crate::excerpt::excerpt;
use crate::forest::{Class, Field, Window, WindowSample};

/// The record of a sample. Its key should be made from what decided the game, so that a game that is played again
/// adds nothing.
pub fn record(run: &str, game: &str, key: &str, sample: &WindowSample, window: Window) -> Sample {
    let rows: Vec<String> = sample
        .fields
        .chunks(window.side.max(1))
        .map(|row| row.iter().map(|&field| letter(field)).collect())
        .collect();
    Sample {
        key: key.to_string(),
        run: run.to_string(),
        game: game.to_string(),
        position: rows.join("/"),
        value: value(sample.class),
        weight: 1.0,
        detail: serde_json::json!({ "window": window.side }),
    }
}

/// The sample of a record.
pub fn read(record: &Sample) -> Result<(Window, WindowSample), SampleError> {
    let wrong = |what| SampleError { key: excerpt(&record.key), what };
    let window = window_of(record).map_err(wrong)?;
    let fields = fields_of(&record.position, window).map_err(wrong)?;
    let class = Class::ALL
        .into_iter()
        .find(|&class| value(class) == record.value)
        .ok_or_else(|| wrong(Wrong::Value { found: record.value }))?;
    Ok((window, WindowSample { fields, class }))
}

/// A record that is no window sample.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("sample '{key}' cannot be learned from: {what}")]
pub struct SampleError {
    /// The key of the record.
    pub key: String,
    /// What is wrong with it.
    pub what: Wrong,
}

/// What is wrong with a record.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Wrong {
    /// It does not say how large its window is.
    #[error("expected {{\"window\": SIDE}} with a side of 1 to {most} as its detail, found {found}", most = Window::MOST_SIDE)]
    Detail {
        /// What it says instead.
        found: String,
    },
    /// The window has other rows.
    #[error("expected {side} rows of {side} cells joined by '/', found '{found}'")]
    Rows {
        /// The side of the window.
        side: usize,
        /// The position.
        found: String,
    },
    /// A cell holds something else.
    #[error("{found:?} in its window; expected '.', 'X' or 'O'")]
    Cell {
        /// What it holds.
        found: char,
    },
    /// The result is none.
    #[error("a value of {found}; expected 1, 0 or -1")]
    Value {
        /// What it is.
        found: f64,
    },
}

fn window_of(record: &Sample) -> Result<Window, Wrong> {
    let side = record.detail.get("window").and_then(serde_json::Value::as_u64);
    match side.and_then(|side| usize::try_from(side).ok()) {
        Some(side) if (1..=Window::MOST_SIDE).contains(&side) => Ok(Window { side }),
        _ => Err(Wrong::Detail { found: excerpt(&record.detail.to_string()) }),
    }
}

fn fields_of(position: &str, window: Window) -> Result<Vec<Field>, Wrong> {
    let side = window.side;
    let rows: Vec<&str> = position.split('/').collect();
    if rows.len() != side || rows.iter().any(|row| row.chars().count() != side) {
        return Err(Wrong::Rows { side, found: excerpt(position) });
    }
    let field = |found: char| {
        Field::ALL.into_iter().find(|&field| letter(field) == found).ok_or(Wrong::Cell { found })
    };
    rows.iter().flat_map(|row| row.chars()).map(field).collect()
}

const fn letter(field: Field) -> char {
    match field {
        Field::Empty => '.',
        Field::Mine => 'X',
        Field::Theirs => 'O',
    }
}

const fn value(class: Class) -> f64 {
    match class {
        Class::Win => 1.0,
        Class::Draw => 0.0,
        Class::Loss => -1.0,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use tesuji_games::random::{below, seeded};
    use tesuji_store::{Kind, Record, Selection, open};

    use super::*;

    fn random_samples(window: Window, count: usize) -> Vec<WindowSample> {
        let rng = &mut seeded(3);
        let mut pick = || below(rng, 3) as usize;
        let mut fields = || (0..window.cells()).map(|_| Field::ALL[pick()]).collect();
        (0..count).map(|i| WindowSample { fields: fields(), class: Class::ALL[i % 3] }).collect()
    }

    #[test]
    fn samples_survive_a_store() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path().join("samples.db").to_str().unwrap()).unwrap();
        let window = Window { side: 4 };
        let samples = random_samples(window, 30);
        let records: Vec<Record> = samples
            .iter()
            .enumerate()
            .map(|(i, s)| Record::Sample(record("run", "mnk:5x5", &format!("run/{i}"), s, window)))
            .collect();
        assert_eq!(store.add(&records).unwrap().new, 30);
        assert_eq!(store.add(&records).unwrap().known, 30);
        let mut back = Vec::new();
        let selection =
            Selection { event: Some("run".to_string()), ..Selection::all(Kind::Sample) };
        let keep = &mut |record| {
            let Record::Sample(sample) = record else { panic!("only samples were asked for") };
            back.push(read(&sample).unwrap());
            ControlFlow::Continue(())
        };
        store.for_each(&selection, keep).unwrap();
        let expected: Vec<_> = samples.into_iter().map(|sample| (window, sample)).collect();
        assert_eq!(back, expected);
    }

    #[test]
    fn a_record_is_readable() {
        let [empty, mine, theirs] = Field::ALL;
        let sample = WindowSample { fields: vec![mine, empty, theirs, theirs], class: Class::Loss };
        let record = record("r", "tictactoe", "r/1", &sample, Window { side: 2 });
        assert_eq!((record.position.as_str(), record.value), ("X./OO", -1.0));
        assert_eq!(record.detail.to_string(), r#"{"window":2}"#);
    }

    #[test]
    fn other_records_are_refused_in_one_line() {
        let sample = &random_samples(Window { side: 2 }, 1)[0];
        let good = record("r", "tictactoe", "r/1", sample, Window { side: 2 });
        let with = |change: &dyn Fn(&mut Sample)| {
            let mut bad = good.clone();
            change(&mut bad);
            let error = read(&bad).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            error
        };
        let says = |error: String, words: &str| assert!(error.contains(words), "{error}");
        says(with(&|s| s.position = "X.X/O".into()), "expected 2 rows of 2 cells");
        says(with(&|s| s.position = "X./O\n".into()), "'\\n' in its window");
        says(with(&|s| s.position = "h8i9".into()), "found 'h8i9'");
        says(with(&|s| s.value = 0.5), "a value of 0.5; expected 1, 0 or -1");
        says(with(&|s| s.value = f64::NAN), "expected 1, 0 or -1");
        says(with(&|s| s.detail = serde_json::Value::Null), "found null");
        says(with(&|s| s.detail = serde_json::json!({ "window": u64::MAX })), "1 to 255");
        says(with(&|s| s.detail = serde_json::json!({ "window": 0 })), "1 to 255");
        let odd_key = |s: &mut Sample| (s.key, s.value) = ("a\nb".repeat(100), 2.0);
        says(with(&odd_key), "…");
    }
}
