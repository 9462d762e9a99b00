//! The grammar of SGF: game trees, nodes, properties and values. [`super`] interprets the
//! properties. The main line of a tree is the text before its first closing parenthesis, so no
//! recursion is needed and trees may nest to any depth.

use std::io::BufRead;

use super::super::ExchangeError;
use super::super::read::{MAX_BYTES, text_of};

/// A node of the main line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Node {
    /// Its line in the file, counted from 1.
    pub(super) line: u64,
    properties: Vec<(String, Vec<String>)>,
}

impl Node {
    /// All values of a property; empty if it is missing.
    pub(super) fn values(&self, name: &str) -> &[String] {
        let found = self.properties.iter().find(|(known, _)| known == name);
        found.map_or(&[], |(_, values)| values)
    }

    /// The first value of a property.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str)
    }

    /// The first value as one trimmed line; `None` if it is empty.
    pub(super) fn simple(&self, name: &str) -> Option<String> {
        let text = self.value(name)?.replace(char::is_control, " ");
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_string())
    }
}

/// Reads the game trees of a file. Text between them is skipped, as the standard requires (mail
/// headers).
pub(super) struct Trees<'i> {
    input: &'i mut dyn BufRead,
    line: u64,
}

enum ScanState {
    Outside,
    /// After a parenthesis; a semicolon makes it the start of a game.
    Opened,
    Inside {
        depth: u32,
    },
    Value {
        depth: u32,
    },
    Escape {
        depth: u32,
    },
    Closed,
}

impl<'i> Trees<'i> {
    pub(super) fn new(input: &'i mut dyn BufRead) -> Self {
        Trees { input, line: 1 }
    }

    /// Reads the bytes of the next game; returns its first line. After an error in a game, the next
    /// call continues after it.
    pub(super) fn next(&mut self, tree: &mut Vec<u8>) -> Result<Option<u64>, ExchangeError> {
        tree.clear();
        let mut state = ScanState::Outside;
        let mut began = self.line;
        let mut too_long = false;
        while !matches!(state, ScanState::Closed) {
            let chunk = self.input.fill_buf()?;
            let Some(&byte) = chunk.first() else { break };
            self.input.consume(1);
            self.line += u64::from(byte == b'\n');
            let before = std::mem::replace(&mut state, ScanState::Outside);
            state = step(before, byte);
            match state {
                ScanState::Outside => tree.clear(),
                ScanState::Opened if byte == b'(' => {
                    began = self.line;
                    tree.clear();
                    tree.push(byte);
                }
                _ if tree.len() < MAX_BYTES => tree.push(byte),
                _ => too_long = true,
            }
        }
        match state {
            ScanState::Closed if too_long => {
                Err(ExchangeError::TooLong { line: began, limit: MAX_BYTES })
            }
            ScanState::Closed => Ok(Some(began)),
            ScanState::Outside => Ok(None),
            _ => {
                let what = format!("the game that starts on line {began} has no end");
                Err(ExchangeError::CutOff { line: self.line, what })
            }
        }
    }
}

fn step(state: ScanState, byte: u8) -> ScanState {
    match (state, byte) {
        (ScanState::Outside | ScanState::Opened, b'(') => ScanState::Opened,
        (ScanState::Opened, b';') => ScanState::Inside { depth: 1 },
        (ScanState::Opened, byte) if byte.is_ascii_whitespace() => ScanState::Opened,
        (ScanState::Outside | ScanState::Opened, _) => ScanState::Outside,
        (ScanState::Inside { depth }, b'(') => ScanState::Inside { depth: depth.saturating_add(1) },
        (ScanState::Inside { depth: 1 }, b')') => ScanState::Closed,
        (ScanState::Inside { depth }, b')') => ScanState::Inside { depth: depth - 1 },
        (ScanState::Inside { depth }, b'[') => ScanState::Value { depth },
        (ScanState::Value { depth }, b']') => ScanState::Inside { depth },
        (ScanState::Value { depth }, b'\\') => ScanState::Escape { depth },
        (ScanState::Escape { depth }, _) => ScanState::Value { depth },
        (state, _) => state,
    }
}

/// Parses the main line of a game that starts on line `line` of its file.
pub(super) fn main_line(tree: &[u8], line: u64) -> Result<Vec<Node>, ExchangeError> {
    let mut scanner = Scanner { bytes: tree, at: 0, line };
    let mut nodes: Vec<Node> = Vec::new();
    loop {
        match scanner.next_sign() {
            None | Some(b')') => return Ok(nodes),
            Some(b'(') => scanner.at += 1,
            Some(b';') => {
                scanner.at += 1;
                nodes.push(Node { line: scanner.line, properties: Vec::new() });
            }
            Some(byte) if byte.is_ascii_alphabetic() => {
                let property = scanner.property()?;
                let node = nodes.last_mut().ok_or_else(|| scanner.unexpected())?;
                node.properties.push(property);
            }
            Some(_) => return Err(scanner.unexpected()),
        }
    }
}

/// The number of variations: ends of branches other than that of the main line.
pub(super) fn variations(tree: &[u8]) -> u64 {
    let (mut ends, mut opened) = (0_u64, false);
    let mut state = ScanState::Outside;
    for &byte in tree {
        state = step(state, byte);
        let is_sign = !matches!(state, ScanState::Value { .. } | ScanState::Escape { .. });
        match byte {
            b'(' if is_sign => opened = true,
            b')' if is_sign => ends += u64::from(std::mem::take(&mut opened)),
            _ => {}
        }
    }
    ends.saturating_sub(1)
}

