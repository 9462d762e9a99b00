//! Published numbers next to ours: rows with a verdict, tables of rows, and the report with its
//! provenance.

mod markdown;
mod text;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tesuji_play::WinDrawLoss;
use tesuji_play::quantity::grouped;

use crate::catalogue::Reproduction;
use crate::comparison::{
    Better, ComparisonVerdict, Estimate, VerdictCounts, compare, compare_cost, decide,
};
use crate::run::{Effort, ReproductionRun};

pub use markdown::{headlines, whole_document};

/// A value as text, with its number for plots.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReportedValue {
    /// The text with error bar and unit.
    pub text: String,
    /// The number, if there is one.
    pub value: Option<f64>,
    /// The lower end of its 95 % interval.
    pub low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub high: Option<f64>,
}

impl ReportedValue {
    /// Makes a value without a number.
    pub fn words(text: impl Into<String>) -> ReportedValue {
        ReportedValue { text: text.into(), value: None, low: None, high: None }
    }

    /// Makes a whole number.
    pub fn count(number: u64) -> ReportedValue {
        let text = grouped(number.into());
        ReportedValue { text, value: Some(number as f64), low: None, high: None }
    }

    /// Makes a value from an estimate and its text.
    pub fn of(estimate: Estimate, text: impl Into<String>) -> ReportedValue {
        let Estimate { value, low, high } = estimate;
        let bar = |end: f64| (low < high && end.is_finite()).then_some(end);
        let value = value.is_finite().then_some(value);
        ReportedValue { text: text.into(), value, low: bar(low), high: bar(high) }
    }

    /// Formats `87.0 % (82.7-90.3)`, or without an interval where there is none.
    pub fn percent(estimate: Estimate) -> ReportedValue {
        ReportedValue::of(estimate, with_interval(estimate, 1, " %"))
    }

    /// Formats `12.53 ± 0.41`, or without an error where there is none.
    pub fn number(estimate: Estimate, decimals: usize, unit: &str) -> ReportedValue {
        let Estimate { value, low, high } = estimate;
        let shown = |value: f64| match decimals {
            0 => signed(value),
            _ => format!("{value:.decimals$}"),
        };
        let text = match high > low {
            true => format!("{} ± {}{unit}", shown(value), shown((high - low) / 2.0)),
            false => format!("{}{unit}", shown(value)),
        };
        ReportedValue::of(estimate, text)
    }

    /// Formats a time: `1.67 s`, `61 µs`, `13 days`.
    pub fn seconds(estimate: Estimate) -> ReportedValue {
        ReportedValue::of(estimate, duration(estimate.value))
    }

