//! Dates of the Gregorian calendar, for formats with dates (after Hinnant, "chrono-compatible
//! low-level date algorithms", 2013).

const SECONDS_A_DAY: u64 = 86_400;

/// Formats the day of a time as `2026-11-15`.
pub fn text(seconds: u64) -> String {
    let days = (seconds / SECONDS_A_DAY).min(u64::from(u32::MAX)) as i64;
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The start of the day at the beginning of a text. A year or month means its first day.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let date = text.trim().split(',').next()?;
    let mut parts = date.split('-').map(|part| part.trim().parse::<u32>().ok());
    let year = parts.next()??;
    let month = parts.next().unwrap_or(Some(1))?;
    let day = parts.next().unwrap_or(Some(1))?;
    let is_valid = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && parts.next().is_none();
    let days = is_valid.then(|| days(i64::from(year), i64::from(month), i64::from(day)))?;
    Some(u64::try_from(days).ok()? * SECONDS_A_DAY)
}

/// Days since 1970. Years start in March here, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a number of days since 1970.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_converted() {
        for (seconds_since_1970, date) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_709_164_800, "2024-02-29"),
            (1_794_700_800, "2026-11-15"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(text(seconds_since_1970 + 4321), date);
            assert_eq!(seconds(date), Some(seconds_since_1970));
        }
    }

    #[test]
    fn every_day_of_eight_centuries_reads_back() {
        for day in 0..146_097 * 2 {
            assert_eq!(seconds(&text(day * SECONDS_A_DAY)), Some(day * SECONDS_A_DAY));
        }
    }

    #[test]
    fn partial_and_invalid_dates() {
        assert_eq!(seconds("1996-05,06"), seconds("1996-05-01"));
        assert_eq!(seconds("1996-12-27,28,1997-01-03"), seconds("1996-12-27"));
        assert_eq!(seconds("1996"), seconds("1996-01-01"));
        for text in ["", "1969-12-31", "1996-13-01", "1996-01-32", "1996-01-01-01", "yesterday"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(text(u64::MAX).len(), "11761191-01-20".len());
    }
}
