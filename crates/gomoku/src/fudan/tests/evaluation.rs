//! The evaluation: the order of exits, the weighted sum, and the faithful sign errors.

use tesuji_games::{Side, random};

use super::{board_from, mirrored, random_board};
use crate::fudan::{FUDAN_PATTERNS, FudanBoard, FudanEvaluation, FudanPattern, Points, TENTHS};

fn points(evaluation: &FudanEvaluation, board: &FudanBoard, mover: Side) -> Points {
    evaluation.points(&FUDAN_PATTERNS.count(board), Side::First, mover)
}

/// The first side maximizes; each case is valued after a move of the first and of the second side.
#[test]
fn the_most_urgent_threat_decides_in_the_published_order() {
    let cases: &[(&str, Points, Points)] = &[
        // Five beats everything; if both have one, the mover's counts.
        ("..XXXXX... ..OOOOO...", 1_000_000, -1_000_000),
        ("..XXXXX... ..OOOO....", 1_000_000, 1_000_000),
        // The open four of the side to move comes before that of the mover.
        ("..XXXX.... ..OOOO....", -100_000, 100_000),
        ("..XXXX.... ..........", 100_000, 100_000),
        ("..X.XXX.X. ..........", 100_000, 100_000),
        ("OXXXX..... ..OOOO....", -100_000, -100_000),
        // Two forcing threats win for the mover; for the side to move they are one forcing threat.
        ("..XXX..... ..........", 100, 1_000),
        ("OXXXX..... ...XXX....", 100_000, 1_000),
        ("OXXXX..... ..OOO.....", -1_000, 1_000),
        ("OXXXX..... OXXXX..... ..OOO.....", 100_000, 1_000),
        ("X.X.X.X.X. ..........", 100, 1_000),
    ];
    for (picture, after_first, after_second) in cases {
        let board = board_from(picture);
        let evaluation = FudanEvaluation::last();
        assert_eq!(points(&evaluation, &board, Side::First), after_first * TENTHS, "{picture}");
        assert_eq!(points(&evaluation, &board, Side::Second), after_second * TENTHS, "{picture}");
    }
}

#[test]
fn patterns_of_the_side_that_has_moved_count_a_tenth() {
    // An open two of the first side, a broken three of the second.
    let board = board_from("....XX.... XOOO......");
    let last = FudanEvaluation::last();
    assert_eq!(points(&last, &board, Side::First), 40 - 50 * TENTHS);
    assert_eq!(points(&last, &board, Side::Second), 40 * TENTHS - 50);
    let pydan2 = FudanEvaluation::pydan2();
    assert_eq!(points(&pydan2, &board, Side::First), 2 * 10 - 9 * TENTHS);
    assert_eq!(points(&pydan2, &board, Side::Second), 10 * TENTHS - 2 * 9);
}

#[test]
fn pydan2_always_sums() {
    let board = board_from("..XXXX.... ..OOOO....");
    assert_eq!(points(&FudanEvaluation::pydan2(), &board, Side::First), 100_000 * (2 - TENTHS));
    let compensation_four = board_from("..X.XXX.X. ..........");
    assert_eq!(
        points(&FudanEvaluation::pydan2(), &compensation_four, Side::Second),
        1_000 * TENTHS
    );
}

#[test]
fn corrected_evaluations_are_symmetric() {
    let mut rng = random::seeded(31);
    for evaluation in [FudanEvaluation::last(), FudanEvaluation::pydan2()] {
        for _ in 0..100 {
            let board = random_board(&mut rng, 8, 9);
            let turned = mirrored(&board);
            for mover in Side::ALL {
                let there = points(&evaluation, &board, mover);
                assert_eq!(there, -points(&evaluation, &turned, !mover));
            }
        }
    }
}

#[test]
fn the_sign_error_affects_the_sum_only() {
    let board = board_from("..O.OOO.O.");
    let counts = FUDAN_PATTERNS.count(&board);
    let sum = |evaluation: FudanEvaluation| evaluation.sum(&counts, Side::First, Side::First);
    // It contains a simple four too.
    assert_eq!(sum(FudanEvaluation::last()), -(98_000 + 1_000) * TENTHS);
    assert_eq!(sum(FudanEvaluation::last_faithful()), -(102_000 + 1_000) * TENTHS);
    let both = [FudanEvaluation::last(), FudanEvaluation::last_faithful()];
    for mover in Side::ALL {
        let [corrected, faithful] = both.each_ref().map(|e| points(e, &board, mover));
        assert_eq!(corrected, faithful);
    }
}

#[test]
fn faithful_pydan2_adds_the_opponents_compensation() {
    let board = board_from("O.O.O.O.O.");
    let corrected = points(&FudanEvaluation::pydan2(), &board, Side::First);
    let faithful = points(&FudanEvaluation::pydan2_faithful(), &board, Side::First);
    // It contains a broken three too.
    assert_eq!(corrected, -(991 + 9) * TENTHS);
    assert_eq!(faithful, (1_009 - 9) * TENTHS);
    let compensation = FudanPattern::Compensation as usize;
    assert_eq!(FudanEvaluation::pydan2_faithful().own[compensation], 991);
}
