//! Tests renju: forbidden and allowed points in named cases, wins, and the end of a game in which
//! all points are forbidden to black.

use std::collections::HashSet;

use tesuji_games::random::seeded;
use tesuji_games::rules::renju::Renju;
use tesuji_games::{
    Notation, Outcome, PlayError, Playable, Position, Reference, RowPosition, Side, Tactics,
    conformance, registry, typed,
};

/// The empty rows below a diagram, which separate its stones from those that only fill up the
/// turns.
const EMPTY_ROWS: usize = 5;
const FILLING_ROWS: usize = 3;

/// The position of a diagram with black to move (`x` black, `o` white, `.` empty, `?` the tested
/// empty cell), and the tested cell.
fn position(rows: &[&str]) -> (Renju, u16) {
    let width = rows[0].len();
    let height = rows.len() + EMPTY_ROWS + FILLING_ROWS;
    let mut game = Renju::new(width, height).unwrap();
    let marked = |wanted: char| -> Vec<usize> {
        let picture: String = rows.concat();
        picture.char_indices().filter(|&(_, c)| c == wanted).map(|(cell, _)| cell).collect()
    };
    // Among these, only cells on diagonals of three are neighbors.
    let filling = (height - FILLING_ROWS..height)
        .flat_map(|row| (row % 2..width).step_by(2).map(move |column| row * width + column));
    let (mut black, mut white) = (marked('x'), marked('o'));
    let missing = black.len().abs_diff(white.len());
    let fewer = if black.len() < white.len() { &mut black } else { &mut white };
    fewer.extend(filling.take(missing));
    assert_eq!(black.len(), white.len(), "too few cells to fill up the turns");
    for cell in black.into_iter().zip(white).flat_map(|(x, o)| [x, o]) {
        let m = empty_cell(&game, cell);
        game.play(m);
    }
    let tested = empty_cell(&game, marked('?')[0]);
    (game, tested)
}

/// The move to a cell, even if it is not legal.
fn empty_cell(game: &Renju, cell: usize) -> u16 {
    let grid = game.grid();
    let (column, row) = (cell % grid.columns, grid.rows - 1 - cell / grid.columns);
    let text = tesuji_games::notation::cell_text(column, row);
    game.read_move(&text).unwrap().0
}

fn assert_case(name: &str, forbidden: bool, rows: &[&str]) {
    let (mut game, tested) = position(rows);
    assert_eq!((game.outcome(), game.to_move()), (None, Side::First), "{name}");
    assert_eq!(game.is_legal(tested), !forbidden, "{name}");
    assert_eq!(game.move_to(game.cell(tested)).is_none(), forbidden, "{name}: move_to");
    let mut listed = false;
    game.for_each_move(|cell| listed |= cell == tested);
    assert_eq!(listed, !forbidden, "{name}: the list of moves");
    assert_eq!(game.try_play(tested).err(), forbidden.then_some(PlayError::Illegal), "{name}");
}

#[test]
fn overlines() {
    assert_case("six in a row", true, &["...........", "..xx?xxx...", "..........."]);
    assert_case("seven in a row", true, &["...........", "..xxx?xxx..", "..........."]);
    assert_case(
        "six in a column",
        true,
        &["x......", "x......", "x......", "?......", "x......", "x......"],
    );
    assert_case("six with a gap", false, &["...........", "..xx?x.xx..", "..........."]);
}

#[test]
fn five_beats_forbidden() {
    let five_and_six = ["....x......", "....x......", "....x......", ".xxx?xx....", "....x......"];
    let (mut game, tested) = position(&five_and_six);
    assert_eq!(game.winning_move(), Some(tested));
    game.try_play(tested).unwrap();
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
    assert_case(
        "five and two fours",
        false,
        &["...........", "...xxx.....", ".xxx?xo....", "...xxx.....", "..o.x.x....", ".x..x......"],
    );
}

