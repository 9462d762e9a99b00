//! The options of players and agents. Each option is declared once, as data: help texts, the
//! parser, its error messages, forms, the canonical text and the list of files come from the
//! declaration.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use tesuji_games::{Spec, SpecError};
use tesuji_search::TableSize;

use crate::attachments::FilePaths;
use crate::file::PlayerFile;
use crate::quantity::{BYTES_EXAMPLES, DURATION_EXAMPLES, HumanDuration, canonical_duration};

/// The declaration of a player or agent: name, options, and the function that interprets them.
#[derive(Debug, Serialize)]
pub struct SpecKind<R: 'static> {
    /// The name before the colon.
    pub name: &'static str,
    /// The name before a rename. It is still read, and game identities are made from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_name: Option<&'static str>,
    /// One line of help.
    pub summary: &'static str,
    /// The options, in the order of the help and of the canonical text.
    pub options: &'static [OptionInfo],
    /// Interprets the options. It opens no files and reads every declared option.
    #[serde(skip)]
    pub read: fn(&PlayerOptions) -> Result<R, SpecError>,
}

/// The declaration of an option of a player or agent.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// The word before `=`.
    pub key: &'static str,
    /// The key before a rename. It is still read, and game identities are made from it.
    pub former_key: Option<&'static str>,
    /// The type of its value.
    pub value_type: ValueType,
    /// One line of help.
    pub help: &'static str,
}

/// The type of an option's value.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum ValueType {
    /// A whole number.
    Number {
        /// The minimum.
        low: u64,
        /// The maximum.
        high: u64,
    },
    /// A number with decimals.
    Decimal {
        /// The minimum.
        low: f64,
        /// The maximum.
        high: f64,
    },
    /// `on` or `off`.
    Switch,
    /// One of several words.
    Word {
        /// The words.
        words: &'static [&'static str],
    },
    /// A duration such as `500ms`.
    Time,
    /// A number of bytes such as `64M`.
    Size,
    /// The path of a file to read. A longer file is refused.
    File {
        /// Maximum size in bytes.
        most: u64,
    },
    /// Any text.
    Text {
        /// The placeholder in help texts.
        name: &'static str,
    },
    /// One of several words, or a value of another type.
    WordOr {
        /// The words.
        words: &'static [&'static str],
        /// The other type.
        other: &'static ValueType,
    },
    /// Whole numbers under several keys with a common prefix: the declared key is `prefix.NAME`.
    Numbers {
        /// Minimum and maximum for a key; `None` for an unknown key.
        #[serde(skip)]
        range: fn(&str) -> Option<(i32, i32)>,
    },
}

/// Declares an option.
pub const fn option(key: &'static str, value_type: ValueType, help: &'static str) -> OptionInfo {
    OptionInfo { key, former_key: None, value_type, help }
}

/// A whole number from `low` to `high`.
pub const fn number(low: u64, high: u64) -> ValueType {
    ValueType::Number { low, high }
}

/// A number with decimals from `low` to `high`.
pub const fn decimal(low: f64, high: f64) -> ValueType {
    ValueType::Decimal { low, high }
}

/// One of the words of a table for [`PlayerOptions::choice`].
pub const fn word(words: &'static [&'static str]) -> ValueType {
    ValueType::Word { words }
}

