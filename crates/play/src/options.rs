//! The options of players and agents. Each option is declared once, as data: help texts, the parser,
//! its error messages, forms, the canonical text and the list of files come from the declaration.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use tesuji_games::{Spec, SpecError};
use tesuji_search::TableSize;

use crate::file::PlayerFile;
use crate::quantity::{BYTES_EXAMPLES, DURATION_EXAMPLES, Span, span_text};
use crate::travel::Files;

/// A player or agent by name, with its options and the function that understands them.
#[derive(Debug, Serialize)]
pub struct Kind<R: 'static> {
    /// The name in front of the colon.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Its options, in the order of the help and of the canonical text.
    pub options: &'static [OptionInfo],
    /// What the options mean. It opens no files, and reads every declared option, see
    /// [`unread`](Kind::unread).
    #[serde(skip)]
    pub read: fn(&Options) -> Result<R, SpecError>,
}

/// One option of a player or agent.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// The word in front of `=`.
    pub key: &'static str,
    /// What may stand behind it.
    pub takes: Takes,
    /// What it means.
    pub help: &'static str,
}

/// The values of an option.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum Takes {
    /// A whole number.
    Number {
        /// The least.
        low: u64,
        /// The greatest.
        high: u64,
    },
    /// A number with decimals.
    Decimal {
        /// The least.
        low: f64,
        /// The greatest.
        high: f64,
    },
    /// `on` or `off`.
    Switch,
    /// One of these words.
    Word {
        /// All of them.
        words: &'static [&'static str],
    },
    /// A time span such as `500ms`.
    Time,
    /// A number of bytes such as `64M`.
    Size,
    /// The path of a file to read. A longer file is refused.
    File {
        /// Bytes at most.
        most: u64,
    },
    /// Any text.
    Text {
        /// What help texts call it.
        name: &'static str,
    },
    /// One of these words, or something else.
    WordOr {
        /// The words.
        words: &'static [&'static str],
        /// What else.
        other: &'static Takes,
    },
    /// Whole numbers under several keys with one prefix: the declared key is `prefix.NAME`.
    Numbers {
        /// The least and the greatest number of a key; `None` for a key that does not exist.
        #[serde(skip)]
        range: fn(&str) -> Option<(i32, i32)>,
    },
}

/// The declaration of an option.
pub const fn option(key: &'static str, takes: Takes, help: &'static str) -> OptionInfo {
    OptionInfo { key, takes, help }
}

/// A whole number from `low` to `high`.
pub const fn number(low: u64, high: u64) -> Takes {
    Takes::Number { low, high }
}

/// A number with decimals from `low` to `high`.
pub const fn decimal(low: f64, high: f64) -> Takes {
    Takes::Decimal { low, high }
}

/// One of the words of a table for [`Options::choice`].
pub const fn word(words: &'static [&'static str]) -> Takes {
    Takes::Word { words }
}

/// Words and what they stand for.
pub type Choices<T, const N: usize> = [(&'static str, T); N];

/// The words of such a table.
pub const fn words<T, const N: usize>(choices: &Choices<T, N>) -> [&'static str; N] {
    let mut words = [""; N];
    let mut place = 0;
    while place < N {
        words[place] = choices[place].0;
        place += 1;
    }
    words
}

/// Seeds a player's random numbers.
pub const SEED: OptionInfo =
    option("seed", number(0, u64::MAX), "chance of its own, whatever seed the game has");
/// Threads of one search.
pub const THREADS: OptionInfo =
    option("threads", number(1, 256), "threads of one search (default 1)");

impl OptionInfo {
    /// As help texts write it, such as `depth=N`.
    pub fn form(&self) -> String {
        format!("{}={}", self.key, self.takes.form())
    }

    /// Whether it names a file that is read.
    pub fn is_file(&self) -> bool {
        matches!(self.takes, Takes::File { .. })
    }

    /// Whether a key of a text means this option.
    fn has_key(&self, key: &str) -> bool {
        match self.takes {
            Takes::Numbers { range } => range(key).is_some(),
            _ => self.key == key,
        }
    }
}

impl Serialize for OptionInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("OptionInfo", 4)?;
        fields.serialize_field("key", self.key)?;
        fields.serialize_field("form", &self.form())?;
        fields.serialize_field("takes", &self.takes)?;
        fields.serialize_field("help", self.help)?;
        fields.end()
    }
}

