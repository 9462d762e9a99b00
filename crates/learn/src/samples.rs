//! Conversion of window samples to records of a store, and back.
//!
//! The position of a record is the window as rows of `.`, `X` and `O` joined by `/`, where X moved
//! first; after a space follow windows of earlier positions of the same game, latest first. Its
//! value is 1, 0 or −1 for X. Its detail is `{"window": SIDE}`.

use tesuji_store::Sample;

use crate::excerpt::excerpt;
use crate::forest::{CellContent, Class, PatternWindow, WindowSample};

/// Converts the samples of a game to a record. The key should be derived from what determines the
/// game, so that playing it again adds nothing.
///
/// # Panics
/// Panics without samples.
pub fn to_record(
    run: &str,
    game: &str,
    key: &str,
    samples: &[WindowSample],
    window: PatternWindow,
) -> Sample {
    let position = |sample: &WindowSample| {
        let rows = sample.contents.chunks(window.side.max(1));
        let rows = rows.map(|row| row.iter().map(|content| content.letter()).collect());
        rows.collect::<Vec<String>>().join("/")
    };
    Sample {
        key: key.to_string(),
        run: run.to_string(),
        game: game.to_string(),
        position: samples.iter().map(position).collect::<Vec<_>>().join(" "),
        value: value(samples[0].class),
        weight: 1.0,
        detail: serde_json::json!({ "window": window.side }),
    }
}

/// Converts a record to the samples of a game, at least one.
pub fn from_record(record: &Sample) -> Result<(PatternWindow, Vec<WindowSample>), SampleError> {
    parse(record).map_err(|what| {
        let key = excerpt(&record.key);
        SampleError(format!("sample '{key}': {what}"))
    })
}

/// Why a record is not a window sample.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct SampleError(String);

fn parse(record: &Sample) -> Result<(PatternWindow, Vec<WindowSample>), String> {
    let most = PatternWindow::MAX_SIDE;
    let side = record.detail.get("window").and_then(serde_json::Value::as_u64);
    let side = side.and_then(|side| usize::try_from(side).ok());
    let side = side.filter(|side| (1..=most).contains(side)).ok_or_else(|| {
        let found = excerpt(&record.detail.to_string());
        format!("detail {found}; expected {{\"window\": SIDE}} with a side of 1 to {most}")
    })?;
    let found = record.value;
    let class = Class::ALL.into_iter().find(|&class| value(class) == found);
    let class = class.ok_or_else(|| format!("value {found}; expected 1, 0 or -1"))?;
    let sample = |text| Ok(WindowSample { contents: contents(text, side)?, class });
    let samples = record.position.split(' ').map(sample).collect::<Result<_, String>>()?;
    Ok((PatternWindow { side }, samples))
}

/// The cells of a window.
fn contents(text: &str, side: usize) -> Result<Vec<CellContent>, String> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != side || rows.iter().any(|row| row.chars().count() != side) {
        let found = excerpt(text);
        return Err(format!(
            "position '{found}'; expected {side} rows of {side} cells joined by '/'"
        ));
    }
    let content = |found: char| {
        let content = CellContent::ALL.into_iter().find(|content| content.letter() == found);
        content.ok_or_else(|| format!("{found:?} in the position; expected '.', 'X' or 'O'"))
    };
    rows.iter().flat_map(|row| row.chars()).map(content).collect()
}

const fn value(class: Class) -> f64 {
    [1.0, 0.0, -1.0][class as usize]
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use tesuji_games::random::{below, seeded};
    use tesuji_store::{Record, RecordKind, Selection, open};

    use super::*;

    fn random_samples(window: PatternWindow, count: usize) -> Vec<WindowSample> {
        let rng = &mut seeded(3);
        let mut pick = || below(rng, 3) as usize;
        let mut contents = || (0..window.cells()).map(|_| CellContent::ALL[pick()]).collect();
        (0..count)
            .map(|i| WindowSample { contents: contents(), class: Class::ALL[i % 3] })
            .collect()
    }

    #[test]
    fn samples_survive_a_store() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path().join("samples.db").to_str().unwrap()).unwrap();
        let window = PatternWindow { side: 4 };
        // Every third game has three samples, with one result.
        let samples: Vec<Vec<WindowSample>> = random_samples(window, 30)
            .into_iter()
            .enumerate()
            .map(|(i, sample)| {
                let more = random_samples(window, if i % 3 == 0 { 2 } else { 0 });
                let class = sample.class;
                let more = more.into_iter().map(|it| WindowSample { class, ..it });
                [sample].into_iter().chain(more).collect()
            })
            .collect();
        let record = |(i, game): (usize, &Vec<WindowSample>)| {
            Record::Sample(to_record("run", "mnk:5x5", &format!("run/{i}"), game, window))
        };
        let records: Vec<Record> = samples.iter().enumerate().map(record).collect();
        assert_eq!(store.add(&records).unwrap().new, 30);
        assert_eq!(store.add(&records).unwrap().known, 30);
        let mut back = Vec::new();
        let selection =
            Selection { event: Some("run".to_string()), ..Selection::all(RecordKind::Sample) };
        let keep = &mut |record| {
            let Record::Sample(sample) = record else { panic!("selects only samples") };
            back.push(from_record(&sample).unwrap());
            ControlFlow::Continue(())
        };
        store.for_each(&selection, keep).unwrap();
        let expected: Vec<_> = samples.into_iter().map(|sample| (window, sample)).collect();
        assert_eq!(back, expected);
    }

    #[test]
    fn records_are_readable() {
        let [empty, mine, theirs] = CellContent::ALL;
        let sample =
            WindowSample { contents: vec![mine, empty, theirs, theirs], class: Class::Loss };
        let earlier = WindowSample { contents: vec![mine, empty, theirs, empty], ..sample.clone() };
        let both = [sample, earlier];
        let record = to_record("r", "tictactoe", "r/1", &both, PatternWindow { side: 2 });
        assert_eq!((record.position.as_str(), record.value), ("X./OO X./O.", -1.0));
        assert_eq!(record.detail.to_string(), r#"{"window":2}"#);
    }

    #[test]
    fn invalid_records_are_rejected_in_one_line() {
        let sample = &random_samples(PatternWindow { side: 2 }, 1)[0];
        let one = std::slice::from_ref(sample);
        let good = to_record("r", "tictactoe", "r/1", one, PatternWindow { side: 2 });
        let with = |change: &dyn Fn(&mut Sample)| {
            let mut bad = good.clone();
            change(&mut bad);
            let error = from_record(&bad).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
            error
        };
        let says = |error: String, words: &str| assert!(error.contains(words), "{error}");
        says(with(&|s| s.position = "X.X/O".into()), "expected 2 rows of 2 cells");
        says(with(&|s| s.position += " X"), "expected 2 rows of 2 cells");
        says(with(&|s| s.position = "X./O\n".into()), "'\\n' in the position");
        says(with(&|s| s.position = "h8i9".into()), "position 'h8i9'");
        says(with(&|s| s.value = 0.5), "value 0.5; expected 1, 0 or -1");
        says(with(&|s| s.value = f64::NAN), "expected 1, 0 or -1");
        says(with(&|s| s.detail = serde_json::Value::Null), "detail null");
        says(with(&|s| s.detail = serde_json::json!({ "window": u64::MAX })), "1 to 255");
        says(with(&|s| s.detail = serde_json::json!({ "window": 0 })), "1 to 255");
        let odd_key = |s: &mut Sample| (s.key, s.value) = ("a\nb".repeat(100), 2.0);
        says(with(&odd_key), "…");
    }
}
