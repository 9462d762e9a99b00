//! What is a command and what only says how one looks. A form is not run, but its verb must exist and know its options.

use super::commands::Kind;
use super::words::split;

/// Verbs that do something without further words, so that their bare names in a sentence are commands.
const COMPLETE_VERBS: &[&str] = &["games", "serve", "engine", "gem play"];

/// Verbs that have verbs of their own.
const FAMILIES: &[&str] = &["book", "forest", "gem", "model", "queue", "store"];

/// Whether a line is one of `tesuji`, and not of a protocol or file that begins with its name.
pub(crate) fn is_command_of_ours(line: &str) -> bool {
    let verb = line.strip_prefix("tesuji ").map(str::trim_start).unwrap_or_default();
    verb.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '-')
}

pub(crate) fn kind(text: &str) -> Kind {
    let is_form = text.contains('…') || (is_command_of_ours(text) && has_placeholder(text));
    if is_form { Kind::Template } else { Kind::Complete }
}

pub(crate) fn kind_in_a_sentence(text: &str) -> Kind {
    let path = verb_path(text).join(" ");
    let is_bare = text.strip_prefix("tesuji ") == Some(path.as_str());
    if is_bare && !COMPLETE_VERBS.contains(&path.as_str()) { Kind::Template } else { kind(text) }
}

/// The verb of a command of ours, with the verb inside it.
pub(crate) fn verb_path(text: &str) -> Vec<&str> {
    let words: Vec<&str> = split(text).into_iter().skip(1).collect();
    let length = if words.first().is_some_and(|verb| FAMILIES.contains(verb)) { 2 } else { 1 };
    let is_verb = |word: &&str| word.chars().all(|letter| letter.is_ascii_lowercase());
    words.into_iter().take(length).take_while(is_verb).collect()
}

/// The options that a form names.
pub(crate) fn options(text: &str) -> Vec<&str> {
    let flags = split(text).into_iter().filter(|word| word.starts_with("--"));
    flags.map(|word| word.split('=').next().unwrap_or(word)).collect()
}

/// A word of capital letters: `FILE`, `L`, `DIR/FILE.toml`, but not `32M`.
fn has_placeholder(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_uppercase()))
}

#[test]
fn capital_letters_stand_for_something() {
    let form = |text: &str| kind_in_a_sentence(text) == Kind::Template;
    assert!(form("tesuji train FILE.toml") && form("tesuji match") && form("tesuji store merge"));
    assert!(form("tesuji serve --queue … --store …"));
    assert!(!form("tesuji games") && !form("tesuji book build connect4 --tt 32M"));
    assert_eq!(verb_path("tesuji gem bench AGENT"), ["gem", "bench"]);
    assert_eq!(options("tesuji gem log FILE --out NEW"), ["--out"]);
    assert!(!is_command_of_ours("tesuji {\"key\":…}") && !is_command_of_ours("tesuji 1"));
}
