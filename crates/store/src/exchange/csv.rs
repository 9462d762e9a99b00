//! Comma-separated values by RFC 4180 (Shafranovich, 2005): a header of names, lines that end with
//! carriage return and line feed, and quotes where necessary. A missing cell is empty and an empty
//! text is `""`, so readers can distinguish them.

use std::io::Write;

use super::ExchangeError;
use super::table::{Cell, Column};
use crate::Record;

/// Writes the rows of one table.
pub struct Writer<W: Write> {
    out: W,
    columns: &'static [Column],
    line: String,
}

impl<W: Write> Writer<W> {
    /// Writes the names of the columns.
    pub fn new(mut out: W, columns: &'static [Column]) -> Result<Self, ExchangeError> {
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        write!(out, "{}\r\n", names.join(","))?;
        Ok(Writer { out, columns, line: String::new() })
    }

    /// Adds the row of a record.
    pub fn write(&mut self, record: &Record) -> Result<(), ExchangeError> {
        self.line.clear();
        for (n, column) in self.columns.iter().enumerate() {
            if n > 0 {
                self.line.push(',');
            }
            put(&mut self.line, &column.cell(record));
        }
        self.line.push_str("\r\n");
        Ok(self.out.write_all(self.line.as_bytes())?)
    }

    /// Flushes the file.
    pub fn finish(mut self) -> Result<(), ExchangeError> {
        Ok(self.out.flush()?)
    }
}

fn put(line: &mut String, cell: &Cell<'_>) {
    match cell {
        Cell::Missing => {}
        Cell::Text(text) => put_text(line, text),
        Cell::Count(number) => line.push_str(&number.to_string()),
        Cell::Integer(number) => line.push_str(&number.to_string()),
        // The shortest digits that read back to the same bits.
        Cell::Real(number) => line.push_str(&format!("{number:?}")),
        Cell::Flag(flag) => line.push_str(if *flag { "true" } else { "false" }),
    }
}

fn put_text(line: &mut String, text: &str) {
    let is_plain = !text.is_empty()
        && text.trim().len() == text.len()
        && !text.contains([',', '"', '\r', '\n']);
    if is_plain {
        return line.push_str(text);
    }
    line.push('"');
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_if_necessary() {
        let shown = |cell: Cell<'_>| {
            let mut line = String::new();
            put(&mut line, &cell);
            line
        };
        for (text, written) in [
            ("plain", "plain"),
            ("", "\"\""),
            (" spaces ", "\" spaces \""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\nlines\r", "\"two\nlines\r\""),
            ("größer 五", "größer 五"),
        ] {
            assert_eq!(shown(Cell::Text(text.into())), written);
        }
        assert_eq!(shown(Cell::Missing), "");
        assert_eq!(shown(Cell::Count(u64::MAX)), "18446744073709551615");
        assert_eq!(shown(Cell::Integer(-3)), "-3");
        assert_eq!(shown(Cell::Flag(true)), "true");
        for number in [1.0 / 3.0, 1e300, -0.0, 5e-324] {
            let back: f64 = shown(Cell::Real(number)).parse().unwrap();
            assert_eq!(back.to_bits(), number.to_bits());
        }
    }
}
