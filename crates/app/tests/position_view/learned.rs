//! The votes of forests and the inputs of critics, compared with the models.

use tesuji_app::position_view::{self, CriticActivations, ForestVotes};
use tesuji_games::{Position, RowBoard, Score, Side};
use tesuji_learn::forest::{ForestEvaluation, Votes, contents_seen_by};
use tesuji_learn::network::Input;
use tesuji_learn::shipped::{SHIPPED_CRITICS, ShippedModel};
use tesuji_search::Game;

use super::{chosen, context, opened, player, unfinished_game};

/// Games with a shipped forest.
const FORESTS: [(&str, &str); 6] = [
    ("tictactoe", "tictactoe"),
    ("connect4", "connect4-7x6"),
    ("connect4:7x7", "connect4-7x7"),
    ("mnk:10x10,k=5", "gomoku-10x10"),
    ("gomoku", "gomoku-15x15"),
    ("connect6", "connect6"),
];

fn votes(game: &str, moves: &str, text: &str) -> ForestVotes {
    let votes = position_view::votes(&context(game), moves, &player(text));
    votes.unwrap_or_else(|error| panic!("{game} {moves}: {error}"))
}

/// A random game without its last move: forests of lines vote on little else.
fn one_move_before_the_end(game: &str, seed: u64) -> String {
    unfinished_game(game, 1000, seed)
}

fn sum(all: impl Iterator<Item = Votes>) -> Votes {
    all.fold(Votes::default(), |sum, votes| Votes {
        win: sum.win + votes.win,
        draw: sum.draw + votes.draw,
        loss: sum.loss + votes.loss,
    })
}

#[test]
fn a_forest_that_votes_is_found_for_each_game() {
    for (game, model) in FORESTS {
        let found = votes(game, &one_move_before_the_end(game, 1), "forest");
        assert_eq!(found.model, model);
        assert!(found.voting > 0 && found.votes.total() > 0);
    }
    for refused in ["forest:model=gomoku-15x15-weights", "weights", "pvs"] {
        let error = position_view::votes(&context("gomoku"), "h8", &player(refused)).unwrap_err();
        assert!(error.to_string().contains("forest"), "{error}");
    }
}

/// The best move has the player's own value.
#[test]
fn moves_have_the_values_of_the_player() {
    for (game, model) in FORESTS {
        for moves in [unfinished_game(game, 6, 0), one_move_before_the_end(game, 1)] {
            let found = votes(game, &moves, "forest");
            let text = format!("forest:model={model},depth=0,radius=off");
            let played = chosen(game, &moves, &text);
            assert_eq!(Some(found.moves[0].value), played.score, "{game} {moves}");
            assert_eq!(found.moves[0].step, played.step, "{game} {moves}");
            assert!(found.moves.is_sorted_by_key(|known| std::cmp::Reverse(known.value)));
            let legal = position_view::snapshot(&opened(game), &moves).unwrap().moves.len();
            assert_eq!(found.moves.len(), legal);
        }
    }
}

fn evaluation(model: &str, game: &Game) -> ForestEvaluation {
    let model = ShippedModel::named(model).unwrap().model().unwrap();
    model.evaluation(&game.rows().unwrap().grid).unwrap()
}

/// Checks that the value is that of the trees and follows from the votes.
fn check_value(game: &str, model: &str) {
    let opened = opened(game);
    let evaluation = evaluation(model, &opened);
    for seed in 0..6 {
        let moves = match seed {
            0..4 => unfinished_game(game, 3 + seed as usize, seed),
            _ => one_move_before_the_end(game, seed),
        };
        let end = RowBoard::of(&opened.line(&moves).unwrap().end).unwrap();
        let found = votes(game, &moves, "forest");
        let fields = contents_seen_by(end.to_move(), &end);
        let by_trees = evaluation.by_trees(&fields, end.to_move());
        let score =
            if evaluation.viewer(end.to_move()) == end.to_move() { by_trees } else { -by_trees };
        assert_eq!(found.value, Score::estimate(score), "{game} {moves}");
        let formula = evaluation.formula();
        if !formula.zero_sum {
            let value =
                1000.0 * (formula.value(found.votes, found.votes.total()) - formula.drawn_game());
            assert_eq!(found.value, Score::estimate(value.round() as i32), "{game} {moves}");
            for known in &found.moves {
                let value = 1000.0
                    * (formula.value(known.votes, known.votes.total()) - formula.drawn_game());
                assert_eq!(known.value, Score::estimate(value.round() as i32), "{game} {moves}");
            }
        }
    }
}

#[test]
fn the_value_follows_from_the_votes() {
    check_value("tictactoe", "tictactoe");
    check_value("connect4", "connect4-7x6");
}

