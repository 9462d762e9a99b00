//! The report's ten patterns, generalized to rows of any length: "four" and "three" become all but
//! one and all but two stones of a row. For five in a row they are the report's own.

use tesuji_gomoku::fudan::{FudanPattern, LineShape, PatternCategory};

/// The number of patterns.
pub const PATTERNS: usize = FudanPattern::ALL.len();
/// The index of the four that one move blocks.
pub(super) const SIMPLE_FOUR: usize = 3;
/// The shortest row for which the patterns are defined.
pub const SHORTEST_ROW: usize = 3;
/// The longest row: longer ones have more gapped shapes than can be counted together.
pub const LONGEST_ROW: usize = 8;

/// The shapes of each pattern, in the report's order, for `k` in a row.
pub(super) fn shapes(k: usize) -> [Vec<LineShape>; PATTERNS] {
    FudanPattern::ALL.map(|pattern| {
        let texts = shape_texts(pattern, k);
        // In short rows the smallest shapes have no stone.
        let with_stones = texts.iter().filter(|text| text.contains('1'));
        with_stones.map(|text| LineShape::new(text)).collect()
    })
}

/// Whether a pattern becomes a winning threat or a row unless it is blocked.
pub(super) const fn is_forcing(pattern: usize) -> bool {
    matches!(FudanPattern::ALL[pattern].category(), PatternCategory::ForcingThreat)
}

/// Whether a pattern threatens to win in two ways at once.
pub(super) const fn is_winning(pattern: usize) -> bool {
    matches!(FudanPattern::ALL[pattern].category(), PatternCategory::WinningThreat)
}

fn shape_texts(pattern: FudanPattern, k: usize) -> Vec<String> {
    let row = |stones: usize| "1".repeat(stones);
    let (four, three, two) = (row(k - 1), row(k - 2), row(k - 3));
    let (gapped_three, gapped_two) = (gapped(k - 1), gapped(k - 2));
    match pattern {
        FudanPattern::Five => vec![row(k)],
        FudanPattern::OpenFour => vec![format!("0{four}0")],
        FudanPattern::CompensationFour => vec![format!("10{three}01")],
        FudanPattern::SimpleFour => with_mirror_images(&[format!("x{four}0")], gapped(k)),
        FudanPattern::OpenThree => vec![format!("00{three}00")],
        FudanPattern::SimpleThree => {
            let inner = gapped_three.iter().map(|three| format!("0{three}0")).collect();
            with_mirror_images(&[format!("x0{three}00")], inner)
        }
        FudanPattern::Compensation => vec![format!("{}1", "10".repeat(k - 1))],
        FudanPattern::OpenTwo => {
            let gapped = gapped_two.iter().map(|two| format!("00{two}00"));
            std::iter::once(format!("00{two}00")).chain(gapped).collect()
        }
        FudanPattern::BrokenThree => {
            let mut asymmetric = vec![format!("x{three}00")];
            asymmetric.extend(gapped_three.iter().map(|three| format!("x{three}0")));
            let mut others = vec![format!("x0{three}0x")];
            others.extend(twice_gapped(k));
            with_mirror_images(&asymmetric, others)
        }
        FudanPattern::SimpleTwo => {
            let mut asymmetric = vec![format!("x0{two}00")];
            asymmetric.extend(gapped_two.iter().map(|two| format!("x0{two}00")));
            with_mirror_images(&asymmetric, Vec::new())
        }
    }
}

/// Shapes with a blocked or short side, their mirror images, and symmetric shapes.
fn with_mirror_images(asymmetric: &[String], others: Vec<String>) -> Vec<String> {
    let mirrored = asymmetric.iter().map(|text| text.chars().rev().collect());
    asymmetric.iter().cloned().chain(mirrored).chain(others).collect()
}

/// Shapes of this many cells, with a stone on each but one inner cell.
fn gapped(cells: usize) -> Vec<String> {
    let with_gap = |gap| (0..cells).map(|cell| if cell == gap { '0' } else { '1' }).collect();
    (1..cells.saturating_sub(1)).map(with_gap).collect()
}

/// Shapes of this many cells, with a stone on each but two inner cells that are not adjacent.
fn twice_gapped(cells: usize) -> Vec<String> {
    let inner = 1..cells - 1;
    let pairs = inner.clone().flat_map(|a| inner.clone().map(move |b| (a, b)));
    let with_gaps =
        |(a, b)| (0..cells).map(|cell| if cell == a || cell == b { '0' } else { '1' }).collect();
    pairs.filter(|(a, b)| a + 1 < *b).map(with_gaps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_gomoku::fudan::{MAX_SHAPE_CELLS, MAX_SHAPES};

    #[test]
    fn five_in_a_row_has_the_shapes_of_the_report() {
        let sorted = |pattern| {
            let mut texts = shape_texts(pattern, 5);
            texts.sort();
            texts.join(" ")
        };
        assert_eq!(sorted(FudanPattern::SimpleFour), "01111x 10111 11011 11101 x11110");
        assert_eq!(sorted(FudanPattern::SimpleThree), "001110x 010110 011010 x011100");
        assert_eq!(sorted(FudanPattern::Compensation), "101010101");
        assert_eq!(sorted(FudanPattern::CompensationFour), "1011101");
        assert_eq!(sorted(FudanPattern::OpenTwo), "0010100 001100");
        let broken = "00111x 01011x 01101x 10101 x01110x x10110 x11010 x11100";
        assert_eq!(sorted(FudanPattern::BrokenThree), broken);
        assert_eq!(sorted(FudanPattern::SimpleTwo), "001010x 00110x x010100 x01100");
    }

    #[test]
    fn every_row_has_shapes_that_can_be_counted() {
        for k in SHORTEST_ROW..=LONGEST_ROW {
            for pattern in FudanPattern::ALL {
                let texts = shape_texts(pattern, k);
                assert!(texts.len() <= MAX_SHAPES, "{k}: {texts:?}");
                assert!(texts.iter().all(|text| text.len() <= MAX_SHAPE_CELLS), "{k}: {texts:?}");
            }
            assert!(shapes(k)[0].len() == 1 && shapes(k)[7].is_empty() == (k == 3), "{k}");
        }
    }
}
