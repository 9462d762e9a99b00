//! Threats and what stops them, against trying every stone and every pair.

use crate::naive::{Naive, play_at_random};
use tesuji_games::Side;
use tesuji_games::random::derived;
use tesuji_gomoku::Cell;
use tesuji_gomoku::connect6::threats::{blocks, double_stops, push_gaps, single_stops};
use tesuji_gomoku::connect6::{Blocks, Board};

/// Every pair of empty cells.
fn pairs(naive: &Naive) -> Vec<(Cell, Cell)> {
    let empty = naive.empty();
    let with_later = |n: usize| {
        let empty = &empty;
        empty[n + 1..].iter().map(move |&another| (empty[n].min(another), empty[n].max(another)))
    };
    (0..empty.len()).flat_map(with_later).collect()
}

fn check(board: &Board) -> Option<Blocks> {
    let naive = Naive::of(board);
    let mut seen = None;
    for side in Side::ALL {
        let mut gaps = Vec::new();
        push_gaps(board, side, &mut gaps);
        let stops = |cells: &[Cell]| !naive.with(!side, cells).can_win(side);
        let mut singles: Vec<Cell> =
            naive.empty().into_iter().filter(|&cell| stops(&[cell])).collect();
        let alone = |cell: Cell| singles.contains(&cell);
        let doubles = pairs(&naive).into_iter().filter(|&(a, b)| !alone(a) && !alone(b));
        let mut doubles: Vec<_> = doubles.filter(|&(a, b)| stops(&[a, b])).collect();
        let wanted = match () {
            () if !naive.can_win(side) => Blocks::None,
            () if !singles.is_empty() => Blocks::One,
            () if !doubles.is_empty() => Blocks::Two,
            () => Blocks::Lost,
        };
        assert_eq!(blocks(&gaps), wanted, "{side}: {gaps:?}");
        assert_eq!(board.can_win(side, 2), wanted != Blocks::None);
        assert_eq!(board.winning_stones(side, 2).is_some(), wanted != Blocks::None);
        if wanted != Blocks::None {
            let mut found: Vec<Cell> = single_stops(&gaps).collect();
            found.sort_unstable();
            singles.sort_unstable();
            assert_eq!(found, singles);
            let mut found = double_stops(&gaps);
            found.sort_unstable();
            doubles.sort_unstable();
            assert_eq!(found, doubles);
            seen = seen.max(Some(wanted));
        }
    }
    seen
}

#[test]
fn stones_that_stop_threats_are_those_that_do() {
    let mut seen = Vec::new();
    for seed in 0..60 {
        let mut board = Board::new(8, 7).expect("a board");
        play_at_random(&mut board, derived(4, [seed]), 50, |board| {
            if board.winner().is_none()
                && (board.can_win(Side::First, 2) || board.can_win(Side::Second, 2))
            {
                seen.extend(check(board));
            }
        });
    }
    for wanted in [Blocks::One, Blocks::Two, Blocks::Lost] {
        assert!(seen.contains(&wanted), "{wanted:?} never came about");
    }
}
