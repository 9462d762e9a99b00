//! When two numbers agree. Most numbers are samples with an interval, and their difference has an
//! interval that follows from the two (Newcombe, 1998: the hybrid score interval).

use serde::{Deserialize, Serialize};
use tesuji_play::WinDrawLoss;
use tesuji_play::statistics::{mean_and_error, share_interval};

use crate::report::ComparisonTable;

/// A number with its 95 % interval; an exact number is its own interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
}

impl Estimate {
    /// Makes a number that is not a sample, or whose error is unknown.
    pub fn exact(value: f64) -> Estimate {
        Estimate { value, low: value, high: value }
    }

    /// Makes a number with half the width of its interval.
    pub fn with_error(value: f64, error: f64) -> Estimate {
        Estimate { value, low: value - error, high: value + error }
    }

    /// Makes the percentage `part` of `of`.
    pub fn percent(part: f64, of: u64) -> Estimate {
        let (low, high) = share_interval(part, of);
        Estimate { value: 100.0 * part / (of as f64).max(1.0), low, high }
    }

    /// Makes the points of a match in percent; a draw is half a point.
    pub fn points(tally: &WinDrawLoss) -> Estimate {
        Estimate::percent(tally.points(), tally.games())
    }

    /// Returns the ratio to another estimate, with the interval that follows from both errors.
    pub fn over(self, other: Estimate) -> Estimate {
        let value = self.value / other.value;
        let share = |estimate: Estimate| (estimate.high - estimate.value) / estimate.value;
        Estimate::with_error(value, value * f64::hypot(share(self), share(other)))
    }

    /// Returns the difference to another estimate, with the interval that follows from both.
    pub fn minus(self, other: Estimate) -> Estimate {
        let value = self.value - other.value;
        Estimate {
            value,
            low: value - f64::hypot(self.value - self.low, other.high - other.value),
            high: value + f64::hypot(self.high - self.value, other.value - other.low),
        }
    }

    /// Makes the mean of a sample.
    pub fn mean(values: &[f64]) -> Estimate {
        let (mean, error) = mean_and_error(values);
        Estimate::with_error(mean, error)
    }
}

/// Which of two numbers is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// The greater one, such as a win rate.
    Higher,
    /// The smaller one, such as a time.
    Lower,
    /// Neither: they should be equal.
    Neither,
}

/// How our number compares with the published one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparisonVerdict {
    /// Equal within the errors.
    Agrees,
    /// Different and better.
    Better,
    /// Different.
    Differs,
    /// Measured under the same conditions, but the sample is too small to decide a claim.
    CannotTell,
    /// Measured under other conditions than the published number: another opponent, level or limit.
    NotComparable,
    /// Not a result: a setting, or published numbers that are added up again.
    Input,
}

impl ComparisonVerdict {
    /// All verdicts; those of measured results come first.
    pub const ALL: [ComparisonVerdict; 6] = [
        ComparisonVerdict::Agrees,
        ComparisonVerdict::Better,
        ComparisonVerdict::Differs,
        ComparisonVerdict::CannotTell,
        ComparisonVerdict::NotComparable,
        ComparisonVerdict::Input,
    ];

    /// Returns the verdict in one or two words.
    pub fn word(self) -> &'static str {
        match self {
            ComparisonVerdict::Agrees => "agrees",
            ComparisonVerdict::Better => "better",
            ComparisonVerdict::Differs => "differs",
            ComparisonVerdict::CannotTell => "cannot tell",
            ComparisonVerdict::NotComparable => "not comparable",
            ComparisonVerdict::Input => "input",
        }
    }

    /// Whether a summary counts it: a result that was measured under the published conditions.
    pub fn is_counted(self) -> bool {
        !matches!(self, ComparisonVerdict::NotComparable | ComparisonVerdict::Input)
    }

    /// Formats `5 agree`; `None` without rows.
    fn counted(self, rows: usize) -> Option<String> {
        let words = match (self, rows) {
            (_, 0) => return None,
            (ComparisonVerdict::Agrees, 2..) => "agree",
            (ComparisonVerdict::Differs, 2..) => "differ",
            (ComparisonVerdict::Input, 2..) => "inputs",
            _ => self.word(),
        };
        Some(format!("{rows} {words}"))
    }
}

