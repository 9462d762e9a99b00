//! Tests of the Connect Four solver: its scores equal those of plain alpha-beta on boards of any
//! shape, with any table size, number of threads and board layout; moves and lines are consistent
//! with the scores.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::plain_connect4::{after, final_score, late_positions, narrow, plain_score, wide};
use tesuji_games::random::{Rng, seeded};
use tesuji_games::rules::connect4::{Connect4, FixedSize, Geometry, RuntimeSize};
use tesuji_games::{Outcome, Position, random_playout};
use tesuji_search::connect4::{LimitReached, TableWord};
use tesuji_search::exact::{GameValue, SolveOptions};
use tesuji_search::{BookChoice, Connect4Solver, ExactSolverOptions, Limits, TableSize};

/// A size to which the table grows in several steps.
const GROWING: TableSize = TableSize::megabytes(8);
/// A size that the table has from the start, so that threads are used at once.
const SMALL: TableSize = TableSize::from_bytes(1 << 16);
const TINY: TableSize = TableSize::from_bytes(1);

fn solver_for<G: Geometry<Bits: TableWord>>(
    position: &Connect4<G>,
    table: TableSize,
) -> Connect4Solver<G> {
    Connect4Solver::new(position.geometry(), table)
}

fn score<G: Geometry<Bits: TableWord>>(
    solver: &mut Connect4Solver<G>,
    position: &Connect4<G>,
) -> i32 {
    solver.score(position, &Limits::default()).unwrap()
}

/// Describes a position in failure messages.
fn describe<G: Geometry>(position: &Connect4<G>) -> String {
    format!("{:?}, {:#x?} of {:#x?}", position.geometry(), position.own_stones(), position.stones())
}

