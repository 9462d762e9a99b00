//! A report as Markdown, and all reports as one document.

use super::{ComparisonRow, Provenance, ReproductionReport};
use crate::catalogue::Publication;

impl ReproductionReport {
    /// Returns a section with the tables; `picture` is the name of the picture file.
    pub fn markdown(&self, picture: &str) -> String {
        let mut text = format!("### {}: {} (`{}`)\n\n", self.place, self.title, self.id);
        text += &format!("![{}]({picture})\n\n", self.title.replace(['[', ']'], ""));
        for table in &self.tables {
            text += &format!("**{}**\n\n", table.title);
            text += "| | published | Tesuji | verdict | why |\n|---|---|---|---|---|\n";
            text += &table.rows.iter().map(line).collect::<String>();
            text.push('\n');
        }
        for note in &self.notes {
            text += &format!("- {note}\n");
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        let (summary, time) = (self.summary(), super::duration(self.seconds));
        text += &format!("{summary}. `{}`, {time} on {} threads.\n", self.command, self.threads);
        text
    }
}

fn line(row: &ComparisonRow) -> String {
    let published = row.published.as_ref().map_or("", |figure| &figure.text);
    let cells = [&row.what, published, &row.ours.text, row.verdict.word(), &row.why].map(safe);
    format!("| {} |\n", cells.join(" | "))
}

/// Escapes text for a table cell.
fn safe(text: &str) -> String {
    text.replace('|', "\\|")
}

const INTRODUCTION: &str = "\
# Reproduction

Every table and figure of four published systems with something to measure, made again and set beside the published
numbers. This page is written by `tesuji reproduce --all --document docs/reproduction.md`; nothing in it is written by hand. One of them
alone is `tesuji reproduce ID`, and `--quick` takes under a minute ([reproduce.md](reproduce.md) tells more).

Two numbers *agree* when their difference lies within the 95 % interval that the two samples give it (Newcombe, 1998), or when they
are equal where nothing is left to chance. *Better* is a difference in the direction that one would wish, *differs* any other.
Of many comparisons one in twenty differs by chance alone. Brackets and ± are 95 % intervals.
";

/// Returns all reports as one document: provenance, headlines, and each report with its tables. The
/// picture of a report is `PICTURES/ID.svg`.
pub fn whole_document(reports: &[ReproductionReport], pictures: &str) -> String {
    let mut text = format!("{INTRODUCTION}\n{}\n", how_made(reports));
    text +=
        &format!("## Headlines\n\n{}\n## All of them\n\n{}", headlines(reports), contents(reports));
    for source in Publication::ALL {
        let of_it: Vec<&ReproductionReport> =
            reports.iter().filter(|report| report.document == source.document()).collect();
        if of_it.is_empty() {
            continue;
        }
        text += &format!("\n## {}\n", source.document());
        for report in of_it {
            let picture = format!("{pictures}/{}.svg", report.id);
            text += &format!("\n{}", report.markdown(&picture));
        }
    }
    text
}

/// Returns the rows of the project's front page, as one table.
pub fn headlines(reports: &[ReproductionReport]) -> String {
    let mut text =
        String::from("| | published | Tesuji | verdict | table |\n|---|---|---|---|---|\n");
    for report in reports {
        for row in report.rows() {
            let Some(name) = &row.headline else { continue };
            let published = row.published.as_ref().map_or("", |figure| &figure.text);
            let cells = [name, published, &row.ours.text, row.verdict.word()].map(safe);
            text += &format!("| {} | `{}` |\n", cells.join(" | "), report.id);
        }
    }
    text
}

fn contents(reports: &[ReproductionReport]) -> String {
    let mut text = String::from("| | | rows | verdicts |\n|---|---|---|---|\n");
    for report in reports {
        let cells = [
            format!("[`{}`](#{})", report.id, anchor(report)),
            safe(&format!("{}: {}", report.place, report.title)),
            report.rows().count().to_string(),
            report.summary(),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// Returns the anchor that Markdown pages generate from the heading.
fn anchor(report: &ReproductionReport) -> String {
    let heading = format!("{}: {} ({})", report.place, report.title, report.id).to_lowercase();
    let kept = heading.chars().filter_map(|c| match c {
        ' ' | '-' => Some('-'),
        c if c.is_alphanumeric() || c == '_' => Some(c),
        _ => None,
    });
    kept.collect()
}

/// Returns the provenance, once for all reports that share it.
fn how_made(reports: &[ReproductionReport]) -> String {
    let mut kinds: Vec<(&Provenance, usize)> = Vec::new();
    for report in reports {
        let known = kinds.iter_mut().find(|(made, _)| *made == &report.provenance);
        match known {
            Some((_, count)) => *count += 1,
            None => kinds.push((&report.provenance, 1)),
        }
    }
    let line = |(made, count): &(&Provenance, usize)| {
        let commit = made.commit.as_deref().map(|commit| format!(", commit {commit}"));
        let reports = if kinds.len() > 1 {
            format!(" ({count} of {})", reports.len())
        } else {
            String::new()
        };
        format!(
            "Made on {} with version {}{} on {}{reports}.\n",
            made.day,
            made.version,
            commit.unwrap_or_default(),
            made.machine
        )
    };
    let seconds: f64 = reports.iter().map(|report| report.seconds).sum();
    let lines: String = kinds.iter().map(line).collect();
    format!("{lines}All of it took {}.\n", super::duration(seconds))
}
