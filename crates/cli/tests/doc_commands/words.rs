//! Splits command lines into words. A quoted text is one word and keeps its quotes, since a shell
//! parses it again.

/// The words of a line.
pub(crate) fn split(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut from, mut quote) = (None, None);
    for (at, letter) in line.char_indices() {
        quote = after(quote, letter);
        match from {
            None if !letter.is_whitespace() => from = Some(at),
            Some(begin) if letter.is_whitespace() && quote.is_none() => {
                words.push(&line[begin..at]);
                from = None;
            }
            _ => {}
        }
    }
    words.extend(from.map(|begin| &line[begin..]));
    words
}

/// The line up to a `#` at the beginning of a word.
pub(crate) fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        quote = after(quote, letter);
        if letter == '#' && quote.is_none() && before.is_whitespace() {
            return line[..at].trim();
        }
        before = letter;
    }
    line.trim()
}

/// The open quote after a letter, if any.
fn after(open: Option<char>, letter: char) -> Option<char> {
    match open {
        None => ['\'', '"'].contains(&letter).then_some(letter),
        Some(quote) if quote == letter => None,
        open => open,
    }
}

#[test]
fn quotes_keep_words_together() {
    assert_eq!(split("a  'b c' d=\"e f\" "), ["a", "'b c'", "d=\"e f\""]);
    assert_eq!(without_comment("a '# b' c # d"), "a '# b' c");
    assert_eq!(without_comment("a#b"), "a#b");
}
