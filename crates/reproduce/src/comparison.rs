//! When two numbers agree. Both are samples more often than not, so each has an interval, and their difference has one
//! that follows from the two (Newcombe, 1998: the hybrid score interval).

use serde::{Deserialize, Serialize};
use tesuji_play::WinDrawLoss;
use tesuji_play::statistics::{mean_and_error, share_interval};

/// A number with its 95 % interval; an exact one is its own interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// A number that is no sample, or whose error is not known.
    pub fn exact(value: f64) -> Estimate {
        Estimate { value, low: value, high: value }
    }

    /// A number with half of its interval.
    pub fn with_error(value: f64, error: f64) -> Estimate {
        Estimate { value, low: value - error, high: value + error }
    }

    /// So many of so many, in percent.
    pub fn percent(part: f64, of: u64) -> Estimate {
        let (low, high) = share_interval(part, of);
        Estimate { value: 100.0 * part / (of as f64).max(1.0), low, high }
    }

    /// The points of a match in percent, a draw half a point.
    pub fn points(tally: &WinDrawLoss) -> Estimate {
        Estimate::percent(tally.points(), tally.games())
    }

    /// How many times as much as another, with the interval that the errors of both make.
    pub fn over(self, other: Estimate) -> Estimate {
        let value = self.value / other.value;
        let share = |estimate: Estimate| (estimate.high - estimate.value) / estimate.value;
        Estimate::with_error(value, value * f64::hypot(share(self), share(other)))
    }

    /// The mean of a sample.
    pub fn mean(values: &[f64]) -> Estimate {
        let (mean, error) = mean_and_error(values);
        Estimate::with_error(mean, error)
    }
}

/// Which of two numbers is the better one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// The greater, as of a win rate.
    Higher,
    /// The smaller, as of a time.
    Lower,
    /// Neither: it should be the same.
    Neither,
}

/// How ours stands beside the published one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The same, as far as the samples tell.
    Agrees,
    /// Another number, and a better one.
    Better,
    /// Another number.
    Differs,
}

impl Verdict {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Better => "better",
            Verdict::Differs => "differs",
        }
    }
}

/// Compares ours with a published number: what it means, and why.
pub fn compare(published: Estimate, ours: Estimate, better: Better) -> (Verdict, String) {
    let difference = ours.value - published.value;
    if difference == 0.0 {
        return (Verdict::Agrees, "the same".to_string());
    }
    let above = difference > 0.0;
    let reach = match above {
        true => f64::hypot(ours.value - ours.low, published.high - published.value),
        false => f64::hypot(ours.high - ours.value, published.value - published.low),
    };
    if difference.abs() <= reach {
        return (Verdict::Agrees, "within the error of both".to_string());
    }
    let is_better = matches!((better, above), (Better::Higher, true) | (Better::Lower, false));
    let verdict = if is_better { Verdict::Better } else { Verdict::Differs };
    let side = if above { "higher" } else { "lower" };
    let why = match reach > 0.0 {
        true => format!("{side} by more than the error of both"),
        false => side.to_string(),
    };
    (verdict, why)
}

/// Compares times or other costs: how many times less ours is.
pub fn compare_cost(published: f64, ours: Estimate) -> (Verdict, String) {
    let (verdict, why) = compare(Estimate::exact(published), ours, Better::Lower);
    let times = published / ours.value;
    match verdict {
        Verdict::Better => (verdict, format!("{} times less", rounded(times))),
        Verdict::Differs => (verdict, format!("{} times as much", rounded(1.0 / times))),
        Verdict::Agrees => (verdict, why),
    }
}

/// Two or three digits that count: `1.4`, `37`, `15,800`.
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
        assert_eq!(verdict(885.0, 1000, Better::Higher), Verdict::Agrees);
        assert_eq!(verdict(985.0, 1000, Better::Higher), Verdict::Better);
        assert_eq!(verdict(985.0, 1000, Better::Neither), Verdict::Differs);
        assert_eq!(verdict(740.0, 1000, Better::Higher), Verdict::Differs);
        // Newcombe's example: 56 of 70 against 48 of 80 differ, the interval is 0.0524 to 0.3339.
        let (a, b) = (Estimate::percent(56.0, 70), Estimate::percent(48.0, 80));
        let lower = a.value - b.value - f64::hypot(a.value - a.low, b.high - b.value);
        assert!((lower - 5.24).abs() < 0.02, "{lower}");
        assert_eq!(compare(b, a, Better::Higher).0, Verdict::Better);
    }

    #[test]
    fn exact_numbers_agree_only_when_they_are_equal() {
        let exact = |a, b| compare(Estimate::exact(a), Estimate::exact(b), Better::Neither).0;
        assert_eq!(exact(5478.0, 5478.0), Verdict::Agrees);
        assert_eq!(exact(5478.0, 5477.0), Verdict::Differs);
    }

    #[test]
    fn costs_are_told_as_factors() {
        let (verdict, why) = compare_cost(3600.0, Estimate::exact(0.24));
        assert_eq!((verdict, &*why), (Verdict::Better, "15,000 times less"));
        let (verdict, why) = compare_cost(1.0, Estimate::exact(2.5));
        assert_eq!((verdict, &*why), (Verdict::Differs, "2.5 times as much"));
        assert_eq!(rounded(15_823.0), "15,800");
        assert_eq!(rounded(37.4), "37");
    }
}
