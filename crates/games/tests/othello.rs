//! Tests Othello against published and recomputed numbers.

use crate::move_paths::perft_with_finished_games;
use tesuji_games::rules::othello::{Othello, PASS};
use tesuji_games::{
    Draw, GameLine, Heuristic, Notation, Outcome, Playable, Position, Side, SpecError, conformance,
    random, registry, typed,
};

/// Perft counts from depth 1; a pass is one ply. Those of 8x8 are by Aart Bik, the others computed
/// by brute force.
const PERFT_8: &[u64] = &[4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288, 24_571_284];
const PERFT_6: &[u64] = &[4, 12, 56, 244, 1364, 7604, 47_740, 308_716, 2_114_912];
const PERFT_4: &[u64] = &[
    4, 12, 44, 128, 424, 1256, 3624, 9116, 20_044, 36_540, 50_704, 57_436, 59_564, 59_980, 60_060,
    60_060,
];

fn check_perft<const N: usize>(expected: &[u64]) {
    for (depth, &leaves) in (1..).zip(expected) {
        assert_eq!(
            perft_with_finished_games(&mut Othello::<N>::new(), depth),
            leaves,
            "{N}x{N}, depth {depth}"
        );
    }
}

#[test]
fn perft_agrees_with_published_counts() {
    check_perft::<8>(PERFT_8);
    check_perft::<6>(PERFT_6);
    check_perft::<4>(PERFT_4);
}

/// The final disc difference for the side to move with best play.
fn margin(position: &mut Othello<4>) -> i32 {
    let side = position.to_move();
    if position.outcome().is_some() {
        let discs = |side| position.discs(side).count_ones() as i32;
        return discs(side) - discs(!side);
    }
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    let values = moves.into_iter().map(|m| {
        let undo = position.play(m);
        let value = -margin(position);
        position.undo(m, undo);
        value
    });
    values.max().expect("an unfinished game has a move")
}

#[test]
fn the_second_side_wins_4x4_by_eight() {
    assert_eq!(margin(&mut Othello::new()), -8);
}

/// The optimal game of Takizawa's solution of 8x8 (2023).
const PERFECT_GAME: &str = "F5D6C3D3C4F4F6F3E6E7D7C5B6D8C6C7D2B5A5A6A7G5E3B4C8G6G4C2E8D1F7E2G3H4F1\
                            E1F2G1B1F8G8B3H3B2H5B7A3A4A1A2C1H2H1G2B8A8G7H8H7H6";

#[test]
fn the_perfect_game_is_a_draw() {
    let line = Othello::<8>::new().parse_line(PERFECT_GAME).unwrap();
    assert_eq!(line.end.outcome(), Some(Outcome::Draw));
    let placed = line.moves.iter().filter(|&&m| m != PASS).count();
    assert_eq!(placed, 60);
}

/// A shortest game: one side loses all its discs.
#[test]
fn a_wipe_out_ends_the_game() {
    let line = Othello::<8>::new().parse_line("e6f4e3f6g5d6e7f5c5").unwrap();
    assert_eq!(line.end.outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(line.end.discs(Side::Second), 0);
    assert_eq!(line.end.move_count(), 0);
}

#[test]
fn the_board_is_drawn_with_row_one_at_the_top() {
    let line = Othello::<4>::new().parse_line("d3").unwrap();
    assert_eq!(
        line.end.diagram().to_string(),
        "1 . . . .\n2 . O X .\n3 . X X X\n4 . . . .\n  a b c d\n"
    );
}

/// A random game with a pass.
fn line_with_a_pass() -> GameLine<Othello<4>> {
    let mut rng = random::seeded(7);
    loop {
        let mut line = GameLine::new(Othello::<4>::new());
        while line.end.outcome().is_none() {
            let m = line.end.random_move(&mut rng);
            line.play(m).unwrap();
        }
        if line.moves.contains(&PASS) {
            return line;
        }
    }
}

#[test]
fn passes_may_be_written_left_out_or_spelt() {
    let line = line_with_a_pass();
    let text = line.text();
    assert!(text.contains("--"), "{text}");
    for spelling in ["--", "pass", " PASS ", ""] {
        let again = line.start.parse_line(&text.replace("--", spelling)).unwrap();
        assert_eq!(again.moves, line.moves, "{spelling:?}");
    }
    assert!(line.start.parse_move("--").is_err(), "a pass is rejected while there is a placement");
}

fn disc_difference(position: &Othello<8>) -> i32 {
    let discs = |side| position.discs(side).count_ones() as i32;
    discs(position.to_move()) - discs(!position.to_move())
}

/// The move after which `estimate` is smallest for the opponent.
fn greedy_move(position: &Othello<8>, estimate: fn(&Othello<8>) -> i32) -> u8 {
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    let value = |&m: &u8| {
        let mut child = *position;
        child.play(m);
        if child.outcome().is_some() { 1000 * disc_difference(&child) } else { estimate(&child) }
    };
    moves.into_iter().min_by_key(value).expect("an unfinished game has a move")
}

#[test]
fn the_estimate_beats_counting_discs() {
    let mut rng = random::seeded(60);
    let mut points = 0.0;
    for game in 0..40 {
        let side = Side::ALL[game % 2];
        let mut position = Othello::<8>::new();
        for ply in 0.. {
            if let Some(outcome) = position.outcome() {
                points += outcome.points(side);
                break;
            }
            let m = match () {
                _ if ply < 6 => position.random_move(&mut rng),
                _ if position.to_move() == side => greedy_move(&position, Othello::evaluate),
                _ => greedy_move(&position, disc_difference),
            };
            position.play(m);
        }
    }
    assert!(points >= 32.0, "{points} of 40");
}

#[test]
fn the_small_boards_keep_the_laws() {
    conformance::check(&Othello::<6>::new(), 20, 6);
    conformance::check(&Othello::<4>::new(), 100, 4);
}

struct Cells;

impl Cells {
    fn visit<P: Playable>(self, start: P) -> usize {
        start.diagram().cells.len()
    }
}

#[test]
fn sizes_are_chosen_by_name() {
    for (name, cells) in
        [("othello", 64), ("othello:8x8", 64), ("othello:6x6", 36), ("othello:4x4", 16)]
    {
        assert_eq!(
            registry::start(name)
                .map(|state| typed!(state, |start| Cells.visit(Clone::clone(start)))),
            Ok(cells),
            "{name}"
        );
    }
    for name in
        ["othello:5x5", "othello:8x6", "othello:0x0", "othello:1000000x1000000", "othello:8x8x8"]
    {
        let error = registry::start(name)
            .map(|state| typed!(state, |start| Cells.visit(Clone::clone(start))))
            .unwrap_err();
        assert!(matches!(error, SpecError::BadValue { .. }), "{name}: {error}");
    }
}
