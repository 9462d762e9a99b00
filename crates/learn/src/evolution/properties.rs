//! Settings as a `.properties` file with the thesis's parameters. The form is that of Java: `key = value`,
//! `key: value` or `key value`, comments after `#` or `!`, a backslash at the end of a line that goes on,
//! `\uXXXX` for characters. The text is UTF-8.

use tesuji_games::spec::edit_distance;

use crate::forest::Shape;

use tesuji_train::{Settings as _, SettingsError};

use super::settings::{Fitness, Games, Mating, SearchStyle, Settings, TieRule, TreeWeights};

/// A key that a file may have.
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it means, and what it takes.
    pub meaning: &'static str,
    set: fn(&mut Draft, &str) -> Result<(), Expected>,
}

/// What a value should have been.
type Expected = &'static str;

/// Settings, and what becomes part of them only when all keys are known.
#[derive(Default)]
struct Draft {
    settings: Settings,
    rows: Option<u32>,
    columns: Option<u32>,
    k: Option<u32>,
    gravity: bool,
    per_turn: Option<u32>,
    first_turn: Option<u32>,
    games_per_individual: Option<usize>,
}

const COUNT: Expected = "a whole number";
const NUMBER: Expected = "a number";
const SWITCH: Expected = "true or false";

/// Every key, in the order of the documentation.
pub const KEYS: &[Key] = &[
    key("board.rows", "rows of the board", |d, v| count(v, |n| d.rows = Some(n))),
    key("board.columns", "columns of the board", |d, v| count(v, |n| d.columns = Some(n))),
    key("board.k", "stones in a row that win", |d, v| count(v, |n| d.k = Some(n))),
    key("board.gravity", "true when stones fall, as at Connect Four", |d, v| {
        switch(v, |on| d.gravity = on)
    }),
    key("stones.per.turn", "stones a turn (p)", |d, v| count(v, |n| d.per_turn = Some(n))),
    key("stones.first.turn", "stones of the very first turn (q)", |d, v| {
        count(v, |n| d.first_turn = Some(n))
    }),
    key("seed", "what decides all chance", |d, v| parsed(v, COUNT, |n| d.settings.seed = n)),
    key("threads", "games at once; 0 for all threads of the machine", |d, v| {
        parsed(v, COUNT, |n| d.settings.threads = n)
    }),
    key("database", "where samples are kept: a file or a postgres:// URL", |d, v| {
        d.settings.data.store = Some(v.to_string());
        Ok(())
    }),
    key("database.import", "other databases to learn from, separated by commas", |d, v| {
        let places = v.split(',').map(str::trim).filter(|place| !place.is_empty());
        d.settings.data.import = places.map(str::to_string).collect();
        Ok(())
    }),
    key("genetic.population", "forests that survive each iteration", |d, v| {
        parsed(v, COUNT, |n| d.settings.evolution.population = n)
    }),
    key("genetic.maximum.population", "forests with all children", |d, v| {
        parsed(v, COUNT, |n| d.settings.evolution.largest = Some(n))
    }),
    key("genetic.mutation.rate", "probability of mutation, 0 to 1", |d, v| {
        parsed(v, NUMBER, |n| d.settings.evolution.mutation = n)
    }),
    key(
        "genetic.games.per.individual",
        "games of each child; only checked: the schedule decides it",
        |d, v| parsed(v, COUNT, |n| d.games_per_individual = Some(n)),
    ),
    key("genetic.fitness", "games, scenarios or both", |d, v| {
        let words =
            [("games", Fitness::Games), ("scenarios", Fitness::Scenarios), ("both", Fitness::Both)];
        word(v, &words, "games, scenarios or both", |it| d.settings.evolution.fitness = it)
    }),
    key(
        "training.full",
        "true: everybody plays everybody; false: survivors play children",
        |d, v| {
            switch(v, |full| {
                d.settings.evolution.games = if full { Games::Full } else { Games::Limited }
            })
        },
    ),
    key("mating.full", "true: all pairs have children; false: random pairs", |d, v| {
        switch(v, |full| {
            d.settings.evolution.mating = if full { Mating::Full } else { Mating::Partial }
        })
    }),
    key("score.win", "points for a win", |d, v| {
        parsed(v, NUMBER, |n| d.settings.evolution.points.win = n)
    }),
    key("score.draw", "points for a draw", |d, v| {
        parsed(v, NUMBER, |n| d.settings.evolution.points.draw = n)
    }),
    key("score.loss", "points for a loss", |d, v| {
        parsed(v, NUMBER, |n| d.settings.evolution.points.loss = n)
    }),
    key("forest.trees", "trees of each forest", |d, v| {
        parsed(v, COUNT, |n| d.settings.forest.trees = n)
    }),
    key("tree.attributes", "cells that each tree may ask about", |d, v| {
        parsed(v, COUNT, |n| d.settings.forest.attributes = n)
    }),
    key("tree.pattern.radius", "the side of the square that is learned from", |d, v| {
        parsed(v, COUNT, |n| d.settings.forest.window = n)
    }),
    key("tree.pattern.shape", "scattered, lines, walks or mixed", |d, v| {
        let words = [
            ("scattered", Shape::Scattered),
            ("lines", Shape::Lines),
            ("walks", Shape::Walks),
            ("mixed", Shape::Mixed),
        ];
        word(v, &words, "scattered, lines, walks or mixed", |it| d.settings.forest.shape = it)
    }),
    key("tree.weights", "equal, error or evolved", |d, v| {
        let words = [
            ("equal", TreeWeights::Equal),
            ("error", TreeWeights::Error),
            ("evolved", TreeWeights::Evolved),
        ];
        word(v, &words, "equal, error or evolved", |it| d.settings.forest.tree_weights = it)
    }),
    key("weight.win", "what votes for a win are worth", |d, v| {
        parsed(v, NUMBER, |n| d.settings.forest.weights.win = n)
    }),
    key("weight.draw", "what votes for a draw are worth", |d, v| {
        parsed(v, NUMBER, |n| d.settings.forest.weights.draw = n)
    }),
    key("weight.loss", "what votes for a loss are worth", |d, v| {
        parsed(v, NUMBER, |n| d.settings.forest.weights.loss = n)
    }),
    key("minimax.depth", "plies of the search; 0 for the forest alone", |d, v| {
        parsed(v, COUNT, |n| d.settings.search.depth = n)
    }),
    key("minimax.move.radius", "moves so far from a stone are looked at; 0 for all", |d, v| {
        parsed(v, COUNT, |n| d.settings.search.radius = n)
    }),
    key("minimax.style", "thesis or strong", |d, v| {
        let words = [("thesis", SearchStyle::Thesis), ("strong", SearchStyle::Strong)];
        word(v, &words, "thesis or strong", |it| d.settings.search.style = it)
    }),
    key("minimax.ties", "first or random", |d, v| {
        let words = [("first", TieRule::First), ("random", TieRule::Random)];
        word(v, &words, "first or random", |it| d.settings.search.ties = it)
    }),
    key("iterations", "stop after so many", |d, v| {
        parsed(v, COUNT, |n| d.settings.stop.iterations = Some(n))
    }),
    key("seconds", "stop after so much time", |d, v| {
        parsed(v, NUMBER, |n| d.settings.stop.seconds = Some(n))
    }),
    key("stagnation", "stop after so many iterations without a better best", |d, v| {
        parsed(v, COUNT, |n| d.settings.stop.stagnation = Some(n))
    }),
    key("seed.games.random", "games of random moves before the first iteration", |d, v| {
        parsed(v, COUNT, |n| d.settings.data.random = n)
    }),
    key("seed.games.mixed", "games of the line heuristic against random moves", |d, v| {
        parsed(v, COUNT, |n| d.settings.data.mixed = n)
    }),
    key("seed.games.heuristic", "games of the line heuristic against itself", |d, v| {
        parsed(v, COUNT, |n| d.settings.data.heuristic = n)
    }),
    key("openings", "random stones at the beginning of each pair of games", |d, v| {
        parsed(v, COUNT, |n| d.settings.data.openings = n)
    }),
];

