//! The engine: it takes available wins, blocks threats, plays a second stone that fits the first,
//! and always answers.

use std::time::{Duration, Instant};

use crate::reference_board::play_at_random;
use tesuji_games::random::{choose, derived, seeded};
use tesuji_games::{Score, Side};
use tesuji_gomoku::Cell;
use tesuji_gomoku::connect6::threats::{push_threats, threat_count};
use tesuji_gomoku::connect6::{Connect6Board, Connect6Engine, Connect6Options, ThreatCount};
use tesuji_search::{Limits, SearchReport, TableSize};

fn engine() -> Connect6Engine {
    Connect6Engine::new(Connect6Options { table: TableSize::megabytes(1) })
}

fn answer(engine: &mut Connect6Engine, board: &Connect6Board, nodes: u64) -> SearchReport<Cell> {
    engine.search(board, &Limits::nodes(nodes), &mut |_| {})
}

/// The board after these stones, given as text such as `j10 k10`.
fn board(stones: &str) -> Connect6Board {
    let mut board = Connect6Board::new(19, 19).expect("a board");
    for text in stones.split_whitespace() {
        let column = usize::from(text.as_bytes()[0] - b'a');
        let row: usize = text[1..].parse().expect("a row");
        board.try_play(Cell::new(column, row - 1)).expect("an empty cell");
    }
    board
}

fn blocks_needed(board: &Connect6Board, side: Side) -> ThreatCount {
    let mut threats = Vec::new();
    push_threats(board, side, &mut threats);
    threat_count(&threats)
}

/// Plays the stones of a whole turn.
fn play_turn(engine: &mut Connect6Engine, board: &mut Connect6Board, nodes: u64) -> Score {
    let side = board.to_move();
    let first = answer(engine, board, nodes);
    board.try_play(first.best.expect("a stone")).expect("a legal stone");
    if board.winner().is_none() && !board.is_full() && board.to_move() == side {
        let second = answer(engine, board, nodes);
        assert_eq!(second.best, first.line.get(1).copied(), "the line names both stones");
        board.try_play(second.best.expect("a stone")).expect("a legal stone");
    }
    first.score
}

#[test]
fn six_in_a_row_is_taken() {
    // White and black both have four in a row with open ends; white is to move.
    let mut board = board("j10 a1 b1 k10 l10 c1 d1 m10 a19");
    assert_eq!((board.to_move(), board.left_in_turn()), (Side::Second, 2));
    assert_eq!(play_turn(&mut engine(), &mut board, 100), Score::win_in(2));
    assert_eq!(board.winner(), Some(Side::Second));
}

#[test]
fn threats_are_stopped_whenever_they_can_be() {
    let mut seen = [0; 2];
    for seed in 0..400 {
        let mut board = Connect6Board::new(19, 19).expect("a board");
        play_at_random(&mut board, derived(8, [seed]), 21 + 2 * (seed as usize % 12), |_| {});
        if board.winner().is_some() || board.can_win(board.to_move(), 2) {
            continue;
        }
        let (us, before) = (board.to_move(), blocks_needed(&board, !board.to_move()));
        if !matches!(before, ThreatCount::One | ThreatCount::Two) {
            continue;
        }
        seen[usize::from(before == ThreatCount::Two)] += 1;
        play_turn(&mut engine(), &mut board, 60);
        assert_eq!(blocks_needed(&board, !us), ThreatCount::None, "seed {seed}");
    }
    assert!(seen[0] >= 5 && seen[1] >= 2, "{seen:?}");
}

#[test]
fn a_win_by_threats_is_found_and_played_to_the_end() {
    // Black has two open threes that white does not cross: one turn makes three threats.
    let mut board = board("j10 a1 a19 k10 l10 s1 s19 j14 k14 b10 q3 l14 q17 c4 p9");
    assert_eq!((board.to_move(), board.left_in_turn()), (Side::First, 2));
    let mut engine = engine();
    let score = play_turn(&mut engine, &mut board, 2_000);
    assert!(score.is_win(), "{score}");
    for _ in 0..6 {
        if board.winner().is_some() {
            break;
        }
        play_turn(&mut engine, &mut board, 2_000);
    }
    assert_eq!(board.winner(), Some(Side::First));
}

#[test]
fn a_lost_game_is_played_on() {
    // Black has three threats that no two stones block; white is to move.
    let mut board = board("j10 a1 a19 k10 l10 s1 s19 m10 j14 b10 q3 k14 l14 c4 p9 m14 e5");
    assert_eq!(
        (board.to_move(), blocks_needed(&board, Side::First)),
        (Side::Second, ThreatCount::ThreeOrMore)
    );
    let score = play_turn(&mut engine(), &mut board, 100);
    assert!(score.is_loss(), "{score}");
}

#[test]
fn the_second_stone_is_remembered_for_its_position_alone() {
    let start = board("j10 k11 i9");
    let mut engine = engine();
    let first = answer(&mut engine, &start, 500);
    let (one, another) = (first.line[0], first.line[1]);
    let mut after = start.clone();
    after.play(one);
    let second = answer(&mut engine, &after, 500);
    assert_eq!((second.best, second.nodes), (Some(another), 0));
    assert_eq!(second.line, first.line[1..]);
    // A first stone other than the planned one discards the plan, and the answer is legal.
    answer(&mut engine, &start, 500);
    let mut other = start.clone();
    let elsewhere = if one == Cell::new(0, 0) { Cell::new(18, 18) } else { Cell::new(0, 0) };
    other.play(elsewhere);
    let free = answer(&mut engine, &other, 500);
    assert!(free.nodes > 0 && free.line[0] == free.best.expect("a stone"));
    assert!(other.is_empty_cell(free.line[0]));
    assert_eq!(free.depth % 2, 1, "one stone, then whole turns");
}

#[test]
fn whole_games_end_on_boards_of_all_shapes() {
    for (n, (width, height)) in
        [(6, 6), (6, 1), (7, 5), (8, 9), (20, 20), (2, 11)].into_iter().enumerate()
    {
        let (mut board, mut engine) =
            (Connect6Board::new(width, height).expect("a board"), engine());
        let mut rng = seeded(derived(9, [n as u64]));
        let mut wins = 0;
        while board.winner().is_none() && !board.is_full() {
            if board.to_move() == Side::Second {
                play_turn(&mut engine, &mut board, 30);
                wins += usize::from(board.winner().is_some());
            } else {
                let mut empty = Vec::new();
                board.empty().for_each(|cell| empty.push(cell));
                board.play(*choose(&mut rng, &empty).expect("an empty cell"));
            }
        }
        assert!(wins == 1 || width * height < 100, "random stones are beaten on {width}x{height}");
        assert_eq!(answer(&mut engine, &board, 30).best, None);
    }
}

#[test]
fn the_clock_is_kept() {
    let mut board = Connect6Board::new(19, 19).expect("a board");
    play_at_random(&mut board, 10, 41, |_| {});
    for milliseconds in [0, 1, 30] {
        let begun = Instant::now();
        let limits = Limits::time(Duration::from_millis(milliseconds));
        let report = engine().search(&board, &limits, &mut |_| {});
        assert!(report.best.is_some_and(|cell| board.is_empty_cell(cell)));
        // The machine may be busy; the search itself checks the clock every few microseconds.
        assert!(begun.elapsed() < Duration::from_millis(milliseconds + 400));
    }
}
