//! The board: checked moves, play and undo, candidates, the key.

use std::collections::BTreeSet;

use tesuji_games::{Side, random};

use super::board_from;
use crate::fudan::{CandidateReach, FudanBoard, FudanBoardError, FudanCell, FudanSquare};

#[test]
fn sizes_and_cells_are_checked() {
    for (rows, columns) in [(0, 5), (5, 0), (21, 15), (15, 21)] {
        assert_eq!(FudanBoard::new(rows, columns), Err(FudanBoardError::Size { rows, columns }));
    }
    let mut board = FudanBoard::new(5, 7).unwrap();
    let outside = board.play(FudanCell::row_column(5, 0)).unwrap_err();
    assert_eq!(
        outside.to_string(),
        "row 5, column 0 (from 0): not on the board; expected 5 rows and 7 columns"
    );
    assert_eq!(board.at(FudanCell::row_column(5, 0)), FudanSquare::Wall);
    board.play(FudanCell::row_column(4, 6)).unwrap();
    assert_eq!(
        board.play(FudanCell::row_column(4, 6)),
        Err(FudanBoardError::Taken { row: 4, column: 6 })
    );
    assert_eq!(
        board.block(FudanCell::row_column(4, 6)),
        Err(FudanBoardError::Taken { row: 4, column: 6 })
    );
    assert_eq!((board.stones(), board.to_move()), (1, Side::Second));
}

#[test]
fn undo_gives_back_every_board_of_a_random_game() {
    let mut rng = random::seeded(11);
    for (rows, columns) in [(1, 20), (7, 13), (20, 20)] {
        let mut board = FudanBoard::new(rows, columns).unwrap();
        let mut past = Vec::new();
        for _ in 0..60 {
            let empty: Vec<FudanCell> =
                board.cells().filter(|&cell| board.is_empty(cell)).collect();
            let Some(&cell) = random::choose(&mut rng, &empty) else { break };
            past.push((board.clone(), cell));
            board.play(cell).unwrap();
        }
        for (before, cell) in past.into_iter().rev() {
            board.undo(cell);
            assert_eq!(board, before);
        }
    }
}

#[test]
fn undo_of_an_empty_cell_changes_nothing() {
    let mut board = board_from(".X. .#. ...");
    let before = board.clone();
    board.undo(FudanCell::row_column(0, 0));
    board.undo(FudanCell::row_column(1, 1));
    board.undo(FudanCell::row_column(9, 9));
    assert_eq!(board, before);
}

/// Searches for a stone from every empty cell along its rays.
fn slow_candidates(board: &FudanBoard, longest: i32) -> Vec<FudanCell> {
    let at = |row: i32, column: i32| match (u8::try_from(row), u8::try_from(column)) {
        (Ok(row), Ok(column)) => board.at(FudanCell::row_column(row, column)),
        _ => FudanSquare::Wall,
    };
    let sees_a_stone = |cell: &FudanCell| {
        (-1..=1).any(|down| {
            (-1..=1).any(|right| {
                (1..=longest).any(|n| {
                    let seen = at(cell.row as i32 + down * n, cell.column as i32 + right * n);
                    matches!(seen, FudanSquare::Stone(_))
                })
            })
        })
    };
    board.cells().filter(|&cell| board.is_empty(cell)).filter(sees_a_stone).collect()
}

#[test]
fn candidates_are_the_cells_within_reach_of_a_stone() {
    let mut rng = random::seeded(12);
    for round in 0..60 {
        let mut board = FudanBoard::new(1 + round % 20, 20 - round % 17).unwrap();
        for cell in board.cells() {
            if random::below(&mut rng, 12) == 0 {
                board.play_somewhere(&mut rng, cell);
            }
        }
        assert_eq!(board.candidates(CandidateReach::One), slow_candidates(&board, 1));
        assert_eq!(board.candidates(CandidateReach::Two), slow_candidates(&board, 2));
    }
}

#[test]
fn a_single_stone_has_sixteen_candidates_and_no_knights_moves() {
    let mut board = FudanBoard::new(15, 15).unwrap();
    assert!(board.candidates(CandidateReach::Two).is_empty());
    board.play(FudanCell::row_column(7, 7)).unwrap();
    let near = board.candidates(CandidateReach::Two);
    assert_eq!(near.len(), 16);
    assert!(
        near.contains(&FudanCell::row_column(5, 9)) && !near.contains(&FudanCell::row_column(5, 8))
    );
    assert_eq!(board.candidates(CandidateReach::One).len(), 8);
}

#[test]
fn keys_tell_positions_apart_and_ignore_the_order_of_moves() {
    let key = |picture| board_from(picture).key();
    let pictures = ["X..", "O..", ".X.", "#..", "XO.", "OX.", "X#.", "...", "X. ..", ".X .."];
    let keys: BTreeSet<u64> = pictures.into_iter().map(key).collect();
    assert_eq!(keys.len(), pictures.len());
    assert!(keys.iter().all(|key| key >> 63 == 0));

    let play = |order: [u8; 3]| {
        let mut board = FudanBoard::new(1, 5).unwrap();
        for column in order {
            board.play(FudanCell::row_column(0, column)).unwrap();
        }
        board.key()
    };
    assert_eq!(play([0, 1, 2]), play([2, 1, 0]));
}