const fn key(
    name: &'static str,
    meaning: &'static str,
    set: fn(&mut Draft, &str) -> Result<(), Expected>,
) -> Key {
    Key { name, meaning, set }
}

fn parsed<T: std::str::FromStr>(
    value: &str,
    expected: Expected,
    set: impl FnOnce(T),
) -> Result<(), Expected> {
    value.parse().map(set).map_err(|_| expected)
}

fn count(value: &str, set: impl FnOnce(u32)) -> Result<(), Expected> {
    parsed(value, COUNT, set)
}

fn switch(value: &str, set: impl FnOnce(bool)) -> Result<(), Expected> {
    parsed(value, SWITCH, set)
}

fn word<T: Copy>(
    value: &str,
    words: &[(&str, T)],
    expected: Expected,
    set: impl FnOnce(T),
) -> Result<(), Expected> {
    words.iter().find(|(word, _)| *word == value).map(|(_, it)| set(*it)).ok_or(expected)
}

/// Reads the text of a `.properties` file and checks what can be checked without a game.
pub fn read(text: &str) -> Result<Settings, SettingsError> {
    let mut draft = Draft::default();
    let mut seen: Vec<(&str, usize)> = Vec::new();
    for entry in entries(text)? {
        let line = entry.line;
        let form = |what: String| SettingsError::Form { line, what };
        let key = KEYS.iter().find(|key| key.name == entry.key).ok_or_else(|| {
            let (wrong, right) = (shown(&entry.key), nearest(&entry.key));
            form(format!("unknown key '{wrong}'; did you mean '{right}'?"))
        })?;
        if let Some((_, before)) = seen.iter().find(|(name, _)| *name == key.name) {
            return Err(form(format!("'{}' stands already in line {before}", key.name)));
        }
        seen.push((key.name, line));
        (key.set)(&mut draft, entry.value.trim()).map_err(|expected| {
            form(format!("'{}' cannot be '{}'; expected {expected}", key.name, shown(&entry.value)))
        })?;
    }
    let settings = draft.finish().map_err(SettingsError::Sense)?;
    settings.check()?;
    Ok(settings)
}

