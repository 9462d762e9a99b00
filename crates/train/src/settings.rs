//! What a run is told: one TOML file, read, checked, and written back with every default filled in.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::learner::LearnerKind;
use crate::measure::MeasureSettings;

/// The settings of a learner.
pub trait LearnerSettings: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Refuses what makes no sense.
    fn check(&self) -> Result<(), SettingsError>;

    /// What the training loop needs to know of them.
    fn common(&self) -> CommonSettings;

    /// The same with defaults that depend on other settings filled in.
    fn resolved(&self) -> Self {
        self.clone()
    }

    /// Reads the text of a TOML file.
    fn from_toml(text: &str) -> Result<Self, SettingsError> {
        let settings: Self =
            toml::from_str(text).map_err(|error| SettingsError::of_toml(text, &error))?;
        settings.check()?;
        Ok(settings)
    }

    /// All settings as TOML, with the defaults written out.
    fn to_toml(&self) -> String {
        toml::to_string(&self.resolved()).unwrap_or_default()
    }
}

/// What the training loop needs to know of a learner's settings.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CommonSettings {
    /// The game as text.
    pub game: String,
    /// Decides everything that is left to chance.
    pub seed: u64,
    /// Threads, 0 for all of the machine; `None` for a learner that uses one.
    pub threads: Option<usize>,
    /// Steps of the whole run, if they are limited.
    pub steps: Option<u64>,
    /// Seconds of the whole run, if they are limited.
    pub seconds: Option<f64>,
    /// How the model is measured; `None` for a learner that no player of a two-player game uses.
    pub measure: Option<MeasureSettings>,
    /// The place of its samples, unless they stay in the folder.
    pub store: Option<String>,
}

/// Why settings cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// The text is not what was expected.
    #[error("line {line}: {what}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// A value makes no sense.
    #[error("{0}")]
    Value(String),
}

impl SettingsError {
    /// What the TOML reader says of a text, on one line.
    pub fn of_toml(text: &str, error: &toml::de::Error) -> SettingsError {
        let before = error.span().map_or("", |span| &text[..span.start]);
        let what = error.message().lines().collect::<Vec<_>>().join("; ");
        SettingsError::Syntax { line: 1 + before.matches('\n').count(), what }
    }

    /// A value makes no sense.
    pub fn value(what: impl std::fmt::Display) -> SettingsError {
        SettingsError::Value(what.to_string())
    }
}

/// A number of the settings: its key, its value, the least and the greatest.
pub type RangeCheck<K = &'static str> = (K, f64, f64, f64);

/// Refuses the first number that lies outside of its range.
pub fn check_ranges<K: std::fmt::Display>(
    ranges: impl IntoIterator<Item = RangeCheck<K>>,
) -> Result<(), SettingsError> {
    let outside = |(_, value, least, most): &RangeCheck<K>| !(least..=most).contains(&value);
    match ranges.into_iter().find(outside) {
        Some((key, value, least, most)) => {
            Err(SettingsError::Value(format!("`{key}` is {value}; expected {least} to {most}")))
        }
        None => Ok(()),
    }
}

/// Refuses a file for another learner.
pub fn check_learner(found: &str, expected: &str) -> Result<(), SettingsError> {
    if found == expected {
        return Ok(());
    }
    let found = found.replace(char::is_control, " ");
    Err(SettingsError::Value(format!("`learner` is \"{found}\"; expected \"{expected}\"")))
}

/// Refuses settings without a game.
pub fn check_game(game: &str, example: &str) -> Result<(), SettingsError> {
    if game.trim().is_empty() {
        return Err(SettingsError::Value(format!(
            "`game` is missing; write the game to be learned, such as game = \"{example}\""
        )));
    }
    Ok(())
}

/// LearnerSettings of any learner.
#[derive(Clone, PartialEq, Debug)]
pub struct RunSettings {
    /// The learner.
    pub kind: &'static LearnerKind,
    /// All settings as TOML, with the defaults written out.
    pub toml: String,
    /// What the training loop needs to know of them.
    pub common: CommonSettings,
}