/// Number of rows with each verdict.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct VerdictCounts {
    /// Equal within the errors.
    pub agrees: usize,
    /// Different and better.
    pub better: usize,
    /// Different.
    pub differs: usize,
    /// Too small a sample to decide a claim.
    pub cannot_tell: usize,
    /// Measured under other conditions; not counted as a result.
    pub not_comparable: usize,
    /// Settings and sums of published numbers; not counted as results.
    pub input: usize,
}

impl VerdictCounts {
    /// Counts verdicts.
    pub fn of(verdicts: impl Iterator<Item = ComparisonVerdict>) -> VerdictCounts {
        let mut counts = VerdictCounts::default();
        for verdict in verdicts {
            *counts.of_verdict(verdict) += 1;
        }
        counts
    }

    /// Counts the rows of tables.
    pub fn of_tables(tables: &[ComparisonTable]) -> VerdictCounts {
        VerdictCounts::of(tables.iter().flat_map(|table| &table.rows).map(|row| row.verdict))
    }

    fn of_verdict(&mut self, verdict: ComparisonVerdict) -> &mut usize {
        match verdict {
            ComparisonVerdict::Agrees => &mut self.agrees,
            ComparisonVerdict::Better => &mut self.better,
            ComparisonVerdict::Differs => &mut self.differs,
            ComparisonVerdict::CannotTell => &mut self.cannot_tell,
            ComparisonVerdict::NotComparable => &mut self.not_comparable,
            ComparisonVerdict::Input => &mut self.input,
        }
    }

    /// Adds other counts.
    pub fn add(&mut self, mut other: VerdictCounts) {
        for verdict in ComparisonVerdict::ALL {
            *self.of_verdict(verdict) += *other.of_verdict(verdict);
        }
    }

    /// Returns the number of measured results.
    pub fn measured(mut self) -> usize {
        let counted = ComparisonVerdict::ALL.into_iter().filter(|verdict| verdict.is_counted());
        counted.map(|verdict| *self.of_verdict(verdict)).sum()
    }

    /// Formats the measured results, such as `5 agree, 2 better`.
    pub fn summary(self) -> String {
        let text = self.words(ComparisonVerdict::is_counted);
        if text.is_empty() { "no comparable result".to_string() } else { text }
    }

    /// Formats the other rows, such as `3 not comparable, 8 inputs`; empty without such rows.
    pub fn not_counted(self) -> String {
        self.words(|verdict| !verdict.is_counted())
    }

    /// Formats the measured results, then the other rows: `5 agree, 2 better; not counted: 3 inputs`.
    pub fn text(self) -> String {
        match self.not_counted() {
            rest if rest.is_empty() => self.summary(),
            rest => format!("{}; not counted: {rest}", self.summary()),
        }
    }

