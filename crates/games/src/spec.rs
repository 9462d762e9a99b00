//! `name[:item,…]`: the syntax for games and players on the command line, in files and in the
//! store. An item is `key=value` or a single word such as the size `10x10`; a key occurs once. A
//! value that contains a comma is put in double quotes.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::registry::PuzzleCommands;

/// A parsed name with its options. Code that reads a spec takes the options one by one and then
/// calls [`finish`](Spec::finish), which rejects misspelled options.
#[derive(Clone, Debug)]
pub struct Spec {
    text: String,
    name: String,
    options: Vec<(String, Option<String>)>,
    taken_keys: Vec<&'static str>,
}

impl Spec {
    /// Parses a text into name and options.
    pub fn parse(text: &str) -> Result<Spec, SpecError> {
        let text = text.trim();
        if text.contains(char::is_control) {
            let shown: String = text.chars().take(40).collect();
            return Err(SpecError::Unprintable { text: shown });
        }
        let (name, items) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err(SpecError::Empty);
        }
        let name = name.trim_end();
        let mut options: Vec<(String, Option<String>)> = Vec::new();
        for item in split_items(items).map(str::trim).filter(|item| !item.is_empty()) {
            let (key, value) = match item.split_once('=') {
                Some((key, value)) => (key.trim(), Some(unquoted(value.trim()))),
                None => (item, None),
            };
            if options.iter().any(|(other, _)| other == key) {
                let (owner, option) = (name.to_string(), key.to_string());
                return Err(SpecError::RepeatedOption { owner, option });
            }
            options.push((key.to_string(), value));
        }
        Ok(Spec { text: text.to_string(), name: name.to_string(), options, taken_keys: Vec::new() })
    }

    /// The name before the colon.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text as given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// This spec with the name of `base`, and with the options of `base` as defaults.
    pub fn based_on(mut self, base: Spec) -> Spec {
        let own_size = self.options.iter().any(is_size);
        let is_overridden = |option: &(String, Option<String>)| {
            let same_key = self.options.iter().any(|(key, _)| *key == option.0);
            same_key || own_size && is_size(option)
        };
        let mut options = base.options;
        options.retain(|option| !is_overridden(option));
        options.append(&mut self.options);
        Spec { name: base.name, options, ..self }
    }

    /// All options in the order of the text. A key without a value has the value `on`.
    pub fn into_options(self) -> impl Iterator<Item = (String, String)> {
        let on = || "on".to_string();
        self.options.into_iter().map(move |(key, value)| (key, value.unwrap_or_else(on)))
    }

    /// Takes the value of `key`. A key without a value has the value `on`.
    pub fn take(&mut self, key: &'static str) -> Option<String> {
        self.taken_keys.push(key);
        let place = self.options.iter().position(|(other, _)| other == key)?;
        let (_, value) = self.options.remove(place);
        Some(value.unwrap_or_else(|| "on".to_string()))
    }

    /// Takes and parses the value of `key`; `expected` describes valid values for the error.
    pub fn value<T: FromStr>(
        &mut self,
        key: &'static str,
        expected: &str,
    ) -> Result<Option<T>, SpecError> {
        match self.take(key) {
            None => Ok(None),
            Some(text) => match text.parse() {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(self.bad_value(key, &text, expected)),
            },
        }
    }

    /// Takes an integer within `range`.
    pub fn number(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, SpecError> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        match self.value::<u64>(key, &expected)? {
            Some(n) if !range.contains(&n) => Err(self.bad_value(key, &n.to_string(), &expected)),
            n => Ok(n),
        }
    }

    /// Takes `on` or `off`; a key without a value means `on`.
    pub fn switch(&mut self, key: &'static str) -> Result<Option<bool>, SpecError> {
        match self.take(key).as_deref() {
            None => Ok(None),
            Some("on") => Ok(Some(true)),
            Some("off") => Ok(Some(false)),
            Some(other) => Err(self.bad_value(key, other, "on or off")),
        }
    }

    /// Takes one of several words.
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&str, T)],
    ) -> Result<Option<T>, SpecError> {
        let Some(text) = self.take(key) else { return Ok(None) };
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
                Err(self.bad_value(key, &text, &format!("one of {}", words.join(", "))))
            }
        }
    }

    /// Takes the size, a word such as `7x6` or `3x3x3`, and returns its numbers.
    pub fn size(&mut self) -> Result<Option<Vec<usize>>, SpecError> {
        self.taken_keys.push("WIDTHxHEIGHT");
        let sizes: Vec<String> =
            self.options.extract_if(.., |option| is_size(option)).map(|(key, _)| key).collect();
        let text = match &sizes[..] {
            [] => return Ok(None),
            [text] => text,
            [_, second, ..] => return Err(self.bad_value("size", second, "one size, such as 7x6")),
        };
        let numbers: Result<Vec<usize>, _> = text.split('x').map(str::parse).collect();
        match numbers {
            Ok(numbers) => Ok(Some(numbers)),
            Err(_) => Err(self.bad_value("size", text, "numbers joined by x, such as 7x6")),
        }
    }

    /// Creates an error about the value of an option.
    pub fn bad_value(&self, option: &str, value: &str, expected: &str) -> SpecError {
        SpecError::BadValue {
            owner: self.name.clone(),
            option: option.to_string(),
            value: value.to_string(),
            expected: expected.to_string(),
        }
    }

    /// Returns an error if an option is left that was not taken.
    pub fn finish(self) -> Result<(), SpecError> {
        match self.options.into_iter().next() {
            None => Ok(()),
            Some((option, _)) => Err(SpecError::UnknownOption {
                owner: self.name,
                option,
                known: self.taken_keys.iter().map(|key| key.to_string()).collect(),
            }),
        }
    }
}

