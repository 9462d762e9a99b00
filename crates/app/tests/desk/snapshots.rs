//! Positions as they are shown, of every game that there is.

use tesuji_app::desk;
use tesuji_games::diagram::DiagramCell;

use super::{games, opened, random_game, random_move};
use tesuji_games::random::seeded;

/// A part of the position's text leads to what the board was then.
#[test]
fn every_move_of_the_past_can_be_gone_back_to() {
    for game in games() {
        let (opened, mut rng) = (opened(game), seeded(7));
        let mut shown = vec![desk::snapshot(&opened, "").unwrap()];
        for _ in 0..24 {
            let last = shown.last().unwrap();
            let Some(m) = random_move(&opened, &last.position, &mut rng) else { break };
            let moves = desk::played(&opened, &last.position, &m).unwrap();
            shown.push(desk::snapshot(&opened, &moves).unwrap());
        }
        let last = shown.last().unwrap();
        assert_eq!(last.played.len() + 1, shown.len(), "{game}");
        assert_eq!(last.played.last().map(|played| played.until), Some(last.position.len()));
        for (played, then) in last.played.iter().zip(&shown[1..]) {
            assert_eq!(last.position[..played.until], then.position, "{game}");
            assert_eq!(
                desk::snapshot(&opened, &last.position[..played.until]).as_ref(),
                Ok(then),
                "{game}"
            );
        }
        for (played, before) in last.played.iter().zip(&shown) {
            assert_eq!(played.step.side, before.to_move, "{game}");
            let same = |legal: &&tesuji_app::desk::LegalMove| legal.text == played.step.text;
            let legal = before.moves.iter().find(same).expect("what was played was legal");
            assert_eq!(legal.cells, played.step.cells, "{game}");
        }
    }
}

/// A start of its own stays in front of the moves.
#[test]
fn a_start_of_its_own_is_kept() {
    let start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let opened = opened("chess");
    let moves = desk::played(&opened, start, "g1f3").unwrap();
    let moves = desk::played(&opened, &moves, "b8c6").unwrap();
    let shown = desk::snapshot(&opened, &moves).unwrap();
    assert_eq!(shown.start.as_deref(), Some(start));
    assert_eq!(shown.position, format!("{start} g1f3 b8c6"));
    let after_one = desk::snapshot(&opened, &shown.position[..shown.played[0].until]).unwrap();
    assert_eq!(after_one.position, format!("{start} g1f3"));
    assert_eq!(desk::snapshot(&opened, start).unwrap().start.as_deref(), Some(start));
}

/// Games played by chance until there are winners of both kinds of board.
#[test]
fn a_row_that_won_is_shown_as_stones_of_the_winner() {
    let rows = games().into_iter().filter(|game| !["othello", "checkers", "chess"].contains(game));
    for game in rows {
        let opened = opened(game);
        let mut won = 0;
        for seed in 0..12 {
            let shown = desk::snapshot(&opened, &random_game(game, 500, seed)).unwrap();
            let outcome = shown.outcome.expect("it was played to the end");
            assert!(shown.moves.is_empty() && shown.forbidden.is_empty(), "{game}");
            let Some(winner) = outcome.winner() else {
                assert!(shown.winning.is_empty(), "{game}: nobody won");
                continue;
            };
            won += 1;
            assert!(shown.winning.len() >= 3, "{game}: {:?}", shown.winning);
            let owner = |cell: &usize| match shown.board.cells[*cell] {
                DiagramCell::Piece { side, .. } => Some(side),
                _ => None,
            };
            assert!(shown.winning.iter().all(|cell| owner(cell) == Some(winner)), "{game}");
            let last = shown.played.last().unwrap().step.cells.last().unwrap();
            assert!(shown.winning.contains(last), "{game}: the last stone won");
        }
        assert!(won > 0, "{game}: nobody ever won");
    }
}

/// What cannot be read is refused with one line, and nothing panics.
#[test]
fn nonsense_is_refused_in_one_line() {
    for game in games() {
        for nonsense in ["zz99", "🦀", "a1 a1 a1 a1", "\u{0}", &"9".repeat(5000), "- - -"] {
            if let Err(error) = desk::snapshot(&opened(game), nonsense) {
                assert!(!error.to_string().contains('\n'), "{game}: {error}");
            }
            let refused = desk::played(&opened(game), "", nonsense);
            assert!(refused.is_err(), "{game} takes {nonsense:?}");
        }
    }
}

#[test]
fn cells_where_nothing_may_be_played_are_told() {
    // A fork of two open threes for black at h8.
    let moves = "h9 a1 h10 c1 f8 e1 g8 g1".replace(' ', "");
    let renju = desk::snapshot(&opened("renju"), &moves);
    let renju = renju.unwrap_or_else(|error| panic!("{error}"));
    let cell = |column: usize, row: usize| (15 - row) * 15 + column - 1;
    assert_eq!(renju.forbidden, [cell(8, 8)]);
    assert!(desk::snapshot(&opened("gomoku"), &moves).unwrap().forbidden.is_empty());
    assert!(desk::snapshot(&opened("connect4"), "44").unwrap().forbidden.is_empty(), "stones fall");
}
