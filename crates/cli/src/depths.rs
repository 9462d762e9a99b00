//! Search depths in arguments: a number, a list or a range.

/// Several search depths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Depths(pub(crate) Vec<u32>);

/// The largest depth that makes sense on any board.
const DEEPEST: u32 = 64;

impl Depths {
    pub(crate) fn read(text: &str) -> Result<Depths, String> {
        let wrong = || {
            format!(
                "expected a depth, a list such as 0,2,4 or a range such as 0..5, up to {DEEPEST}"
            )
        };
        let number = |word: &str| {
            word.trim().parse().ok().filter(|depth| *depth <= DEEPEST).ok_or_else(wrong)
        };
        let all: Vec<u32> = match text.split_once("..") {
            Some((from, to)) => (number(from)?..=number(to.trim_start_matches('='))?).collect(),
            None => text.split(',').map(number).collect::<Result<_, _>>()?,
        };
        if all.is_empty() { Err(wrong()) } else { Ok(Depths(all)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_numbers_lists_and_ranges() {
        let read = |text: &str| Depths::read(text).map(|depths| depths.0);
        assert_eq!(read("3"), Ok(vec![3]));
        assert_eq!(read("0..5"), Ok(vec![0, 1, 2, 3, 4, 5]));
        assert_eq!(read("2..=3"), Ok(vec![2, 3]));
        assert_eq!(read("4, 0"), Ok(vec![4, 0]));
        for wrong in ["", "5..1", "-1", "a", "0..99999999999", "1,,2", "..", "0..65"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
