//! The board: its incremental data equal data computed from the stones.

use crate::reference_board::{ReferenceBoard, cells, play_at_random};
use tesuji_games::random::derived;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Notation, Position, Side};
use tesuji_gomoku::Cell;
use tesuji_gomoku::connect6::{Connect6Board, Connect6BoardError};

const SIZES: [(usize, usize); 5] = [(6, 6), (7, 12), (12, 3), (19, 19), (22, 22)];

fn from_scratch(board: &Connect6Board) -> Connect6Board {
    let size = (board.width(), board.height());
    Connect6Board::with_stones(size, &ReferenceBoard::of(board).stones()).expect("the same board")
}

fn assert_same(board: &Connect6Board, other: &Connect6Board) {
    assert_eq!(board.key(), other.key());
    assert_eq!(board.to_move(), other.to_move());
    assert_eq!(board.left_in_turn(), other.left_in_turn());
    assert_eq!(board.winner(), other.winner());
    assert_eq!(board.empty(), other.empty());
    for side in Side::ALL {
        for stones in 0..=6 {
            assert_eq!(board.count(side, stones), other.count(side, stones), "{side} {stones}");
        }
        for stones in 2..=5 {
            assert_eq!(
                board.windows_with(side, stones),
                other.windows_with(side, stones),
                "{side} {stones}"
            );
        }
        for cell in cells(board.width(), board.height()) {
            assert_eq!(board.move_score(side, cell), other.move_score(side, cell), "{side} {cell}");
        }
    }
}

#[test]
fn incremental_data_equal_recomputed_data_through_play_and_undo() {
    for (n, (width, height)) in SIZES.into_iter().enumerate() {
        let mut board = Connect6Board::new(width, height).expect("a board");
        let mut before = vec![board.clone()];
        play_at_random(&mut board, derived(1, [n as u64]), 150, |board| {
            assert_same(board, &from_scratch(board));
            before.push(board.clone());
        });
        while let Some(earlier) = before.pop() {
            assert_same(&board, &earlier);
            assert_eq!(board.undo().is_some(), !before.is_empty());
        }
    }
}

#[test]
fn window_counts_equal_a_plain_count() {
    for (n, (width, height)) in [(7, 7), (12, 3), (10, 9)].into_iter().enumerate() {
        let mut board = Connect6Board::new(width, height).expect("a board");
        play_at_random(&mut board, derived(2, [n as u64]), 60, |board| {
            let reference = ReferenceBoard::of(board);
            for side in Side::ALL {
                for stones in 0..=6 {
                    let counted = usize::from(board.count(side, stones));
                    assert_eq!(counted, reference.count(side, stones), "{side} {stones}");
                }
                assert_eq!(board.winner() == Some(side), reference.count(side, 6) > 0);
            }
        });
    }
}

#[test]
fn the_rules_agree_on_turns_and_ends() {
    for (n, (width, height)) in SIZES.into_iter().filter(|size| size.0 <= 20).enumerate() {
        let rules = MnkRules::new(width, height, 6).and_then(|rules| rules.with_turns(2, 1));
        let mut position: Mnk<LineBoard> = Mnk::new(rules.expect("rules"));
        let mut board = Connect6Board::new(width, height).expect("a board");
        play_at_random(&mut board, derived(3, [n as u64]), usize::MAX, |board| {
            let cell = board.last_move().expect("a stone").to_string();
            let m = position.parse_move(&cell).expect("a move");
            position.play(m);
            let winner = position.outcome().and_then(|outcome| outcome.winner());
            assert_eq!(board.winner(), winner);
            if position.outcome().is_none() {
                assert_eq!(board.to_move(), position.to_move());
                assert_eq!(board.left_in_turn(), usize::from(position.left_in_turn()));
            } else {
                assert!(board.winner().is_some() || board.is_full());
            }
        });
        assert!(position.outcome().is_some());
    }
}

#[test]
fn invalid_boards_and_moves_are_rejected() {
    for (width, height) in [(0, 6), (5, 5), (23, 6), (6, 23)] {
        assert_eq!(
            Connect6Board::new(width, height).err(),
            Some(Connect6BoardError::Size { width, height })
        );
    }
    let (a, b, c) = (Cell::new(0, 0), Cell::new(1, 0), Cell::new(2, 0));
    let two = [(Side::First, a), (Side::First, b)];
    let error = Connect6Board::with_stones((6, 6), &two).err();
    assert_eq!(error, Some(Connect6BoardError::Stones { first: 2, second: 0 }));
    let twice = [(Side::First, a), (Side::Second, a)];
    assert_eq!(
        Connect6Board::with_stones((6, 6), &twice).err(),
        Some(Connect6BoardError::Taken(a))
    );
    let mut board = Connect6Board::new(6, 1).expect("a board");
    assert_eq!(board.try_play(Cell::new(0, 1)), Err(Connect6BoardError::Outside(Cell::new(0, 1))));
    assert_eq!(board.try_play(c), Ok(()));
    assert_eq!(board.try_play(c), Err(Connect6BoardError::Taken(c)));
    for column in [0, 1, 3, 4, 5] {
        assert_eq!(board.try_play(Cell::new(column, 0)), Ok(()));
    }
    assert_eq!(board.try_play(c), Err(Connect6BoardError::Over));
}
