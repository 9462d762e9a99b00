//! Reads settings from a `.properties` file with the thesis's parameters. The format is Java's:
//! `key = value`, `key: value` or `key value`, comments after `#` or `!`, a backslash at the end of
//! a continued line, `\uXXXX` for characters. The text is UTF-8.

use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;

use serde_json::{Number, Value, json};
use tesuji_games::spec::edit_distance;
use tesuji_train::{LearnerSettings as _, SettingsError};

use super::settings::ForestLearnerSettings;
use crate::excerpt::excerpt;

/// The type of a key's value.
#[derive(Clone, Copy)]
enum ValueType {
    Count,
    Real,
    Text,
    /// Texts, separated by commas.
    Texts,
    /// One of these values.
    OneOf(&'static str),
    /// The values for `false` and `true`.
    Switch([&'static str; 2]),
}

use ValueType::{Count, OneOf, Real, Switch, Text, Texts};

/// Every key, its path in a TOML file, and its type. Keys without a path describe the board.
static KEYS: [(&str, &str, ValueType); 41] = [
    ("board.rows", "", Count),
    ("board.columns", "", Count),
    ("board.k", "", Count),
    ("board.gravity", "", Switch(["false", "true"])),
    ("stones.per.turn", "", Count),
    ("stones.first.turn", "", Count),
    ("seed", "seed", Count),
    ("threads", "threads", Count),
    ("database", "data.store", Text),
    ("database.import", "data.import", Texts),
    ("genetic.population", "evolution.population", Count),
    ("genetic.maximum.population", "evolution.largest", Count),
    ("genetic.mutation.rate", "evolution.mutation", Real),
    ("genetic.games.per.individual", "evolution.games_per_individual", Count),
    ("genetic.fitness", "evolution.fitness", OneOf("games, scenarios or both")),
    ("training.full", "evolution.games", Switch(["limited", "full"])),
    ("mating.full", "evolution.mating", Switch(["partial", "full"])),
    ("score.win", "evolution.points.win", Real),
    ("score.draw", "evolution.points.draw", Real),
    ("score.loss", "evolution.points.loss", Real),
    ("forest.trees", "forest.trees", Count),
    ("tree.attributes", "forest.attributes", Count),
    ("tree.pattern.radius", "forest.window", Count),
    ("tree.pattern.shape", "forest.shape", OneOf("scattered, lines, walks or mixed")),
    ("tree.pattern.fit", "forest.spread.fit", OneOf("box or window")),
    ("tree.weights", "forest.tree_weights", OneOf("equal, error or evolved")),
    ("weight.win", "forest.weights.win", Real),
    ("weight.draw", "forest.weights.draw", Real),
    ("weight.loss", "forest.weights.loss", Real),
    ("minimax.depth", "search.depth", Count),
    ("minimax.move.radius", "search.radius", Count),
    ("minimax.style", "search.style", OneOf("thesis or strong")),
    ("minimax.order", "search.order", OneOf("patterns, thesis or forest")),
    ("minimax.ties", "search.ties", OneOf("first or random")),
    ("iterations", "stop.iterations", Count),
    ("seconds", "stop.seconds", Real),
    ("stagnation", "stop.stagnation", Count),
    ("seed.games.random", "data.random", Count),
    ("seed.games.mixed", "data.mixed", Count),
    ("seed.games.heuristic", "data.heuristic", Count),
    ("openings", "data.openings", Count),
];

impl ValueType {
    /// Parses a value; `None` if it has the wrong type.
    fn value(self, text: &str) -> Option<Value> {
        match self {
            Count => text.parse().ok().map(|count: u64| json!(count)),
            Real => text.parse().ok().and_then(Number::from_f64).map(Value::Number),
            Text => Some(json!(text)),
            Texts => {
                let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
                Some(texts.collect())
            }
            OneOf(words) => {
                let is_one = words.replace(" or ", ", ").split(", ").any(|word| word == text);
                is_one.then(|| json!(text))
            }
            Switch([off, on]) => match text {
                "false" => Some(json!(off)),
                "true" => Some(json!(on)),
                _ => None,
            },
        }
    }

    /// Describes the expected value.
    fn expected(self) -> &'static str {
        match self {
            Count => "a whole number",
            Real => "a number",
            Text | Texts => "a text",
            OneOf(words) => words,
            Switch(_) => "true or false",
        }
    }
}

/// Reads the text of a `.properties` file and checks what can be checked without a game.
pub fn read(text: &str) -> Result<ForestLearnerSettings, SettingsError> {
    let settings = parse_unchecked(text)?;
    settings.check()?;
    Ok(settings)
}

fn parse_unchecked(text: &str) -> Result<ForestLearnerSettings, SettingsError> {
    let mut settings = json!(ForestLearnerSettings::default());
    let mut given: HashMap<&str, (usize, Value)> = HashMap::new();
    for Entry { line, key, value } in entries(text)? {
        let form = |what: String| SettingsError::Syntax { line, what };
        let known = KEYS.iter().find(|(name, ..)| *name == key);
        let &(name, path, value_type) = known.ok_or_else(|| {
            form(format!("unknown key '{}'; did you mean '{}'?", excerpt(&key), nearest(&key)))
        })?;
        if let Some((before, _)) = given.get(name) {
            return Err(form(format!(
                "'{name}' is already set in line {before}; expected it once"
            )));
        }
        let value = value_type.value(value.trim()).ok_or_else(|| {
            let (found, expected) = (excerpt(&value), value_type.expected());
            form(format!("'{name}' is '{found}'; expected {expected}"))
        })?;
        if !path.is_empty() {
            *path.split('.').fold(&mut settings, |table, key| &mut table[key]) = value.clone();
        }
        given.insert(name, (line, value));
    }
    let given = |name: &str| given.get(name).map(|(_, value)| value);
    settings["game"] = json!(game(given).map_err(SettingsError::Value)?);
    serde_json::from_value(settings).map_err(SettingsError::value)
}

/// The game with this board and number of stones.
fn game<'v>(given: impl Fn(&str) -> Option<&'v Value>) -> Result<String, String> {
    let count = |name: &str| given(name).and_then(Value::as_u64);
    let needed = |name: &str| {
        count(name).ok_or_else(|| {
            format!("'{name}' is missing; expected board.rows, board.columns and board.k")
        })
    };
    let (rows, columns) = (needed("board.rows")?, needed("board.columns")?);
    let (k, per_turn) = (needed("board.k")?, count("stones.per.turn"));
    let (p, q) = (per_turn.unwrap_or(1), count("stones.first.turn").or(per_turn).unwrap_or(1));
    let falls = given("board.gravity").is_some_and(|value| value == "true");
    match (columns, rows, k, p, q) {
        (_, _, 4, 1, 1) if falls => Ok(format!("connect4:{columns}x{rows}")),
        (_, _, _, 1, 1) if falls => Ok(format!("mnk:{columns}x{rows},k={k},gravity")),
        _ if falls => Ok(format!("mnk:{columns}x{rows},k={k},p={p},q={q},gravity")),
        (3, 3, 3, 1, 1) => Ok("tictactoe".to_string()),
        (_, _, _, 1, 1) => Ok(format!("mnk:{columns}x{rows},k={k}")),
        _ => Ok(format!("mnk:{columns}x{rows},k={k},p={p},q={q}")),
    }
}

fn nearest(wrong: &str) -> &'static str {
    let wrong: String = wrong.chars().take(60).collect();
    let names = KEYS.iter().map(|(name, ..)| *name);
    names.min_by_key(|name| edit_distance(&wrong, name)).unwrap_or("board.rows")
}

