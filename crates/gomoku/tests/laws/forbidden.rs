//! Renju's forbidden moves: named cases, and the reference board on random positions.

use crate::reference_board::{Point, ReferenceBoard, cell};
use tesuji_games::random::{below, seeded};
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::{BoardError, MoveClass};

/// The cell of the `?` in a picture.
fn marked_cell(rows: &[&str]) -> Point {
    let rows: Vec<String> = rows.iter().rev().map(|row| row.replace(' ', "")).collect();
    let found =
        rows.iter().enumerate().find_map(|(y, row)| Some((row.find('?')? as i32, y as i32)));
    found.expect("a question mark")
}

fn assert_case(name: &str, forbidden: bool, rows: &[&str]) {
    let mut reference = ReferenceBoard::from_picture(RowRule::Renju, rows);
    let point = marked_cell(rows);
    assert_eq!(reference.is_forbidden(Side::First, point), forbidden, "{name}, by the reference");
    let mut board = reference.board(Side::First);
    assert_eq!(board.is_forbidden(Side::First, cell(point)), forbidden, "{name}");
    assert!(!board.is_forbidden(Side::Second, cell(point)), "{name}: white may play anywhere");
    let played = board.try_play(cell(point));
    assert_eq!(played == Err(BoardError::Forbidden(cell(point))), forbidden, "{name}");
}

#[test]
fn overlines() {
    assert_case(
        "six in a row",
        true,
        &[".........", ".xxx?xx..", ".........", ".........", "........."],
    );
    assert_case(
        "seven in a column",
        true,
        &["x....", "x....", "x....", "?....", "x....", "x....", "x...."],
    );
    assert_case(
        "four with a gap before a stone",
        false,
        &[".........", ".xxx?.x..", ".........", ".........", "........."],
    );
}

#[test]
fn five_beats_forbidden() {
    assert_case(
        "five and six at once",
        false,
        &["....x......", "....x......", "....x......", ".xxx?xx....", "....x......", "..........."],
    );
    assert_case(
        "five and two fours at once",
        false,
        &[
            "...........",
            "..x.x.x....",
            "...xxx.....",
            "oxxx?xo....",
            "...xxx.....",
            "..o.x.x....",
            "....x......",
        ],
    );
}

#[test]
fn two_fours() {
    assert_case(
        "a row and a column",
        true,
        &["....o....", "....x....", "....x....", "....x....", "oxxx?....", "........."],
    );
    assert_case(
        "two in one line, three between",
        true,
        &[".x.x?x.x.", ".........", ".........", ".........", "........."],
    );
    assert_case(
        "two in one line, two between",
        true,
        &[".xx.?x.xx.", "..........", "..........", "..........", ".........."],
    );
    assert_case(
        "one four that is open",
        false,
        &["..xx?x...", ".........", ".........", ".........", "........."],
    );
    assert_case(
        "one four in which the other would be six",
        false,
        &["oxxx?.xx.", ".........", ".........", ".........", "........."],
    );
}

#[test]
fn two_threes() {
    assert_case(
        "a row and a column",
        true,
        &[
            ".........",
            ".........",
            "....x....",
            "....x....",
            "..xx?....",
            ".........",
            ".........",
            ".........",
        ],
    );
    assert_case(
        "threes with gaps on two diagonals",
        true,
        &[
            "...........",
            "..x.....x..",
            "...........",
            "....x.x....",
            ".....?.....",
            "...........",
            "...........",
            "...........",
            "...........",
        ],
    );
    assert_case(
        "one of them shut by white",
        false,
        &[
            ".........",
            "....o....",
            "....x....",
            "....x....",
            "..xx?....",
            ".........",
            ".........",
            ".........",
        ],
    );
    assert_case(
        "a four and a three",
        false,
        &[
            ".........",
            "....o....",
            "....x....",
            "....x....",
            "..xx?x...",
            ".........",
            ".........",
            ".........",
        ],
    );
    assert_case(
        "a four and two threes",
        true,
        &[
            "...........",
            "...........",
            "...x.x.....",
            "....xx.....",
            ".oxxx?.....",
            "...........",
            "...........",
            "...........",
        ],
    );
}