    /// Formats wins, draws and losses with the points: `95-5-0, 97.5 % (92.5-99.2)`.
    pub fn tally(tally: &WinDrawLoss) -> ReportedValue {
        let WinDrawLoss { wins, draws, losses } = tally;
        let points = Estimate::points(tally);
        ReportedValue::of(
            points,
            format!("{wins}-{draws}-{losses}, {}", with_interval(points, 1, " %")),
        )
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

/// Formats a time in a suitable unit.
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

/// Formats three significant digits, without trailing zeros.
fn digits(number: f64) -> String {
    let decimals = (2 - number.abs().max(1e-9).log10().floor() as i32).clamp(0, 3) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// A published number next to ours.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ComparisonRow {
    /// The label.
    pub what: String,
    /// The published value; `None` if only a claim or nothing was published.
    pub published: Option<ReportedValue>,
    /// Our value.
    pub ours: ReportedValue,
    /// How they compare.
    pub verdict: ComparisonVerdict,
    /// The reason of the verdict.
    pub why: String,
    /// The label on the project's front page, if the row is shown there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
}

impl ComparisonRow {
    /// Compares two samples.
    pub fn sampled(
        what: impl Into<String>,
        (published, published_figure): (Estimate, ReportedValue),
        (ours, ours_figure): (Estimate, ReportedValue),
        better: Better,
    ) -> ComparisonRow {
        let (verdict, why) = compare(published, ours, better);
        ComparisonRow::from_parts(what, Some(published_figure), ours_figure, verdict, why)
    }

    /// Compares two percentages.
    pub fn percent(
        what: impl Into<String>,
        published: Estimate,
        ours: Estimate,
        better: Better,
    ) -> ComparisonRow {
        let figures = [published, ours].map(ReportedValue::percent);
        let [published_figure, ours_figure] = figures;
        ComparisonRow::sampled(what, (published, published_figure), (ours, ours_figure), better)
    }

    /// Compares two means.
    pub fn mean(
        what: impl Into<String>,
        published: Estimate,
        ours: Estimate,
        decimals: usize,
        better: Better,
    ) -> ComparisonRow {
        let [published_figure, ours_figure] =
            [published, ours].map(|estimate| ReportedValue::number(estimate, decimals, ""));
        ComparisonRow::sampled(what, (published, published_figure), (ours, ours_figure), better)
    }

    /// Compares two match results by points.
    pub fn tally(
        what: impl Into<String>,
        published: &WinDrawLoss,
        ours: &WinDrawLoss,
    ) -> ComparisonRow {
        let side = |tally: &WinDrawLoss| (Estimate::points(tally), ReportedValue::tally(tally));
        ComparisonRow::sampled(what, side(published), side(ours), Better::Higher)
    }

    /// Compares two counts, which should be equal.
    pub fn count(what: impl Into<String>, published: u64, ours: u64) -> ComparisonRow {
        let side = |count: u64| (Estimate::exact(count as f64), ReportedValue::count(count));
        ComparisonRow::sampled(what, side(published), side(ours), Better::Neither)
    }

    /// Compares two times; less is better.
    pub fn time(what: impl Into<String>, published_seconds: f64, ours: Estimate) -> ComparisonRow {
        let published = ReportedValue::seconds(Estimate::exact(published_seconds));
        let (verdict, why) = compare_cost(published_seconds, ours);
        ComparisonRow::from_parts(what, Some(published), ReportedValue::seconds(ours), verdict, why)
    }

    /// Compares a published claim with our result.
    pub fn claim(
        what: impl Into<String>,
        said: impl Into<String>,
        ours: ReportedValue,
        holds: bool,
    ) -> ComparisonRow {
        let (verdict, why) = match holds {
            true => (ComparisonVerdict::Agrees, "it holds"),
            false => (ComparisonVerdict::Differs, "it does not hold"),
        };
        ComparisonRow::from_parts(
            what,
            Some(ReportedValue::words(said)),
            ours,
            verdict,
            why.to_string(),
        )
    }

    /// Compares a published claim that a difference is greater than 0 with our sample.
    pub fn decided_claim(
        what: impl Into<String>,
        said: impl Into<String>,
        ours: ReportedValue,
        difference: Estimate,
    ) -> ComparisonRow {
        let (verdict, why) = decide(difference);
        ComparisonRow::from_parts(what, Some(ReportedValue::words(said)), ours, verdict, why)
    }

    /// Makes a row without a published value.
    pub fn unpublished(
        what: impl Into<String>,
        ours: ReportedValue,
        reason: impl Into<String>,
    ) -> ComparisonRow {
        ComparisonRow::from_parts(what, None, ours, ComparisonVerdict::NotComparable, reason)
    }

    /// Makes a row with a given verdict.
    pub fn from_parts(
        what: impl Into<String>,
        published: Option<ReportedValue>,
        ours: ReportedValue,
        verdict: ComparisonVerdict,
        why: impl Into<String>,
    ) -> ComparisonRow {
        let (what, why) = (what.into(), why.into());
        ComparisonRow { what, published, ours, verdict, why, headline: None }
    }

    /// Adds the reason of a difference, if the verdict is `differs`.
    pub fn explain_difference(mut self, reason: &str) -> ComparisonRow {
        if self.verdict == ComparisonVerdict::Differs {
            self.why = format!("{}: {reason}", self.why);
        }
        self
    }

    /// Marks our number as measured under other conditions than the published one, so that no
    /// summary counts it.
    pub fn not_comparable(mut self, reason: impl Into<String>) -> ComparisonRow {
        self.verdict = ComparisonVerdict::NotComparable;
        self.why = reason.into();
        self
    }

    /// Marks the row as an input, such as `a setting`: nothing was measured, so that no summary
    /// counts it. The reason still says whether both numbers are equal.
    pub fn as_input(mut self, kind: &str) -> ComparisonRow {
        self.why = format!("{kind}; {}", self.why);
        self.verdict = ComparisonVerdict::Input;
        self
    }

    /// Adds a remark, whatever the verdict.
    pub fn with_note(mut self, remark: &str) -> ComparisonRow {
        self.why = format!("{}; {remark}", self.why);
        self
    }

    /// Shows the row on the project's front page with this label.
    pub fn headline(mut self, name: &str) -> ComparisonRow {
        self.headline = Some(name.to_string());
        self
    }
}

/// Rows that belong together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ComparisonTable {
    /// The title.
    pub title: String,
    /// The rows.
    pub rows: Vec<ComparisonRow>,
}

impl ComparisonTable {
    /// Makes a table.
    pub fn new(title: impl Into<String>, rows: Vec<ComparisonRow>) -> ComparisonTable {
        ComparisonTable { title: title.into(), rows }
    }
}

/// The result of an experiment.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings {
    /// Tables of published values next to ours.
    pub tables: Vec<ComparisonTable>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// The figure, if there is one; otherwise the tables are drawn.
    pub svg: Option<String>,
}