#[test]
fn two_fours() {
    assert_case(
        "across and up",
        true,
        &[
            "...........",
            "....x......",
            "....x......",
            "....x......",
            "oxxx?......",
            "...........",
            "...........",
        ],
    );
    assert_case(
        "in one line, three stones shared",
        true,
        &["..x.x?x.x..", "...........", "..........."],
    );
    assert_case(
        "in one line, two stones shared",
        true,
        &[".xx.x?.xx..", "...........", "..........."],
    );
    assert_case(
        "in one line, one stone shared",
        true,
        &[".xxx.?.xxx.", "...........", "..........."],
    );
    assert_case("a straight four is one", false, &["...........", "...x?xx....", "..........."]);
    assert_case(
        "the second would be an overline",
        false,
        &["oxxx?.xx...", "...........", "..........."],
    );
    assert_case(
        "a four at the edge and one that is shut",
        false,
        &[
            "....o......",
            "....x......",
            "....x......",
            "....x......",
            "oxxx?......",
            "....o......",
            "...........",
        ],
    );
}

#[test]
fn two_threes() {
    assert_case(
        "across and up",
        true,
        &[
            "...........",
            "...........",
            ".....x.....",
            ".....x.....",
            "...xx?.....",
            "...........",
            "...........",
        ],
    );
    assert_case(
        "both with a gap, on the diagonals",
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
        ],
    );
    assert_case(
        "one is shut by white",
        false,
        &[
            "...........",
            ".....o.....",
            ".....x.....",
            ".....x.....",
            "...xx?.....",
            "...........",
            "...........",
        ],
    );
    assert_case(
        "one is too near the edge",
        false,
        &[
            "...........",
            "...........",
            ".x.........",
            ".x.........",
            "x?x........",
            "o..........",
            "...........",
        ],
    );
    assert_case(
        "a four and a three",
        false,
        &[
            "...........",
            ".....o.....",
            ".....x.....",
            ".....x.....",
            "...xx?x....",
            "...........",
            "...........",
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
        "every straight four would be an overline in the making",
        false,
        &[
            "...........",
            "...........",
            ".....x.....",
            ".....x.....",
            "x..xx?..x..",
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
        ],
    );
}

