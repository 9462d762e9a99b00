//! Victory by continuous fours: lines win when played out, and on small boards the solver agrees
//! with trying everything.

use crate::reference_board::ReferenceBoard;
use tesuji_games::random::{below, seeded};
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::vcf::{VcfLineError, verify};
use tesuji_gomoku::{Board, Cell, Vcf, VcfOutcome};

fn solve(board: &Board, attacker: Side) -> VcfOutcome {
    Vcf::new().solve(&mut board.clone(), attacker, 1_000_000)
}

#[test]
fn found_exactly_where_trying_everything_finds_it() {
    let mut rng = seeded(21);
    let mut vcf = Vcf::new();
    let (mut wins, mut longer) = (0, 0);
    for round in 0..2_400 {
        let rule = RowRule::ALL[round % 4];
        let attacker = Side::ALL[round / 4 % 2];
        let size = (6 + round / 8 % 2, 6 + round / 16 % 2);
        let mut reference = ReferenceBoard::random(rule, size, 35 + below(&mut rng, 30), &mut rng);
        if !reference.fives(attacker).is_empty() {
            continue;
        }
        let mut board = reference.board(attacker);
        let outcome = vcf.solve(&mut board, attacker, 1_000_000);
        assert_eq!(
            matches!(outcome, VcfOutcome::Win(_)),
            reference.has_vcf(attacker),
            "{rule} {round}"
        );
        assert_ne!(outcome, VcfOutcome::Unknown);
        if let VcfOutcome::Win(line) = outcome {
            assert_eq!(verify(&board, attacker, &line), Ok(()), "{rule} {round} {line:?}");
            wins += 1;
            longer += usize::from(line.len() > 3);
        }
    }
    assert!(wins > 100 && longer > 50, "too few wins: {wins}, {longer} of them long");
}

#[test]
fn shortest_lines_have_as_few_fours_as_trying_everything_needs() {
    let mut rng = seeded(24);
    let mut vcf = Vcf::new();
    let mut wins = [0; 4];
    for round in 0..800 {
        let rule = RowRule::ALL[round % 4];
        let attacker = Side::ALL[round / 4 % 2];
        let mut reference =
            ReferenceBoard::random(rule, (7, 6), 35 + below(&mut rng, 30), &mut rng);
        let mut board = reference.board(attacker);
        let outcome = vcf.shortest(&mut board, attacker, 1_000_000);
        let fewest = reference.fewest_fours(attacker, 3);
        match outcome {
            VcfOutcome::Win(line) => {
                assert_eq!(verify(&board, attacker, &line), Ok(()), "{rule} {round} {line:?}");
                let fours = fours_of(board, &line);
                assert_eq!(fewest.unwrap_or(fours), fours, "{rule} {round} {line:?}");
                wins[fours.min(3)] += 1;
            }
            _ => assert_eq!(fewest, None, "{rule} {round}"),
        }
    }
    assert!(wins.into_iter().all(|count| count > 3), "too few wins: {wins:?}");
}

#[test]
fn too_few_fours_do_not_win() {
    let mut board = ReferenceBoard::from_picture(RowRule::AtLeast, &TWO_STEPS).board(Side::First);
    let mut vcf = Vcf::new();
    for fours in [0, 1] {
        assert_eq!(vcf.solve_within(&mut board, Side::First, fours, 1_000), VcfOutcome::None);
    }
    let enough = vcf.solve_within(&mut board, Side::First, 2, 1_000);
    assert!(matches!(enough, VcfOutcome::Win(line) if line.len() == 5));
}

#[test]
fn the_board_is_left_as_it_was() {
    let mut rng = seeded(22);
    for round in 0..50 {
        let reference = ReferenceBoard::random(RowRule::ALL[round % 4], (15, 15), 35, &mut rng);
        let mut board = reference.board(Side::First);
        let before = board.clone();
        for attacker in Side::ALL {
            Vcf::new().solve(&mut board, attacker, 2_000);
            assert_eq!(board.key(), before.key());
            assert_eq!(board.lines(), before.lines());
            assert_eq!(board.to_move(), before.to_move());
        }
    }
}

