//! The recorded tree, compared with the library's searches.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tesuji_app::position_view::{self, SearchTree};
use tesuji_games::{Score, Side};
use tesuji_search::Limits;

use super::{chosen, context, games, opened, unfinished_game};

fn tree(game: &str, moves: &str, depth: u32, ordered: bool) -> SearchTree {
    let drawn = position_view::tree(&context(game), moves, depth, ordered, &Limits::default());
    drawn.unwrap_or_else(|error| panic!("{game} {moves:?}: {error}"))
}

/// Positions with few moves, whose trees are recorded completely.
fn small_positions() -> Vec<(&'static str, String, u32)> {
    let mut positions = Vec::new();
    for (game, plies, depth) in [
        ("tictactoe", 1, 4),
        ("tictactoe", 4, 3),
        ("connect4", 6, 3),
        ("connect4-array", 9, 3),
        ("othello", 5, 3),
        ("checkers", 8, 3),
        ("mnk:5x4,k=4", 3, 2),
        ("mnk:4x4,k=3,p=2,q=1", 2, 3),
        ("tictactoe3d", 3, 2),
        ("chess", 4, 2),
        ("gomoku", 6, 1),
    ] {
        for seed in 0..3 {
            positions.push((game, unfinished_game(game, plies, seed), depth));
        }
    }
    positions
}

#[test]
fn the_root_has_the_minimax_value() {
    for (game, moves, depth) in small_positions() {
        let plain = chosen(game, &moves, &format!("minimax:depth={depth}"));
        for ordered in [false, true] {
            let tree = tree(game, &moves, depth, ordered);
            let score = plain.score.unwrap();
            let first = if tree.to_move == Side::First { score } else { -score };
            assert_eq!(tree.nodes[0].value, Some(first), "{game} {moves} {ordered}");
        }
    }
}

/// The recorded nodes are those that the library's searches count.
#[test]
fn node_counts_are_those_of_the_searches() {
    for (game, moves, depth) in small_positions() {
        let by = |text: &str| chosen(game, &moves, &format!("{text}depth={depth}")).nodes;
        let plain = tree(game, &moves, depth, false);
        let counts: HashMap<_, _> = plain.counts.iter().map(|c| (c.algorithm, c.nodes)).collect();
        assert_eq!(counts["minimax"], Some(by("minimax:")), "{game} {moves}");
        assert_eq!(counts["alphabeta"], Some(by("alphabeta:")), "{game} {moves}");
        assert_eq!(counts["ordered"], Some(by("engine:order=game,")), "{game} {moves}");
        let table = by("engine:order=on,tt=1M,");
        assert_eq!(counts["table"], Some(table), "{game} {moves}");
        assert!(counts["alphabeta"] <= counts["minimax"], "{game} {moves}");
        let ordered = tree(game, &moves, depth, true);
        for (tree, nodes) in [(plain, counts["alphabeta"]), (ordered, counts["ordered"])] {
            assert!(tree.complete, "{game} {moves}");
            assert_eq!(Some(tree.nodes.len() as u64), nodes, "{game} {moves}");
        }
    }
}

#[test]
fn entries_and_exits_are_nested() {
    for (game, moves, depth) in small_positions() {
        let tree = tree(game, &moves, depth, false);
        let mut open: Vec<usize> = Vec::new();
        let mut events = vec![None; 2 * tree.nodes.len()];
        for (place, node) in tree.nodes.iter().enumerate() {
            assert_eq!(node.id, place);
            assert!(events[node.entered].replace((place, true)).is_none());
            assert!(events[node.left].replace((place, false)).is_none());
        }
        for (id, enters) in events.into_iter().map(|event| event.expect("every tick is used")) {
            if enters {
                assert_eq!(tree.nodes[id].parent, open.last().copied(), "{game}");
                open.push(id);
            } else {
                assert_eq!(open.pop(), Some(id), "{game}");
            }
        }
        assert!(open.is_empty());
    }
}

