//! Published numbers and ours side by side: rows with a verdict, the tables they stand in, and the report with all that
//! one needs to know about how it was made.

mod markdown;
mod text;

use serde::{Deserialize, Serialize};
use tesuji_play::WinDrawLoss;
use tesuji_play::quantity::grouped;

use crate::catalogue::Experiment;
use crate::comparison::{Better, Estimate, Verdict, compare, compare_cost};
use crate::run::{Effort, Run};

pub use markdown::{headlines, whole_document};

/// A number as it is shown, and as it can be drawn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// With its error bar and unit.
    pub text: String,
    /// The number itself, where it is one.
    pub value: Option<f64>,
    /// The lower end of its 95 % interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Figure {
    /// Words.
    pub fn words(text: impl Into<String>) -> Figure {
        Figure { text: text.into(), value: None, low: None, high: None }
    }

    /// A whole number.
    pub fn count(number: u64) -> Figure {
        let text = grouped(number.into());
        Figure { text, value: Some(number as f64), low: None, high: None }
    }

    /// An estimate with words for it.
    pub fn of(estimate: Estimate, text: impl Into<String>) -> Figure {
        let Estimate { value, low, high } = estimate;
        let bar = |end: f64| (low < high && end.is_finite()).then_some(end);
        let value = value.is_finite().then_some(value);
        Figure { text: text.into(), value, low: bar(low), high: bar(high) }
    }

    /// `87.0 % (82.7-90.3)`, or without an interval where there is none.
    pub fn percent(estimate: Estimate) -> Figure {
        Figure::of(estimate, with_interval(estimate, 1, " %"))
    }

    /// `12.53 ± 0.41`, or without an error where there is none.
    pub fn number(estimate: Estimate, decimals: usize, unit: &str) -> Figure {
        let Estimate { value, low, high } = estimate;
        let shown = |value: f64| match decimals {
            0 => signed(value),
            _ => format!("{value:.decimals$}"),
        };
        let text = match high > low {
            true => format!("{} ± {}{unit}", shown(value), shown((high - low) / 2.0)),
            false => format!("{}{unit}", shown(value)),
        };
        Figure::of(estimate, text)
    }

    /// A time: `1.67 s`, `61 µs`, `13 days`.
    pub fn seconds(estimate: Estimate) -> Figure {
        Figure::of(estimate, duration(estimate.value))
    }

    /// Wins, draws and losses with the points they make: `95-5-0, 97.5 % (92.5-99.2)`.
    pub fn tally(tally: &WinDrawLoss) -> Figure {
        let WinDrawLoss { wins, draws, losses } = tally;
        let points = Estimate::points(tally);
        Figure::of(points, format!("{wins}-{draws}-{losses}, {}", with_interval(points, 1, " %")))
    }
}

fn with_interval(estimate: Estimate, decimals: usize, unit: &str) -> String {
    let Estimate { value, low, high } = estimate;
    match high > low {
        true => format!("{value:.decimals$}{unit} ({low:.decimals$}-{high:.decimals$})"),
        false => format!("{value:.decimals$}{unit}"),
    }
}

fn signed(value: f64) -> String {
    let sign = if value <= -0.5 { "-" } else { "" };
    format!("{sign}{}", grouped(value.abs().round() as u128))
}

/// A time in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 60.0 * MINUTE;
    const DAY: f64 = 24.0 * HOUR;
    match seconds {
        s if !s.is_finite() => "-".to_string(),
        s if s < 0.9995e-3 => format!("{} µs", digits(s * 1e6)),
        s if s < 0.9995 => format!("{} ms", digits(s * 1e3)),
        s if s < 2.0 * MINUTE => format!("{} s", digits(s)),
        s if s < 2.0 * HOUR => format!("{} min", digits(s / MINUTE)),
        s if s < 2.0 * DAY => format!("{} h", digits(s / HOUR)),
        s => format!("{} days", digits(s / DAY)),
    }
}

/// Three digits that count, without zeros behind the point.
fn digits(number: f64) -> String {
    let decimals = (2 - number.abs().max(1e-9).log10().floor() as i32).clamp(0, 3) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// One published number beside ours.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// What it is of.
    pub what: String,
    /// The published one; `None` where only a claim or nothing was published.
    pub published: Option<Figure>,
    /// Ours.
    pub ours: Figure,
    /// How they compare.
    pub verdict: Verdict,
    /// And why.
    pub why: String,
    /// What the project's front page calls this row, if it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
}

