//! Reproduces the example session of the Anigmo paper (Woebker, 2013) and the node counts and
//! values of its algorithms on Connect Four.

use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::{DiagramCell, Draw, Notation, Playable, Position};
use tesuji_search::{
    AlphaBeta, Engine, EngineOptions, GameHeuristic, Limits, Minimax, MoveOrdering, NegaAlphaBeta,
    Negamax, Search, SearchReport, TableSize, choose_randomly_among_best,
};

/// The session: a Connect Four board and an alpha-beta player of depth 5, which plays the fourth
/// column.
#[test]
fn example_session() {
    let mut game = Connect4::new();
    let mut player = AlphaBeta::new(GameHeuristic);
    let choice =
        choose_randomly_among_best(&game, &Limits::depth(5), &mut player, &mut seeded(2013));
    let best = choice.best.expect("the board is empty");
    assert_eq!(game.move_text(best), "4");
    game.play(best);
    let board = game.diagram();
    let stone = game.cells_of(best)[0];
    let is_piece = |&cell: &usize| matches!(board.cells[cell], DiagramCell::Piece { .. });
    let stones: Vec<usize> = (0..board.cells.len()).filter(is_piece).collect();
    assert_eq!(stones, [stone], "the board has one stone, where it was dropped");
}

/// The values of the seven columns, from left to right.
fn column_values<P: Notation>(game: &P, report: &SearchReport<P::Move>) -> Vec<i32> {
    let value = |column: usize| {
        let scored =
            report.moves.iter().find(|scored| game.move_text(scored.m) == column.to_string());
        scored.expect("every column is open").score.raw()
    };
    (1..=7).map(value).collect()
}

const DEPTH_5: [i32; 7] = [-21, -14, -9, -5, -9, -14, -21];
const DEPTH_6: [i32; 7] = [13, 16, 27, 41, 27, 16, 13];
const DEPTH_8: [i32; 7] = [22, 25, 36, 68, 36, 25, 22];

fn root_values(depth: u32, search: &mut impl Search<Connect4>) -> (Vec<i32>, u64) {
    let game = Connect4::new();
    let report = choose_randomly_among_best(&game, &Limits::depth(depth), search, &mut seeded(1));
    (column_values(&game, &report), report.nodes)
}

#[test]
fn the_four_classic_searches_visit_the_known_number_of_nodes() {
    assert_eq!(root_values(5, &mut Minimax::new(GameHeuristic)), (DEPTH_5.to_vec(), 137_256));
    assert_eq!(root_values(5, &mut Negamax::new(GameHeuristic)), (DEPTH_5.to_vec(), 137_256));
    assert_eq!(root_values(5, &mut AlphaBeta::new(GameHeuristic)), (DEPTH_5.to_vec(), 25_423));
    assert_eq!(root_values(5, &mut NegaAlphaBeta::new(GameHeuristic)), (DEPTH_5.to_vec(), 25_423));
}

#[test]
fn center_first_visits_the_known_number_of_nodes() {
    let ordered = || {
        let options = EngineOptions { ordering: MoveOrdering::Game, ..EngineOptions::plain() };
        Engine::new(GameHeuristic, options)
    };
    assert_eq!(root_values(5, &mut ordered()), (DEPTH_5.to_vec(), 7_916));
    assert_eq!(root_values(6, &mut ordered()), (DEPTH_6.to_vec(), 22_682));
    assert_eq!(root_values(8, &mut ordered()), (DEPTH_8.to_vec(), 212_330));
}

/// Anigmo's table also stores the mirror image of every position. The numbers of nodes are those of
/// an independent copy of its algorithm, which also stores leaves and the positions just above.
#[test]
fn a_table_of_mirror_images_saves_as_many_nodes_as_anigmos() {
    for (depth, values, nodes_of_anigmo) in
        [(5, DEPTH_5, 3_173), (6, DEPTH_6, 7_110), (8, DEPTH_8, 48_030)]
    {
        let options = EngineOptions {
            ordering: MoveOrdering::Game,
            table: Some(TableSize::megabytes(8)),
            symmetries: Connect4::symmetry(),
            ..EngineOptions::plain()
        };
        let mut search = Engine::new(GameHeuristic, options);
        let (found, nodes) = root_values(depth, &mut search);
        assert_eq!(found, values);
        let ratio = nodes as f64 / f64::from(nodes_of_anigmo);
        assert!((0.9..1.1).contains(&ratio), "depth {depth}: {nodes}, Anigmo {nodes_of_anigmo}");
        // A second search finds every position after a first move and its replies in the table.
        let (found, again) = root_values(depth, &mut search);
        assert_eq!((found, again), (values.to_vec(), 56));
    }
}

#[test]
fn a_table_saves_nodes_and_changes_no_value() {
    for (depth, values, nodes_without_table) in [(6, DEPTH_6, 22_682), (8, DEPTH_8, 212_330)] {
        let options = EngineOptions {
            ordering: MoveOrdering::Game,
            table: Some(TableSize::megabytes(8)),
            ..EngineOptions::plain()
        };
        let (found, nodes) = root_values(depth, &mut Engine::new(GameHeuristic, options));
        assert_eq!(found, values);
        assert!(
            nodes * 4 < nodes_without_table * 3,
            "depth {depth}: {nodes} nodes instead of {nodes_without_table}"
        );
    }
}
