//! The thesis's claims about its forests at each depth, as positions that the shipped forests must
//! solve.

use std::sync::Arc;

use tesuji_games::rules::connect4::{Connect4, FixedSize};
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Notation, Playable, RowPosition, Score};
use tesuji_learn::ShippedModel;
use tesuji_learn::forest::{ForestSearch, ForestSearchOptions, SearchStyle};
use tesuji_search::{Limits, Search, SearchReport};

fn searched<P: Playable + RowPosition>(
    model: &str,
    position: &P,
    depth: u32,
    style: SearchStyle,
) -> SearchReport<P::Move> {
    let model = ShippedModel::named(model).expect("a model of the program").model().unwrap();
    let evaluation = Arc::new(model.evaluation(&position.grid()).unwrap());
    let options = ForestSearchOptions { style, ..ForestSearchOptions::default() };
    ForestSearch::new(evaluation, options, 1).run(position, &Limits::depth(depth))
}

/// Checks that both kinds of models in both kinds of search choose one of these moves.
fn gomoku_plays(line: &str, depth: u32, expected: &[&str]) {
    let start = Mnk::<LineBoard>::new(MnkRules::new(10, 10, 5).unwrap());
    let position = start.parse_line(line).unwrap().end;
    for model in ["gomoku-10x10", "gomoku-10x10-weights"] {
        for style in [SearchStyle::Thesis, SearchStyle::Strong] {
            let report = searched(model, &position, depth, style);
            let played = position.move_text(report.best.unwrap());
            assert!(expected.contains(&&*played), "{model}, depth {depth}, {style:?}: {played}");
        }
    }
}

#[test]
fn one_ply_wins_immediately() {
    gomoku_plays("c5a1d5b2e5a3f5i9", 1, &["b5", "g5"]);
}

#[test]
fn two_plies_block_a_four() {
    for depth in 2..=4 {
        gomoku_plays("b5c5a1d5i9e5a3f5", depth, &["g5"]);
    }
}

#[test]
fn four_plies_block_an_open_three() {
    for depth in 4..=5 {
        gomoku_plays("i9d5a1e5b9f5", depth, &["b5", "c5", "g5", "h5"]);
    }
}

/// d5 and e5 in a row, f6 and f7 in a column: a stone on f5 makes two threes at once.
#[test]
fn five_plies_find_a_double_fork() {
    let start = Mnk::<LineBoard>::new(MnkRules::new(10, 10, 5).unwrap());
    let position = start.parse_line("d5a1e5j10f6a10f7j1").unwrap().end;
    for model in ["gomoku-10x10", "gomoku-10x10-weights"] {
        for style in [SearchStyle::Thesis, SearchStyle::Strong] {
            let report = searched(model, &position, 5, style);
            assert_eq!(report.score, Score::win_in(5), "{model}, {style:?}");
        }
    }
}

/// The ending of the thesis's Table 5-2: six columns are full, and the side that must begin the
/// last one loses. (The board is not the printed one, which `tesuji reproduce loos-5-2` examines.)
/// Depth 2 suffices; larger depths find the same result.
#[test]
fn the_forced_ending_of_table_5_2_is_found() {
    let line = "313773676521313725177315325227112525566666";
    let position = Connect4::on(FixedSize::<7, 7>).parse_line(line).unwrap().end;
    for model in ["connect4-7x7", "connect4-7x7-weights"] {
        for depth in 2..=6 {
            let report = searched(model, &position, depth, SearchStyle::Thesis);
            assert_eq!(report.score, Score::loss_in(2), "{model}, depth {depth}");
        }
    }
}
