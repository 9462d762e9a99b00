//! The grammar of PGN: tags, moves and results. Comments, annotations and variations are skipped.
//! [`super`] interprets the tags. Variations are counted as a depth, without recursion, so they may
//! nest to any depth.

use std::io::BufRead;

use super::super::ExchangeError;
use super::super::error::excerpt;
use super::super::read::{MAX_BYTES, RawLine, next_line, text_of};
use super::METADATA_PREFIX;
use super::foreign::result;

/// The parts of a game.
#[derive(Default)]
pub(super) struct ScannedGame {
    /// Its first line, counted from 1.
    pub(super) line: u64,
    /// Its last line.
    pub(super) last_line: u64,
    tags: Vec<(String, String)>,
    /// The metadata of this program, if there are any.
    pub(super) metadata: Option<Token>,
    /// The moves of the main line.
    pub(super) moves: Vec<Token>,
    /// The number of skipped variations.
    pub(super) variations: u64,
    /// The result after the moves.
    pub(super) result: Option<String>,
}

/// A text and its line.
pub(super) struct Token {
    pub(super) line: u64,
    pub(super) text: String,
}

impl ScannedGame {
    /// The first value of a tag.
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Reads the games of a file.
pub(super) struct Scanner<'i> {
    input: &'i mut dyn BufRead,
    /// The number of the last line that was read.
    line: u64,
    /// The part of the next game that was read already.
    rest: Option<String>,
}

impl<'i> Scanner<'i> {
    pub(super) fn new(input: &'i mut dyn BufRead) -> Self {
        Scanner { input, line: 0, rest: None }
    }

    /// Reads the next game. After an error in a game, the next call continues after it.
    pub(super) fn next(&mut self) -> Result<Option<ScannedGame>, ExchangeError> {
        let mut game = Game::default();
        while let Some(text) = self.next_text(&mut game)? {
            game.scanned.last_line = self.line;
            match game.take(text, self.line) {
                Progress::More => {}
                Progress::Ended(rest) => {
                    self.rest = (!rest.trim().is_empty()).then_some(rest);
                    return game.finished();
                }
            }
        }
        if game.comment {
            let what = "a comment has no end; expected }".to_string();
            return Err(ExchangeError::CutOff { line: self.line, what });
        }
        match game.has_started() {
            true => game.finished(),
            false => Ok(None),
        }
    }

    /// Reads the next line, decoded from any encoding.
    fn next_text(&mut self, game: &mut Game) -> Result<Option<String>, ExchangeError> {
        if let Some(rest) = self.rest.take() {
            return Ok(Some(rest));
        }
        let mut bytes = Vec::new();
        let kind = next_line(self.input, &mut bytes)?;
        if kind == RawLine::None {
            return Ok(None);
        }
        self.line += 1;
        if kind == RawLine::TooLong {
            game.fail(ExchangeError::TooLong { line: self.line, limit: MAX_BYTES });
            bytes.clear();
        }
        let text = text_of(bytes);
        Ok(Some(match self.line {
            1 => text.trim_start_matches('\u{feff}').to_string(),
            _ => text,
        }))
    }
}

/// A game that is being read.
#[derive(Default)]
struct Game {
    scanned: ScannedGame,
    /// Whether it is inside a comment.
    comment: bool,
    /// The nesting depth of variations.
    depth: u32,
    size: usize,
    /// The first error; the rest of the game is skipped then.
    error: Option<ExchangeError>,
}

enum Progress {
    More,
    /// The game is over; the rest belongs to the next.
    Ended(String),
}

impl Game {
    fn has_started(&self) -> bool {
        self.scanned.line > 0 || self.error.is_some()
    }

    fn finished(self) -> Result<Option<ScannedGame>, ExchangeError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(Some(self.scanned)),
        }
    }

    fn fail(&mut self, error: ExchangeError) {
        self.error.get_or_insert(error);
    }

    /// Processes a line or the rest of one.
    fn take(&mut self, text: String, line: u64) -> Progress {
        if self.comment {
            return self.take_moves(&text, line);
        }
        if text.trim().is_empty() {
            return Progress::More;
        }
        let is_tag = text.trim_start().starts_with('[');
        if is_tag && (self.depth > 0 || !self.scanned.moves.is_empty()) {
            // The next game starts, although this one has no result.
            return Progress::Ended(text);
        }
        if self.scanned.line == 0 {
            self.scanned.line = line;
        }
        self.size = self.size.saturating_add(text.len());
        if self.size > MAX_BYTES {
            self.fail(ExchangeError::TooLong { line: self.scanned.line, limit: MAX_BYTES });
        }
        if text.starts_with('%') {
            if let Some(metadata) = text.strip_prefix(METADATA_PREFIX) {
                self.scanned.metadata = Some(Token { line, text: metadata.trim().to_string() });
            }
            return Progress::More;
        }
        if is_tag {
            self.take_tags(text.trim(), line);
            return Progress::More;
        }
        self.take_moves(&text, line)
    }

    fn take_tags(&mut self, text: &str, line: u64) {
        let mut rest = text;
        while !rest.is_empty() {
            match tag(rest) {
                Some((name, value, after)) => {
                    if self.error.is_none() {
                        self.scanned.tags.push((name.to_string(), value));
                    }
                    rest = after.trim_start();
                }
                None => {
                    let what = format!("cannot read {}; expected [Name \"text\"]", excerpt(rest));
                    return self.fail(ExchangeError::malformed(line, what));
                }
            }
        }
    }

    fn take_moves(&mut self, text: &str, line: u64) -> Progress {
        let mut rest = text;
        loop {
            if self.comment {
                match rest.split_once('}') {
                    Some((_, after)) => (self.comment, rest) = (false, after),
                    None => return Progress::More,
                }
            }
            rest = rest.trim_start();
            let Some(sign) = rest.chars().next() else { return Progress::More };
            match sign {
                ';' => return Progress::More,
                '{' => self.comment = true,
                '(' => {
                    self.depth = self.depth.saturating_add(1);
                    self.scanned.variations += 1;
                }
                ')' => self.close_variation(line),
                '}' => self.fail(ExchangeError::malformed(line, "a } without {")),
                _ => {
                    let end = rest.find(ends_token).unwrap_or(rest.len());
                    let (word, after) = rest.split_at(end);
                    rest = after;
                    if self.take_token(word, line) {
                        return Progress::Ended(after.to_string());
                    }
                    continue;
                }
            }
            rest = &rest[sign.len_utf8()..];
        }
    }

    fn close_variation(&mut self, line: u64) {
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => self.fail(ExchangeError::malformed(line, "a ) without (")),
        }
    }

    /// Processes a token outside of comments; true if it is the result, which ends the game.
    fn take_token(&mut self, word: &str, line: u64) -> bool {
        let is_mark = word.starts_with('$') || word.chars().all(|c| "!?".contains(c));
        if self.depth > 0 || is_mark || word == "e.p." {
            return false;
        }
        if matches!(result(word), Ok(known) if known.is_some() || word == "*") {
            self.scanned.result = Some(word.to_string());
            return true;
        }
        let text = without_number(word);
        if self.error.is_none() && !text.is_empty() {
            self.scanned.moves.push(Token { line, text: text.to_string() });
        }
        false
    }
}

