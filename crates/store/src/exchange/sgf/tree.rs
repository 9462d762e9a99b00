//! The grammar of SGF: game trees, nodes, properties, values. What the properties mean stands in
//! [`super`]. Nothing here recurses: the main line of a tree is everything before its first closing
//! parenthesis, however deep that lies.

use std::io::BufRead;

use super::super::ExchangeError;
use super::super::read::{MAX_BYTES, text_of};

/// One node of the main line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Node {
    /// Where it begins in the file, counted from 1.
    pub(super) line: u64,
    properties: Vec<(String, Vec<String>)>,
}

impl Node {
    /// All values of a property; none when it is missing.
    pub(super) fn values(&self, name: &str) -> &[String] {
        let found = self.properties.iter().find(|(known, _)| known == name);
        found.map_or(&[], |(_, values)| values)
    }

    /// The first value of a property.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str)
    }

    /// The same as one line without spaces around it; `None` when nothing is left.
    pub(super) fn simple(&self, name: &str) -> Option<String> {
        let text = self.value(name)?.replace(char::is_control, " ");
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_string())
    }
}

/// The game trees of a file, one after the other. Whatever stands between them is passed over, as the
/// standard asks for: mails have headers.
pub(super) struct Trees<'i> {
    input: &'i mut dyn BufRead,
    line: u64,
}

enum Target {
    Outside,
    /// A parenthesis was read; a semicolon makes it the beginning of a game.
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

    /// The bytes of the next game and the line on which it begins. After an error about one game the next
    /// call goes on behind it.
    pub(super) fn next(&mut self, tree: &mut Vec<u8>) -> Result<Option<u64>, ExchangeError> {
        tree.clear();
        let mut place = Target::Outside;
        let mut began = self.line;
        let mut too_long = false;
        while !matches!(place, Target::Closed) {
            let chunk = self.input.fill_buf()?;
            let Some(&byte) = chunk.first() else { break };
            self.input.consume(1);
            self.line += u64::from(byte == b'\n');
            let before = std::mem::replace(&mut place, Target::Outside);
            place = step(before, byte);
            match place {
                Target::Outside => tree.clear(),
                Target::Opened if byte == b'(' => {
                    began = self.line;
                    tree.clear();
                    tree.push(byte);
                }
                _ if tree.len() < MAX_BYTES => tree.push(byte),
                _ => too_long = true,
            }
        }
        match place {
            Target::Closed if too_long => {
                Err(ExchangeError::TooLong { line: began, limit: MAX_BYTES })
            }
            Target::Closed => Ok(Some(began)),
            Target::Outside => Ok(None),
            _ => {
                let what = format!("the game that begins on line {began} has no end");
                Err(ExchangeError::CutOff { line: self.line, what })
            }
        }
    }
}

fn step(place: Target, byte: u8) -> Target {
    match (place, byte) {
        (Target::Outside | Target::Opened, b'(') => Target::Opened,
        (Target::Opened, b';') => Target::Inside { depth: 1 },
        (Target::Opened, byte) if byte.is_ascii_whitespace() => Target::Opened,
        (Target::Outside | Target::Opened, _) => Target::Outside,
        (Target::Inside { depth }, b'(') => Target::Inside { depth: depth.saturating_add(1) },
        (Target::Inside { depth: 1 }, b')') => Target::Closed,
        (Target::Inside { depth }, b')') => Target::Inside { depth: depth - 1 },
        (Target::Inside { depth }, b'[') => Target::Value { depth },
        (Target::Value { depth }, b']') => Target::Inside { depth },
        (Target::Value { depth }, b'\\') => Target::Escape { depth },
        (Target::Escape { depth }, _) => Target::Value { depth },
        (place, _) => place,
    }
}

/// The main line of a game that begins on line `line` of its file.
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

/// How many lines a game has besides its main line: every branch that ends is one.
pub(super) fn variations(tree: &[u8]) -> u64 {
    let (mut ends, mut opened) = (0_u64, false);
    let mut place = Target::Outside;
    for &byte in tree {
        place = step(place, byte);
        let is_sign = !matches!(place, Target::Value { .. } | Target::Escape { .. });
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
    /// The next byte that is no space.
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

    /// A name and its values. Small letters in names are of the oldest files and mean nothing.
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
            let what = format!("the property '{name}' has no value; expected {name}[...]");
            return Err(ExchangeError::malformed(self.line, what));
        }
        Ok((name, values))
    }

    /// What stands between brackets, the escapes undone.
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

    /// The byte behind a backslash; a line break is taken away with it.
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

/// A text as it stands between brackets.
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
    fn every_line_but_the_main_one_is_a_variation() {
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
    fn deep_nesting_costs_nothing() {
        let mut text = "(;B[aa]".repeat(500_000);
        text += &")".repeat(500_000);
        assert_eq!(nodes(&text).len(), 500_000);
    }

    #[test]
    fn unfinished_games_are_noticed() {
        for text in ["(", "( \n;", "(;B[aa", "(;B[aa](;W[bb])", "(;B[aa\\"] {
            let mut input = text.as_bytes();
            let error = Trees::new(&mut input).next(&mut Vec::new()).unwrap_err();
            assert!(matches!(error, ExchangeError::CutOff { .. }), "{text}: {error}");
        }
        let mut input = "no (game) here ()".as_bytes();
        assert!(Trees::new(&mut input).next(&mut Vec::new()).unwrap().is_none());
    }
}
