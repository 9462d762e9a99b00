//! The settings of a run: one TOML file, read, checked, and written back with all defaults.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::learner::LearnerKind;
use crate::measure::MeasureSettings;

/// The settings of a learner.
pub trait LearnerSettings: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Checks the values.
    fn check(&self) -> Result<(), SettingsError>;

    /// The settings that the training loop uses.
    fn common(&self) -> CommonSettings;

    /// Fills in defaults that depend on other settings.
    fn resolved(&self) -> Self {
        self.clone()
    }

    /// Parses a TOML file.
    fn from_toml(text: &str) -> Result<Self, SettingsError> {
        let settings: Self =
            toml::from_str(text).map_err(|error| SettingsError::of_toml(text, &error))?;
        settings.check()?;
        Ok(settings)
    }

    /// All settings as TOML, defaults included.
    fn to_toml(&self) -> String {
        toml::to_string(&self.resolved()).unwrap_or_default()
    }
}

/// The settings that the training loop uses, the same for all learners.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CommonSettings {
    /// The game as text.
    pub game: String,
    /// Seeds all randomness.
    pub seed: u64,
    /// Number of threads, 0 for one per core; `None` for a single-threaded learner.
    pub threads: Option<usize>,
    /// Number of steps of the whole run, if limited.
    pub steps: Option<u64>,
    /// Seconds of the whole run, if limited.
    pub seconds: Option<f64>,
    /// How the model is measured; `None` if no player of a two-player game uses the model.
    pub measure: Option<MeasureSettings>,
    /// The store of the samples, if it is not in the folder.
    pub store: Option<String>,
}

/// Why settings cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SettingsError {
    /// The text cannot be parsed.
    #[error("line {line}: {what}")]
    Syntax {
        /// The line, counted from 1.
        line: usize,
        /// The problem.
        what: String,
    },
    /// A value is invalid.
    #[error("{0}")]
    Value(String),
}

impl SettingsError {
    /// Converts an error of the TOML parser, on one line.
    pub fn of_toml(text: &str, error: &toml::de::Error) -> SettingsError {
        let before = error.span().map_or("", |span| &text[..span.start]);
        let what = error.message().lines().collect::<Vec<_>>().join("; ");
        SettingsError::Syntax { line: 1 + before.matches('\n').count(), what }
    }

    /// A value is invalid.
    pub fn value(what: impl std::fmt::Display) -> SettingsError {
        SettingsError::Value(what.to_string())
    }
}

/// A number of the settings: key, value, minimum, maximum.
pub type RangeCheck<K = &'static str> = (K, f64, f64, f64);

/// Refuses the first number outside its range.
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
            "`game` is missing; expected the game to learn, such as game = \"{example}\""
        )));
    }
    Ok(())
}

/// The settings of any learner.
#[derive(Clone, PartialEq, Debug)]
pub struct RunSettings {
    /// The learner.
    pub kind: &'static LearnerKind,
    /// All settings as TOML, defaults included.
    pub toml: String,
    /// The settings that the training loop uses.
    pub common: CommonSettings,
}

impl RunSettings {
    /// Parses a TOML file for one of these learners. The first one is the default.
    pub fn read(
        learners: &'static [LearnerKind],
        text: &str,
    ) -> Result<RunSettings, SettingsError> {
        // The parser of the default learner reports invalid TOML.
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

    /// Changes the values of some keys, such as `forest.trees`.
    pub fn with(&self, values: &[(String, toml::Value)]) -> Result<RunSettings, SettingsError> {
        let mut table: toml::Table = toml::from_str(&self.toml).unwrap_or_default();
        for (key, value) in values {
            put(&mut table, key, value.clone())?;
        }
        self.kind.read(&toml::to_string(&table).unwrap_or_default())
    }

    /// Number of steps of the whole run; `requested` is the number requested by the user.
    pub fn goal(&self, requested: Option<u64>) -> Option<u64> {
        match (self.common.steps, requested) {
            (steps, requested) if self.kind.open_ended => requested.or(steps),
            (Some(steps), Some(requested)) => Some(steps.min(requested)),
            (steps, requested) => steps.or(requested),
        }
    }

    /// The first key that affects results and differs from the run to be resumed.
    pub fn difference(&self, run: &RunSettings) -> Option<String> {
        if self.kind.name != run.kind.name {
            let (run, now) = (run.kind.name, self.kind.name);
            return Some(format!("`learner` is \"{run}\" in the run and \"{now}\" now"));
        }
        let read = |text: &str| toml::from_str::<toml::Table>(text).map(toml::Value::Table).ok();
        let (now, run) = (read(&self.toml), read(&run.toml));
        let is_resumable = |key: &str| {
            let mut keys = self.kind.resumable.iter();
            keys.any(|prefix| {
                key.strip_prefix(prefix)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        difference_below("", now.as_ref(), run.as_ref(), &is_resumable)
    }
}

/// Sets the value of a dotted key; the tables on its path must not be values.
fn put(table: &mut toml::Table, key: &str, value: toml::Value) -> Result<(), SettingsError> {
    let (path, last) = key.rsplit_once('.').map_or((None, key), |(path, last)| (Some(path), last));
    let mut target = table;
    for part in path.into_iter().flat_map(|path| path.split('.')) {
        let next = target.entry(part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        let toml::Value::Table(next) = next else {
            return Err(SettingsError::Value(format!("`{key}`: `{part}` is not a table")));
        };
        target = next;
    }
    target.insert(last.to_string(), value);
    Ok(())
}

/// The names of learners as a list in a sentence.
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
    is_resumable: &dyn Fn(&str) -> bool,
) -> Option<String> {
    if now == run || (!key.is_empty() && is_resumable(key)) {
        return None;
    }
    if let (Some(toml::Value::Table(now)), Some(toml::Value::Table(run))) = (now, run) {
        let dot = if key.is_empty() { "" } else { "." };
        let below = |k: &String| {
            difference_below(&format!("{key}{dot}{k}"), now.get(k), run.get(k), is_resumable)
        };
        return now.keys().chain(run.keys()).find_map(below);
    }
    let text = |value: Option<&toml::Value>| value.map_or("absent".to_string(), |v| v.to_string());
    Some(format!("`{key}` is {} in the run and {} now", text(run), text(now)))
}
