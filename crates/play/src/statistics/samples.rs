//! Shares and means of samples, with their 95 % intervals.

/// The mean, and half the width of its 95 % interval.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, 1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt())
}

/// The 95 % interval of a share, in percent (Wilson, 1927). It stays valid near 0 and 100 %. A draw
/// may count as half a win; the interval is then wider than necessary.
pub fn share_interval(part: f64, of: u64) -> (f64, f64) {
    if of == 0 {
        return (0.0, 100.0);
    }
    let (n, z) = (of as f64, 1.96_f64);
    let share = part / n;
    let center = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (100.0 * ((center - half) / scale).max(0.0), 100.0 * ((center + half) / scale).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_formula() {
        let (low, high) = share_interval(10.0, 10);
        assert!((low - 72.25).abs() < 0.01 && high == 100.0, "{low} {high}");
        let (low, high) = share_interval(50.0, 100);
        assert!((low - 40.38).abs() < 0.01 && (high - 59.62).abs() < 0.01, "{low} {high}");
        assert_eq!(mean_and_error(&[1.0, 3.0]).0, 2.0);
    }
}