impl Findings {
    /// Makes findings with one table.
    pub fn of(table: ComparisonTable) -> Findings {
        Findings { tables: vec![table], notes: Vec::new(), svg: None }
    }

    /// Makes findings with several tables.
    pub fn of_all(tables: Vec<ComparisonTable>) -> Findings {
        Findings { tables, notes: Vec::new(), svg: None }
    }

    /// Adds a remark.
    pub fn note(mut self, text: impl Into<String>) -> Findings {
        self.notes.push(text.into());
        self
    }

    /// Sets the figure.
    pub fn with_svg(mut self, svg: String) -> Findings {
        self.svg = Some(svg);
        self
    }
}

/// When, where and with which version a report was made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Provenance {
    /// The day, such as 2026-11-17.
    pub day: String,
    /// The processor and its number of threads.
    pub machine: String,
    /// The commit of the program, if it is known.
    pub commit: Option<String>,
    /// The program's version.
    pub version: String,
}

/// Environment variable with the commit that the program was built from.
const COMMIT: &str = "TESUJI_COMMIT";

impl Provenance {
    /// Returns the provenance of a report made now on this machine.
    pub fn here() -> Provenance {
        let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_string())
        });
        let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_string());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Provenance {
            day: tesuji_store::exchange::date::text(tesuji_train::folder::now()),
            machine: format!("{processor}, {threads} threads"),
            commit: std::env::var(COMMIT).ok().filter(|commit| !commit.is_empty()),
            version: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}

/// The report on one table or figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ReproductionReport {
    /// The experiment's id.
    pub id: String,
    /// A description in one line.
    pub title: String,
    /// The publication.
    pub document: String,
    /// The place in the publication.
    pub place: String,
    /// The command that makes the report.
    pub command: String,
    /// How much was played and measured.
    pub effort: Effort,
    /// The seed.
    pub seed: u64,
    /// Number of parallel games.
    pub threads: usize,
    /// How long the experiment took.
    pub seconds: f64,
    /// When, where and with which version it was made.
    #[serde(rename = "made")]
    pub provenance: Provenance,
    /// Tables of published values next to ours.
    pub tables: Vec<ComparisonTable>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// Number of rows with each verdict. Computed from the rows, also when a report is read.
    #[serde(skip_deserializing)]
    pub counts: VerdictCounts,
}