#[test]
fn lines_on_big_boards_can_be_played_out() {
    let mut rng = seeded(23);
    let mut wins = 0;
    for round in 0..200 {
        let reference = ReferenceBoard::random(RowRule::ALL[round % 4], (15, 15), 30, &mut rng);
        let attacker = Side::ALL[round / 4 % 2];
        let board = reference.board(attacker);
        if let VcfOutcome::Win(line) = solve(&board, attacker) {
            assert_eq!(verify(&board, attacker, &line), Ok(()), "{round} {line:?}");
            wins += 1;
        }
    }
    assert!(wins > 20, "too few wins: {wins}");
}

#[test]
fn without_nodes_there_is_no_answer() {
    let rows = ["oxxx...", ".......", ".......", ".......", "......."];
    let mut board = ReferenceBoard::from_picture(RowRule::AtLeast, &rows).board(Side::First);
    assert_eq!(Vcf::new().solve(&mut board, Side::First, 0), VcfOutcome::Unknown);
    assert_eq!(Vcf::new().solve(&mut board, Side::First, 1_000), VcfOutcome::None);
}

/// The number of fours of a line before the five.
fn fours_of(mut board: Board, line: &[Cell]) -> usize {
    line.iter().for_each(|&cell| board.play(cell));
    let own = line.len().div_ceil(2);
    if board.winner().is_some() { own - 1 } else { own }
}

/// A four in the column whose stone prepares an open four in the row.
const TWO_STEPS: [&str; 9] = [
    ".........",
    "...o.....",
    "...x.....",
    "...x.....",
    "...x.....",
    "o...xx...",
    ".........",
    ".........",
    ".........",
];

#[test]
fn a_four_builds_the_next() {
    let board = ReferenceBoard::from_picture(RowRule::AtLeast, &TWO_STEPS).board(Side::First);
    let VcfOutcome::Win(line) = solve(&board, Side::First) else { panic!("there is a win") };
    assert_eq!(verify(&board, Side::First, &line), Ok(()));
    assert_eq!(line.len(), 5);
    assert_eq!(solve(&board, Side::Second), VcfOutcome::None);
}

#[test]
fn white_wins_in_renju_where_black_may_not_answer() {
    // White's four in the row can be blocked at its right end only, and there black makes two
    // threes.
    let rows = [
        "...........",
        "...........",
        ".xooo......",
        "...........",
        "....x.x....",
        "...x..x....",
        "...........",
        "...........",
        "...........",
        "...........",
    ];
    let renju = ReferenceBoard::from_picture(RowRule::Renju, &rows).board(Side::Second);
    let four = Cell::new(5, 7);
    assert_eq!(solve(&renju, Side::Second), VcfOutcome::Win(vec![four]));
    assert_eq!(verify(&renju, Side::Second, &[four]), Ok(()));
    let freestyle = ReferenceBoard::from_picture(RowRule::AtLeast, &rows).board(Side::Second);
    assert_eq!(solve(&freestyle, Side::Second), VcfOutcome::None);
    assert_eq!(verify(&freestyle, Side::Second, &[four]), Err(VcfLineError::TooShort));
}

#[test]
fn lines_that_do_not_win_are_rejected() {
    let board = ReferenceBoard::from_picture(RowRule::AtLeast, &TWO_STEPS).board(Side::First);
    let VcfOutcome::Win(line) = solve(&board, Side::First) else { panic!("there is a win") };
    assert_eq!(verify(&board, Side::First, &line[..1]), Err(VcfLineError::TooShort));
    assert_eq!(verify(&board, Side::First, &[]), Err(VcfLineError::TooShort));
    let idle = Cell::new(8, 8);
    assert_eq!(
        verify(&board, Side::First, &[idle]),
        Err(VcfLineError::NotForcing { ply: 1, cell: idle })
    );
    assert_eq!(
        verify(&board, Side::First, &[line[0], idle]),
        Err(VcfLineError::NotBlocking { ply: 2, cell: idle })
    );
    let taken = verify(&board, Side::First, &[Cell::new(4, 3)]);
    assert!(matches!(taken, Err(VcfLineError::Illegal { ply: 1, .. })));
}