/// A node has the best value of its children, cutoffs follow from the windows, and every move is
/// counted.
#[test]
fn values_cuts_and_skipped_moves_agree() {
    let mut cuts = 0;
    for (game, moves, depth) in small_positions() {
        let opened = opened(game);
        let tree = tree(game, &moves, depth, false);
        let mut places = vec![moves.clone(); tree.nodes.len()];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); tree.nodes.len()];
        for node in &tree.nodes[1..] {
            let (parent, step) = (node.parent.unwrap(), node.step.as_ref().unwrap());
            children[parent].push(node.id);
            places[node.id] = position_view::played(&opened, &places[parent], &step.text).unwrap();
        }
        for node in tree.nodes.iter().step_by(3) {
            let below: Vec<Score> =
                children[node.id].iter().map(|&id| tree.nodes[id].value.unwrap()).collect();
            if below.is_empty() {
                assert!(!node.cut && node.skipped == 0);
                continue;
            }
            let shown = position_view::snapshot(&opened, &places[node.id]).unwrap();
            let first = shown.to_move == Side::First;
            let best = if first { below.iter().max() } else { below.iter().min() };
            assert_eq!(node.value.as_ref(), best, "{game} {}", places[node.id]);
            assert_eq!(below.len() + node.skipped, shown.moves.len(), "{game}");
            let value = node.value.unwrap();
            let too_good = if first {
                node.beta.is_some_and(|beta| value >= beta)
            } else {
                node.alpha.is_some_and(|alpha| value <= alpha)
            };
            assert_eq!(node.cut, too_good, "{game} {}", places[node.id]);
            cuts += usize::from(node.cut && node.skipped > 0);
        }
    }
    assert!(cuts > 20, "only {cuts} cuts were seen");
}

#[test]
fn the_best_line_is_that_of_alpha_beta() {
    for (game, moves, depth) in small_positions() {
        let tree = tree(game, &moves, depth, false);
        let played = chosen(game, &moves, &format!("alphabeta:depth={depth}"));
        let way = tree.best[1..].iter().map(|&id| tree.nodes[id].step.clone().unwrap());
        assert_eq!(way.collect::<Vec<_>>(), played.line, "{game} {moves}");
        let root = tree.nodes[0].value;
        assert!(tree.best.iter().all(|&id| tree.nodes[id].value == root), "{game} {moves}");
    }
}

/// A large tree is recorded in part; the moves of the root are always recorded.
#[test]
fn a_large_tree_is_recorded_in_part() {
    let tree = tree("gomoku", "h8i9", 3, true);
    let root_moves = tree.nodes.iter().filter(|node| node.parent == Some(0)).count();
    assert!(!tree.complete && tree.nodes.len() < 2500, "{}", tree.nodes.len());
    assert!(root_moves + tree.nodes[0].skipped <= 223);
    assert_eq!(tree.counts[0].nodes, None, "minimax exceeds the limit");
    assert!(tree.nodes.iter().any(|node| node.undrawn > 0));
}

#[test]
fn every_game_has_a_tree() {
    for game in games() {
        let tree = tree(game, "", 1, true);
        let moves = position_view::snapshot(&opened(game), "").unwrap().moves.len();
        assert_eq!((tree.nodes.len(), tree.complete), (moves + 1, true), "{game}");
    }
}

#[test]
fn a_stopped_search_ends_at_once() {
    let stop = Some(Arc::new(AtomicBool::new(true)));
    let limits = Limits { stop, ..Limits::default() };
    let started = std::time::Instant::now();
    let tree = position_view::tree(&context("gomoku"), "h8i9", 4, false, &limits);
    let tree = tree.unwrap();
    assert!(!tree.complete && tree.nodes[0].value.is_none() && tree.best.is_empty());
    assert!(started.elapsed().as_secs() < 5);
}
