//! A report for a terminal.

use super::{ComparisonRow, ReproductionReport};

impl ReproductionReport {
    /// Returns aligned columns: label, published, ours, verdict and reason.
    pub fn text(&self) -> String {
        let mut text = format!("{}  {}: {}\n", self.id, self.place, self.title);
        for table in &self.tables {
            text += &format!("\n{}\n", table.title);
            text += &aligned(&table.rows);
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for note in &self.notes {
            text += &format!("  {note}\n");
        }
        text += &format!("\n  {} ({})\n", self.summary(), super::duration(self.seconds));
        text
    }
}

fn aligned(rows: &[ComparisonRow]) -> String {
    let heading = ["", "published", "tesuji", "verdict", "why"].map(String::from);
    let cells: Vec<[String; 5]> = std::iter::once(heading).chain(rows.iter().map(cells)).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..5).map(|column| width(column).unwrap_or_default()).collect();
    let line = |row: &[String; 5]| {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("  {}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    cells.iter().map(line).collect()
}

fn cells(row: &ComparisonRow) -> [String; 5] {
    let published = row.published.as_ref().map_or("-", |figure| &figure.text);
    [
        row.what.clone(),
        published.to_string(),
        row.ours.text.clone(),
        row.verdict.word().to_string(),
        row.why.clone(),
    ]
}
