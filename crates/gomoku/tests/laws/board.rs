//! The board: its incremental data equal data computed from the stones.

use crate::reference_board::{ReferenceBoard, cell};
use tesuji_games::random::{below, choose, derived, seeded};
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::{Board, BoardError, Cell, CellSet, LinePattern, MoveClass};

const SIZES: [(usize, usize); 6] = [(5, 5), (6, 9), (9, 9), (15, 15), (20, 20), (22, 22)];

fn cells_of(board: &Board) -> Vec<Cell> {
    let (width, height) = (board.width(), board.height());
    (0..height).flat_map(|row| (0..width).map(move |column| Cell::new(column, row))).collect()
}

fn from_scratch(board: &Board) -> Board {
    let stone = |cell| board.stone(cell).map(|side| (side, cell));
    let stones: Vec<_> = cells_of(board).into_iter().filter_map(stone).collect();
    let size = (board.width(), board.height());
    Board::with_stones(board.rule(), size, &stones, board.to_move()).expect("the same board")
}

fn assert_same(board: &Board, other: &Board) {
    assert_eq!(board.key(), other.key());
    assert_eq!(board.to_move(), other.to_move());
    assert_eq!(board.lines(), other.lines());
    assert_eq!(board.stones(), other.stones());
    assert_eq!(board.candidates(), other.candidates());
    for side in Side::ALL {
        for class in MoveClass::ALL.into_iter().filter(|class| class.is_counted()) {
            assert_eq!(board.count(side, class), other.count(side, class), "{side} {class:?}");
            assert_eq!(board.cells(side, class), other.cells(side, class), "{side} {class:?}");
        }
        for cell in cells_of(board) {
            assert_eq!(board.code(side, cell), other.code(side, cell), "{side} {cell}");
            assert_eq!(board.class(side, cell), other.class(side, cell), "{side} {cell}");
        }
    }
}

/// Plays random stones near others, so that rows arise, until one side wins or the board is full.
fn play_at_random(board: &mut Board, seed: u64, mut after_each: impl FnMut(&Board)) {
    let mut rng = seeded(seed);
    while board.winner().is_none() && !board.is_full() {
        let near = board.candidates();
        let mut choices = cells_of(board);
        let only_near = !near.is_empty();
        choices.retain(|&c| board.is_empty_cell(c) && (!only_near || near.contains(c)));
        board.play(*choose(&mut rng, &choices).expect("an empty cell"));
        after_each(board);
    }
}

#[test]
fn incremental_data_equal_recomputed_data_through_play_and_undo() {
    for rule in RowRule::ALL {
        for (n, (width, height)) in SIZES.into_iter().enumerate() {
            let mut board = Board::new(rule, width, height).expect("a board");
            let mut before = vec![board.clone()];
            play_at_random(&mut board, derived(1, [rule as u64, n as u64]), |board| {
                let fresh = from_scratch(board);
                assert_same(board, &fresh);
                assert_eq!(board.winner(), fresh.winner());
                before.push(board.clone());
            });
            while let Some(last) = before.pop() {
                assert_same(&board, &last);
                assert_eq!(board.winner(), last.winner());
                assert_eq!(board.undo().is_some(), !before.is_empty());
            }
        }
    }
}

#[test]
fn undoing_a_whole_game_restores_the_board() {
    for rule in RowRule::ALL {
        for game in 0..20 {
            let mut board = Board::new(rule, 12, 12).expect("a board");
            let start = board.clone();
            play_at_random(&mut board, derived(2, [rule as u64, game]), |_| {});
            while board.undo().is_some() {}
            assert_same(&board, &start);
        }
    }
}

#[test]
fn changes_are_the_cells_that_differ() {
    for rule in RowRule::ALL {
        let mut board = Board::new(rule, 15, 15).expect("a board");
        let mut before = board.clone();
        play_at_random(&mut board, derived(6, [rule as u64]), |board| {
            let codes = |board: &Board, cell| Side::ALL.map(|side| board.code(side, cell));
            let classes = |board: &Board, cell| Side::ALL.map(|side| board.class(side, cell));
            let changes = board.last_changes();
            for change in changes {
                assert_eq!(change.codes, codes(&before, change.cell));
                assert_eq!(change.classes, classes(&before, change.cell));
            }
            for cell in cells_of(board) {
                let noted = changes.iter().filter(|change| change.cell == cell).count();
                let last = board.last_move() == Some(cell);
                let differs = last || codes(&before, cell) != codes(board, cell);
                assert_eq!(noted, usize::from(differs), "{rule} {cell}");
            }
            before = board.clone();
        });
    }
}

