//! When two numbers agree. Most numbers are samples with an interval, and their difference has an
//! interval that follows from the two (Newcombe, 1998: the hybrid score interval).

use serde::{Deserialize, Serialize};
use tesuji_play::WinDrawLoss;
use tesuji_play::statistics::{mean_and_error, share_interval};

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
#[serde(rename_all = "lowercase")]
pub enum ComparisonVerdict {
    /// Equal within the errors.
    Agrees,
    /// Different and better.
    Better,
    /// Different.
    Differs,
}

impl ComparisonVerdict {
    /// Returns the verdict in one word.
    pub fn word(self) -> &'static str {
        match self {
            ComparisonVerdict::Agrees => "agrees",
            ComparisonVerdict::Better => "better",
            ComparisonVerdict::Differs => "differs",
        }
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
        ComparisonVerdict::Agrees => (verdict, why),
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
        let lower = a.value - b.value - f64::hypot(a.value - a.low, b.high - b.value);
        assert!((lower - 5.24).abs() < 0.02, "{lower}");
        assert_eq!(compare(b, a, Better::Higher).0, ComparisonVerdict::Better);
    }

    #[test]
    fn exact_numbers_agree_only_when_they_are_equal() {
        let exact = |a, b| compare(Estimate::exact(a), Estimate::exact(b), Better::Neither).0;
        assert_eq!(exact(5478.0, 5478.0), ComparisonVerdict::Agrees);
        assert_eq!(exact(5478.0, 5477.0), ComparisonVerdict::Differs);
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