#[derive(PartialEq, Eq, Debug)]
struct Entry {
    line: usize,
    key: String,
    value: String,
}

/// The entries of a text, with comments, continued lines and escapes resolved.
fn entries(text: &str) -> Result<Vec<Entry>, SettingsError> {
    let mut found = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((first, line)) = lines.next() {
        let mut logical = first.trim_start_matches(is_blank).to_string();
        if logical.is_empty() || logical.starts_with(['#', '!']) {
            continue;
        }
        // A backslash at the end that is not itself escaped.
        while logical.chars().rev().take_while(|&c| c == '\\').count() % 2 == 1 {
            logical.pop();
            match lines.next() {
                Some((next, _)) => logical.push_str(next.trim_start_matches(is_blank)),
                None => break,
            }
        }
        let letters = &mut logical.chars().peekable();
        let bad_escape = || {
            let what =
                "'\\u' without a character; expected four hexadecimal digits, such as \\u00e4";
            SettingsError::Syntax { line, what: what.to_string() }
        };
        let key = unescaped(letters, ends_key).ok_or_else(bad_escape)?;
        while letters.next_if(|&c| is_blank(c)).is_some() {}
        letters.next_if(|c| ['=', ':'].contains(c));
        while letters.next_if(|&c| is_blank(c)).is_some() {}
        let value = unescaped(letters, |_| false).ok_or_else(bad_escape)?;
        found.push(Entry { line, key, value });
    }
    Ok(found)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

fn ends_key(c: char) -> bool {
    is_blank(c) || c == '=' || c == ':'
}

/// Unescapes the text up to the first letter for which `ends` holds; `None` if a `\u` escape is
/// invalid.
fn unescaped(letters: &mut Peekable<Chars<'_>>, ends: fn(char) -> bool) -> Option<String> {
    let mut plain: Vec<u16> = Vec::new();
    while let Some(mut c) = letters.next_if(|&c| !ends(c)) {
        if c == '\\' {
            c = match letters.next() {
                Some('u') => {
                    let digits: String = letters.by_ref().take(4).collect();
                    let proper = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                    plain.push(u16::from_str_radix(&digits, 16).ok().filter(|_| proper)?);
                    continue;
                }
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('f') => '\u{c}',
                Some(other) => other,
                None => break,
            };
        }
        plain.extend_from_slice(c.encode_utf16(&mut [0; 2]));
    }
    // Two escapes may form a surrogate pair.
    String::from_utf16(&plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        entries(text).unwrap().into_iter().map(|e| (e.key, e.value)).collect()
    }

    #[test]
    fn entries_are_parsed_like_in_java() {
        let text = "# a comment\n! another\n\n  a=1\nb : 2\nc 3\nd\ne\\ f\\=g = h\\:i\n\
                    long = one, \\\n    two, \\\n\ttwo and a half\nu = \\u00e4\\uD83D\\uDE00\\t.\n\
                    twice=x\\\\\nnext = a=b\r\nend=\\";
        let expected = [
            ("a", "1"),
            ("b", "2"),
            ("c", "3"),
            ("d", ""),
            ("e f=g", "h:i"),
            ("long", "one, two, two and a half"),
            ("u", "ä😀\t."),
            ("twice", "x\\"),
            ("next", "a=b"),
            ("end", ""),
        ];
        let expected: Vec<(String, String)> =
            expected.map(|(k, v)| (k.to_string(), v.to_string())).to_vec();
        assert_eq!(pairs(text), expected);
    }

    const BOARD: &str = "board.rows=3\nboard.columns=3\nboard.k=3\n";

    #[test]
    fn boards_are_converted_to_games() {
        let game = |text: &str| read(text).map(|settings| settings.game);
        assert_eq!(game(BOARD).unwrap(), "tictactoe");
        let connect6 =
            "board.rows=19\nboard.columns=19\nboard.k=6\nstones.per.turn=2\nstones.first.turn=1";
        assert_eq!(game(connect6).unwrap(), "mnk:19x19,k=6,p=2,q=1");
        let falling = "board.rows=6\nboard.columns=7\nboard.k=4\nboard.gravity=true";
        assert_eq!(game(falling).unwrap(), "connect4:7x6");
        let falling = "board.rows=6\nboard.columns=7\nboard.k=5\nboard.gravity=true";
        assert_eq!(game(falling).unwrap(), "mnk:7x6,k=5,gravity");
        let falling = format!("{falling}\nstones.per.turn=2\nstones.first.turn=1");
        assert_eq!(game(&falling).unwrap(), "mnk:7x6,k=5,p=2,q=1,gravity");
    }

    #[test]
    fn every_key_changes_the_settings() {
        let plain = parse_unchecked(BOARD).unwrap();
        for (name, path, _) in KEYS.iter().filter(|(_, path, _)| !path.is_empty()) {
            let values = [
                "6",
                "true",
                "scenarios",
                "lines",
                "window",
                "thesis",
                "error",
                "strong",
                "random",
                "0.5",
            ];
            let changed = |value: &&str| {
                let read = parse_unchecked(&format!("{BOARD}{name} = {value}"));
                read.is_ok_and(|settings| settings != plain)
            };
            assert!(values.iter().any(changed), "{name} sets {path}");
        }
        assert_eq!(plain.forest.trees, 25);
    }

    #[test]
    fn errors_are_one_line() {
        for (text, words) in [
            ("board.row=3", "line 1: unknown key 'board.row'; did you mean 'board.rows'?"),
            ("\n# x\ngenetic.mutation = 1", "line 3: unknown key 'genetic.mutation'"),
            ("threads = many", "line 1: 'threads' is 'many'; expected a whole number"),
            ("board.gravity = yes", "expected true or false"),
            ("a\\u12", "line 1: '\\u' without a character"),
            ("a=\\ud83d", "line 1: '\\u' without a character"),
            ("board.rows=3", "'board.columns' is missing"),
            ("board.rows=3\nboard.rows=3", "line 2: 'board.rows' is already set in line 1"),
            (&format!("{BOARD}forest.trees=0"), "`forest.trees` is 0"),
            (&format!("{BOARD}genetic.games.per.individual=3"), "expected an even number"),
            (&format!("{BOARD}a\u{0}\nb"), "unknown key 'a\\0'"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
