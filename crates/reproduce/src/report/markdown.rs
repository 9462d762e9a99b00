//! A report as Markdown, and all of them as one document.

use super::{Made, Report, Row};
use crate::catalogue::Source;

impl Report {
    /// A section with its tables; the picture is the file of this name.
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

fn line(row: &Row) -> String {
    let published = row.published.as_ref().map_or("", |figure| &figure.text);
    let cells = [&row.what, published, &row.ours.text, row.verdict.word(), &row.why];
    let safe = cells.map(|cell| cell.replace('|', "\\|"));
    format!("| {} |\n", safe.join(" | "))
}

/// All reports as one document: how they were made, what they say in short, and each with its tables. `picture` gives
/// the path of a report's picture.
pub fn whole_document(reports: &[Report], picture: impl Fn(&Report) -> String) -> String {
    let mut text = String::from(
        "# Reproduction\n\n\
         Every table and figure of the four published systems with something to measure, made again and set beside the published\n\
         numbers. This page is generated: `tesuji reproduce --all`, then `cargo xtask reproduction`, which takes the reports as they\n\
         are; nothing in it is written by hand. One of them alone is `tesuji reproduce ID`, and `--quick` takes under a minute.\n\n\
         Two numbers *agree* when their difference lies within the 95 % interval that the two samples give it (Newcombe, 1998), or when they\n\
         are equal where nothing is left to chance. *Better* is a difference in the direction that one would wish, *differs* any other.\n\
         Of many comparisons one in twenty differs by chance alone. Brackets and ± are 95 % intervals.\n\n",
    );
    text += &how_made(reports);
    text += "| | | rows | |\n|---|---|---|---|\n";
    for report in reports {
        let place = format!("{}: {}", report.place, report.title);
        let anchor = anchor(report);
        text += &format!(
            "| [`{}`](#{anchor}) | {place} | {} | {} |\n",
            report.id,
            report.rows().count(),
            report.summary()
        );
    }
    for source in Source::ALL {
        let of_it: Vec<&Report> =
            reports.iter().filter(|report| report.document == source.document()).collect();
        if of_it.is_empty() {
            continue;
        }
        text += &format!("\n## {}\n", source.document());
        for report in of_it {
            text += &format!("\n{}", report.markdown(&picture(report)));
        }
    }
    text
}

/// As a page of Markdown makes it from the heading.
fn anchor(report: &Report) -> String {
    let heading = format!("{}: {} ({})", report.place, report.title, report.id).to_lowercase();
    let kept = heading.chars().filter_map(|c| match c {
        ' ' | '-' => Some('-'),
        c if c.is_alphanumeric() || c == '_' => Some(c),
        _ => None,
    });
    kept.collect()
}

/// The circumstances, once for all reports that share them.
fn how_made(reports: &[Report]) -> String {
    let mut kinds: Vec<(&Made, usize)> = Vec::new();
    for report in reports {
        let known = kinds.iter_mut().find(|(made, _)| *made == &report.made);
        match known {
            Some((_, count)) => *count += 1,
            None => kinds.push((&report.made, 1)),
        }
    }
    let line = |(made, count): &(&Made, usize)| {
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
    format!("{lines}All of it took {}.\n\n", super::duration(seconds))
}
