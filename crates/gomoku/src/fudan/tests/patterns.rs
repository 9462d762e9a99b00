//! Patterns: a table of lines, a slow reference count, and local changes.

use tesuji_games::{Side, random};

use super::{board_from, mirrored, random_board};
use crate::fudan::patterns::NAIVE_PATTERNS;
use crate::fudan::{
    CandidateReach, FUDAN_PATTERNS, FudanBoard, FudanCell, FudanPattern, FudanPattern::*,
    FudanSquare, PatternCategory,
};

/// The ten patterns as the report's regular expressions, written independently.
const FUDAN_SHAPES: [&[&str]; 10] = [
    &["11111"],
    &["011110"],
    &["1011101"],
    &["x11110", "01111x", "11011", "11101", "10111"],
    &["0011100"],
    &["011010", "010110", "x011100", "001110x"],
    &["101010101"],
    &["001100", "0010100"],
    &["x11100", "00111x", "x11010", "01011x", "x10110", "01101x", "x01110x", "10101"],
    &["x01100", "00110x", "x010100", "001010x"],
];

const NAIVE_SHAPES: [&[&str]; 7] = [
    &["11111"],
    &["011110"],
    &["211110", "011112"],
    &["0011102", "2011100", "0011100"],
    &["010110", "011010"],
    &["01110"],
    &["0110"],
];

fn fits(shape: &str, text: &str) -> bool {
    text.len() >= shape.len()
        && shape.chars().zip(text.chars()).all(|(want, is)| match want {
            'x' => is == '2' || is == '3',
            want => is == want,
        })
}

/// Counts one pattern in a text from the left, without overlaps, as a regular expression does.
fn slow_count(shapes: &[&str], text: &str) -> u16 {
    let (mut count, mut at) = (0, 0);
    while at < text.len() {
        match shapes.iter().find(|shape| fits(shape, &text[at..])) {
            Some(shape) => {
                count += 1;
                at += shape.len();
            }
            None => at += 1,
        }
    }
    count
}

/// Every line of a board as seen by one side (1 own, 2 other, 0 empty, 3 wall), read from the edge.
fn lines_as_text(board: &FudanBoard, side: Side) -> Vec<String> {
    let steps = [(0, 1), (1, 0), (1, 1), (1, -1)];
    let on_board = |row: i32, column: i32| {
        (0..board.rows() as i32).contains(&row) && (0..board.columns() as i32).contains(&column)
    };
    let mark =
        |row: i32, column: i32| match board.at(FudanCell::row_column(row as u8, column as u8)) {
            FudanSquare::Empty => '0',
            FudanSquare::Stone(stone) if stone == side => '1',
            FudanSquare::Stone(_) => '2',
            FudanSquare::Wall => '3',
        };
    let mut lines = Vec::new();
    for (down, right) in steps {
        for start in board.cells() {
            let (mut row, mut column) = (start.row as i32, start.column as i32);
            if on_board(row - down, column - right) {
                continue;
            }
            let mut line = String::from("3");
            while on_board(row, column) {
                line.push(mark(row, column));
                (row, column) = (row + down, column + right);
            }
            lines.push(line + "3");
        }
    }
    lines
}

fn slow_counts<const N: usize>(shapes: [&[&str]; N], board: &FudanBoard, side: Side) -> [u16; N] {
    let lines = lines_as_text(board, side);
    shapes.map(|shapes| lines.iter().map(|line| slow_count(shapes, line)).sum())
}

/// Lines between walls, and the patterns of side 1.
const TABLE: &[(&str, &[(FudanPattern, u16)])] = &[
    ("00001111100000", &[(Five, 1)]),
    ("00111110", &[(Five, 1)]),
    ("11111111111", &[(Five, 2)]),
    ("0000011110000", &[(OpenFour, 1)]),
    ("22222011110", &[(OpenFour, 1)]),
    ("1011101", &[(CompensationFour, 1), (SimpleFour, 1)]),
    ("0010111010", &[(CompensationFour, 1), (SimpleFour, 1)]),
    ("1110111011", &[(CompensationFour, 1), (SimpleFour, 2)]),
    ("2111100", &[(SimpleFour, 1)]),
    ("1111000", &[(SimpleFour, 1)]),
    ("0001111", &[(SimpleFour, 1)]),
    ("0111130", &[(SimpleFour, 1)]),
    ("00110110000", &[(SimpleFour, 1)]),
    ("00111010000", &[(SimpleFour, 1)]),
    ("00101110000", &[(SimpleFour, 1)]),
    ("1101101100", &[(SimpleFour, 1)]),
    ("0111011110", &[(OpenFour, 1), (SimpleFour, 1)]),
    ("2111100111102", &[(OpenFour, 1), (SimpleFour, 1)]),
    ("000011100000", &[(OpenThree, 1)]),
    ("0011100111000", &[(OpenThree, 1)]),
    ("2011100", &[(SimpleThree, 1)]),
    ("0011102", &[(SimpleThree, 1)]),
    ("0011103", &[(SimpleThree, 1)]),
    ("011100", &[(SimpleThree, 1)]),
    ("00110100", &[(SimpleThree, 1)]),
    ("00101100", &[(SimpleThree, 1)]),
    ("20111002001110", &[(SimpleThree, 2)]),
    ("101010101", &[(Compensation, 1), (BrokenThree, 1)]),
    ("10101010101", &[(Compensation, 1), (BrokenThree, 2)]),
    ("2111000", &[(BrokenThree, 1)]),
    ("0001112", &[(BrokenThree, 1)]),
    ("11010000", &[(BrokenThree, 1)]),
    ("0010112", &[(BrokenThree, 1)]),
    ("2101100", &[(BrokenThree, 1)]),
    ("01101", &[(BrokenThree, 1)]),
    ("2011102", &[(BrokenThree, 1)]),
    ("01110", &[(BrokenThree, 1)]),
    ("001010100", &[(BrokenThree, 1)]),
    ("011010110", &[(SimpleThree, 1), (BrokenThree, 1)]),
    ("0000110000", &[(OpenTwo, 1)]),
    ("00001010000", &[(OpenTwo, 1)]),
    ("1100110011", &[(OpenTwo, 1)]),
    ("00110011000", &[(OpenTwo, 1)]),
    ("001100001100", &[(OpenTwo, 2)]),
    ("2011000", &[(SimpleTwo, 1)]),
    ("0001102", &[(SimpleTwo, 1)]),
    ("2010100", &[(SimpleTwo, 1)]),
    ("001010", &[(SimpleTwo, 1)]),
    ("1111", &[]),
    ("211112", &[]),
    ("00100", &[]),
];