impl Row {
    /// Two samples.
    pub fn sampled(
        what: impl Into<String>,
        (published, published_figure): (Estimate, Figure),
        (ours, ours_figure): (Estimate, Figure),
        better: Better,
    ) -> Row {
        let (verdict, why) = compare(published, ours, better);
        Row::judged(what, Some(published_figure), ours_figure, verdict, why)
    }

    /// Two shares in percent.
    pub fn percent(
        what: impl Into<String>,
        published: Estimate,
        ours: Estimate,
        better: Better,
    ) -> Row {
        let figures = [published, ours].map(Figure::percent);
        let [published_figure, ours_figure] = figures;
        Row::sampled(what, (published, published_figure), (ours, ours_figure), better)
    }

    /// Two means.
    pub fn mean(
        what: impl Into<String>,
        published: Estimate,
        ours: Estimate,
        decimals: usize,
        better: Better,
    ) -> Row {
        let [published_figure, ours_figure] =
            [published, ours].map(|estimate| Figure::number(estimate, decimals, ""));
        Row::sampled(what, (published, published_figure), (ours, ours_figure), better)
    }

    /// Two results of games, counted in points.
    pub fn tally(what: impl Into<String>, published: &WinDrawLoss, ours: &WinDrawLoss) -> Row {
        let side = |tally: &WinDrawLoss| (Estimate::points(tally), Figure::tally(tally));
        Row::sampled(what, side(published), side(ours), Better::Higher)
    }

    /// Two counts, which must be the same.
    pub fn count(what: impl Into<String>, published: u64, ours: u64) -> Row {
        let side = |count: u64| (Estimate::exact(count as f64), Figure::count(count));
        Row::sampled(what, side(published), side(ours), Better::Neither)
    }

    /// Two times, of which less is better.
    pub fn time(what: impl Into<String>, published_seconds: f64, ours: Estimate) -> Row {
        let published = Figure::seconds(Estimate::exact(published_seconds));
        let (verdict, why) = compare_cost(published_seconds, ours);
        Row::judged(what, Some(published), Figure::seconds(ours), verdict, why)
    }

    /// Something that was said, and whether it holds here.
    pub fn claim(
        what: impl Into<String>,
        said: impl Into<String>,
        ours: Figure,
        holds: bool,
    ) -> Row {
        let (verdict, why) = match holds {
            true => (Verdict::Agrees, "it holds"),
            false => (Verdict::Differs, "it does not hold"),
        };
        Row::judged(what, Some(Figure::words(said)), ours, verdict, why.to_string())
    }

    /// A row whose verdict was found otherwise.
    pub fn judged(
        what: impl Into<String>,
        published: Option<Figure>,
        ours: Figure,
        verdict: Verdict,
        why: impl Into<String>,
    ) -> Row {
        let (what, why) = (what.into(), why.into());
        Row { what, published, ours, verdict, why, headline: None }
    }

    /// The reason, where it is known, if ours turns out to differ.
    pub fn explained(mut self, reason: &str) -> Row {
        if self.verdict == Verdict::Differs {
            self.why = format!("{}: {reason}", self.why);
        }
        self
    }

    /// Something that must be known to read the row, whatever its verdict.
    pub fn noting(mut self, remark: &str) -> Row {
        self.why = format!("{}; {remark}", self.why);
        self
    }

    /// Puts the row on the project's front page under this name.
    pub fn headline(mut self, name: &str) -> Row {
        self.headline = Some(name.to_string());
        self
    }
}

/// Rows that belong together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Table {
    /// What they have in common.
    pub title: String,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// A table with its rows.
    pub fn new(title: impl Into<String>, rows: Vec<Row>) -> Table {
        Table { title: title.into(), rows }
    }
}

/// What an experiment found.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// Published beside ours.
    pub tables: Vec<Table>,
    /// What one must know to read them.
    pub notes: Vec<String>,
    /// The figure, if it is one; tables are drawn as they are.
    pub svg: Option<String>,
}

impl Findings {
    /// Findings of one table.
    pub fn of(table: Table) -> Findings {
        Findings { tables: vec![table], notes: Vec::new(), svg: None }
    }

    /// Findings of several tables.
    pub fn of_all(tables: Vec<Table>) -> Findings {
        Findings { tables, notes: Vec::new(), svg: None }
    }

    /// One more thing to know.
    pub fn note(mut self, text: impl Into<String>) -> Findings {
        self.notes.push(text.into());
        self
    }

    /// With a picture of its own.
    pub fn drawn(mut self, svg: String) -> Findings {
        self.svg = Some(svg);
        self
    }
}