impl Serialize for ReproductionReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ReproductionReport::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for ReproductionReport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ReproductionReport, D::Error> {
        let mut report = ReproductionReport::deserialize(deserializer)?;
        report.counts = VerdictCounts::of_tables(&report.tables);
        Ok(report)
    }
}

impl ReproductionReport {
    /// Makes the report and its picture from an experiment's findings.
    pub fn new(
        experiment: &Reproduction,
        run: &ReproductionRun<'_>,
        findings: Findings,
        seconds: f64,
        provenance: Provenance,
    ) -> (ReproductionReport, String) {
        let svg = findings.svg.unwrap_or_else(|| {
            crate::picture::of_tables(
                &format!("{}: {}", experiment.place, experiment.title),
                &findings.tables,
            )
        });
        let report = ReproductionReport {
            id: experiment.id.to_string(),
            title: experiment.title.to_string(),
            document: experiment.source.document().to_string(),
            place: experiment.place.to_string(),
            command: run.command(experiment.id),
            effort: run.effort,
            seed: run.seed,
            threads: run.threads,
            seconds,
            provenance,
            counts: VerdictCounts::of_tables(&findings.tables),
            tables: findings.tables,
            notes: findings.notes,
        };
        (report, svg)
    }

    /// Returns all rows.
    pub fn rows(&self) -> impl Iterator<Item = &ComparisonRow> {
        self.tables.iter().flat_map(|table| &table.rows)
    }

    /// Formats the measured results, then the other rows: `5 agree, 2 better; not counted: 3 inputs`.
    pub fn summary(&self) -> String {
        self.counts.text()
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
        assert_eq!(ReportedValue::percent(hb).text, "87.0 % (82.7-90.3)");
        assert_eq!(
            ReportedValue::number(Estimate::with_error(12.53, 0.412), 2, "").text,
            "12.53 ± 0.41"
        );
        assert_eq!(ReportedValue::number(Estimate::exact(167_783.4), 0, "").text, "167,783");
        let tally = WinDrawLoss { wins: 95, draws: 5, losses: 0 };
        assert_eq!(ReportedValue::tally(&tally).text, "95-5-0, 97.5 % (92.3-99.2)");
    }

    #[test]
    fn rows_without_a_comparison_keep_their_reason_and_are_not_counted() {
        let input = ComparisonRow::count("trees", 25, 25).as_input("a setting");
        assert_eq!((input.verdict, &*input.why), (ComparisonVerdict::Input, "a setting; the same"));
        let other = ComparisonRow::count("wins", 12, 400).not_comparable("a stand-in, not people");
        assert_eq!(other.why, "a stand-in, not people");
        let table = ComparisonTable::new("t", vec![input, other]);
        assert_eq!(VerdictCounts::of_tables(&[table]).summary(), "no comparable result");
    }

    #[test]
    fn a_report_that_is_read_has_counts_even_if_its_file_has_none() {
        let text = include_str!("../../../docs/reproduction/anigmo-stats.json");
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
        value.as_object_mut().unwrap().remove("counts");
        let report: ReproductionReport = serde_json::from_value(value).unwrap();
        assert_eq!(report.counts.measured(), report.rows().count());
        let again = serde_json::to_value(&report).unwrap();
        assert_eq!(again["counts"]["agrees"], report.rows().count());
    }

    #[test]
    fn a_reason_is_given_only_where_it_differs() {
        let row = |ours| {
            ComparisonRow::count("states", 5478, ours)
                .explain_difference("mirrored ones are left out")
        };
        assert_eq!(row(5478).why, "the same");
        assert_eq!(row(765).why, "lower: mirrored ones are left out");
        assert_eq!(row(765).verdict, ComparisonVerdict::Differs);
    }
}