/// Whether an option is a size such as `7x6`.
fn is_size((key, value): &(String, Option<String>)) -> bool {
    let form = |c: char| c == 'x' || c.is_ascii_digit();
    value.is_none() && key.contains('x') && key.chars().all(form)
}

/// Splits at commas outside of double quotes.
fn split_items(items: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    items.split(move |c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
}

/// Removes the quotes around a value.
fn unquoted(value: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    inside.filter(|inside| !inside.contains('"')).unwrap_or(value).to_string()
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a spec cannot be opened. Each message is one line with the cause and the expected input.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// No text at all.
    #[error("no name given; expected a name such as connect4 or mnk:10x10,k=5")]
    Empty,
    /// Control characters such as line breaks.
    #[error("{text:?}: contains a control character; expected a name such as mnk:10x10,k=5")]
    Unprintable {
        /// The start of the text.
        text: String,
    },
    /// No such game or player.
    #[error("{kind} '{name}': unknown; {}", suggestion(name, known))]
    UnknownName {
        /// `game` or `player`.
        kind: &'static str,
        /// The given name.
        name: String,
        /// The valid names.
        known: Vec<String>,
    },
    /// A game of one player where a game of two players is needed.
    #[error("game '{game}': has one player; expected a game of two players")]
    OnePlayer {
        /// The game.
        game: String,
        /// The commands for it.
        commands: PuzzleCommands,
    },
    /// The game or player has no such option.
    #[error("'{owner}': unknown option '{option}'; {}", options_text(known))]
    UnknownOption {
        /// The game or player.
        owner: String,
        /// The option.
        option: String,
        /// The valid options.
        known: Vec<String>,
    },
    /// An option that occurs more than once.
    #[error("'{owner}': option '{option}' is given twice; expected each option once")]
    RepeatedOption {
        /// The game or player.
        owner: String,
        /// The option.
        option: String,
    },
    /// An invalid value of an option.
    #[error("'{owner}': invalid {option} '{value}'; expected {expected}")]
    BadValue {
        /// The game or player.
        owner: String,
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// What was expected.
        expected: String,
    },
    /// Options that are valid separately but not together.
    #[error("'{owner}': {why}")]
    Impossible {
        /// The game or player.
        owner: String,
        /// The problem and what was expected.
        why: String,
    },
    /// The game lacks a capability that a player, option or command needs.
    #[error("'{user}': does not support '{game}', which lacks {capability}; expected {remedy}")]
    MissingCapability {
        /// The player, option or command.
        user: String,
        /// The name of the capability, as listed by `tesuji games`.
        capability: &'static str,
        /// The game.
        game: String,
        /// What is supported.
        remedy: String,
    },
}

fn options_text(known: &[String]) -> String {
    if known.is_empty() {
        "expected no options".to_string()
    } else {
        format!("expected {}", known.join(", "))
    }
}

/// Suggests the most similar name, or lists all names.
fn suggestion(name: &str, known: &[String]) -> String {
    let near = known
        .iter()
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .min()
        .filter(|(distance, candidate)| *distance * 2 < candidate.chars().count());
    match near {
        Some((_, candidate)) => format!("did you mean '{candidate}'?"),
        None => format!("expected {}", known.join(", ")),
    }
}

/// The edit distance: how many letters must be changed, added or removed to turn one text into the
/// other (Levenshtein, 1965).
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_one_by_one() {
        let mut spec = Spec::parse("mnk:10x10,k=5,exact").unwrap();
        assert_eq!(spec.name(), "mnk");
        assert_eq!(spec.size(), Ok(Some(vec![10, 10])));
        assert_eq!(spec.number("k", 1..=20), Ok(Some(5)));
        assert_eq!(spec.switch("exact"), Ok(Some(true)));
        assert_eq!(spec.switch("other"), Ok(None));
        assert_eq!(spec.finish(), Ok(()));
    }

    #[test]
    fn quotes_keep_commas_together() {
        let mut spec = Spec::parse("external:cmd=\"./engine --set a=1,b\",time=1s").unwrap();
        assert_eq!(spec.take("cmd").as_deref(), Some("./engine --set a=1,b"));
        assert_eq!(spec.take("time").as_deref(), Some("1s"));
        let mut spec = Spec::parse("external:cmd=\"a b\" \"c d\"").unwrap();
        assert_eq!(spec.take("cmd").as_deref(), Some("\"a b\" \"c d\""));
    }

    #[test]
    fn an_option_occurs_once() {
        let error = Spec::parse("mnk:k=4,p=2,k=4").unwrap_err().to_string();
        assert_eq!(error, "'mnk': option 'k' is given twice; expected each option once");
        let mut two_sizes = Spec::parse("mnk:10x10,12x12").unwrap();
        assert!(two_sizes.size().unwrap_err().to_string().contains("one size"));
    }

    #[test]
    fn own_options_override_the_base() {
        let base = Spec::parse("mnk:15x15,k=5").unwrap();
        let mut spec = Spec::parse("gomoku:20x20,k=6").unwrap().based_on(base);
        assert_eq!(spec.name(), "mnk");
        assert_eq!(spec.size(), Ok(Some(vec![20, 20])));
        assert_eq!(spec.number("k", 1..=20), Ok(Some(6)));
    }

    #[test]
    fn errors_are_one_line_for_any_input() {
        for text in ["a\nb", "connect4:\u{0}", "x:k=\r\n3,\t"] {
            let error = Spec::parse(text).unwrap_err().to_string();
            assert!(!error.contains(char::is_control) && error.contains("mnk:10x10"), "{error}");
        }
    }

    #[test]
    fn errors_name_the_cause() {
        let mut spec = Spec::parse("mnk:k=0,color=red").unwrap();
        let error = spec.number("k", 1..=20).unwrap_err().to_string();
        assert!(error.contains("k '0'") && error.contains("1 to 20"), "{error}");
        let error = spec.finish().unwrap_err().to_string();
        assert!(error.contains("'color'") && error.contains("expected k"), "{error}");
        let known = vec!["connect4".to_string(), "chess".to_string()];
        let unknown = |name: &str| {
            SpecError::UnknownName { kind: "game", name: name.into(), known: known.clone() }
                .to_string()
        };
        assert!(unknown("conect4").contains("did you mean 'connect4'"));
        assert!(unknown("go").contains("expected connect4, chess"));
    }
}