fn ends_token(c: char) -> bool {
    c.is_whitespace() || "{}();".contains(c)
}

/// Removes a move number: `e4` of `1.e4`, nothing of `1.`, `12...` and `12`.
fn without_number(word: &str) -> &str {
    let after_digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    match after_digits.starts_with('.') || after_digits.is_empty() {
        true => after_digits.trim_start_matches('.'),
        false => word,
    }
}

/// Parses a tag: the name, the unescaped value, and the text after the bracket.
fn tag(text: &str) -> Option<(&str, String, &str)> {
    let inside = text.strip_prefix('[')?.trim_start();
    let end = inside.find(|c: char| c.is_whitespace() || c == '"')?;
    let (name, rest) = inside.split_at(end);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut value = String::new();
    let mut signs = quoted.char_indices();
    loop {
        match signs.next()? {
            (at, '"') => {
                let after = quoted[at + 1..].trim_start().strip_prefix(']')?;
                return Some((name, value, after));
            }
            (_, '\\') => value.push(signs.next()?.1),
            (_, sign) => value.push(sign),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<Result<ScannedGame, String>> {
        let mut input = text.as_bytes();
        let mut scanner = Scanner::new(&mut input);
        let next = || scanner.next().map_err(|error| error.to_string()).transpose();
        std::iter::from_fn(next).take(100).collect()
    }

    fn words(scanned: &ScannedGame) -> Vec<&str> {
        scanned.moves.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn comments_annotations_and_variations_are_skipped() {
        let text = "[White \"A \\\"b\\\" \\\\\"] [Black \"c]\"]\n% (an escape {\n\n1.e4 {good\n[Fake \"x\"] 1-0}e5 \
                    $1 ; 0-1 (\n2. Nf3 (2. f4 exf4 (2... d5 *) {)} 3. Nf3) 2...Nc6!? !? 3 Bb5 e.p. 1-0";
        let games = games(text);
        let [Ok(scanned)] = &games[..] else { panic!("{} games", games.len()) };
        assert_eq!(words(scanned), ["e4", "e5", "Nf3", "Nc6!?", "Bb5"]);
        assert_eq!(scanned.variations, 2);
        assert_eq!((scanned.tag("White"), scanned.tag("Black")), (Some("A \"b\" \\"), Some("c]")));
        assert_eq!(
            (scanned.result.as_deref(), scanned.line, scanned.last_line),
            (Some("1-0"), 1, 6)
        );
    }

    #[test]
    fn games_follow_each_other_with_and_without_tags_and_results() {
        let text = "1. e4 * 1. d4 0-1\n[White \"x\"]\n1. c4\n[White \"y\"]\n\n1/2-1/2\n";
        let found: Vec<_> = games(text)
            .into_iter()
            .map(|scanned| scanned.map(|s| (s.moves.len(), s.result.clone(), s.line)).unwrap())
            .collect();
        let result = |text: &str| Some(text.to_string());
        assert_eq!(
            found,
            [(1, result("*"), 1), (1, result("0-1"), 1), (1, None, 2), (0, result("1/2-1/2"), 4)]
        );
    }

    #[test]
    fn an_error_in_one_game_does_not_affect_the_next() {
        let text = "[White x]\n1. e4 1-0\n1. e4 ) } 1-0\n1. e4 1-0\n1. e4 {";
        let found: Vec<_> = games(text).into_iter().map(|scanned| scanned.err()).collect();
        assert_eq!(found.len(), 4);
        assert!(found[0].as_ref().unwrap().starts_with("line 1: cannot read '[White x]'"));
        assert!(found[1].as_ref().unwrap().starts_with("line 3: a )"));
        assert_eq!(found[2], None);
        assert!(found[3].as_ref().unwrap().contains("has no end"));
    }

    #[test]
    fn variations_may_nest_deeply() {
        let text = format!("1. e4 {} e5 *", "(".repeat(500_000) + &")".repeat(500_000));
        let games = games(&text);
        let [Ok(scanned)] = &games[..] else { panic!("{} games", games.len()) };
        assert_eq!(words(scanned), ["e4", "e5"]);
    }
}