impl Takes {
    fn form(&self) -> String {
        match self {
            Takes::Number { .. } | Takes::Numbers { .. } => "N".to_string(),
            Takes::Decimal { .. } => "X".to_string(),
            Takes::Switch => "on|off".to_string(),
            Takes::Word { words } => words.join("|"),
            Takes::Time => "T".to_string(),
            Takes::Size => "SIZE".to_string(),
            Takes::File { .. } => "FILE".to_string(),
            Takes::Text { name } => name.to_string(),
            Takes::WordOr { words, other } => format!("{}|{}", other.form(), words.join("|")),
        }
    }

    /// What would be right, for error messages.
    fn expected(&self) -> String {
        match self {
            Takes::Number { low, high } => format!("a whole number from {low} to {high}"),
            Takes::Decimal { low, high } => format!("a number from {low} to {high}"),
            Takes::Switch => "on or off".to_string(),
            Takes::Word { words } => format!("one of {}", words.join(", ")),
            Takes::Time => DURATION_EXAMPLES.to_string(),
            Takes::Size => format!("{BYTES_EXAMPLES}, up to 64G"),
            Takes::File { .. } => "the path of a file".to_string(),
            Takes::Text { name } => name.to_lowercase(),
            Takes::WordOr { words, other } => {
                format!("{} or {}", words.join(", "), other.expected())
            }
            Takes::Numbers { .. } => "a whole number".to_string(),
        }
    }

    /// The value of a text; the error is what was expected.
    fn parse(&self, key: &str, text: &str, files: &Files) -> Result<Value, String> {
        let expected = || self.expected();
        let ranged = |number: f64, low: f64, high: f64| (low..=high).contains(&number);
        match self {
            Takes::Number { low, high } => match text.parse() {
                Ok(number) if (*low..=*high).contains(&number) => Ok(Value::Number(number)),
                _ => Err(expected()),
            },
            Takes::Decimal { low, high } => match text.parse() {
                Ok(number) if ranged(number, *low, *high) => Ok(Value::Decimal(number)),
                _ => Err(expected()),
            },
            Takes::Switch => match text {
                "on" => Ok(Value::Switch(true)),
                "off" => Ok(Value::Switch(false)),
                _ => Err(expected()),
            },
            Takes::Word { words } => {
                let word = words.iter().find(|word| **word == text);
                word.map(|word| Value::Word(word)).ok_or_else(expected)
            }
            Takes::Time => text.parse().map(Value::Time).map_err(|_| expected()),
            Takes::Size => text.parse().map(Value::Size).map_err(|_| expected()),
            Takes::File { most } => {
                Ok(Value::File(PlayerFile::new(key, text, files.get(text), *most)))
            }
            Takes::Text { .. } => Ok(Value::Text(text.to_string())),
            Takes::WordOr { words, other } => match words.iter().find(|word| **word == text) {
                Some(word) => Ok(Value::Word(word)),
                None => other.parse(key, text, files).map_err(|_| expected()),
            },
            Takes::Numbers { range } => {
                let (low, high) = range(key).ok_or_else(expected)?;
                let number = text.parse().ok().filter(|number| (low..=high).contains(number));
                let expected = || format!("a whole number from {low} to {high}");
                number.map(Value::Signed).ok_or_else(expected)
            }
        }
    }
}

/// The value of an option.
#[derive(Clone, Debug)]
enum Value {
    Number(u64),
    Signed(i32),
    Decimal(f64),
    Switch(bool),
    Word(&'static str),
    Time(Span),
    Size(TableSize),
    File(PlayerFile),
    Text(String),
}

/// The canonical text of the value.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Signed(number) => write!(f, "{number}"),
            Value::Decimal(number) => write!(f, "{number}"),
            Value::Switch(on) => f.write_str(if *on { "on" } else { "off" }),
            Value::Word(word) => f.write_str(word),
            Value::Time(span) => f.write_str(&span_text(span.0)),
            Value::Size(size) => write!(f, "{size}"),
            Value::File(file) => f.write_str(&quoted(file.name())),
            Value::Text(text) => f.write_str(&quoted(text)),
        }
    }
}

