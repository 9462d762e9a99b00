//! Aligned text columns, and CSV. A table is a list of lines of cells; the first line is the
//! heading.

use std::ops::RangeInclusive;

/// Maximum width of a text table, in characters.
pub(super) const LINE: usize = 100;

/// Aligns columns with `gap` spaces between them; those in `left` are left-aligned, the others
/// right-aligned. No line ends in spaces.
pub fn columns(lines: &[Vec<String>], left: RangeInclusive<usize>, gap: usize) -> String {
    let widths = widths(lines);
    let aligned = |line: &Vec<String>| {
        let cell = |(column, cell): (usize, &String)| match (left.contains(&column), widths[column])
        {
            (true, width) => format!("{cell:<width$}"),
            (false, width) => format!("{cell:>width$}"),
        };
        let cells: Vec<String> = line.iter().enumerate().map(cell).collect();
        format!("{}\n", cells.join(&" ".repeat(gap)).trim_end())
    };
    lines.iter().map(aligned).collect()
}

/// The length of the lines of [`columns`].
pub(super) fn line_length(lines: &[Vec<String>], gap: usize) -> usize {
    let widths = widths(lines);
    widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1)
}

fn widths(lines: &[Vec<String>]) -> Vec<usize> {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    (0..lines[0].len()).map(|column| width(column).unwrap_or(0)).collect()
}

/// Shortens a name to at most `most` characters by removing its middle: specs with the same start
/// (`alphabeta:depth=4`, `alphabeta:depth=6`) differ at the end. Control characters become spaces.
pub(super) fn shortened(name: &str, most: usize) -> String {
    let clean: Vec<char> = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.len() <= most {
        return clean.into_iter().collect();
    }
    let tail = most.saturating_sub(1) / 2;
    let head = most.saturating_sub(1) - tail;
    let (head, tail) = (&clean[..head], &clean[clean.len() - tail..]);
    head.iter().chain(['…'].iter()).chain(tail).collect()
}

/// CSV (RFC 4180): cells with a separator, a quote or a line break are quoted.
pub fn csv(lines: &[Vec<String>]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let written = |line: &Vec<String>| line.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    lines.iter().map(written).collect()
}

/// Converts texts to the cells of a line.
pub(super) fn cells<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    texts.into_iter().map(String::from).collect()
}

/// Formats a number with `digits` decimals, and never as −0.
pub(super) fn decimals(value: f64, digits: usize) -> String {
    let by = 10f64.powi(digits as i32);
    format!("{:.digits$}", (value * by).round() / by + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_ends() {
        assert_eq!(shortened("random", 8), "random");
        assert_eq!(shortened("alphabeta:depth=4", 10), "alpha…th=4");
        assert_eq!(shortened("alphabeta:depth=4", 1), "…");
        assert_eq!(shortened("a\nb\u{7}c", 9), "a b c");
        assert!(
            (0..20).all(|most| shortened("手筋手筋手筋手筋", most).chars().count() <= most.max(1))
        );
    }

    #[test]
    fn csv_is_quoted_where_it_must_be() {
        let line = csv(&[cells(["plain", "a,b", "say \"x\"", "two\nlines", ""])]);
        assert_eq!(line, "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\n");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["#", "name"], ["10", "x"]].map(cells);
        assert_eq!(columns(&rows, 1..=1, 2), " #  name\n10  x\n");
        assert_eq!(line_length(&rows, 2), 8);
    }
}