struct Scanner<'t> {
    bytes: &'t [u8],
    at: usize,
    line: u64,
}

impl Scanner<'_> {
    /// The next byte that is not whitespace.
    fn next_sign(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !byte.is_ascii_whitespace() {
                return Some(byte);
            }
            self.line += u64::from(byte == b'\n');
            self.at += 1;
        }
        None
    }

    /// Parses a name and its values. Lower-case letters in names, found in old files, are ignored.
    fn property(&mut self) -> Result<(String, Vec<String>), ExchangeError> {
        let mut name = String::new();
        while let Some(&byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_alphabetic()) {
            if byte.is_ascii_uppercase() {
                name.push(char::from(byte));
            }
            self.at += 1;
        }
        let mut values = Vec::new();
        while self.next_sign() == Some(b'[') {
            values.push(self.value());
        }
        if values.is_empty() {
            let what = format!("property '{name}' has no value; expected {name}[...]");
            return Err(ExchangeError::malformed(self.line, what));
        }
        Ok((name, values))
    }

    /// Parses and unescapes a value in brackets.
    fn value(&mut self) -> String {
        let mut bytes = Vec::new();
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            self.line += u64::from(byte == b'\n');
            match byte {
                b']' => break,
                b'\\' => bytes.extend(self.escaped()),
                _ => bytes.push(byte),
            }
        }
        text_of(bytes)
    }

    /// The byte after a backslash; an escaped line break is removed.
    fn escaped(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        if byte != b'\n' && byte != b'\r' {
            return Some(byte);
        }
        self.line += u64::from(byte == b'\n');
        let next = self.bytes.get(self.at);
        if next.is_some_and(|next| matches!(next, b'\n' | b'\r') && *next != byte) {
            self.line += u64::from(next == Some(&b'\n'));
            self.at += 1;
        }
        None
    }

    fn unexpected(&self) -> ExchangeError {
        let found = String::from_utf8_lossy(&self.bytes[self.at.min(self.bytes.len())..]);
        let shown = super::super::error::excerpt(&found);
        ExchangeError::malformed(
            self.line,
            format!("cannot read {shown}; expected ;, (, ) or AB[...]"),
        )
    }
}

/// Escapes a text for brackets.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(text: &str) -> Vec<Node> {
        let mut input = text.as_bytes();
        let mut tree = Vec::new();
        let line = Trees::new(&mut input).next(&mut tree).unwrap().unwrap();
        main_line(&tree, line).unwrap()
    }

    #[test]
    fn the_main_line_is_the_first_branch_everywhere() {
        let text =
            "Subject: [a (game)\n\n(;FF[4]C[root (;x)](;B[aa];W[bb](;B[cc])(;B[dd]))(;B[ee]))";
        let line = nodes(text);
        let moves: Vec<_> =
            line.iter().filter_map(|node| node.value("B").or(node.value("W"))).collect();
        assert_eq!(moves, ["aa", "bb", "cc"]);
        assert_eq!(line[0].value("C"), Some("root (;x)"));
        assert_eq!(line[0].line, 3);
    }

    #[test]
    fn all_other_branches_are_variations() {
        for (text, count) in [
            ("(;B[aa];W[bb])", 0),
            ("(;B[aa](;W[bb]))", 0),
            ("(;C[(a (b\\]) ](;B[aa];W[bb](;B[cc])(;B[dd]))(;B[ee]))", 2),
            ("(;B[aa](;W[bb])(;W[cc](;B[dd])(;B[ee])))", 2),
        ] {
            assert_eq!(variations(text.as_bytes()), count, "{text}");
        }
    }

    #[test]
    fn values_are_unescaped_and_lists_kept() {
        let line = nodes("(;C[a\\]b\\\\c\\\nd\\\r\ne\n f]AB[aa][bb]\n [cc]PLayer[x]\n;B[])");
        assert_eq!(line[0].value("C"), Some("a]b\\cde\n f"));
        assert_eq!(line[0].simple("C").unwrap(), "a]b\\cde  f");
        assert_eq!(line[0].values("AB"), ["aa", "bb", "cc"]);
        assert_eq!(line[0].value("PL"), Some("x"));
        assert_eq!((line[1].line, line[1].value("B")), (6, Some("")));
        let text = "any ] text \\ with [ brackets";
        assert_eq!(nodes(&format!("(;C[{}])", escape(text)))[0].value("C"), Some(text));
    }

    #[test]
    fn other_encodings_become_text() {
        assert_eq!(text_of(b"Bj\xf6rn".to_vec()), "Björn");
        assert_eq!(text_of("Björn".as_bytes().to_vec()), "Björn");
    }

    #[test]
    fn trees_may_nest_deeply() {
        let mut text = "(;B[aa]".repeat(500_000);
        text += &")".repeat(500_000);
        assert_eq!(nodes(&text).len(), 500_000);
    }

    #[test]
    fn truncated_games_are_errors() {
        for text in ["(", "( \n;", "(;B[aa", "(;B[aa](;W[bb])", "(;B[aa\\"] {
            let mut input = text.as_bytes();
            let error = Trees::new(&mut input).next(&mut Vec::new()).unwrap_err();
            assert!(matches!(error, ExchangeError::CutOff { .. }), "{text}: {error}");
        }
        let mut input = "no (game) here ()".as_bytes();
        assert!(Trees::new(&mut input).next(&mut Vec::new()).unwrap().is_none());
    }
}
