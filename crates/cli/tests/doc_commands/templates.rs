//! Tells complete commands from templates. A template is not run, but its verb must exist and have
//! its options.

use super::commands::CommandKind;
use super::words::split;

/// Verbs without required arguments: their bare names in a sentence are complete commands.
const COMPLETE_VERBS: &[&str] = &["games", "serve", "engine", "gem play"];

/// Verbs with subcommands.
const FAMILIES: &[&str] = &["book", "forest", "gem", "model", "queue", "store"];

/// Whether a line is a command of `tesuji`, and not a line of a protocol or file that begins with
/// that name.
pub(crate) fn is_tesuji_command(line: &str) -> bool {
    let verb = line.strip_prefix("tesuji ").map(str::trim_start).unwrap_or_default();
    verb.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '-')
}

pub(crate) fn kind(text: &str) -> CommandKind {
    let is_template = text.contains('…') || (is_tesuji_command(text) && has_placeholder(text));
    if is_template { CommandKind::Template } else { CommandKind::Complete }
}

pub(crate) fn kind_in_prose(text: &str) -> CommandKind {
    let path = verb_path(text).join(" ");
    let is_bare = text.strip_prefix("tesuji ") == Some(path.as_str());
    if is_bare && !COMPLETE_VERBS.contains(&path.as_str()) {
        CommandKind::Template
    } else {
        kind(text)
    }
}

/// The verb of a command of `tesuji`, with its subcommand.
pub(crate) fn verb_path(text: &str) -> Vec<&str> {
    let words: Vec<&str> = split(text).into_iter().skip(1).collect();
    let length = if words.first().is_some_and(|verb| FAMILIES.contains(verb)) { 2 } else { 1 };
    let is_verb = |word: &&str| word.chars().all(|letter| letter.is_ascii_lowercase());
    words.into_iter().take(length).take_while(is_verb).collect()
}

/// The options in a template.
pub(crate) fn options(text: &str) -> Vec<&str> {
    let flags = split(text).into_iter().filter(|word| word.starts_with("--"));
    flags.map(|word| word.split('=').next().unwrap_or(word)).collect()
}

/// Whether a text has a word of capital letters: `FILE`, `L`, `DIR/FILE.toml`, but not `32M`.
fn has_placeholder(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_uppercase()))
}

#[test]
fn capital_letters_are_placeholders() {
    let is_template = |text: &str| kind_in_prose(text) == CommandKind::Template;
    assert!(
        is_template("tesuji train FILE.toml")
            && is_template("tesuji match")
            && is_template("tesuji store merge")
    );
    assert!(is_template("tesuji serve --queue … --store …"));
    assert!(!is_template("tesuji games") && !is_template("tesuji book build connect4 --tt 32M"));
    assert_eq!(verb_path("tesuji gem bench AGENT"), ["gem", "bench"]);
    assert_eq!(options("tesuji gem log FILE --out NEW"), ["--out"]);
    assert!(!is_tesuji_command("tesuji {\"key\":…}") && !is_tesuji_command("tesuji 1"));
}
