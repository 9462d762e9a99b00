//! Conversions: Elo and score, normalized Elo, the normal distribution.

/// Elo points in one unit of log-odds: 400 / ln 10.
pub const ELO_PER_LOG_ODDS: f64 = 400.0 * std::f64::consts::LOG10_E;

/// Normalized Elo in one standard deviation of a game's points: 800 / ln 10, so that both scales
/// agree for even games without draws (Van den Bergh, 2020).
pub const NORMALIZED_ELO_PER_DEVIATION: f64 = 800.0 * std::f64::consts::LOG10_E;

/// The 97.5 % quantile of the normal distribution: 95 % of it lies within ± this.
pub const TWO_SIDED_95: f64 = 1.959_963_985;

/// The Elo difference with this expected score (logistic curve); `None` at and beyond 0 and 1,
/// where no finite difference fits.
pub fn elo_of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| ELO_PER_LOG_ODDS * (score / (1.0 - score)).ln())
}

/// The expected score at this Elo difference, the inverse of [`elo_of_score`].
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO_PER_LOG_ODDS).exp())
}

/// The cumulative distribution function of the standard normal distribution.
pub fn normal_below(x: f64) -> f64 {
    (1.0 + error_function(x / std::f64::consts::SQRT_2)) / 2.0
}

/// The 97.5 % quantile of Student's distribution: wider than the normal one, since a small sample
/// estimates its variance badly. Uses the expansion 26.7.5 of Abramowitz and Stegun (1964), within
/// 1 % from three degrees of freedom; below that the exact forms for one and two.
pub fn two_sided_95_of_student(degrees_of_freedom: f64) -> f64 {
    const Z: f64 = TWO_SIDED_95;
    // One degree: tan(0.475 π); two: 0.95 √(2 / (1 − 0.95²)).
    match degrees_of_freedom {
        ..1.5 => return 12.706_204_736,
        ..2.5 => return 4.302_652_730,
        _ => {}
    }
    let [z2, n] = [Z * Z, 1.0 / degrees_of_freedom];
    let first = Z * (z2 + 1.0) / 4.0;
    let second = Z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    let third = Z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
    Z + n * (first + n * (second + n * third))
}

/// erf by the rational approximation 7.1.26 of Abramowitz and Stegun (1964), with an error below
/// 2·10⁻⁷.
fn error_function(x: f64) -> f64 {
    const A: [f64; 5] = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];
    let t = 1.0 / (1.0 + 0.3275911 * x.abs());
    let polynomial = A.iter().rev().fold(0.0, |sum, a| (sum + a) * t);
    x.signum() * (1.0 - polynomial * (-x * x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_and_elo_are_inverse() {
        for elo in [-800.0, -35.0, 0.0, 1.0, 400.0] {
            assert!((elo_of_score(score_of_elo(elo)).unwrap() - elo).abs() < 1e-9);
        }
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-12);
        assert_eq!([elo_of_score(0.0), elo_of_score(1.0), elo_of_score(f64::NAN)], [None; 3]);
    }

    #[test]
    fn students_quantiles() {
        for (degrees, quantile) in
            [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (100.0, 1.984)]
        {
            assert!((two_sided_95_of_student(degrees) / quantile - 1.0).abs() < 0.01, "{degrees}");
        }
    }

    #[test]
    fn the_normal_distribution_at_known_points() {
        for (x, below) in [(0.0, 0.5), (1.0, 0.841345), (-1.0, 0.158655), (TWO_SIDED_95, 0.975)] {
            assert!((normal_below(x) - below).abs() < 1e-6, "{x}");
        }
    }
}
