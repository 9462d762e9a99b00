//! Threats and their blocks, against trying every stone and every pair.

use crate::reference_board::{ReferenceBoard, play_at_random};
use tesuji_games::Side;
use tesuji_games::random::derived;
use tesuji_gomoku::Cell;
use tesuji_gomoku::connect6::threats::{double_blocks, push_threats, single_blocks, threat_count};
use tesuji_gomoku::connect6::{Connect6Board, ThreatCount};

/// Every pair of empty cells.
fn pairs(reference: &ReferenceBoard) -> Vec<(Cell, Cell)> {
    let empty = reference.empty();
    let with_later = |n: usize| {
        let empty = &empty;
        empty[n + 1..].iter().map(move |&another| (empty[n].min(another), empty[n].max(another)))
    };
    (0..empty.len()).flat_map(with_later).collect()
}

fn check(board: &Connect6Board) -> Option<ThreatCount> {
    let reference = ReferenceBoard::of(board);
    let mut seen = None;
    for side in Side::ALL {
        let mut threats = Vec::new();
        push_threats(board, side, &mut threats);
        let blocks = |cells: &[Cell]| !reference.with(!side, cells).can_win(side);
        let mut singles: Vec<Cell> =
            reference.empty().into_iter().filter(|&cell| blocks(&[cell])).collect();
        let alone = |cell: Cell| singles.contains(&cell);
        let doubles = pairs(&reference).into_iter().filter(|&(a, b)| !alone(a) && !alone(b));
        let mut doubles: Vec<_> = doubles.filter(|&(a, b)| blocks(&[a, b])).collect();
        let wanted = match () {
            () if !reference.can_win(side) => ThreatCount::None,
            () if !singles.is_empty() => ThreatCount::One,
            () if !doubles.is_empty() => ThreatCount::Two,
            () => ThreatCount::ThreeOrMore,
        };
        assert_eq!(threat_count(&threats), wanted, "{side}: {threats:?}");
        assert_eq!(board.can_win(side, 2), wanted != ThreatCount::None);
        assert_eq!(board.winning_stones(side, 2).is_some(), wanted != ThreatCount::None);
        if wanted != ThreatCount::None {
            let mut found: Vec<Cell> = single_blocks(&threats).collect();
            found.sort_unstable();
            singles.sort_unstable();
            assert_eq!(found, singles);
            let mut found = double_blocks(&threats);
            found.sort_unstable();
            doubles.sort_unstable();
            assert_eq!(found, doubles);
            seen = seen.max(Some(wanted));
        }
    }
    seen
}

#[test]
fn blocks_equal_those_found_by_trial() {
    let mut seen = Vec::new();
    for seed in 0..60 {
        let mut board = Connect6Board::new(8, 7).expect("a board");
        play_at_random(&mut board, derived(4, [seed]), 50, |board| {
            if board.winner().is_none()
                && (board.can_win(Side::First, 2) || board.can_win(Side::Second, 2))
            {
                seen.extend(check(board));
            }
        });
    }
    for wanted in [ThreatCount::One, ThreatCount::Two, ThreatCount::ThreeOrMore] {
        assert!(seen.contains(&wanted), "{wanted:?} never occurred");
    }
}