/// Both threes look open, but that depends on where black may play next.
#[test]
fn recursive_false_threes() {
    assert_case(
        "the cell of a straight four is forbidden by two fours",
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
    assert_case(
        "the cell has two threes, one of them false: two threes after all",
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
    assert_case(
        "one step further: what made the three false is false itself",
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

#[test]
fn white_may_play_anywhere_and_wins_with_six() {
    let start = Renju::new(15, 15).unwrap();
    // White's fifth stone fills a gap of a row of six.
    let line = start.parse_line("a15 e1 c15 f1 e15 g1 g15 i1 i15 j1 o15 h1").unwrap();
    assert_eq!(line.end.outcome(), Some(Outcome::Win(Side::Second)));
    // The same shape is an overline for black.
    let line = start.parse_line("e1 a15 f1 c15 g1 e15 i1 g15 j1 i15").unwrap();
    assert_eq!((line.end.outcome(), line.end.winning_move()), (None, None));
    let error = start.parse_line("e1 a15 f1 c15 g1 e15 i1 g15 j1 i15 h1").unwrap_err().to_string();
    assert!(error.contains("\"h1\"") && error.contains("not legal"), "{error}");
    // Two threes of white.
    let line = start.parse_line("a15 h8 c15 i8 e15 j9 g15 j10 i15").unwrap();
    let both = line.end.read_move("j8").unwrap().0;
    assert!(line.end.is_legal(both));
}

#[test]
fn black_need_not_answer_where_it_may_not() {
    // White's four can be stopped on only one cell, where black makes two threes.
    let (game, tested) = position(&[
        "...........",
        "...........",
        ".xoooo?....",
        "...........",
        "....x.x....",
        "...x..x....",
    ]);
    let mut forcing = Vec::new();
    game.push_forcing_moves(&mut forcing);
    assert!(!game.is_legal(tested));
    assert_eq!((forcing, game.may_stand_pat()), (vec![], true));
}

/// A three with a gap in the row and one on the diagonal. Other stones in the column of the gap
/// determine whether black may fill it, and so whether the three in the row is a three.
#[test]
fn other_effects_of_the_stone_of_a_straight_four() {
    let with_column = |column: [char; 6]| -> Vec<String> {
        let rows = [
            "...........",
            "......x....",
            "...........",
            "...x?.x....",
            "...........",
            "...........",
        ];
        let mut rows: Vec<String> = rows.map(str::to_string).to_vec();
        for (row, stone) in rows.iter_mut().zip(column) {
            row.replace_range(5..6, &stone.to_string());
        }
        rows.insert(0, "...........".to_string());
        rows.insert(0, "...........".to_string());
        rows
    };
    for (name, forbidden, column) in [
        ("nothing: two threes", true, ['.', '.', 'x', '.', '.', '.']),
        ("an overline: one three", false, ['x', 'x', 'x', '.', 'x', 'x']),
        ("two fours: one three", false, ['.', 'x', 'x', '.', 'x', '.']),
        ("five, which is no straight four: one three", false, ['.', 'x', 'x', '.', 'x', 'x']),
        ("a row of three, shut below: two threes", true, ['.', 'x', 'x', '.', 'o', '.']),
    ] {
        let rows = with_column(column);
        assert_case(name, forbidden, &rows.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// The only empty cell would make seven in a row.
const FULL: [&str; 5] = ["xxx.xxx", "ooxooxo", "oxoxooo", "xooxoxo", "oxxoxox"];

#[test]
fn black_without_a_legal_cell_has_a_draw() {
    let cells = |wanted: char| {
        FULL.concat().char_indices().filter(|c| c.1 == wanted).map(|c| c.0).collect::<Vec<_>>()
    };
    let mut game = Renju::new(7, 5).unwrap();
    let mut played = Vec::new();
    for cell in cells('x').into_iter().zip(cells('o')).flat_map(|(x, o)| [x, o]) {
        assert_eq!(game.outcome(), None);
        let m = empty_cell(&game, cell);
        played.push((m, game.play(m)));
    }
    let empty = empty_cell(&game, 3);
    assert_eq!(
        (game.outcome(), game.outcome_by_scan()),
        (Some(Outcome::Draw), Some(Outcome::Draw))
    );
    assert_eq!((game.move_count(), game.winning_move()), (0, None));
    assert_eq!(game.try_play(empty).err(), Some(PlayError::GameOver));
    let (m, undo) = played.pop().unwrap();
    game.undo(m, undo);
    assert_eq!((game.outcome(), game.to_move(), game.move_count()), (None, Side::Second, 2));
    // White takes the cell instead, so black has a legal cell left.
    game.play(empty);
    assert_eq!((game.outcome(), game.move_count()), (None, 1));
}

#[test]
fn random_moves_are_legal_where_most_are_not() {
    let mut game = Renju::new(7, 5).unwrap();
    let picture = FULL.concat().replacen("xo", "..", 1);
    let cells = |wanted: char| {
        picture.char_indices().filter(|c| c.1 == wanted).map(|c| c.0).collect::<Vec<_>>()
    };
    for cell in cells('x').into_iter().zip(cells('o')).flat_map(|(x, o)| [x, o]) {
        let m = empty_cell(&game, cell);
        game.play(m);
    }
    let mut legal = Vec::new();
    game.push_moves(&mut legal);
    assert!(!legal.is_empty() && legal.len() < picture.matches('.').count(), "{legal:?}");
    let mut rng = seeded(6);
    let drawn: HashSet<u16> = (0..200).map(|_| game.random_move(&mut rng)).collect();
    assert_eq!(drawn, legal.into_iter().collect());
}

struct Conform;

impl Conform {
    fn visit<P: Playable>(self, start: P) {
        conformance::check(&start, 6, 7);
    }
}

#[test]
fn all_boards_keep_the_laws_and_others_are_rejected() {
    for name in ["renju:5x5", "renju:6x9", "renju:20x20"] {
        registry::start(name)
            .map(|state| typed!(state, |start| Conform.visit(Clone::clone(start))))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for (name, culprit) in [
        ("renju:4x9", "size '4x9'"),
        ("renju:15x21", "size '15x21'"),
        ("renju:9x9x9", "size '9x9x9'"),
        ("renju:k=6", "option 'k'"),
    ] {
        let error = registry::start(name)
            .map(|state| typed!(state, |start| Conform.visit(Clone::clone(start))))
            .unwrap_err()
            .to_string();
        assert!(error.contains(culprit) && !error.contains('\n'), "{name}: {error}");
    }
}