fn agrees_with_plain_alpha_beta<G: Geometry<Bits: TableWord>>(
    start: &Connect4<G>,
    empty: RangeInclusive<u32>,
    positions: usize,
) {
    let mut solvers = [
        solver_for(start, GROWING),
        solver_for(start, TINY),
        solver_for(start, SMALL).with_threads(2),
        solver_for(start, TINY).with_threads(3),
    ];
    for (n, position) in late_positions(start, empty, positions, 1).iter().enumerate() {
        let expected = plain_score(position);
        for (kind, solver) in solvers.iter_mut().enumerate() {
            // Starting threads takes longer than solving such a position.
            if kind < 2 || n % 20 == 0 {
                assert_eq!(score(solver, position), expected, "{kind}: {}", describe(position));
            }
        }
        let sign = solvers[0].sign(position, &Limits::default());
        assert_eq!(sign, Ok(expected.signum()), "{}", describe(position));
    }
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_7x6() {
    agrees_with_plain_alpha_beta(&Connect4::new(), 2..=16, 1000);
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_7x7() {
    agrees_with_plain_alpha_beta(&Connect4::on(FixedSize::<7, 7>), 2..=16, 1000);
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_5x5() {
    agrees_with_plain_alpha_beta(&narrow(5, 5), 2..=16, 1000);
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_6x5() {
    agrees_with_plain_alpha_beta(&narrow(6, 5), 2..=16, 1000);
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_8x6() {
    agrees_with_plain_alpha_beta(&narrow(8, 6), 2..=16, 1000);
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_4x12() {
    agrees_with_plain_alpha_beta(&narrow(4, 12), 2..=18, 1000);
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_8x8() {
    agrees_with_plain_alpha_beta(&wide(8, 8), 2..=16, 1000);
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_10x9() {
    agrees_with_plain_alpha_beta(&wide(10, 9), 2..=15, 1000);
}

#[test]
fn scores_are_those_of_plain_alpha_beta_on_boards_without_room() {
    for (width, height) in [(1, 1), (1, 5), (2, 4), (3, 5), (4, 3), (5, 3), (12, 1), (6, 2)] {
        let cells = (width * height) as u32;
        agrees_with_plain_alpha_beta(&narrow(width, height), 1..=cells, 40);
    }
}

/// An unfinished position in all layouts of the 7x6 board.
struct BoardLayouts {
    bytes: Connect4,
    narrow: Connect4<RuntimeSize<u64>>,
    wide: Connect4<RuntimeSize<u128>>,
}

impl BoardLayouts {
    fn random(plies: u32, rng: &mut Rng) -> Option<BoardLayouts> {
        let (mut bytes, mut narrow, mut wide) = (Connect4::new(), narrow(7, 6), wide(7, 6));
        for _ in 0..plies {
            let m = bytes.random_move(rng);
            let column = bytes.column(m);
            bytes.play(m);
            narrow.play(narrow.drop_into(column)?);
            wide.play(wide.drop_into(column)?);
            if bytes.outcome().is_some() {
                return None;
            }
        }
        Some(BoardLayouts { bytes, narrow, wide })
    }
}

#[test]
fn the_layout_of_the_board_does_not_matter() {
    let mut bytes = solver_for(&Connect4::new(), GROWING);
    let mut narrow = solver_for(&narrow(7, 6), GROWING);
    let mut wide = solver_for(&wide(7, 6), SMALL);
    let mut rng = seeded(2);
    let mut tested = 0;
    while tested < 150 {
        let plies = 18 + tested % 12;
        let Some(layouts) = BoardLayouts::random(plies, &mut rng) else { continue };
        tested += 1;
        let expected = score(&mut bytes, &layouts.bytes);
        assert_eq!(score(&mut narrow, &layouts.narrow), expected, "{}", describe(&layouts.bytes));
        assert_eq!(score(&mut wide, &layouts.wide), expected, "{}", describe(&layouts.bytes));
        let mirrored = layouts.bytes.mirrored();
        assert_eq!(score(&mut solver_for(&mirrored, SMALL), &mirrored), expected);
    }
}

/// Checks that `scores`, `signs`, `line` and `last_ply` are consistent with the scores of single
/// positions from another solver.
fn moves_and_lines_follow_from_scores<G: Geometry<Bits: TableWord>>(
    start: &Connect4<G>,
    empty: RangeInclusive<u32>,
    positions: usize,
) {
    let (mut solver, mut reference) = (solver_for(start, GROWING), solver_for(start, GROWING));
    let limits = Limits::default();
    for position in late_positions(start, empty, positions, 4) {
        let best = score(&mut solver, &position);
        let scores = solver.scores(&position, &limits).unwrap();
        assert_eq!(scores.len(), position.move_count(), "{}", describe(&position));
        assert!(scores.is_sorted_by_key(|&(m, _)| position.column(m)));
        assert_eq!(scores.iter().map(|&(_, score)| score).max(), Some(best));
        for &(m, move_score) in &scores {
            assert_eq!(
                move_score,
                -score(&mut reference, &after(&position, m)),
                "{}",
                describe(&position)
            );
        }
        let signs: Vec<_> = scores.iter().map(|&(m, score)| (m, score.signum())).collect();
        assert_eq!(reference.signs(&position, &limits).unwrap(), signs);
        assert_eq!(reference.sign(&position, &limits), Ok(best.signum()));

        let line = solver.line(&position, &limits).unwrap();
        let mut end = position;
        for (n, &m) in line.iter().enumerate() {
            assert!(end.is_legal(m), "{}", describe(&position));
            end.play(m);
            let sign = if n % 2 == 0 { -1 } else { 1 };
            assert_eq!(
                score(&mut reference, &end),
                sign * best,
                "move {n} of {}",
                describe(&position)
            );
        }
        let winner = match best.signum() {
            0 => Outcome::Draw,
            1 => Outcome::Win(position.to_move()),
            _ => Outcome::Win(!position.to_move()),
        };
        assert_eq!(end.outcome(), Some(winner), "{}", describe(&position));
        assert_eq!(end.ply(), solver.last_ply(&position, best), "{}", describe(&position));
    }
}

#[test]
fn moves_and_lines_follow_from_scores_on_several_boards() {
    moves_and_lines_follow_from_scores(&Connect4::new(), 1..=24, 150);
    moves_and_lines_follow_from_scores(&Connect4::on(FixedSize::<7, 7>), 1..=24, 100);
    moves_and_lines_follow_from_scores(&narrow(5, 5), 1..=25, 100);
    moves_and_lines_follow_from_scores(&narrow(4, 9), 1..=30, 100);
    moves_and_lines_follow_from_scores(&wide(9, 7), 1..=20, 100);
}

#[test]
fn a_finished_game_has_a_score_too() {
    let start = Connect4::new();
    let (mut rng, mut solver) = (seeded(3), solver_for(&start, TINY));
    for _ in 0..200 {
        let mut position = start;
        random_playout(&mut position, &mut rng);
        assert_eq!(Some(score(&mut solver, &position)), final_score(&position));
    }
}

/// Positions from the middle game that take thousands of nodes.
fn middle_game() -> Vec<Connect4> {
    late_positions(&Connect4::new(), 24..=30, 20, 5)
}

#[test]
fn a_search_cut_short_leaves_only_truth_in_the_table() {
    for position in middle_game() {
        let expected = score(&mut solver_for(&position, GROWING), &position);
        for threads in [1, 2] {
            let mut solver = solver_for(&position, SMALL).with_threads(threads);
            for nodes in [1, 2, 5, 20, 100, 500, 2000] {
                let answer = solver.score(&position, &Limits::nodes(nodes));
                assert!(answer.is_err() || answer == Ok(expected), "{}", describe(&position));
            }
            assert_eq!(score(&mut solver, &position), expected, "{}", describe(&position));
        }
    }
}

#[test]
fn nodes_time_and_the_stop_sign_end_a_search() {
    let start = Connect4::new();
    let quick = middle_game()[0];
    let expected = score(&mut solver_for(&quick, GROWING), &quick);
    let stop_flag = Arc::new(AtomicBool::new(true));
    for threads in [1, 2] {
        let mut solver = solver_for(&start, GROWING).with_threads(threads);
        for limits in [
            Limits::nodes(10_000),
            Limits::time(Duration::from_millis(20)),
            Limits { stop: Some(stop_flag.clone()), ..Limits::default() },
        ] {
            let (started, before) = (Instant::now(), solver.nodes());
            assert_eq!(solver.score(&start, &limits), Err(LimitReached));
            assert_eq!(solver.scores(&start, &limits), Err(LimitReached));
            assert_eq!(solver.line(&start, &limits), Err(LimitReached));
            assert_eq!(solver.sign(&start, &limits), Err(LimitReached));
            assert!(started.elapsed() < Duration::from_secs(5));
            if let Some(limit) = limits.nodes {
                // Four calls, and a thread checks the limits only from time to time.
                assert!(solver.nodes() - before <= 4 * (limit + 1024 * threads as u64));
            }
        }
        assert_eq!(score(&mut solver, &quick), expected);
    }
}

#[test]
fn forgetting_brings_the_same_nodes_again() {
    let mut solver = solver_for(&Connect4::new(), GROWING);
    let mut nodes_for = |position: &Connect4| {
        let before = solver.nodes();
        score(&mut solver, position);
        let first = solver.nodes() - before;
        solver.forget();
        first
    };
    for position in middle_game() {
        assert_eq!(nodes_for(&position), nodes_for(&position), "{}", describe(&position));
    }
}

/// The value of an empty board, and the number of the last stone.
fn empty_board_value(size: &str) -> (GameValue, u32) {
    let options = ExactSolverOptions { book: BookChoice::Off, ..ExactSolverOptions::default() };
    let detail = SolveOptions { no_line: true, ..SolveOptions::default() };
    let game = tesuji_builtin::registry().open(&format!("connect4:{size}")).unwrap();
    let value = game.solver(options).solve(game.start(), detail, &Limits::default()).exact_value;
    value.map(|exact| (exact.value, exact.plies.unwrap())).unwrap()
}

/// Values published by Christophe Steininger (2021): all that take less than a minute. `tesuji
/// bench connect4-boards/10x4` and others cover larger boards.
#[track_caller]
fn check_empty_boards(boards: &[(&str, GameValue, u32)]) {
    for &(size, value, last) in boards {
        let found = empty_board_value(size);
        assert_eq!(found, (value, last), "{size}");
    }
}

#[test]
fn whole_boards_of_four_columns_have_the_known_values() {
    check_empty_boards(&[
        ("4x4", GameValue::Draw, 16),
        ("4x5", GameValue::Draw, 20),
        ("4x6", GameValue::Draw, 24),
        ("4x7", GameValue::Draw, 28),
        ("4x8", GameValue::Draw, 32),
        ("4x9", GameValue::Draw, 36),
        ("4x10", GameValue::Draw, 40),
        ("4x11", GameValue::Draw, 44),
    ]);
}

#[test]
fn whole_boards_of_five_columns_have_the_known_values() {
    check_empty_boards(&[
        ("5x4", GameValue::Draw, 20),
        ("5x5", GameValue::Draw, 25),
        ("5x6", GameValue::Draw, 30),
        ("5x7", GameValue::Draw, 35),
        ("5x8", GameValue::Draw, 40),
    ]);
}

#[test]
fn whole_boards_of_more_columns_have_the_known_values() {
    check_empty_boards(&[
        ("6x4", GameValue::Loss, 24),
        ("6x5", GameValue::Draw, 30),
        ("6x6", GameValue::Loss, 36),
        ("6x7", GameValue::Win, 41),
        ("7x4", GameValue::Draw, 28),
        ("7x5", GameValue::Draw, 35),
        ("8x4", GameValue::Loss, 32),
        ("9x4", GameValue::Loss, 36),
    ]);
}

#[test]
fn the_usual_board_is_won_with_stone_41() {
    check_empty_boards(&[("7x6", GameValue::Win, 41)]);
}

#[test]
fn the_tallest_board_of_four_columns_is_drawn() {
    check_empty_boards(&[("4x12", GameValue::Draw, 48)]);
}

#[test]
fn tall_boards_of_five_columns_are_drawn() {
    check_empty_boards(&[("5x9", GameValue::Draw, 45), ("5x10", GameValue::Draw, 50)]);
}

#[test]
fn six_columns_of_eight_are_won_by_the_second_player() {
    check_empty_boards(&[("6x8", GameValue::Loss, 48)]);
}

#[test]
fn eight_columns_of_five_are_won_with_stone_39() {
    check_empty_boards(&[("8x5", GameValue::Win, 39)]);
}
