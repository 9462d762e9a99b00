//! Exact values, compared with the solver player.

use std::time::Duration;

use tesuji_app::position_view::{self, BoardMove, SolvedPosition};
use tesuji_games::{Outcome, Score};
use tesuji_search::Limits;

use super::{chosen, opened, unfinished_game};

fn solved(game: &str, moves: &str) -> SolvedPosition {
    let solved = position_view::solve(&opened(game), moves, &Limits::time(Duration::from_secs(60)));
    solved.unwrap_or_else(|error| panic!("{game} {moves:?}: {error}"))
}

#[test]
fn every_move_has_the_value_of_the_solver() {
    for (game, plies) in
        [("tictactoe", 2), ("mnk:4x3,k=3", 3), ("connect4:5x4", 4), ("connect4", 22)]
    {
        for seed in 0..3 {
            let moves = unfinished_game(game, plies, seed);
            let (table, opened) = (solved(game, &moves), opened(game));
            let legal = position_view::snapshot(&opened, &moves).unwrap().moves.len();
            assert_eq!((table.moves.len(), table.exact), (legal, true));
            assert!(table.moves.is_sorted_by_key(|known| std::cmp::Reverse(known.score)));
            assert_eq!(table.score, table.moves[0].score);
            for known in &table.moves {
                let after = position_view::played(&opened, &moves, &known.step.text).unwrap();
                let shown = position_view::snapshot(&opened, &after).unwrap();
                let expected = match shown.outcome {
                    Some(Outcome::Draw) => Score::DRAW,
                    Some(Outcome::Win(_)) => Score::win_in(1),
                    None => -chosen(game, &after, "solver").score.unwrap(),
                };
                let expected = if shown.outcome.is_none() { expected.further(1) } else { expected };
                assert_eq!(known.score.raw().signum(), expected.raw().signum(), "{game} {after}");
                if game == "connect4" {
                    assert_eq!(known.score, expected, "{after}");
                }
            }
        }
    }
}

/// A best line ends as its score says.
#[test]
fn lines_end_as_their_scores_say() {
    for (game, plies) in [("tictactoe", 1), ("connect4:5x4", 5), ("connect4", 24)] {
        for seed in 0..3 {
            let moves = unfinished_game(game, plies, seed);
            let opened = opened(game);
            let mover = position_view::snapshot(&opened, &moves).unwrap().to_move;
            for known in solved(game, &moves).moves {
                let play = |moves: String, step: &BoardMove| {
                    position_view::played(&opened, &moves, &step.text).unwrap()
                };
                let end =
                    position_view::snapshot(&opened, &known.line.iter().fold(moves.clone(), play))
                        .unwrap();
                let winner = end.outcome.expect("the line goes to the end").winner();
                let sign = winner.map_or(0, |winner| if winner == mover { 1 } else { -1 });
                assert_eq!(known.score.raw().signum(), sign, "{game} {moves} {known:?}");
                if let Some(plies) = known.score.plies_to_end() {
                    assert_eq!(known.line.len(), plies as usize, "{game} {moves} {known:?}");
                }
            }
        }
    }
}

#[test]
fn the_first_moves_of_connect_four_are_in_a_book() {
    let start =
        position_view::solve(&opened("connect4"), "", &Limits::time(Duration::from_secs(2)))
            .unwrap();
    assert_eq!(start.known_from, "book");
    assert_eq!((start.score, &start.moves[0].step.text[..]), (Score::win_in(41), "4"));
    let losing: Vec<&str> = start
        .moves
        .iter()
        .filter(|known| known.score.is_loss())
        .map(|known| &known.step.text[..])
        .collect();
    assert_eq!(losing.len(), 4, "the two columns at either edge lose: {losing:?}");
    assert_eq!(solved("tictactoe", "").known_from, "search");
}

#[test]
fn unsolvable_positions_are_errors() {
    for (game, moves) in [("chess", ""), ("othello", "")] {
        let refused = position_view::solve(&opened(game), moves, &Limits::nodes(1000));
        let error = refused.unwrap_err().to_string();
        assert!(!error.contains('\n') && error.len() > 20, "{error}");
    }
}
