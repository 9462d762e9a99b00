//! Quotes for error messages: text of any length and content, shortened to one line.

/// The text with control characters escaped, truncated if it is long.
pub(crate) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut start = String::new();
    for letter in text.chars().take(MOST) {
        match letter.is_control() || ['\u{2028}', '\u{2029}'].contains(&letter) {
            true => start.extend(letter.escape_debug()),
            false => start.push(letter),
        }
    }
    if text.chars().nth(MOST).is_some() {
        start.push('…');
    }
    start
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