/// A value in quotes where it would otherwise not be read back as it is.
fn quoted(value: &str) -> String {
    let plain = !value.contains(',') && value.trim() == value && !value.is_empty();
    if plain || value.contains('"') { value.to_string() } else { format!("\"{value}\"") }
}

/// The options that a text gives, each understood by its declaration.
#[derive(Clone, Debug)]
pub struct Options {
    owner: &'static str,
    declared: &'static [OptionInfo],
    /// Keys and values in the order of the declaration.
    given: Vec<(String, Value)>,
    /// The keys that were read, where someone wants to know.
    asked: Option<Arc<Mutex<Vec<String>>>>,
}

impl Options {
    /// No option is given.
    fn none(owner: &'static str, declared: &'static [OptionInfo]) -> Options {
        Options { owner, declared, given: Vec::new(), asked: None }
    }

    /// The options of a text. Nothing is opened.
    fn parse(
        owner: &'static str,
        declared: &'static [OptionInfo],
        spec: Spec,
        files: &Files,
    ) -> Result<Options, SpecError> {
        let mut options = Options::none(owner, declared);
        for (key, value) in spec.into_options() {
            options.give(&key, &value, files)?;
        }
        Ok(options)
    }

    fn give(&mut self, key: &str, value: &str, files: &Files) -> Result<(), SpecError> {
        let info = self.declared.iter().find(|info| info.has_key(key));
        let info = info.ok_or_else(|| SpecError::UnknownOption {
            owner: self.owner.to_string(),
            option: key.to_string(),
            known: self.declared.iter().map(|info| info.key.to_string()).collect(),
        })?;
        let parsed = info.takes.parse(key, value, files);
        let parsed = parsed.map_err(|expected| self.bad_value(key, value, &expected))?;
        let place = |key: &str| self.declared.iter().position(|info| info.has_key(key));
        let after = self
            .given
            .partition_point(|(other, _)| (place(other), other.as_str()) < (place(key), key));
        self.given.insert(after, (key.to_string(), parsed));
        Ok(())
    }

    /// These options and one more, unless it is given or not declared.
    pub fn with_default(&self, key: &str, value: &str) -> Option<Options> {
        let mut options = self.clone();
        (!self.gives(key) && options.give(key, value, &Files::new()).is_ok()).then_some(options)
    }

    /// The one text that means this owner with these options.
    pub fn text(&self) -> String {
        let given = self.given.iter().map(|(key, value)| format!("{key}={value}"));
        let given: Vec<String> = given.collect();
        match given.is_empty() {
            true => self.owner.to_string(),
            false => format!("{}:{}", self.owner, given.join(",")),
        }
    }

    /// The files that are named.
    pub fn files(&self) -> impl Iterator<Item = &PlayerFile> {
        self.given.iter().filter_map(|(_, value)| match value {
            Value::File(file) => Some(file),
            _ => None,
        })
    }

    /// Whether the text gives this option.
    pub fn gives(&self, key: &str) -> bool {
        self.given.iter().any(|(given, _)| given == key)
    }