/// When, where and with what a report was made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Made {
    /// The day, as 2026-11-17.
    pub day: String,
    /// The processor and how many threads it runs.
    pub machine: String,
    /// The commit that the program was built from, where that is known.
    pub commit: Option<String>,
    /// The program's version.
    pub version: String,
}

/// Names the commit that the program was built from, for reports that say so.
const COMMIT: &str = "TESUJI_COMMIT";

impl Made {
    /// Now and on this machine.
    pub fn here() -> Made {
        let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_string())
        });
        let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_string());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Made {
            day: tesuji_store::exchange::date::text(tesuji_train::folder::now()),
            machine: format!("{processor}, {threads} threads"),
            commit: std::env::var(COMMIT).ok().filter(|commit| !commit.is_empty()),
            version: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}

/// Everything about one table or figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Its id.
    pub id: String,
    /// What it is.
    pub title: String,
    /// The document it is of.
    pub document: String,
    /// Where in it.
    pub place: String,
    /// The command that makes it.
    pub command: String,
    /// How much effort was made.
    pub effort: Effort,
    /// What decided chance.
    pub seed: u64,
    /// Games at once.
    pub threads: usize,
    /// How long it took.
    pub seconds: f64,
    /// When, where and with what.
    pub made: Made,
    /// Published beside ours.
    pub tables: Vec<Table>,
    /// What one must know to read them.
    pub notes: Vec<String>,
}

impl Report {
    /// Puts findings together with what is known about how they were made, and gives the picture beside it.
    pub fn new(
        experiment: &Experiment,
        run: &Run<'_>,
        findings: Findings,
        seconds: f64,
        made: Made,
    ) -> (Report, String) {
        let svg = findings.svg.unwrap_or_else(|| {
            crate::picture::of_tables(
                &format!("{}: {}", experiment.place, experiment.title),
                &findings.tables,
            )
        });
        let report = Report {
            id: experiment.id.to_string(),
            title: experiment.title.to_string(),
            document: experiment.source.document().to_string(),
            place: experiment.place.to_string(),
            command: run.command(experiment.id),
            effort: run.effort,
            seed: run.seed,
            threads: run.threads,
            seconds,
            made,
            tables: findings.tables,
            notes: findings.notes,
        };
        (report, svg)
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.tables.iter().flat_map(|table| &table.rows)
    }

    /// How many rows agree, are better, differ.
    pub fn verdicts(&self) -> [(Verdict, usize); 3] {
        [Verdict::Agrees, Verdict::Better, Verdict::Differs]
            .map(|verdict| (verdict, self.rows().filter(|row| row.verdict == verdict).count()))
    }

    /// `5 agree, 2 better`.
    pub fn summary(&self) -> String {
        let words = |(verdict, count): (Verdict, usize)| match (verdict, count) {
            (_, 0) => None,
            (Verdict::Agrees, 1) => Some("1 agrees".to_string()),
            (Verdict::Agrees, n) => Some(format!("{n} agree")),
            (Verdict::Better, n) => Some(format!("{n} better")),
            (Verdict::Differs, 1) => Some("1 differs".to_string()),
            (Verdict::Differs, n) => Some(format!("{n} differ")),
        };
        self.verdicts().into_iter().filter_map(words).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_the_unit_that_suits_them() {
        let cases = [
            (0.000061, "61 µs"),
            (0.00178, "1.78 ms"),
            (1.66756, "1.67 s"),
            (900.0, "15 min"),
            (23_400.0, "6.5 h"),
            (13.0 * 86_400.0, "13 days"),
        ];
        for (seconds, text) in cases {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn figures_show_their_error() {
        let hb = Estimate::percent(261.0, 300);
        assert_eq!(Figure::percent(hb).text, "87.0 % (82.7-90.3)");
        assert_eq!(Figure::number(Estimate::with_error(12.53, 0.412), 2, "").text, "12.53 ± 0.41");
        assert_eq!(Figure::number(Estimate::exact(167_783.4), 0, "").text, "167,783");
        let tally = WinDrawLoss { wins: 95, draws: 5, losses: 0 };
        assert_eq!(Figure::tally(&tally).text, "95-5-0, 97.5 % (92.3-99.2)");
    }

    #[test]
    fn a_reason_is_given_only_where_it_differs() {
        let row = |ours| Row::count("states", 5478, ours).explained("mirrored ones are left out");
        assert_eq!(row(5478).why, "the same");
        assert_eq!(row(765).why, "lower: mirrored ones are left out");
        assert_eq!(row(765).verdict, Verdict::Differs);
    }
}
