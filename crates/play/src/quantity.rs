//! Durations and counts in the notation of options and files: `500ms`, `1.5s`, `2m`; `500k`, `20M`.

use std::str::FromStr;
use std::time::Duration;

/// The notation of a duration, for error messages.
pub const DURATION_EXAMPLES: &str = "a time such as 500ms, 1s or 2m";
/// The notation of a number of bytes, for error messages.
pub const BYTES_EXAMPLES: &str = "a size such as 512K, 64M or 1G";

/// A duration above zero and at most a day; a longer one is treated as a typing error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HumanDuration(pub Duration);

const LONGEST_SECONDS: f64 = 86_400.0;

impl FromStr for HumanDuration {
    type Err = String;

    fn from_str(text: &str) -> Result<HumanDuration, String> {
        let wrong = || format!("'{text}': not a duration; expected {DURATION_EXAMPLES}");
        let (number, unit) = split_unit(text).ok_or_else(wrong)?;
        let seconds = match unit {
            "ms" => number / 1000.0,
            "s" => number,
            "m" => number * 60.0,
            "h" => number * 3600.0,
            _ => return Err(wrong()),
        };
        if seconds <= 0.0 || seconds > LONGEST_SECONDS {
            return Err(format!("'{text}': out of range; expected 1ms to 24h"));
        }
        Ok(HumanDuration(Duration::from_secs_f64(seconds)))
    }
}

/// A whole number above zero, such as `500000`, `500k` or `20M`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HumanCount(pub u64);

impl FromStr for HumanCount {
    type Err = String;

    fn from_str(text: &str) -> Result<HumanCount, String> {
        let (digits, scale) = match text.char_indices().last() {
            Some((end, 'k' | 'K')) => (&text[..end], 1_000),
            Some((end, 'm' | 'M')) => (&text[..end], 1_000_000),
            Some((end, 'g' | 'G')) => (&text[..end], 1_000_000_000),
            _ => (text, 1),
        };
        let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(scale));
        number.filter(|&number| number > 0).map(HumanCount).ok_or_else(|| {
            format!("'{text}': not a count; expected a number above 0, such as 500000, 500k or 20M")
        })
    }
}

/// Splits `1.5s` into 1.5 and `s`. Accepts only digits and one decimal point: no signs, exponents
/// or infinities.
fn split_unit(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, &text[end..]))
}

/// The canonical text of a duration, which [`HumanDuration`] reads back: the largest unit that
/// gives a whole number of at most three digits, otherwise seconds: `500ms`, `1s`, `90s`, `2m`,
/// `1.5s`.
pub fn canonical_duration(span: Duration) -> String {
    const UNITS: [(&str, u128); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];
    let exact = span.as_nanos().is_multiple_of(1_000_000).then_some(span.as_millis());
    let whole = exact.and_then(|millis| {
        let fits = |unit: u128| millis.is_multiple_of(unit) && millis / unit < 1000;
        let (name, unit) = UNITS.into_iter().find(|(_, unit)| fits(*unit))?;
        Some(format!("{}{name}", millis / unit))
    });
    whole.unwrap_or_else(|| format!("{}s", span.as_secs_f64()))
}

/// A duration as text for tables: `1.25 s`, `37 ms`, `8 µs`.
pub fn duration_text(duration: Duration) -> String {
    let (figure, unit) = in_unit(duration.as_secs_f64());
    let decimals = if unit == "s" && figure < 100.0 { 2 } else { 0 };
    format!("{figure:.decimals$} {unit}")
}

/// A mean duration, given in seconds, to three digits: `2.31 ms`, `0.947 µs`.
pub fn mean_time_text(seconds: f64) -> String {
    let (figure, unit) = in_unit(seconds);
    let decimals = match figure {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    };
    format!("{figure:.decimals$} {unit}")
}

fn in_unit(seconds: f64) -> (f64, &'static str) {
    match seconds {
        1.0.. => (seconds, "s"),
        1e-3.. => (seconds * 1e3, "ms"),
        _ => (seconds * 1e6, "µs"),
    }
}

/// A mean of counts, with one decimal below 1000.
pub fn mean_text(mean: f64) -> String {
    if mean < 1000.0 { format!("{mean:.1}") } else { grouped(mean.round() as u128) }
}

/// A number with thousands separators: `255,168`.
pub fn grouped(number: u128) -> String {
    let digits: Vec<char> = number.to_string().chars().collect();
    let groups: Vec<String> = digits.rchunks(3).rev().map(String::from_iter).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        for (text, milliseconds) in
            [("500ms", 500), ("1s", 1000), ("1.5s", 1500), ("2m", 120_000), ("1h", 3_600_000)]
        {
            assert_eq!(
                text.parse(),
                Ok(HumanDuration(Duration::from_millis(milliseconds))),
                "{text}"
            );
        }
    }

    #[test]
    fn canonical_durations_are_read_back() {
        for (text, written) in [
            ("500ms", "500ms"),
            ("1000ms", "1s"),
            ("1500ms", "1.5s"),
            ("60s", "1m"),
            ("90s", "90s"),
            ("1.25ms", "0.00125s"),
            ("24h", "24h"),
            ("1000s", "1000s"),
        ] {
            let HumanDuration(span) = text.parse().unwrap();
            assert_eq!(canonical_duration(span), written);
            assert_eq!(written.parse(), Ok(HumanDuration(span)));
        }
    }

    #[test]
    fn counts_are_read() {
        for (text, number) in
            [("7", 7), ("500k", 500_000), ("20M", 20_000_000), ("1G", 1_000_000_000)]
        {
            assert_eq!(text.parse(), Ok(HumanCount(number)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "s", "1", "-1s", "0s", "1 s", "infs", "nans", "1e9s", "1.2.3s", "25h", "1ſ"]
        {
            assert!(text.parse::<HumanDuration>().is_err(), "{text}");
        }
        for text in ["", "0", "-1", "k", "1.5M", "99999999999999999999", "9999999999999G", "1é"] {
            assert!(text.parse::<HumanCount>().is_err(), "{text}");
        }
    }

    #[test]
    fn means_have_three_digits() {
        for (seconds, text) in [
            (0.000_000_947, "0.947 µs"),
            (0.000_001_5, "1.50 µs"),
            (0.000_069, "69.0 µs"),
            (0.002_314, "2.31 ms"),
            (0.140_4, "140 ms"),
            (41.25, "41.2 s"),
            (591.0, "591 s"),
        ] {
            assert_eq!(mean_time_text(seconds), text);
        }
    }

    #[test]
    fn small_means_keep_a_decimal() {
        for (mean, text) in [(0.25, "0.2"), (9.4, "9.4"), (999.9, "999.9"), (19_451.6, "19,452")] {
            assert_eq!(mean_text(mean), text);
        }
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (4_531_985_219_092, "4,531,985,219,092")]
        {
            assert_eq!(grouped(number), text);
        }
    }
}
