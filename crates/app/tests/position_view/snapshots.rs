//! Snapshots of positions of every game.

use tesuji_app::position_view::{self, LegalMove};
use tesuji_games::diagram::DiagramCell;

use super::{games, opened, random_game, random_move};
use tesuji_games::random::seeded;

/// Every prefix of the position's text leads to the earlier board.
#[test]
fn every_earlier_position_can_be_restored() {
    for game in games() {
        let (opened, mut rng) = (opened(game), seeded(7));
        let mut shown = vec![position_view::snapshot(&opened, "").unwrap()];
        for _ in 0..24 {
            let last = shown.last().unwrap();
            let Some(m) = random_move(&opened, &last.position, &mut rng) else { break };
            let moves = position_view::played(&opened, &last.position, &m).unwrap();
            shown.push(position_view::snapshot(&opened, &moves).unwrap());
        }
        let last = shown.last().unwrap();
        assert_eq!(last.played.len() + 1, shown.len(), "{game}");
        assert_eq!(last.played.last().map(|played| played.until), Some(last.position.len()));
        for (played, then) in last.played.iter().zip(&shown[1..]) {
            assert_eq!(last.position[..played.until], then.position, "{game}");
            assert_eq!(
                position_view::snapshot(&opened, &last.position[..played.until]).as_ref(),
                Ok(then),
                "{game}"
            );
        }
        for (played, before) in last.played.iter().zip(&shown) {
            assert_eq!(played.step.side, before.to_move, "{game}");
            let same = |legal: &&LegalMove| legal.text == played.step.text;
            let legal = before.moves.iter().find(same).expect("what was played was legal");
            assert_eq!(legal.cells, played.step.cells, "{game}");
        }
    }
}

/// A custom start position stays in front of the moves.
#[test]
fn a_custom_start_is_kept() {
    let start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let opened = opened("chess");
    let moves = position_view::played(&opened, start, "g1f3").unwrap();
    let moves = position_view::played(&opened, &moves, "b8c6").unwrap();
    let shown = position_view::snapshot(&opened, &moves).unwrap();
    assert_eq!(shown.start.as_deref(), Some(start));
    assert_eq!(shown.position, format!("{start} g1f3 b8c6"));
    let after_one =
        position_view::snapshot(&opened, &shown.position[..shown.played[0].until]).unwrap();
    assert_eq!(after_one.position, format!("{start} g1f3"));
    assert_eq!(position_view::snapshot(&opened, start).unwrap().start.as_deref(), Some(start));
}

/// Winning rows in random games.
#[test]
fn winning_rows_have_stones_of_the_winner() {
    let rows = games().into_iter().filter(|game| !["othello", "checkers", "chess"].contains(game));
    for game in rows {
        let opened = opened(game);
        let mut won = 0;
        for seed in 0..12 {
            let shown = position_view::snapshot(&opened, &random_game(game, 500, seed)).unwrap();
            let outcome = shown.outcome.expect("the game is over");
            assert!(shown.moves.is_empty() && shown.forbidden.is_empty(), "{game}");
            let Some(winner) = outcome.winner() else {
                assert!(shown.winning.is_empty(), "{game}: a draw");
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
        assert!(won > 0, "{game}: only draws");
    }
}

/// Invalid text is an error of one line, and nothing panics.
#[test]
fn nonsense_is_refused_in_one_line() {
    for game in games() {
        for nonsense in ["zz99", "🦀", "a1 a1 a1 a1", "\u{0}", &"9".repeat(5000), "- - -"] {
            if let Err(error) = position_view::snapshot(&opened(game), nonsense) {
                assert!(!error.to_string().contains('\n'), "{game}: {error}");
            }
            let refused = position_view::played(&opened(game), "", nonsense);
            assert!(refused.is_err(), "{game} takes {nonsense:?}");
        }
    }
}

#[test]
fn forbidden_cells_are_listed() {
    // A fork of two open threes for black at h8.
    let moves = "h9 a1 h10 c1 f8 e1 g8 g1".replace(' ', "");
    let renju = position_view::snapshot(&opened("renju"), &moves);
    let renju = renju.unwrap_or_else(|error| panic!("{error}"));
    let cell = |column: usize, row: usize| (15 - row) * 15 + column - 1;
    assert_eq!(renju.forbidden, [cell(8, 8)]);
    assert!(position_view::snapshot(&opened("gomoku"), &moves).unwrap().forbidden.is_empty());
    assert!(
        position_view::snapshot(&opened("connect4"), "44").unwrap().forbidden.is_empty(),
        "stones fall"
    );
}