/// Words and the values they select.
pub type WordValues<T, const N: usize> = [(&'static str, T); N];

/// The words of such a table.
pub const fn words<T, const N: usize>(choices: &WordValues<T, N>) -> [&'static str; N] {
    let mut words = [""; N];
    let mut place = 0;
    while place < N {
        words[place] = choices[place].0;
        place += 1;
    }
    words
}

/// Seeds a player's random numbers.
pub const SEED: OptionInfo = option(
    "seed",
    number(0, u64::MAX),
    "seed of its random numbers [default: from the game's seed]",
);
/// Threads of one search.
pub const THREADS: OptionInfo =
    option("threads", number(1, 256), "threads of one search [default: 1]");

impl<R> SpecKind<R> {
    /// Whether a name belongs to this player or agent.
    pub fn has_name(&self, name: &str) -> bool {
        self.name == name || self.former_name == Some(name)
    }

    /// The summary with the former name, for help texts.
    pub fn help(&self) -> String {
        with_former(self.summary, self.former_name)
    }
}

fn with_former(help: &str, former: Option<&str>) -> String {
    former.map_or(help.to_string(), |former| format!("{help} (formerly `{former}`)"))
}

impl OptionInfo {
    /// Sets the key that the option had before a rename.
    pub const fn formerly(self, key: &'static str) -> OptionInfo {
        OptionInfo { former_key: Some(key), ..self }
    }

    /// The help with the former key.
    pub fn help_text(&self) -> String {
        with_former(self.help, self.former_key)
    }

    /// The form in help texts, such as `depth=N`.
    pub fn form(&self) -> String {
        format!("{}={}", self.key, self.value_type.form())
    }

    /// Whether the value is the path of a file.
    pub fn is_file(&self) -> bool {
        matches!(self.value_type, ValueType::File { .. })
    }

    /// Whether a key belongs to this option.
    fn has_key(&self, key: &str) -> bool {
        match self.value_type {
            ValueType::Numbers { range } => range(key).is_some(),
            _ => self.key == key || self.former_key == Some(key),
        }
    }

    /// The key in canonical texts for a key of this option.
    fn canonical_key<'a>(&self, key: &'a str) -> &'a str {
        if matches!(self.value_type, ValueType::Numbers { .. }) { key } else { self.key }
    }
}

impl Serialize for OptionInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("OptionInfo", 4)?;
        fields.serialize_field("key", self.key)?;
        fields.serialize_field("form", &self.form())?;
        fields.serialize_field("takes", &self.value_type)?;
        fields.serialize_field("help", self.help)?;
        fields.end()
    }
}

impl ValueType {
    fn form(&self) -> String {
        match self {
            ValueType::Number { .. } | ValueType::Numbers { .. } => "N".to_string(),
            ValueType::Decimal { .. } => "X".to_string(),
            ValueType::Switch => "on|off".to_string(),
            ValueType::Word { words } => words.join("|"),
            ValueType::Time => "T".to_string(),
            ValueType::Size => "SIZE".to_string(),
            ValueType::File { .. } => "FILE".to_string(),
            ValueType::Text { name } => name.to_string(),
            ValueType::WordOr { words, other } => format!("{}|{}", other.form(), words.join("|")),
        }
    }

    /// The expected value, for error messages.
    fn expected(&self, key: &str) -> String {
        match self {
            ValueType::Number { low, high } => format!("a whole number from {low} to {high}"),
            ValueType::Decimal { low, high } => format!("a number from {low} to {high}"),
            ValueType::Switch => "on or off".to_string(),
            ValueType::Word { words } => format!("one of {}", words.join(", ")),
            ValueType::Time => DURATION_EXAMPLES.to_string(),
            ValueType::Size => format!("{BYTES_EXAMPLES}, up to 64G"),
            ValueType::File { .. } => "the path of a file".to_string(),
            ValueType::Text { name } => name.to_lowercase(),
            ValueType::WordOr { words, other } => {
                format!("{} or {}", words.join(", "), other.expected(key))
            }
            ValueType::Numbers { range } => {
                let (low, high) = range(key).unwrap_or_default();
                format!("a whole number from {low} to {high}")
            }
        }
    }