impl RunSettings {
    /// Reads the text of a TOML file for one of these learners. The first is the one of files that name none.
    pub fn read(
        learners: &'static [LearnerKind],
        text: &str,
    ) -> Result<RunSettings, SettingsError> {
        // What is not even TOML is reported by the reader of the usual learner.
        let table: toml::Table = toml::from_str(text).unwrap_or_default();
        let named = table.get("learner").and_then(toml::Value::as_str);
        let kind = match named {
            None => learners.first(),
            Some(name) => learners.iter().find(|kind| kind.name == name),
        };
        let Some(kind) = kind else {
            return Err(SettingsError::Value(format!(
                "unknown `learner` \"{}\"; expected {}",
                named.unwrap_or_default().escape_debug(),
                quoted_list(learners)
            )));
        };
        kind.read(&kind.renamed(text, table))
    }

    /// LearnerSettings with other values for some keys, such as `forest.trees`.
    pub fn with(&self, values: &[(String, toml::Value)]) -> Result<RunSettings, SettingsError> {
        let mut table: toml::Table = toml::from_str(&self.toml).unwrap_or_default();
        for (key, value) in values {
            put(&mut table, key, value.clone())?;
        }
        self.kind.read(&toml::to_string(&table).unwrap_or_default())
    }

    /// Steps of the whole run, where other steps may be asked for.
    pub fn goal(&self, asked: Option<u64>) -> Option<u64> {
        match (self.common.steps, asked) {
            (steps, asked) if self.kind.open_ended => asked.or(steps),
            (Some(steps), Some(asked)) => Some(steps.min(asked)),
            (steps, asked) => steps.or(asked),
        }
    }

    /// The first key that decides results and has another value than in a run that is to be resumed.
    pub fn difference(&self, run: &RunSettings) -> Option<String> {
        if self.kind.name != run.kind.name {
            let (run, now) = (run.kind.name, self.kind.name);
            return Some(format!("`learner` is \"{run}\" in the run and \"{now}\" now"));
        }
        let read = |text: &str| toml::from_str::<toml::Table>(text).map(toml::Value::Table).ok();
        let (now, run) = (read(&self.toml), read(&run.toml));
        let is_free = |key: &str| {
            let mut free = self.kind.resumable.iter();
            free.any(|free| {
                key.strip_prefix(free).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        difference_below("", now.as_ref(), run.as_ref(), &is_free)
    }
}

/// Sets the value of a key with dots in it; the key must exist.
fn put(table: &mut toml::Table, key: &str, value: toml::Value) -> Result<(), SettingsError> {
    let (path, last) = key.rsplit_once('.').map_or((None, key), |(path, last)| (Some(path), last));
    let mut place = table;
    for part in path.into_iter().flat_map(|path| path.split('.')) {
        let next = place.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        let toml::Value::Table(next) = next else {
            return Err(SettingsError::Value(format!("`{key}`: `{part}` is not a table")));
        };
        place = next;
    }
    place.insert(last.to_string(), value);
    Ok(())
}

/// The names of learners, as a list for people.
pub fn quoted_list(learners: &[LearnerKind]) -> String {
    let quoted: Vec<String> = learners.iter().map(|kind| format!("\"{}\"", kind.name)).collect();
    quoted
        .split_last()
        .map_or(String::new(), |(last, others)| format!("{} or {last}", others.join(", ")))
}

fn difference_below(
    key: &str,
    now: Option<&toml::Value>,
    run: Option<&toml::Value>,
    is_free: &dyn Fn(&str) -> bool,
) -> Option<String> {
    if now == run || (!key.is_empty() && is_free(key)) {
        return None;
    }
    if let (Some(toml::Value::Table(now)), Some(toml::Value::Table(run))) = (now, run) {
        let dot = if key.is_empty() { "" } else { "." };
        let below = |k: &String| {
            difference_below(&format!("{key}{dot}{k}"), now.get(k), run.get(k), is_free)
        };
        return now.keys().chain(run.keys()).find_map(below);
    }
    let shown = |value: Option<&toml::Value>| value.map_or("absent".to_string(), |v| v.to_string());
    Some(format!("`{key}` is {} in the run and {} now", shown(run), shown(now)))
}