#[test]
fn counts_are_counts_of_cells() {
    let mut board = Board::new(RowRule::Renju, 15, 15).expect("a board");
    play_at_random(&mut board, 3, |board| {
        for side in Side::ALL {
            for class in MoveClass::ALL.into_iter().filter(|class| class.is_counted()) {
                let is = |&cell: &Cell| board.class(side, cell) == class;
                let found: CellSet = cells_of(board).into_iter().filter(is).collect();
                assert_eq!(&found, board.cells(side, class));
                assert_eq!(found.len(), board.count(side, class));
            }
        }
    });
}

#[test]
fn candidates_are_the_empty_cells_near_stones() {
    let mut board = Board::new(RowRule::AtLeast, 13, 17).expect("a board");
    play_at_random(&mut board, 4, |board| {
        let is_near = |a: Cell, b: Cell| {
            let (dx, dy) = (a.column().abs_diff(b.column()), a.row().abs_diff(b.row()));
            let in_line = dx == 0 || dy == 0 || dx == dy;
            dx.max(dy) <= 2 || (in_line && dx.max(dy) <= 4)
        };
        let stones: Vec<Cell> =
            cells_of(board).into_iter().filter(|&c| board.stone(c).is_some()).collect();
        let near = |&c: &Cell| board.is_empty_cell(c) && stones.iter().any(|&s| is_near(c, s));
        let found: CellSet = cells_of(board).into_iter().filter(near).collect();
        assert_eq!(board.candidates(), found);
    });
}

/// Whether the patterns of a move include a four (a forbidden move may have one too).
fn has_four(board: &Board, side: Side, cell: Cell) -> bool {
    let four = [LinePattern::Four, LinePattern::DoubleFour, LinePattern::OpenFour];
    board.patterns(side, cell).iter().any(|pattern| four.contains(pattern))
}

#[test]
fn fives_and_fours_follow_the_rules() {
    let mut rng = seeded(5);
    let mut fours = 0;
    for round in 0..400 {
        let rule = RowRule::ALL[round % 4];
        let size = (6 + below(&mut rng, 6) as usize, 6 + below(&mut rng, 6) as usize);
        let mut reference = ReferenceBoard::random(rule, size, 20 + below(&mut rng, 50), &mut rng);
        let board = reference.board(Side::First);
        for side in Side::ALL {
            let fives = reference.fives(side);
            let expected: CellSet = fives.iter().map(|&point| cell(point)).collect();
            assert_eq!(board.cells(side, MoveClass::Five), &expected, "{rule} {side}");
            // If there is a five already, a stone elsewhere does not remove it.
            if !fives.is_empty() {
                continue;
            }
            for point in reference.empty_points() {
                let (four, stopped) =
                    reference.with(point, side, |board| four_and_stopped(board, side));
                assert_eq!(has_four(&board, side, cell(point)), four, "{rule} {side} {point:?}");
                let class = board.class(side, cell(point));
                let open = matches!(class, MoveClass::OpenFour);
                let special = matches!(class, MoveClass::Forbidden | MoveClass::Doubtful);
                assert!(special || open == (four && !stopped), "{rule} {side} {point:?} {class:?}");
                fours += usize::from(four);
            }
        }
    }
    assert!(fours > 1_000, "too few fours: {fours}");
}

/// Whether a side threatens five, and whether one stone of the opponent blocks it.
fn four_and_stopped(board: &mut ReferenceBoard, side: Side) -> (bool, bool) {
    let four = !board.fives(side).is_empty();
    let empty = if four { board.empty_points() } else { Vec::new() };
    let stops = |point| board.with(point, !side, |board| board.fives(side).is_empty());
    (four, empty.into_iter().any(stops))
}

#[test]
fn invalid_boards_and_moves_are_rejected() {
    assert_eq!(
        Board::new(RowRule::Caro, 4, 15).err(),
        Some(BoardError::Size { width: 4, height: 15 })
    );
    assert!(Board::new(RowRule::Caro, 15, 23).is_err());
    let mut board = Board::new(RowRule::Exactly, 15, 10).expect("a board");
    let (taken, outside) = (Cell::new(7, 7), Cell::new(7, 10));
    board.try_play(taken).expect("the first stone");
    assert_eq!(board.try_play(taken), Err(BoardError::Taken(taken)));
    assert_eq!(board.try_play(outside), Err(BoardError::Outside(outside)));
    let twice = [(Side::First, taken), (Side::Second, taken)];
    let refused = Board::with_stones(RowRule::Exactly, (15, 15), &twice, Side::First);
    assert_eq!(refused.err(), Some(BoardError::Taken(taken)));
}

#[test]
fn passing_changes_whose_turn_it_is_and_the_key() {
    let mut board = Board::new(RowRule::AtLeast, 15, 15).expect("a board");
    let start = board.clone();
    board.pass();
    assert_eq!(board.to_move(), Side::Second);
    assert_ne!(board.key(), start.key());
    board.play(Cell::new(3, 3));
    assert_eq!(board.stone(Cell::new(3, 3)), Some(Side::Second));
    board.undo();
    board.pass();
    assert_same(&board, &start);
}
