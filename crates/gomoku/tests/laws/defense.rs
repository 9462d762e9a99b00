//! The cells that block a threat are those after which it is gone.

use tesuji_games::random::{below, seeded};
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::{CellSet, MoveClass, blocking_cells};

use crate::reference_board::{ReferenceBoard, cell};

#[test]
fn blocking_cells_are_those_after_which_the_threat_is_gone() {
    let mut rng = seeded(31);
    let mut threats = 0;
    for round in 0..1_000 {
        let reference = ReferenceBoard::random(
            RowRule::ALL[round % 4],
            (11, 9),
            15 + below(&mut rng, 40),
            &mut rng,
        );
        for attacker in Side::ALL {
            let mut board = reference.board(!attacker);
            let dangerous = board
                .cells(attacker, MoveClass::OpenFour)
                .or(board.cells(attacker, MoveClass::Five));
            dangerous.for_each(|threat| {
                let is_gone = |answer: &_| {
                    board.play(*answer);
                    let class = board.class(attacker, threat);
                    board.undo();
                    !matches!(class, MoveClass::OpenFour | MoveClass::Five)
                };
                let empty = reference.empty_points().into_iter().map(cell);
                let expected: CellSet = empty.filter(is_gone).collect();
                assert_eq!(
                    blocking_cells(&board, attacker, threat),
                    expected,
                    "{round} {attacker} {threat}"
                );
                threats += 1;
            });
        }
    }
    assert!(threats > 1_000, "too few threats: {threats}");
}