impl Draft {
    fn finish(mut self) -> Result<Settings, String> {
        self.settings.game = self.game()?;
        if let Some(games) = self.games_per_individual {
            let evolution = &self.settings.evolution;
            let others = match evolution.games {
                Games::Full => evolution.largest().saturating_sub(1),
                Games::Limited => evolution.population,
            };
            if games != 2 * others {
                return Err(format!(
                    "'genetic.games.per.individual' is {games}, but every child meets {others} others \
                     with both colours; expected {}",
                    2 * others
                ));
            }
        }
        Ok(self.settings)
    }

    /// The game that the board and the stones describe.
    fn game(&self) -> Result<String, String> {
        let needed = |value: Option<u32>, name: &str| {
            value.ok_or_else(|| {
                format!(
                    "'{name}' is missing; the board needs board.rows, board.columns and board.k"
                )
            })
        };
        let rows = needed(self.rows, "board.rows")?;
        let columns = needed(self.columns, "board.columns")?;
        let k = needed(self.k, "board.k")?;
        let (p, q) = (self.per_turn.unwrap_or(1), self.first_turn.or(self.per_turn).unwrap_or(1));
        if self.gravity {
            if (k, p, q) != (4, 1, 1) {
                return Err("falling stones are known with board.k = 4 and one stone a turn only"
                    .to_string());
            }
            return Ok(format!("connect4:{columns}x{rows}"));
        }
        Ok(match (columns, rows, k, p, q) {
            (3, 3, 3, 1, 1) => "tictactoe".to_string(),
            (_, _, _, 1, 1) => format!("mnk:{columns}x{rows},k={k}"),
            _ => format!("mnk:{columns}x{rows},k={k},p={p},q={q}"),
        })
    }
}

/// Text from outside, short enough for a message.
fn shown(text: &str) -> String {
    text.chars().take(60).collect::<String>().escape_debug().to_string()
}

fn nearest(wrong: &str) -> &'static str {
    let wrong: String = wrong.chars().take(60).collect();
    let names = KEYS.iter().map(|key| key.name);
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
    let mut lines = text.lines().enumerate();
    while let Some((number, first)) = lines.next() {
        let mut logical = first.trim_start_matches(is_blank).to_string();
        if logical.is_empty() || logical.starts_with(['#', '!']) {
            continue;
        }
        while goes_on(&logical) {
            logical.pop();
            match lines.next() {
                Some((_, next)) => logical.push_str(next.trim_start_matches(is_blank)),
                None => break,
            }
        }
        found.push(entry(&logical, number + 1)?);
    }
    Ok(found)
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{c}')
}

/// Whether the line ends in a backslash that is not itself escaped.
fn goes_on(line: &str) -> bool {
    line.chars().rev().take_while(|&c| c == '\\').count() % 2 == 1
}