    /// The canonical text of a value; `None` if the value is invalid.
    fn canonical(&self, key: &str, text: &str) -> Option<String> {
        let one_of = |words: &[&str]| words.contains(&text).then(|| text.to_string());
        match self {
            ValueType::Number { low, high } => within(text, *low..=*high),
            ValueType::Decimal { low, high } => within(text, *low..=*high),
            ValueType::Switch => one_of(&["on", "off"]),
            ValueType::Word { words } => one_of(words),
            ValueType::Time => {
                text.parse().ok().map(|HumanDuration(span)| canonical_duration(span))
            }
            ValueType::Size => text.parse::<TableSize>().ok().map(|size| size.to_string()),
            ValueType::File { .. } | ValueType::Text { .. } => Some(text.to_string()),
            ValueType::WordOr { words, other } => {
                one_of(words).or_else(|| other.canonical(key, text))
            }
            ValueType::Numbers { range } => {
                let (low, high) = range(key)?;
                within(text, low..=high)
            }
        }
    }
}

/// The canonical text of a number in a range.
fn within<T: FromStr + PartialOrd + Display>(
    text: &str,
    range: RangeInclusive<T>,
) -> Option<String> {
    let number = text.parse().ok().filter(|number| range.contains(number))?;
    Some(number.to_string())
}

/// Quotes a value that would otherwise be parsed differently.
fn quoted(value: &str) -> String {
    let plain = !value.contains(',') && value.trim() == value && !value.is_empty();
    if plain || value.contains('"') { value.to_string() } else { format!("\"{value}\"") }
}

/// The options in a player's text, checked against their declarations.
#[derive(Clone, Debug)]
pub struct PlayerOptions {
    /// The name of the player or agent.
    pub owner: &'static str,
    declared: &'static [OptionInfo],
    /// In the order of the declaration.
    values: Vec<OptionValue>,
}

/// An option in a text.
#[derive(Clone, Debug)]
struct OptionValue {
    key: String,
    /// The canonical text of the value.
    value: String,
    /// The file, if the value is a path.
    file: Option<PlayerFile>,
}

impl PlayerOptions {
    fn set(&mut self, key: &str, text: &str, files: &FilePaths) -> Result<(), SpecError> {
        let info = self.declared.iter().find(|info| info.has_key(key));
        let info = info.ok_or_else(|| SpecError::UnknownOption {
            owner: self.owner.to_string(),
            option: key.to_string(),
            known: self.declared.iter().map(|info| info.key.to_string()).collect(),
        })?;
        let key = info.canonical_key(key);
        if self.gives(key) {
            let (owner, option) = (self.owner.to_string(), key.to_string());
            return Err(SpecError::RepeatedOption { owner, option });
        }
        let value = info.value_type.canonical(key, text);
        let value =
            value.ok_or_else(|| self.bad_value(key, text, &info.value_type.expected(key)))?;
        let file = match info.value_type {
            ValueType::File { most } => Some(PlayerFile::new(key, text, files.get(text), most)),
            _ => None,
        };
        let place = |key: &str| self.declared.iter().position(|info| info.has_key(key));
        let is_before =
            |other: &OptionValue| (place(&other.key), other.key.as_str()) < (place(key), key);
        let after = self.values.partition_point(is_before);
        self.values.insert(after, OptionValue { key: key.to_string(), value, file });
        Ok(())
    }

    /// Returns the options with one more, unless it is already set or not declared.
    pub fn with_default(&self, key: &str, value: &str) -> Option<PlayerOptions> {
        let mut options = self.clone();
        (!self.gives(key) && options.set(key, value, &FilePaths::new()).is_ok()).then_some(options)
    }

    /// The canonical text of the player with these options.
    pub fn text(&self) -> String {
        let pair = |option: &OptionValue| format!("{}={}", option.key, quoted(&option.value));
        let pairs: Vec<String> = self.values.iter().map(pair).collect();
        match pairs.is_empty() {
            true => self.owner.to_string(),
            false => format!("{}:{}", self.owner, pairs.join(",")),
        }
    }

    /// The files among the values.
    pub fn files(&self) -> impl Iterator<Item = &PlayerFile> {
        self.values.iter().filter_map(|option| option.file.as_ref())
    }