#[test]
fn false_threes() {
    assert_case(
        "the only open four would touch another stone and be six",
        false,
        &[
            "...........",
            "...........",
            ".....x.....",
            ".....x.....",
            "x..xx?..x..",
            "...........",
            "...........",
            "...........",
        ],
    );
    assert_case(
        "no room between white stones",
        false,
        &[
            "...........",
            "...........",
            ".....x.....",
            ".....x.....",
            ".o.xx?.o...",
            "...........",
            "...........",
            "...........",
        ],
    );
}

/// A case with two open threes by their shape, so that only whether they are real decides.
fn assert_doubtful_case(name: &str, forbidden: bool, rows: &[&str]) {
    let board = ReferenceBoard::from_picture(RowRule::Renju, rows).board(Side::First);
    assert_eq!(board.class(Side::First, cell(marked_cell(rows))), MoveClass::Doubtful, "{name}");
    assert_case(name, forbidden, rows);
}

#[test]
fn threes_whose_fours_are_forbidden() {
    assert_doubtful_case(
        "one open four would be on a cell of two fours",
        false,
        &[
            "...........",
            "...........",
            "...........",
            "...........",
            "x..........",
            ".x.x.......",
            "..x?.x.....",
            "...........",
            "...x.......",
            "...........",
            "...........",
        ],
    );
}

#[test]
fn threes_whose_fours_only_look_forbidden() {
    assert_doubtful_case(
        "the cell of the open four has two threes, one of them false: two threes after all",
        true,
        &[
            "...........",
            "..x.x......",
            "...........",
            "..?x.x.....",
            ".x..xx.....",
            "...........",
            "...........",
            "...........",
            "...........",
            "...........",
            "...........",
        ],
    );
    assert_doubtful_case(
        "and one step further: the three that made the three false is false itself",
        false,
        &[
            "...........",
            "...........",
            ".x.........",
            "..x........",
            ".....xx....",
            "...x.......",
            "...?x......",
            "..x.x......",
            ".....x.....",
            "...........",
            "...........",
        ],
    );
}

/// A three with a gap in the row and one on the diagonal. What else a stone in the gap makes
/// decides whether the three in the row is real.
#[test]
fn the_column_of_the_gap_decides() {
    let with_column = |column: [char; 6]| -> Vec<String> {
        let rows = [
            "...........",
            "......x....",
            "...........",
            "...x?.x....",
            "...........",
            "...........",
        ];
        let empty = || "...........".to_string();
        let rows = rows.iter().zip(column).map(|(row, stone)| {
            let mut row = row.to_string();
            row.replace_range(5..6, &stone.to_string());
            row
        });
        [empty(), empty()].into_iter().chain(rows).chain([empty(), empty()]).collect()
    };
    for (name, forbidden, column) in [
        ("nothing else", true, ['.', '.', 'x', '.', '.', '.']),
        ("an overline", false, ['x', 'x', 'x', '.', 'x', 'x']),
        ("a second four", false, ['.', 'x', 'x', '.', 'x', '.']),
        ("a five, which is no open four", false, ['.', 'x', 'x', '.', 'x', 'x']),
        ("a row of three that is shut", true, ['.', 'x', 'x', '.', 'o', '.']),
    ] {
        let rows = with_column(column);
        assert_doubtful_case(name, forbidden, &rows.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn agrees_with_the_reference_on_random_boards() {
    let mut rng = seeded(11);
    let (mut doubtful, mut allowed) = (0, 0);
    for round in 0..2_000 {
        let size = (8 + round % 8, 15);
        let mut reference =
            ReferenceBoard::random(RowRule::Renju, size, 15 + below(&mut rng, 40), &mut rng);
        // Fewer white stones leave more room for threes.
        for point in reference.points() {
            if reference.at(point) == Some(Side::Second) && below(&mut rng, 3) > 0 {
                reference.set(point, None);
            }
        }
        let board = reference.board(Side::First);
        for point in reference.empty_points() {
            let class = board.class(Side::First, cell(point));
            if class >= MoveClass::OpenThree {
                let forbidden = reference.is_forbidden(Side::First, point);
                assert_eq!(
                    board.is_forbidden(Side::First, cell(point)),
                    forbidden,
                    "{round} {point:?}"
                );
                doubtful += usize::from(class == MoveClass::Doubtful);
                allowed += usize::from(class == MoveClass::Doubtful && !forbidden);
            } else {
                assert!(!board.is_forbidden(Side::First, cell(point)));
            }
        }
    }
    assert!(doubtful > 1_000 && allowed > 100, "too few cases: {doubtful}, {allowed} allowed");
}