fn entry(line: &str, number: usize) -> Result<Entry, SettingsError> {
    let end = end_of_key(line);
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(is_blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(is_blank);
    Ok(Entry { line: number, key: unescaped(key, number)?, value: unescaped(rest, number)? })
}

/// Where the key ends: before the first blank, `=` or `:` that is not escaped.
fn end_of_key(line: &str) -> usize {
    let mut escaped = false;
    for (place, c) in line.char_indices() {
        if !escaped && (is_blank(c) || c == '=' || c == ':') {
            return place;
        }
        escaped = c == '\\' && !escaped;
    }
    line.len()
}

fn unescaped(text: &str, line: usize) -> Result<String, SettingsError> {
    let mut plain: Vec<u16> = Vec::with_capacity(text.len());
    let mut letters = text.chars();
    let mut buffer = [0; 2];
    while let Some(c) = letters.next() {
        let c = match c {
            '\\' => match letters.next() {
                Some('u') => {
                    plain.push(unit(&mut letters).ok_or_else(|| bad_escape(line))?);
                    continue;
                }
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('f') => '\u{c}',
                Some(other) => other,
                None => break,
            },
            c => c,
        };
        plain.extend_from_slice(c.encode_utf16(&mut buffer));
    }
    // Two escapes may be the two halves of one character.
    String::from_utf16(&plain).map_err(|_| bad_escape(line))
}

fn unit(letters: &mut std::str::Chars<'_>) -> Option<u16> {
    let digits: String = letters.take(4).collect();
    let proper = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    proper.then(|| u16::from_str_radix(&digits, 16).ok()).flatten()
}

fn bad_escape(line: usize) -> SettingsError {
    let what = "'\\u' without a character; expected four hexadecimal digits, such as \\u00e4";
    SettingsError::Form { line, what: what.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        entries(text).unwrap().into_iter().map(|e| (e.key, e.value)).collect()
    }

    #[test]
    fn entries_are_read_as_java_reads_them() {
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
    fn boards_become_games() {
        let game = |text: &str| read(text).map(|settings| settings.game);
        assert_eq!(game(BOARD).unwrap(), "tictactoe");
        let connect6 =
            "board.rows=19\nboard.columns=19\nboard.k=6\nstones.per.turn=2\nstones.first.turn=1";
        assert_eq!(game(connect6).unwrap(), "mnk:19x19,k=6,p=2,q=1");
        let falling = "board.rows=6\nboard.columns=7\nboard.k=4\nboard.gravity=true";
        assert_eq!(game(falling).unwrap(), "connect4:7x6");
        assert!(game("board.rows=6\nboard.columns=7\nboard.k=5\nboard.gravity=true").is_err());
    }

    #[test]
    fn every_key_does_something() {
        let plain = read(BOARD).unwrap();
        for key in KEYS.iter().skip(6).filter(|key| key.name != "genetic.games.per.individual") {
            let values = ["6", "true", "scenarios", "lines", "error", "strong", "random", "0.5"];
            let changed = |value: &&str| {
                let mut draft = Draft::default();
                let before = draft.settings.clone();
                (key.set)(&mut draft, value).is_ok() && draft.settings != before
            };
            assert!(values.iter().any(changed), "{}", key.name);
            assert!(!key.meaning.is_empty());
        }
        assert_eq!(plain.forest.trees, 25);
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        for (text, words) in [
            ("board.row=3", "line 1: unknown key 'board.row'; did you mean 'board.rows'?"),
            ("\n# x\ngenetic.mutation = 1", "line 3: unknown key 'genetic.mutation'"),
            ("threads = many", "line 1: 'threads' cannot be 'many'; expected a whole number"),
            ("board.gravity = yes", "expected true or false"),
            ("a\\u12", "line 1: '\\u' without a character"),
            ("a=\\ud83d", "line 1: '\\u' without a character"),
            ("board.rows=3", "'board.columns' is missing"),
            ("board.rows=3\nboard.rows=3", "line 2: 'board.rows' stands already in line 1"),
            (&format!("{BOARD}forest.trees=0"), "`forest.trees` is 0"),
            (&format!("{BOARD}genetic.games.per.individual=3"), "expected 20"),
            (&format!("{BOARD}a\u{0}\nb"), "unknown key 'a\\0'"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
        }
    }
}
