//! Arguments that several verbs share, and how they are read.

use std::time::Duration;

use tesuji_arena::quantity::Span;
use tesuji_games::{Line, NotationError, Playable};

/// clap's reader of `500ms`, `1s`, `2m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    text.parse::<Span>().map(|span| span.0)
}

/// clap's reader of `1000000`, `500k`, `20M`: a number above zero.
pub(crate) fn amount(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not a number above 0, such as 500000, 500k or 20M");
    let (digits, scale) = match text.char_indices().last() {
        Some((end, 'k' | 'K')) => (&text[..end], 1_000),
        Some((end, 'm' | 'M')) => (&text[..end], 1_000_000),
        Some((end, 'g' | 'G')) => (&text[..end], 1_000_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(scale).filter(|&n| n > 0).ok_or_else(wrong)
}

/// Reads a position: moves from the start, or the game's own notation for positions.
pub(crate) fn position<P: Playable>(start: &P, text: &str) -> Result<Line<P>, NotationError> {
    start.parse_line(text)
}

/// A position as text that [`position`] reads: the notation of where the line began, if that is not the
/// start of the game, and the moves since.
pub(crate) fn position_text<P: Playable>(start: &P, line: &Line<P>) -> String {
    let moves = line.text();
    match line.start.position_text() {
        Some(beginning) if line.start.key() != start.key() => {
            format!("{beginning} {moves}").trim_end().to_string()
        }
        _ => moves,
    }
}

/// `after b2a1` or `at the start`, for headings.
pub(crate) fn place<P: Playable>(start: &P, line: &Line<P>) -> String {
    match position_text(start, line) {
        text if text.is_empty() => "at the start".to_string(),
        text => format!("after {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        for (text, number) in
            [("7", 7), ("500k", 500_000), ("20M", 20_000_000), ("1G", 1_000_000_000)]
        {
            assert_eq!(amount(text), Ok(number), "{text}");
        }
        for text in ["", "0", "-1", "k", "1.5M", "99999999999999999999", "9999999999999999G", "1é"]
        {
            assert!(amount(text).is_err(), "{text}");
        }
    }
}
