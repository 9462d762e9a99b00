//! Text in columns, and CSV.

/// Which way the cells of a column lean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lean {
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// How many characters a line of a text table may have.
pub(super) const LINE: usize = 100;

/// Lines of aligned cells, the first one being the heading, with `gap` between the columns. No line ends in
/// spaces.
pub fn columns(rows: &[Vec<String>], leans: &[Lean], gap: usize) -> String {
    let widths = widths(rows);
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, width), lean) in row.iter().zip(&widths).zip(leans) {
            let fill = " ".repeat(width - cell.chars().count());
            let separator = " ".repeat(if line.is_empty() { 0 } else { gap });
            match lean {
                Lean::Left => line.extend([separator.as_str(), cell, &fill]),
                Lean::Right => line.extend([separator.as_str(), &fill, cell]),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// How long the lines of [`columns`] would be.
pub(super) fn line_length(rows: &[Vec<String>], gap: usize) -> usize {
    let widths = widths(rows);
    widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1)
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    (0..columns).map(|column| width(column).unwrap_or(0)).collect()
}

/// At most `most` characters of a name. What is too long loses its middle: specs that begin alike
/// (`alphabeta:depth=4`, `alphabeta:depth=6`) differ at the end. Control characters would break the table.
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

/// One line of CSV (RFC 4180): cells with a separator, a quote or a line break are quoted.
pub fn csv_line<S: AsRef<str>>(cells: &[S]) -> String {
    let quoted = |cell: &S| {
        let cell = cell.as_ref();
        match cell.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_string(),
        }
    };
    let mut line = cells.iter().map(quoted).collect::<Vec<_>>().join(",");
    line.push('\n');
    line
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
        let line = csv_line(&["plain", "a,b", "say \"x\"", "two\nlines", ""]);
        assert_eq!(line, "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\n");
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["#", "name"], ["10", "x"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(columns(&rows, &[Lean::Right, Lean::Left], 2), " #  name\n10  x\n");
        assert_eq!(line_length(&rows, 2), 8);
    }
}
