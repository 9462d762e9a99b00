//! Forced lines are played to their end on the boards of the game and of the engine.

use tesuji_app::position_view::{self, ForcedLine, LegalMove, Threats};
use tesuji_games::{RowRule, Side};
use tesuji_gomoku::vcf::verify;
use tesuji_gomoku::{Board, Cell};
use tesuji_search::Limits;

use super::{context, opened, unfinished_game};

fn threats(game: &str, moves: &str) -> Threats {
    let found = position_view::threats(&context(game), moves, &Limits::default());
    found.unwrap_or_else(|error| panic!("{game} {moves}: {error}"))
}

fn cell(text: &str) -> Cell {
    let column = usize::from(text.as_bytes()[0] - b'a');
    Cell::new(column, text[1..].parse::<usize>().unwrap() - 1)
}

/// The engine's board after a game without captures or passes.
fn board(game: &str, rule: RowRule, moves: &str) -> Board {
    let mut board = Board::new(rule, 15, 15).unwrap();
    for played in position_view::snapshot(&opened(game), moves).unwrap().played {
        board.try_play(cell(&played.step.text)).unwrap();
    }
    board
}

/// Checks that a line wins for its first side.
fn check(board: &Board, attacker: Side, forced: &ForcedLine) {
    assert_eq!(forced.found, forced.kind.is_some());
    assert_eq!(forced.found, !forced.line.is_empty());
    if !forced.found {
        return;
    }
    let cells: Vec<Cell> = forced.line.iter().map(|step| cell(&step.text)).collect();
    for (step, at) in forced.line.iter().zip(&cells) {
        assert_eq!(step.cells, [(board.height() - 1 - at.row()) * board.width() + at.column()]);
    }
    let sides = [attacker, !attacker].into_iter().cycle();
    assert!(forced.line.iter().zip(sides).all(|(step, side)| step.side == side));
    if forced.kind == Some("fours") {
        verify(board, attacker, &cells).unwrap_or_else(|error| panic!("{error}: {cells:?}"));
    }
    let mut played = board.clone();
    if played.to_move() != attacker {
        played.pass();
    }
    for &at in &cells {
        played.try_play(at).unwrap_or_else(|error| panic!("{error}: {cells:?}"));
    }
    // In renju black may be unable to stop white; the line then ends with the four.
    let stuck = played.rule() == RowRule::Renju && attacker == Side::Second;
    assert!(played.winner() == Some(attacker) || stuck, "{cells:?}");
}

#[test]
fn an_open_three_wins_by_fours() {
    let moves = "h8a1i8a15j8o1";
    let found = threats("gomoku", moves);
    assert_eq!((found.side, found.own.kind), (Side::First, Some("fours")));
    check(&board("gomoku", RowRule::AtLeast, moves), Side::First, &found.own);
    assert!(!found.against.found && found.against.sure);
    // The threat is also found with white to move.
    let white = format!("{moves}b1");
    let found = threats("gomoku", &white);
    assert_eq!(found.side, Side::Second);
    assert!(found.against.found || found.own.found);
    let board = board("gomoku", RowRule::AtLeast, &white);
    check(&board, Side::Second, &found.own);
    check(&board, Side::First, &found.against);
}

#[test]
fn two_crossing_twos_win_by_threats() {
    let moves = "f8b2g8n2i10b14i11n14";
    let found = threats("gomoku", moves);
    assert_eq!(found.own.kind, Some("threats"));
    check(&board("gomoku", RowRule::AtLeast, moves), Side::First, &found.own);
    let opened = opened("gomoku");
    let end = found.own.line.iter().fold(moves.to_string(), |moves, step| {
        position_view::played(&opened, &moves, &step.text).unwrap_or_else(|error| panic!("{error}"))
    });
    let outcome = position_view::snapshot(&opened, &end).unwrap().outcome;
    assert_eq!(outcome.and_then(|outcome| outcome.winner()), Some(Side::First));
}

#[test]
fn every_forced_line_wins() {
    let mut found = 0;
    for (game, rule) in
        [("gomoku", RowRule::AtLeast), ("renju", RowRule::Renju), ("caro", RowRule::Caro)]
    {
        for seed in 0..12 {
            // Stones near the center make threats likely.
            let moves = near_the_middle(game, 10 + seed as usize, seed);
            let Ok(threats) = position_view::threats(&context(game), &moves, &Limits::default())
            else {
                continue;
            };
            let board = board(game, rule, &moves);
            check(&board, threats.side, &threats.own);
            check(&board, !threats.side, &threats.against);
            found += usize::from(threats.own.found) + usize::from(threats.against.found);
        }
    }
    assert!(found > 10, "only {found} lines were found");
}

/// A random game in the center of the board.
fn near_the_middle(game: &str, plies: usize, seed: u64) -> String {
    use tesuji_games::random::{below, seeded};
    let (opened, mut rng, mut moves) = (opened(game), seeded(seed), String::new());
    for _ in 0..plies {
        let shown = position_view::snapshot(&opened, &moves).unwrap();
        let middle = |legal: &&LegalMove| {
            let at = legal.cells[0];
            (4..11).contains(&(at / 15)) && (4..11).contains(&(at % 15))
        };
        let near: Vec<_> = shown.moves.iter().filter(middle).collect();
        if near.is_empty() {
            break;
        }
        let m = &near[below(&mut rng, near.len() as u32) as usize].text;
        let after = position_view::played(&opened, &moves, m).unwrap();
        if position_view::snapshot(&opened, &after).unwrap().outcome.is_some() {
            break;
        }
        moves = after;
    }
    moves
}

#[test]
fn other_games_have_no_forced_lines() {
    for game in ["connect4", "othello", "connect6", "chess"] {
        let moves = unfinished_game(game, 2, 1);
        let error = position_view::threats(&context(game), &moves, &Limits::default()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("gomoku") && !text.contains('\n'), "{text}");
    }
}