    /// Whether the text sets this option.
    pub fn gives(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    fn find(&self, key: &str) -> Option<&OptionValue> {
        let info = self.declared.iter().find(|info| info.has_key(key));
        let key = info.map_or(key, |info| info.canonical_key(key));
        self.values.iter().find(|option| option.key == key)
    }

    /// A whole number or a size in bytes, of an option that may be undeclared.
    pub fn amount(&self, key: &str) -> Option<u64> {
        let text = &self.find(key)?.value;
        let size = || text.parse().ok().map(TableSize::bytes);
        text.parse().ok().or_else(size)
    }

    /// The value of a declared key. Panics on an undeclared key.
    fn declared_value(&self, key: &str) -> Option<&OptionValue> {
        assert!(
            self.declared.iter().any(|info| info.has_key(key)),
            "'{}' reads '{key}', which it does not declare",
            self.owner
        );
        self.find(key)
    }

    fn parsed<T: FromStr>(&self, key: &str) -> Option<T> {
        self.text_of(key)?.parse().ok()
    }

    /// A whole number.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.parsed(key)
    }

    /// A whole number under one of several keys with a common prefix.
    pub fn signed(&self, key: &str) -> Option<i32> {
        self.parsed(key)
    }

    /// A number with decimals.
    pub fn decimal(&self, key: &str) -> Option<f64> {
        self.parsed(key)
    }

    /// `on` or `off`.
    pub fn switch(&self, key: &str) -> Option<bool> {
        self.text_of(key).map(|text| text == "on")
    }

    /// Whether the value is this word.
    pub fn is(&self, key: &str, word: &str) -> bool {
        self.text_of(key) == Some(word)
    }

    /// The value that the word in the text selects.
    pub fn choice<T: Copy, const N: usize>(
        &self,
        key: &str,
        choices: &WordValues<T, N>,
    ) -> Option<T> {
        let text = self.text_of(key)?;
        choices.iter().find(|(word, _)| *word == text).map(|it| it.1)
    }

    /// A duration.
    pub fn time(&self, key: &str) -> Option<Duration> {
        self.parsed(key).map(|HumanDuration(span)| span)
    }

    /// A number of bytes.
    pub fn size(&self, key: &str) -> Option<TableSize> {
        self.parsed(key)
    }

    /// A file.
    pub fn file(&self, key: &str) -> Option<PlayerFile> {
        self.declared_value(key)?.file.clone()
    }

    /// A text.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.declared_value(key).map(|option| option.value.as_str())
    }

    /// Number of threads of a search.
    pub fn threads(&self) -> usize {
        self.number("threads").unwrap_or(1) as usize
    }

    /// An error about the value of an option.
    pub fn bad_value(&self, option: &str, value: &str, expected: &str) -> SpecError {
        SpecError::BadValue {
            owner: self.owner.to_string(),
            option: option.to_string(),
            value: value.to_string(),
            expected: expected.to_string(),
        }
    }
}

/// Parses a player or agent; `what` names which of both, for error messages. Opens no file.
pub fn read<R: 'static>(
    what: &'static str,
    kinds: impl Iterator<Item = &'static SpecKind<R>> + Clone,
    text: &str,
    files: &FilePaths,
) -> Result<(&'static SpecKind<R>, PlayerOptions), SpecError> {
    let unknown = |name: &str| SpecError::UnknownName {
        kind: what,
        name: name.to_string(),
        known: kinds.clone().map(|kind| kind.name.to_string()).collect(),
    };
    let spec = Spec::parse(text).map_err(|error| match error {
        SpecError::Empty => unknown(""),
        other => other,
    })?;
    let kind = kinds.clone().find(|kind| kind.has_name(spec.name()));
    let kind = kind.ok_or_else(|| unknown(spec.name()))?;
    let mut options =
        PlayerOptions { owner: kind.name, declared: kind.options, values: Vec::new() };
    for (key, value) in spec.into_options() {
        options.set(&key, &value, files)?;
    }
    Ok((kind, options))
}
