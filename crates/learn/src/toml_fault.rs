//! Where a text is no TOML, or not the expected one, and why: the line and one line of words.

/// The line of the fault, from 1, and what is wrong there.
pub(crate) fn line_and_words(text: &str, error: &toml::de::Error) -> (usize, String) {
    let before = error.span().map_or("", |span| &text[..span.start]);
    (1 + before.matches('\n').count(), error.message().lines().collect::<Vec<_>>().join("; "))
}