    fn words(mut self, wanted: fn(ComparisonVerdict) -> bool) -> String {
        let verdicts = ComparisonVerdict::ALL.into_iter().filter(|verdict| wanted(*verdict));
        let words = verdicts.filter_map(|verdict| verdict.counted(*self.of_verdict(verdict)));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Compares our number with a published one; returns the verdict and its reason.
pub fn compare(published: Estimate, ours: Estimate, better: Better) -> (ComparisonVerdict, String) {
    let difference = ours.value - published.value;
    if difference == 0.0 {
        return (ComparisonVerdict::Agrees, "the same".to_string());
    }
    let above = difference > 0.0;
    let reach = match above {
        true => f64::hypot(ours.value - ours.low, published.high - published.value),
        false => f64::hypot(ours.high - ours.value, published.value - published.low),
    };
    if difference.abs() <= reach {
        return (ComparisonVerdict::Agrees, "within the error of both".to_string());
    }
    let is_better = matches!((better, above), (Better::Higher, true) | (Better::Lower, false));
    let verdict = if is_better { ComparisonVerdict::Better } else { ComparisonVerdict::Differs };
    let side = if above { "higher" } else { "lower" };
    let why = match reach > 0.0 {
        true => format!("{side} by more than the error of both"),
        false => side.to_string(),
    };
    (verdict, why)
}

/// Compares times or other costs; the reason is the ratio.
pub fn compare_cost(published: f64, ours: Estimate) -> (ComparisonVerdict, String) {
    let (verdict, why) = compare(Estimate::exact(published), ours, Better::Lower);
    let times = published / ours.value;
    match verdict {
        ComparisonVerdict::Better => (verdict, format!("{} times less", rounded(times))),
        ComparisonVerdict::Differs => (verdict, format!("{} times as much", rounded(1.0 / times))),
        _ => (verdict, why),
    }
}

/// Decides the claim that a difference is greater than 0 by its interval: it agrees above 0, differs
/// below 0, and otherwise the sample cannot tell.
pub fn decide(difference: Estimate) -> (ComparisonVerdict, &'static str) {
    if difference.low > 0.0 {
        (ComparisonVerdict::Agrees, "it holds beyond the error")
    } else if difference.high < 0.0 {
        (ComparisonVerdict::Differs, "the opposite holds beyond the error")
    } else {
        (ComparisonVerdict::CannotTell, "the difference is within the error")
    }
}

/// Formats two or three significant digits: `1.4`, `37`, `15,800`.
pub fn rounded(number: f64) -> String {
    if !number.is_finite() {
        return "infinitely many".to_string();
    }
    if number < 10.0 {
        return format!("{number:.1}");
    }
    let power = 10f64.powi((number.log10().floor() as i32 - 2).max(0));
    tesuji_play::quantity::grouped(((number / power).round() * power) as u128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_agree_within_the_error_of_their_difference() {
        let published = Estimate::percent(87.0 * 3.0, 300);
        let verdict =
            |wins: f64, of, better| compare(published, Estimate::percent(wins, of), better).0;
        assert_eq!(verdict(885.0, 1000, Better::Higher), ComparisonVerdict::Agrees);
        assert_eq!(verdict(985.0, 1000, Better::Higher), ComparisonVerdict::Better);
        assert_eq!(verdict(985.0, 1000, Better::Neither), ComparisonVerdict::Differs);
        assert_eq!(verdict(740.0, 1000, Better::Higher), ComparisonVerdict::Differs);
        // Newcombe's example: 56 of 70 and 48 of 80 differ; the interval is 0.0524 to 0.3339.
        let (a, b) = (Estimate::percent(56.0, 70), Estimate::percent(48.0, 80));
        let difference = a.minus(b);
        assert!((difference.low - 5.24).abs() < 0.02, "{difference:?}");
        assert!((difference.high - 33.39).abs() < 0.02, "{difference:?}");
        assert_eq!(decide(difference).0, ComparisonVerdict::Agrees);
        assert_eq!(decide(b.minus(a)).0, ComparisonVerdict::Differs);
        assert_eq!(decide(a.minus(a)).0, ComparisonVerdict::CannotTell);
        assert_eq!(compare(b, a, Better::Higher).0, ComparisonVerdict::Better);
    }

    #[test]
    fn exact_numbers_agree_only_when_they_are_equal() {
        let exact = |a, b| compare(Estimate::exact(a), Estimate::exact(b), Better::Neither).0;
        assert_eq!(exact(5478.0, 5478.0), ComparisonVerdict::Agrees);
        assert_eq!(exact(5478.0, 5477.0), ComparisonVerdict::Differs);
    }

    #[test]
    fn a_summary_counts_measured_results_only() {
        let counts = VerdictCounts::of(ComparisonVerdict::ALL.into_iter().chain([
            ComparisonVerdict::Agrees,
            ComparisonVerdict::Input,
            ComparisonVerdict::Input,
        ]));
        assert_eq!(counts.measured(), 5);
        assert_eq!(counts.summary(), "2 agree, 1 better, 1 differs, 1 cannot tell");
        assert_eq!(counts.not_counted(), "1 not comparable, 3 inputs");
        let inputs = VerdictCounts::of([ComparisonVerdict::Input].into_iter());
        assert_eq!(
            (&*inputs.summary(), &*inputs.not_counted()),
            ("no comparable result", "1 input")
        );
        for verdict in ComparisonVerdict::ALL {
            let mut counts = VerdictCounts::of([verdict].into_iter());
            counts.add(counts);
            assert_eq!(*counts.of_verdict(verdict), 2, "{verdict:?}");
        }
    }

    #[test]
    fn costs_are_told_as_factors() {
        let (verdict, why) = compare_cost(3600.0, Estimate::exact(0.24));
        assert_eq!((verdict, &*why), (ComparisonVerdict::Better, "15,000 times less"));
        let (verdict, why) = compare_cost(1.0, Estimate::exact(2.5));
        assert_eq!((verdict, &*why), (ComparisonVerdict::Differs, "2.5 times as much"));
        assert_eq!(rounded(15_823.0), "15,800");
        assert_eq!(rounded(37.4), "37");
    }
}
