//! Victory by continuous double threats: every win found holds against all replies.

use crate::reference_board::{ReferenceBoard, cells, play_at_random};
use tesuji_games::Side;
use tesuji_games::random::derived;
use tesuji_gomoku::Cell;
use tesuji_gomoku::connect6::threats::{push_threats, threat_count};
use tesuji_gomoku::connect6::{Connect6Board, ReplyMode, ThreatCount, Vcdt, VcdtOutcome};

const LIMITS: (u32, u64) = (4, 3_000);

/// Checks a winning line on a reference board, which accepts stones of either side.
fn assert_line_wins(board: &Connect6Board, attacker: Side, line: &[Cell]) {
    let mut reference = ReferenceBoard::of(board);
    for (n, &cell) in line.iter().enumerate() {
        assert_eq!(reference.stone(cell), None, "{cell} is taken in {line:?}");
        let side = if n % 4 < 2 { attacker } else { !attacker };
        assert!(reference.count(Side::First, 6) == 0 && reference.count(Side::Second, 6) == 0);
        reference = reference.with(side, &[cell]);
    }
    assert!(reference.count(attacker, 6) > 0, "{line:?} is no win");
}

/// Plays the first turn of the win and then every pair of replies, and solves again. Returns the
/// number of replies that needed another search.
fn beats_every_reply(
    board: &mut Connect6Board,
    vcdt: &mut Vcdt,
    replies: ReplyMode,
    depth: u32,
) -> u32 {
    let attacker = board.to_move();
    assert!(depth < 12, "the win does not come");
    let VcdtOutcome::Win(line) = vcdt.solve(board, attacker, replies, (12, 100_000)) else {
        panic!("the win is lost");
    };
    assert_line_wins(board, attacker, &line);
    board.play(line[0]);
    if board.winner().is_some() {
        board.undo();
        return 0;
    }
    board.play(line[1]);
    let mut searched = 0;
    if board.winner().is_none() {
        assert!(!board.can_win(!attacker, 2), "the opponent wins first");
        for (one, another) in pairs(board) {
            board.play(one);
            board.play(another);
            assert_eq!(board.winner(), None);
            if !board.can_win(attacker, 2) {
                searched += 1 + beats_every_reply(board, vcdt, replies, depth + 1);
            }
            board.undo();
            board.undo();
        }
    }
    board.undo();
    board.undo();
    searched
}

fn pairs(board: &Connect6Board) -> Vec<(Cell, Cell)> {
    let mut empty = cells(board.width(), board.height());
    empty.retain(|&cell| board.is_empty_cell(cell));
    let later = |n: usize| {
        let empty = &empty;
        empty[n + 1..].iter().map(move |&another| (empty[n], another))
    };
    (0..empty.len()).flat_map(later).collect()
}

#[test]
fn wins_hold_against_every_reply() {
    for replies in [ReplyMode::AllAtOnce, ReplyMode::EachPair] {
        let (mut vcdt, mut wins, mut answers) = (Vcdt::new(), 0, 0);
        for seed in 0..120 {
            let mut board = Connect6Board::new(9, 9).expect("a board");
            play_at_random(&mut board, derived(5, [seed]), 13 + 4 * (seed as usize % 3), |_| {});
            if board.winner().is_some() || board.left_in_turn() < 2 {
                continue;
            }
            let attacker = board.to_move();
            if board.can_win(attacker, 2) {
                continue;
            }
            let before = board.clone();
            let outcome = vcdt.solve(&mut board, attacker, replies, LIMITS);
            assert_eq!(board.key(), before.key(), "the board is unchanged");
            if let VcdtOutcome::Win(_) = outcome {
                wins += 1;
                answers += beats_every_reply(&mut board, &mut vcdt, replies, 0);
            }
        }
        assert!(wins >= 10 && answers >= 20, "{wins} wins, {answers} answers");
    }
}

/// Whether some turn blocks all threats of the opponent and makes more than two stones can block.
fn one_turn_wins(board: &mut Connect6Board) -> bool {
    let attacker = board.to_move();
    let blocks_needed = |board: &Connect6Board, side| {
        let mut threats = Vec::new();
        push_threats(board, side, &mut threats);
        threat_count(&threats)
    };
    pairs(board).into_iter().any(|(one, another)| {
        board.play(one);
        board.play(another);
        let wins = blocks_needed(board, !attacker) == ThreatCount::None
            && blocks_needed(board, attacker) == ThreatCount::ThreeOrMore;
        board.undo();
        board.undo();
        wins
    })
}

#[test]
fn wins_in_one_turn_of_threats_are_all_found() {
    let (mut vcdt, mut wins, mut others) = (Vcdt::new(), 0, 0);
    for seed in 0..250 {
        let mut board = Connect6Board::new(9, 8).expect("a board");
        play_at_random(&mut board, derived(6, [seed]), 13 + 4 * (seed as usize % 5), |_| {});
        if board.winner().is_some() || board.left_in_turn() < 2 || board.can_win(board.to_move(), 2)
        {
            continue;
        }
        let wanted = one_turn_wins(&mut board);
        for replies in [ReplyMode::AllAtOnce, ReplyMode::EachPair] {
            let attacker = board.to_move();
            let found = vcdt.solve(&mut board, attacker, replies, (1, 100_000));
            assert_eq!(matches!(found, VcdtOutcome::Win(_)), wanted, "{replies:?}, seed {seed}");
        }
        (wins, others) = if wanted { (wins + 1, others) } else { (wins, others + 1) };
    }
    assert!(wins > 10 && others > 10, "{wins} wins and {others} others");
}

#[test]
fn wins_against_all_replies_at_once_hold_against_each_pair() {
    let mut vcdt = Vcdt::new();
    for seed in 0..150 {
        let mut board = Connect6Board::new(11, 11).expect("a board");
        play_at_random(&mut board, derived(7, [seed]), 17, |_| {});
        if board.winner().is_some() {
            continue;
        }
        let attacker = board.to_move();
        let at_once = vcdt.solve(&mut board, attacker, ReplyMode::AllAtOnce, (2, 2_000));
        let each = vcdt.solve(&mut board, attacker, ReplyMode::EachPair, (2, 20_000));
        if let VcdtOutcome::Win(_) = at_once {
            assert!(matches!(each, VcdtOutcome::Win(_)), "seed {seed}");
        }
    }
}