    /// Whose options they are.
    pub fn owner(&self) -> &'static str {
        self.owner
    }

    /// A whole number or a size in bytes, of an option that need not be declared.
    pub fn amount(&self, key: &str) -> Option<u64> {
        let (_, value) = self.given.iter().find(|(given, _)| given == key)?;
        match value {
            Value::Number(number) => Some(*number),
            Value::Size(size) => Some(size.bytes()),
            _ => None,
        }
    }

    /// The value of a key that is declared.
    fn value(&self, key: &str) -> Option<&Value> {
        assert!(
            self.declared.iter().any(|info| info.has_key(key)),
            "'{}' reads '{key}', which it does not declare",
            self.owner
        );
        if let Some(asked) = &self.asked {
            let mut asked = asked.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            asked.push(key.to_string());
        }
        self.given.iter().find(|(given, _)| given == key).map(|(_, value)| value)
    }

    /// A whole number.
    pub fn number(&self, key: &str) -> Option<u64> {
        match self.value(key)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A whole number of one of several keys with the same prefix.
    pub fn signed(&self, key: &str) -> Option<i32> {
        match self.value(key)? {
            Value::Signed(number) => Some(*number),
            _ => None,
        }
    }

    /// A number with decimals.
    pub fn decimal(&self, key: &str) -> Option<f64> {
        match self.value(key)? {
            Value::Decimal(number) => Some(*number),
            _ => None,
        }
    }

    /// `on` or `off`.
    pub fn switch(&self, key: &str) -> Option<bool> {
        match self.value(key)? {
            Value::Switch(on) => Some(*on),
            _ => None,
        }
    }

    /// Whether the value is this word.
    pub fn is(&self, key: &str, word: &str) -> bool {
        matches!(self.value(key), Some(Value::Word(given)) if *given == word)
    }

    /// What the word of the text stands for.
    pub fn choice<T: Copy, const N: usize>(&self, key: &str, choices: &Choices<T, N>) -> Option<T> {
        match self.value(key)? {
            Value::Word(given) => choices.iter().find(|(word, _)| word == given).map(|it| it.1),
            _ => None,
        }
    }

    /// A time span.
    pub fn time(&self, key: &str) -> Option<Duration> {
        match self.value(key)? {
            Value::Time(span) => Some(span.0),
            _ => None,
        }
    }

    /// A number of bytes.
    pub fn size(&self, key: &str) -> Option<TableSize> {
        match self.value(key)? {
            Value::Size(size) => Some(*size),
            _ => None,
        }
    }

    /// A file.
    pub fn file(&self, key: &str) -> Option<PlayerFile> {
        match self.value(key)? {
            Value::File(file) => Some(file.clone()),
            _ => None,
        }
    }

    /// A text.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        match self.value(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// How many threads a search has.
    pub fn threads(&self) -> usize {
        self.number("threads").unwrap_or(1) as usize
    }

    /// An error about one option's value.
    pub fn bad_value(&self, option: &str, value: &str, expected: &str) -> SpecError {
        SpecError::BadValue {
            owner: self.owner.to_string(),
            option: option.to_string(),
            value: value.to_string(),
            expected: expected.to_string(),
        }
    }
}

/// Finds the player or agent of a text; `what` says which of both, for error messages. Nothing is
/// opened.
pub fn read<R: 'static>(
    what: &'static str,
    kinds: impl Iterator<Item = &'static Kind<R>> + Clone,
    text: &str,
    files: &Files,
) -> Result<(&'static Kind<R>, Options), SpecError> {
    let unknown = |name: &str| SpecError::UnknownName {
        kind: what,
        name: name.to_string(),
        known: kinds.clone().map(|kind| kind.name.to_string()).collect(),
    };
    let spec = Spec::parse(text).map_err(|error| match error {
        SpecError::Empty => unknown(""),
        other => other,
    })?;
    let kind = kinds.clone().find(|kind| kind.name == spec.name());
    let kind = kind.ok_or_else(|| unknown(spec.name()))?;
    Ok((kind, Options::parse(kind.name, kind.options, spec, files)?))
}

impl<R> Kind<R> {
    /// The declared options that [`read`](Kind::read) does not ask for, [`SEED`] aside: none, in a
    /// correct table. To read an option that is not declared panics.
    pub fn unread(&self) -> Vec<&'static str> {
        let asked = Arc::default();
        let options =
            Options { asked: Some(Arc::clone(&asked)), ..Options::none(self.name, self.options) };
        let _ = (self.read)(&options);
        let asked = asked.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let unread =
            |info: &&OptionInfo| info.key != SEED.key && !asked.iter().any(|key| info.has_key(key));
        self.options.iter().filter(unread).map(|info| info.key).collect()
    }
}
