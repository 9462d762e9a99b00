//! Culprits in error messages: text that may be long or hold anything, in one short line.

/// The text without control characters; only its beginning when it is long.
pub(crate) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut start: String = text.chars().take(MOST).flat_map(shown).collect();
    if text.chars().nth(MOST).is_some() {
        start.push('…');
    }
    start
}

fn shown(letter: char) -> impl Iterator<Item = char> {
    let plain = !letter.is_control() && letter != '\u{2028}' && letter != '\u{2029}';
    let (itself, escaped) = if plain { (Some(letter), None) } else { (None, Some(letter)) };
    itself.into_iter().chain(escaped.into_iter().flat_map(char::escape_default))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_short_line() {
        assert_eq!(excerpt("it's \"ä\""), "it's \"ä\"");
        assert_eq!(excerpt("a\nb\u{2028}"), "a\\nb\\u{2028}");
        assert_eq!(excerpt(&"x".repeat(1000)), "x".repeat(60) + "…");
    }
}