#[test]
fn cells_and_placements_add_up() {
    for (game, _) in FORESTS {
        let moves = unfinished_game(game, 8, 3);
        let shown = position_view::snapshot(&opened(game), &moves).unwrap();
        let found = votes(game, &moves, "forest");
        assert_eq!(found.cells.len(), shown.board.cells.len());
        assert_eq!(found.to_move, shown.to_move);
        // The map counts each placement of n cells n times.
        let most = found.votes.total() * 12;
        let in_map = sum(found.cells.iter().copied()).total();
        assert!(found.votes.total() <= in_map && in_map <= most, "{game}");
        assert!(!found.deciding.is_empty() && found.placements.len() <= 600, "{game}");
        let best = *found.moves[0].step.cells.last().unwrap();
        for (place, placement) in found.placements.iter().enumerate() {
            assert_eq!(placement.cells.len(), placement.seen.chars().count());
            let blank = placement.seen.chars().all(|letter| letter == '.');
            assert!(placement.vote.is_none() || !blank, "{game} {placement:?}");
            assert!(!placement.rule.is_empty());
            if found.deciding.contains(&place) {
                assert!(placement.cells.contains(&best), "{game} {placement:?}");
            }
            for (&cell, letter) in placement.cells.iter().zip(placement.seen.chars()) {
                use tesuji_games::diagram::DiagramCell;
                let expected = match shown.board.cells[cell] {
                    DiagramCell::Piece { side, .. } if side == shown.to_move => 'X',
                    DiagramCell::Piece { .. } => 'O',
                    _ => '.',
                };
                assert_eq!(letter, expected, "{game}");
            }
        }
    }
}

/// The listed placements are a part of those that vote.
#[test]
fn listed_votes_are_a_part_of_all_votes() {
    let found = votes("tictactoe", "a1b2", "forest");
    let listed = found.placements.iter().filter(|placement| placement.vote.is_some()).count();
    assert!(listed > 0 && listed <= found.voting, "{listed} of {}", found.voting);
    assert!(found.voting <= found.votes.total() as usize);
}

fn activations(game: &str, moves: &str) -> CriticActivations {
    let activations = position_view::activations(&context(game), moves, &player("critic"));
    activations.unwrap_or_else(|error| panic!("{game} {moves}: {error}"))
}

/// The network's output for these inputs.
fn first_sides_chance(critic: &ShippedModel, inputs: &[f32]) -> f32 {
    let critic = critic.critic().unwrap();
    let mut scratch = critic.network().scratch();
    let sparse: Vec<(u32, f32)> =
        inputs.iter().enumerate().map(|(place, &number)| (place as u32, number)).collect();
    critic.network().predict(Input::Sparse(&sparse), &mut scratch)[0]
}

#[test]
fn the_activations_are_the_inputs_of_the_network() {
    for critic in SHIPPED_CRITICS {
        for seed in 0..4 {
            let moves = unfinished_game(critic.game, 9 + seed as usize, seed);
            let found = activations(critic.game, &moves);
            let to_move = position_view::snapshot(&opened(critic.game), &moves).unwrap().to_move;
            let seen_by =
                |side: Side, first: f32| if side == Side::First { first } else { 1.0 - first };
            let inputs: Vec<f32> = found.inputs.iter().map(|input| input.value).collect();
            assert_eq!((inputs.len(), found.to_move), (81, to_move));
            assert_eq!(inputs[80], if to_move == Side::First { 1.0 } else { 0.0 });
            let now = seen_by(to_move, first_sides_chance(critic, &inputs));
            assert!((found.value - now).abs() < 1e-4, "{} and {now}", found.value);
            for known in found.moves.iter().step_by(7) {
                let mut then = inputs.clone();
                for change in &known.changed {
                    assert_eq!(then[change.input], change.from);
                    then[change.input] = change.to;
                }
                let value = seen_by(to_move, first_sides_chance(critic, &then));
                assert!((known.value - value).abs() < 1e-4, "{} and {value}", known.value);
            }
        }
    }
}

/// The first move is the one that the critic plays.
#[test]
fn the_best_move_is_the_one_that_is_played() {
    for seed in 0..6 {
        let moves = unfinished_game("mnk:10x10,k=5", 8, seed);
        let found = activations("mnk:10x10,k=5", &moves);
        let played = chosen("mnk:10x10,k=5", &moves, "critic");
        assert_eq!(found.moves[0].step, played.step, "{moves}");
        assert!(found.moves[0].considered);
        let legal = position_view::snapshot(&opened("mnk:10x10,k=5"), &moves).unwrap().moves.len();
        assert_eq!(found.moves.len(), legal, "every move is listed");
        let left: Vec<bool> = found.moves.iter().map(|known| known.considered).collect();
        assert!(left.is_sorted_by_key(|considered| !considered));
    }
    let error = position_view::activations(&context("chess"), "", &player("critic")).unwrap_err();
    assert!(error.to_string().contains("RowPosition"), "{error}");
}
