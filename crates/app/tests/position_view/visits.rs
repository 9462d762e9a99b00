//! Intermediate results of searches.

use tesuji_app::position_view::{self, DepthResult, VisitDistribution};
use tesuji_search::Limits;

use super::{chosen, context, opened, player};

fn simulated(game: &str, moves: &str, text: &str) -> (Vec<VisitDistribution>, VisitDistribution) {
    let mut seen = Vec::new();
    let mut watch = |so_far: &VisitDistribution| seen.push(so_far.clone());
    let limits = Limits::nodes(3000);
    let last = position_view::simulate(&context(game), moves, &player(text), &limits, &mut watch);
    (seen, last.unwrap_or_else(|error| panic!("{game} {text}: {error}")))
}

#[test]
fn shares_add_up_to_one() {
    for (game, moves, text) in [
        ("tictactoe", "", "mcts:solver=off"),
        ("connect4", "4444", "mcts"),
        ("othello", "", "mcts:rave=on"),
        ("chess", "", "mcts"),
        ("gomoku", "h8i9", "critic-puct"),
    ] {
        let (seen, last) = simulated(game, moves, text);
        assert!(!seen.is_empty(), "{game} {text}: no progress was reported");
        let legal = position_view::snapshot(&opened(game), moves).unwrap().moves.len();
        for shares in seen.iter().chain([&last]) {
            let sum: f64 = shares.moves.iter().map(|known| known.share).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{game} {text}: {sum}");
            assert!(shares.moves.len() <= legal);
            assert!(shares.moves.iter().all(|known| (0.0..=1.0).contains(&known.win_rate)));
        }
        assert!(seen.is_sorted_by_key(|shares| shares.simulations));
        assert_eq!(last.simulations, 3000, "{game} {text}");
    }
}

/// The same seed and number of simulations give the result of the player.
#[test]
fn the_most_visited_move_is_the_one_that_is_played() {
    for moves in ["", "4", "4453"] {
        let (_, last) = simulated("connect4", moves, "mcts:sims=3000");
        let played = chosen("connect4", moves, "mcts:sims=3000");
        assert_eq!(last.moves[0].step, played.step);
        assert_eq!(last.simulations, played.nodes);
    }
}

#[test]
fn every_depth_is_reported_once_and_the_last_gives_the_move() {
    for (game, moves, text) in [
        ("connect4", "44", "pvs:depth=6,tt=1M"),
        ("chess", "", "pvs:depth=3,tt=1M"),
        ("gomoku", "h8i9j7", "gomoku:depth=5,tt=1M"),
        ("connect6", "", "connect6:depth=1,tt=1M"),
        ("connect6", "k10k11l11", "connect6:depth=2,tt=1M"),
    ] {
        let mut seen: Vec<DepthResult> = Vec::new();
        let mut watch = |reached: &DepthResult| seen.push(reached.clone());
        let limits = Limits::default();
        position_view::deepen(&context(game), moves, &player(text), &limits, &mut watch).unwrap();
        assert!(!seen.is_empty(), "{game}");
        assert!(seen.windows(2).all(|two| two[0].depth < two[1].depth), "{game}");
        assert!(seen.is_sorted_by_key(|reached| reached.nodes), "{game}");
        let (played, last) = (chosen(game, moves, text), seen.last().unwrap());
        assert_eq!(Some(last.score), played.score, "{game}");
        assert_eq!(last.line.first(), Some(&played.step), "{game}");
    }
}

#[test]
fn unsupported_players_are_refused() {
    let limits = Limits::default();
    let visits = |text: &str| {
        position_view::simulate(&context("connect4"), "", &player(text), &limits, &mut |_| {})
            .map(drop)
    };
    let depths = |text: &str| {
        position_view::deepen(&context("connect4"), "", &player(text), &limits, &mut |_| {})
    };
    for refused in [visits("pvs"), visits("random"), depths("mcts"), depths("minimax")] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("such as") && !error.contains('\n'), "{error}");
    }
}
