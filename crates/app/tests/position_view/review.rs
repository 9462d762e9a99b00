//! The review of a game: forced moves and moves that keep a win are not mistakes, losing moves are
//! found, and in a lost position it matters how soon the game ends.

use tesuji_app::position_view;
use tesuji_app::position_view::review::{ReviewedPosition, review};
use tesuji_games::Score;
use tesuji_games::random::derived;
use tesuji_search::Limits;

use super::{chosen, context, opened, player, random_game};

fn reviewed(game: &str, moves: &str, text: &str) -> Vec<ReviewedPosition> {
    let mut found = Vec::new();
    let (limits, mut tell) =
        (Limits::default(), |position: &ReviewedPosition| found.push(position.clone()));
    review(&context(game), moves, &player(text), &limits, &mut tell).unwrap();
    found.reverse();
    found
}

/// The numbers of the moves that were mistakes, counted from 1.
fn mistakes(reviewed: &[ReviewedPosition]) -> Vec<usize> {
    reviewed.iter().filter(|one| one.mistake.is_some()).map(|one| one.ply + 1).collect()
}

/// Red never blocks column 4. All positions are lost from the fifth move on, and the ninth move
/// loses at once.
#[test]
fn the_move_that_ends_a_lost_game_is_named() {
    let found = reviewed("connect4", "3433343434", "solver");
    assert!(mistakes(&found).contains(&9), "{:?}", mistakes(&found));
    let ninth = &found[8];
    assert_eq!(ninth.played.as_ref().unwrap().score, Some(Score::loss_in(2)));
    assert_eq!(ninth.best.as_ref().unwrap().text, "4");
    // The move that lost the game costs more than the one that ended it sooner.
    let cost = |number: usize| found[number - 1].mistake.unwrap();
    assert!(mistakes(&found).contains(&5) && cost(5) > cost(9), "{:?}", mistakes(&found));
}

/// The fifteenth move is a four on the way to a forced win, the sixteenth the only defense.
#[test]
fn a_forced_win_and_the_only_defense_are_not_mistakes() {
    let mut moves = "h8f5i7g9h6g5h7h5i5e5d5g7i6i4i8".to_string();
    while position_view::snapshot(&opened("gomoku"), &moves).unwrap().outcome.is_none() {
        let next = chosen("gomoku", &moves, "gomoku:nodes=100000,tt=4M").step.text;
        moves = position_view::played(&opened("gomoku"), &moves, &next).unwrap();
    }
    let found = reviewed("gomoku", &moves, "gomoku:nodes=60000,tt=4M");
    let named = mistakes(&found);
    assert!(found[15].played.as_ref().unwrap().text == "i9" && found.len() > 17, "{moves}");
    assert!(!named.contains(&15) && !named.contains(&16), "{named:?} in {moves}");
    assert!(found[14].score.unwrap().is_win(), "{:?}", found[14]);
}

/// The fourth move turns a draw into a loss.
#[test]
fn a_move_that_turns_a_draw_into_a_loss_is_named() {
    let found = reviewed("tictactoe", "b2 a1 a3 b1 c1", "solver");
    assert_eq!(mistakes(&found), [4]);
    assert_eq!(found[3].best.as_ref().unwrap().text, "c1");
}

/// In solved games the review can be checked: a move that keeps the result is not a mistake unless
/// it loses sooner, and a move that worsens the result is always one.
#[test]
fn mistakes_are_the_moves_that_change_the_result() {
    for (game, plies) in [("tictactoe", 9), ("connect4:5x4", 20), ("mnk:4x3,k=3", 12)] {
        for seed in 0..6 {
            let found = reviewed(game, &random_game(game, plies, derived(seed, [3])), "solver");
            for one in &found[..found.len() - 1] {
                let best = one.best.as_ref().unwrap().score.unwrap();
                let played = one.played.as_ref().unwrap().score.unwrap();
                let sign = |score: Score| score.raw().signum();
                assert!(played <= best, "{one:?}");
                let worse = sign(played) < sign(best);
                let sooner = played.is_loss() && best.is_loss() && played < best;
                assert!(!worse || one.mistake.is_some(), "{game}: {one:?}");
                assert!(one.mistake.is_none() || worse || sooner, "{game}: {one:?}");
            }
        }
    }
}