#[test]
fn the_table_of_lines_holds_for_both_sides_and_all_directions() {
    for (line, expected) in TABLE {
        let mut counts = [0; 10];
        for (pattern, count) in *expected {
            counts[*pattern as usize] = *count;
        }
        let marks: Vec<char> = line
            .chars()
            .map(|mark| match mark {
                '1' => 'X',
                '2' => 'O',
                '3' => '#',
                _ => '.',
            })
            .collect();
        let row: String = marks.iter().collect();
        let column: String = marks.iter().map(|mark| format!("{mark} ")).collect();
        for picture in [row, column] {
            let board = board_from(&picture);
            assert_eq!(FUDAN_PATTERNS.count(&board).of(Side::First), &counts, "{line}");
            let turned = mirrored(&board);
            assert_eq!(FUDAN_PATTERNS.count(&turned).of(Side::Second), &counts, "{line}");
        }
        for falling in [true, false] {
            let board = diagonal(&marks, falling);
            assert_eq!(FUDAN_PATTERNS.count(&board).of(Side::First), &counts, "{line}");
        }
    }
}

/// A square board with one line on its long diagonal.
fn diagonal(marks: &[char], falling: bool) -> FudanBoard {
    let rows: Vec<String> = (0..marks.len())
        .map(|row| {
            let mut text = vec!['.'; marks.len()];
            text[if falling { row } else { marks.len() - 1 - row }] = marks[row];
            text.into_iter().collect()
        })
        .collect();
    board_from(&rows.join(" "))
}

#[test]
fn every_shape_of_every_pattern_is_counted() {
    for (pattern, shapes) in FUDAN_SHAPES.iter().enumerate() {
        for shape in *shapes {
            let marks: Vec<char> = shape
                .chars()
                .map(|want| match want {
                    '1' => 'X',
                    'x' => 'O',
                    _ => '.',
                })
                .collect();
            let picture: String = marks.into_iter().collect();
            let counts = FUDAN_PATTERNS.count(&board_from(&picture));
            assert_eq!(counts.of(Side::First)[pattern], 1, "{shape}");
        }
    }
}

/// So the order in which they are tried does not matter.
#[test]
fn no_two_shapes_of_a_pattern_begin_at_the_same_cell() {
    for shapes in FUDAN_SHAPES.iter().chain(&NAIVE_SHAPES) {
        for (at, shape) in shapes.iter().enumerate() {
            for other in &shapes[at + 1..] {
                assert!(shape.chars().zip(other.chars()).any(|(a, b)| a != b), "{shape} {other}");
            }
        }
    }
}

#[test]
fn categories_are_those_of_the_report() {
    let of = |category| FudanPattern::ALL.into_iter().filter(move |p| p.category() == category);
    assert!(of(PatternCategory::WinningIdentity).eq([Five]));
    assert!(of(PatternCategory::WinningThreat).eq([OpenFour, CompensationFour]));
    let forcing = [SimpleFour, OpenThree, SimpleThree, Compensation];
    assert!(of(PatternCategory::ForcingThreat).eq(forcing));
    assert!(of(PatternCategory::PotentialThreat).eq([OpenTwo, BrokenThree, SimpleTwo]));
}

#[test]
fn fast_counts_equal_slow_counts() {
    let mut rng = random::seeded(21);
    for round in 0..300 {
        let board = random_board(&mut rng, 1 + round % 20, 1 + (round * 7) % 20);
        let (report, naive) = (FUDAN_PATTERNS.count(&board), NAIVE_PATTERNS.count(&board));
        for side in Side::ALL {
            assert_eq!(report.of(side), &slow_counts(FUDAN_SHAPES, &board, side));
            assert_eq!(naive.of(side), &slow_counts(NAIVE_SHAPES, &board, side));
        }
    }
}

#[test]
fn local_recounts_add_up_to_the_whole_board() {
    for seed in 0..12 {
        let mut rng = random::seeded(seed);
        let mut board = FudanBoard::new(9 + seed as usize, 20 - seed as usize).unwrap();
        board.play(FudanCell::row_column(4, 4)).unwrap();
        board.block(FudanCell::row_column(4, 6)).unwrap();
        let mut counts = FUDAN_PATTERNS.count(&board);
        while let Some(&cell) = random::choose(&mut rng, &board.candidates(CandidateReach::Two)) {
            counts -= FUDAN_PATTERNS.count_through(&board, cell);
            let thought = FUDAN_PATTERNS.count_through_with(&board, cell, board.to_move());
            board.play(cell).unwrap();
            assert_eq!(thought, FUDAN_PATTERNS.count_through(&board, cell));
            counts += thought;
            assert_eq!(counts, FUDAN_PATTERNS.count(&board));
        }
    }
}
