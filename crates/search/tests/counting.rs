//! Published counts, and comparisons of different counting methods.

use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Playable, registry, typed};
use tesuji_search::path_count::{
    GameGraph, GridGraph, PathCountError, PositionNode, count_all_paths, path_counts_from,
};
use tesuji_search::perft::{EarlyEnd, PerftOptions, divide, perft};
use tesuji_search::statistics::{
    GameTreeStatistics, OutcomeCounts, StatisticsError, StatisticsOptions, statistics,
    statistics_with_symmetry,
};

fn by_outcome(first: u128, second: u128, draw: u128) -> OutcomeCounts {
    OutcomeCounts { total: first + second + draw, first, second, draw }
}

#[test]
fn tictactoe_has_its_published_numbers() {
    let found = statistics(&TicTacToe::new(), StatisticsOptions::default()).expect("small enough");
    assert!(found.complete);
    assert_eq!(found.games, by_outcome(131_184, 77_904, 46_080));
    assert_eq!(found.states, 5_478);
    assert_eq!(found.terminal_states, by_outcome(626, 316, 16));
    let per_ply: Vec<u64> = found.plies.iter().map(|ply| ply.states).collect();
    assert_eq!(per_ply, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    let ended: Vec<u128> = found.plies.iter().map(|ply| ply.games.total).collect();
    assert_eq!(ended, [0, 0, 0, 0, 0, 1440, 5328, 47_952, 72_576, 127_872]);
    let classes = found.up_to_symmetry.expect("a square has symmetries");
    assert_eq!(classes.states, 765);
    assert_eq!(classes.terminal_states, by_outcome(91, 44, 3));
    assert_eq!(classes.games_with_merged_children.total, 26_830);
}

/// The published numbers of a small board.
struct SmallBoard {
    game: &'static str,
    states: u64,
    up_to_symmetry: u64,
    terminal: (u128, u128, u128),
    per_ply: &'static [u64],
}

const SMALL_BOARDS: &[SmallBoard] = &[
    SmallBoard {
        game: "mnk:2x2,k=2",
        states: 29,
        up_to_symmetry: 6,
        terminal: (12, 0, 0),
        per_ply: &[1, 4, 12, 12],
    },
    SmallBoard {
        game: "mnk:5x1,k=3",
        states: 96,
        up_to_symmetry: 52,
        terminal: (3, 0, 7),
        per_ply: &[1, 5, 20, 30, 30, 10],
    },
    SmallBoard {
        game: "mnk:3x2,k=3",
        states: 265,
        up_to_symmetry: 75,
        terminal: (6, 0, 18),
        per_ply: &[1, 6, 30, 60, 90, 60, 18],
    },
    SmallBoard {
        game: "mnk:3x3,k=3",
        states: 5_478,
        up_to_symmetry: 765,
        terminal: (626, 316, 16),
        per_ply: &[1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78],
    },
    SmallBoard {
        game: "mnk:4x3,k=3",
        states: 111_973,
        up_to_symmetry: 28_275,
        terminal: (20_312, 12_070, 28),
        per_ply: &[1, 12, 132, 660, 2970, 7920, 17_304, 25_956, 26_040, 20_832, 7644, 2354, 148],
    },
    SmallBoard {
        game: "mnk:7x2,k=3",
        states: 1_001_731,
        up_to_symmetry: 250_856,
        terminal: (119_992, 79_152, 666),
        per_ply: &[
            1, 14, 182, 1092, 6006, 20_020, 58_410, 116_820, 188_790, 226_548, 193_032, 127_676,
            48_446, 13_452, 1242,
        ],
    },
];

/// Computes the statistics of a complete game.
struct GameStatistics;

impl GameStatistics {
    fn visit<P: Playable>(self, start: P) -> GameTreeStatistics {
        statistics(&start, StatisticsOptions::default()).expect("small enough")
    }
}

#[test]
fn small_boards_have_their_published_numbers() {
    for board in SMALL_BOARDS {
        let found = registry::start(board.game)
            .map(|state| typed!(state, |start| GameStatistics.visit(Clone::clone(start))))
            .expect(board.game);
        let per_ply: Vec<u64> = found.plies.iter().map(|ply| ply.states).collect();
        let (first, second, draw) = board.terminal;
        let classes = found.up_to_symmetry.expect("a board has symmetries");
        assert_eq!(found.states, board.states, "{}", board.game);
        assert_eq!(classes.states, board.up_to_symmetry, "{}", board.game);
        assert_eq!(found.terminal_states, by_outcome(first, second, draw), "{}", board.game);
        assert_eq!(per_ply, board.per_ply, "{}", board.game);
    }
}

#[test]
fn without_symmetry_its_numbers_are_absent() {
    let found = statistics_with_symmetry(&TicTacToe::new(), None, StatisticsOptions::default());
    assert_eq!(found.expect("small enough").up_to_symmetry, None);
}

#[test]
fn a_game_that_is_too_large_is_refused() {
    let options = StatisticsOptions { max_states: 10_000, plies: None };
    let error = statistics(&Connect4::new(), options).expect_err("too large");
    assert_eq!(error, StatisticsError::TooLarge { max_states: 10_000, ply: 6 });
}

#[test]
fn connect4_positions_of_the_first_plies() {
    let options = StatisticsOptions { plies: Some(8), ..StatisticsOptions::default() };
    let found = statistics(&Connect4::new(), options).expect("small enough");
    assert!(!found.complete);
    let states: Vec<u64> = found.plies.iter().map(|ply| ply.states).collect();
    assert_eq!(states, [1, 7, 49, 238, 1120, 4263, 16_422, 54_859, 184_275]);
    let ended: Vec<u128> = found.plies.iter().map(|ply| ply.terminal_states.total).collect();
    assert_eq!(ended[7..], [728, 1892]);
    let paths: Vec<u128> = found.plies.iter().map(|ply| ply.paths).collect();
    assert_eq!(paths[1..], [7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234]);
}

#[test]
fn perft_of_connect4() {
    let start = Connect4::new();
    let expected = [1, 7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234, 39_394_572];
    for threads in [1, 3] {
        let options = PerftOptions { threads, ..PerftOptions::default() };
        for (depth, &paths) in (0..).zip(&expected) {
            assert_eq!(perft(&start, depth, options), paths, "depth {depth}, {threads} threads");
        }
        let parts = divide(&start, 8, options);
        assert_eq!(parts.len(), 7);
        assert_eq!(parts.iter().map(|(_, paths)| paths).sum::<u64>(), expected[8]);
    }
}

#[test]
fn finished_games_count_where_wanted() {
    let count = |depth, early_end, threads| {
        perft(&TicTacToe::new(), depth, PerftOptions { early_end, threads })
    };
    for threads in [1, 2] {
        assert_eq!(count(9, EarlyEnd::Dropped, threads), 127_872);
        assert_eq!(count(9, EarlyEnd::Counted, threads), 255_168);
        assert_eq!(count(12, EarlyEnd::Dropped, threads), 0);
        assert_eq!(count(12, EarlyEnd::Counted, threads), 255_168);
    }
    let parts = divide(
        &TicTacToe::new(),
        9,
        PerftOptions { early_end: EarlyEnd::Counted, ..PerftOptions::default() },
    );
    assert_eq!(parts.iter().map(|(_, games)| games).sum::<u64>(), 255_168);
}

/// Checks that perft, statistics and the path counter agree on a game.
struct CountingMethods;

impl CountingMethods {
    fn visit<P: Playable>(self, start: P) {
        let depth = (30_000u32.ilog(start.move_count().max(2) as u32)).min(5);
        let options = StatisticsOptions { plies: Some(depth), ..StatisticsOptions::default() };
        let from_statistics = statistics_with_symmetry(&start, None, options).expect("few plies");
        let from_path_count =
            count_all_paths(&GameGraph::new(), &PositionNode(start.clone()), depth);
        let from_perft = u128::from(perft(&start, depth, PerftOptions::default()));
        assert_eq!(from_path_count, Ok(from_perft));
        assert_eq!(from_statistics.plies[depth as usize].paths, from_perft);
    }
}

#[test]
fn three_ways_to_count_agree() {
    for name in registry::names() {
        registry::start(name)
            .map(|state| typed!(state, |start| CountingMethods.visit(Clone::clone(start))))
            .expect(name);
    }
}

#[test]
fn shortest_lattice_paths_are_binomials() {
    let grid = GridGraph::new(5, 5).expect("a grid");
    assert_eq!(grid.count((0, 0), (4, 4), 8), Ok(70));
    assert_eq!(grid.count((0, 0), (4, 4), 7), Ok(0), "parity");
    assert_eq!(grid.count((0, 0), (4, 4), 6), Ok(0), "too short");
    assert_eq!(grid.count((2, 2), (2, 2), 0), Ok(1));
    let wide = GridGraph::new(11, 11).expect("a grid");
    assert_eq!(wide.count((0, 0), (10, 10), 20), Ok(184_756));
}

#[test]
fn lattice_paths_far_from_the_edge_are_products() {
    // On the unbounded lattice, rotating the axes by 45° makes the two coordinates independent
    // random walks: C(n, (n + x + y) / 2) · C(n, (n + x − y) / 2) paths lead from the origin to (x,
    // y).
    let grid = GridGraph::new(41, 41).expect("a grid");
    let center = (20, 20);
    for (x, y, n) in [(0i64, 0i64, 10i64), (3, 2, 11), (-4, 4, 12), (1, -6, 15), (0, 0, 20)] {
        let to = ((20 + x) as u32, (20 + y) as u32);
        let expected = binomial(n, (n + x + y) / 2) * binomial(n, (n + x - y) / 2);
        assert_eq!(grid.count(center, to, n as u32), Ok(expected), "to {x},{y} in {n}");
    }
}

fn binomial(n: i64, k: i64) -> u128 {
    (0..k as u128).fold(1, |value, i| value * (n as u128 - i) / (i + 1))
}

#[test]
fn lattice_paths_match_exhaustive_enumeration() {
    fn count_walks(grid: (i32, i32), at: (i32, i32), to: (i32, i32), left: u32) -> u128 {
        if left == 0 {
            return u128::from(at == to);
        }
        let steps = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let next = steps.map(|(dx, dy)| (at.0 + dx, at.1 + dy));
        let inside = |p: &&(i32, i32)| p.0 >= 0 && p.1 >= 0 && p.0 < grid.0 && p.1 < grid.1;
        next.iter().filter(inside).map(|&p| count_walks(grid, p, to, left - 1)).sum()
    }
    for (width, height, length) in [(1, 4, 6), (3, 3, 8), (4, 2, 9), (5, 3, 7)] {
        let grid = GridGraph::new(width as u32, height as u32).expect("a grid");
        for column in 0..width {
            for row in 0..height {
                let to = (column as u32, row as u32);
                let expected = count_walks((width, height), (0, 0), (column, row), length);
                assert_eq!(grid.count((0, 0), to, length), Ok(expected));
            }
        }
    }
}

#[test]
fn invalid_counts_are_refused() {
    let grid = GridGraph::new(3, 3).expect("a grid");
    assert_eq!(GridGraph::new(0, 3), Err(PathCountError::Empty { width: 0, height: 3 }));
    let outside = grid.count((0, 0), (3, 0), 2).expect_err("outside");
    assert_eq!(outside.to_string(), "point 3,0: outside of the 3x3 grid; expected at most 2,2");
    assert!(matches!(grid.count((0, 0), (1, 1), 400), Err(PathCountError::Overflow { .. })));
    assert_eq!(path_counts_from(&grid, &(1, 1), 1).map(|ways| ways.len()), Ok(4));
}
