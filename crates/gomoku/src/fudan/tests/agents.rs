//! Properties of all agents: legal moves, wins and blocks when possible, repeatable choices.

use std::sync::Arc;
use std::time::Duration;

use tesuji_games::{Side, random};
use tesuji_search::Limits;

use super::{board_from, mirrored};
use crate::fudan::{
    CandidateReach, FUDAN_PATTERNS, FudanAgent, FudanAlphaBeta, FudanAlphaBetaOptions, FudanBoard,
    FudanCell, FudanChoice, FudanMcts, FudanMctsOptions, FudanNaive, FudanNaiveOptions,
    FudanPattern, ParameterSet, PlayoutStage,
};

fn quick_playouts(seed: u64, intelligence: f64) -> FudanMcts {
    FudanMcts::new(FudanMctsOptions {
        short: PlayoutStage { playouts: 6, rounds: 6 },
        long: PlayoutStage { playouts: 10, rounds: 10 },
        intelligence,
        seed,
        ..FudanMctsOptions::default()
    })
}

fn agents() -> Vec<(&'static str, Box<dyn FudanAgent>)> {
    let alphabeta = |set, faithful| {
        Box::new(FudanAlphaBeta::new(FudanAlphaBetaOptions {
            set,
            faithful,
            ..FudanAlphaBetaOptions::default()
        }))
    };
    let naive = |reach, faithful| {
        Box::new(FudanNaive::new(FudanNaiveOptions {
            reach,
            faithful,
            ..FudanNaiveOptions::default()
        }))
    };
    vec![
        ("final", alphabeta(ParameterSet::Final, false)),
        ("final, faithful", alphabeta(ParameterSet::Final, true)),
        ("pydan2", alphabeta(ParameterSet::Pydan2, false)),
        ("pydan2, faithful", alphabeta(ParameterSet::Pydan2, true)),
        ("naive", naive(CandidateReach::One, false)),
        ("naive, reach 2, faithful", naive(CandidateReach::Two, true)),
        ("mcts", Box::new(quick_playouts(1, 0.0))),
        ("mcts with blocks", Box::new(quick_playouts(1, 0.5))),
    ]
}

fn few() -> Limits {
    Limits { nodes: Some(300), ..Limits::default() }
}

#[test]
fn a_five_is_made_and_a_five_is_blocked() {
    let empty = "........... ........... ...........";
    let cases = [
        ("....X...... ..XXXXO.... .....OOO...", (4, 1)),
        ("..XX.XX.... ..OOO......", (3, 4)),
        ("..X.X...... XOOOO...... ....X......", (4, 5)),
        ("...X.X..... ..OO.OO....", (4, 4)),
    ];
    for (name, mut agent) in agents() {
        for (middle, (row, column)) in cases {
            let board = board_from(&format!("{empty} {middle} {empty} {empty}"));
            for board in [board.clone(), mirrored(&board)] {
                let chosen = agent.choose(&board, &Limits::default());
                assert_eq!(chosen, Some(FudanCell::row_column(row, column)), "{name}: {middle}");
            }
        }
    }
}

#[test]
fn a_blocked_cell_and_the_edge_are_respected() {
    for (name, mut agent) in agents() {
        let board = board_from("XXXX# OOO.. ..... #...# .....");
        let chosen = agent.choose(&board, &few()).unwrap();
        assert!(board.is_empty(chosen), "{name}");
        let last_cell = board_from("XOX OX. XOX");
        assert_eq!(agent.choose(&last_cell, &few()), Some(FudanCell::row_column(1, 2)), "{name}");
        let full = board_from("XO# OX#");
        assert_eq!(agent.choose(&full, &few()), None, "{name}");
    }
}

#[test]
fn the_empty_board_has_an_answer() {
    for (name, mut agent) in agents() {
        for (rows, columns) in [(1, 1), (5, 8), (20, 20)] {
            let board = FudanBoard::new(rows, columns).unwrap();
            let chosen = agent.choose(&board, &few()).unwrap();
            assert!(board.is_empty(chosen), "{name}");
        }
    }
}

fn is_won(board: &FudanBoard, side: Side) -> bool {
    FUDAN_PATTERNS.count(board).of(side)[FudanPattern::Five as usize] > 0
}

/// Plays until one side has five or the board is full; returns the winner and the moves.
fn game(
    first: &mut dyn FudanAgent,
    second: &mut dyn FudanAgent,
    opening: FudanCell,
) -> (Option<Side>, Vec<FudanCell>) {
    let mut board = FudanBoard::new(11, 11).unwrap();
    board.play(opening).unwrap();
    let mut moves = vec![opening];
    loop {
        let side = board.to_move();
        let chosen = match side {
            Side::First => first.choose(&board, &few()),
            Side::Second => second.choose(&board, &few()),
        };
        let Some(cell) = chosen else { return (None, moves) };
        board.play(cell).unwrap();
        moves.push(cell);
        if is_won(&board, side) {
            return (Some(side), moves);
        }
    }
}

#[test]
fn every_agent_plays_whole_games_and_repeats_them() {
    for at in 0..agents().len() {
        let play = || {
            let (mut mine, mut other) = (agents().swap_remove(at).1, quick_playouts(5, 0.0));
            game(mine.as_mut(), &mut other, FudanCell::row_column(5, 5))
        };
        assert_eq!(play(), play(), "{}", agents()[at].0);
    }
}

/// Plays any empty cell: the weakest opponent.
struct Anywhere;

impl FudanAgent for Anywhere {
    fn consider(&mut self, board: &FudanBoard, _: &Limits) -> Option<FudanChoice> {
        super::super::any_empty_cell(board, 7).map(FudanChoice::without_search)
    }
}

#[test]
fn every_agent_beats_random_play_with_either_side() {
    for (name, mut agent) in agents() {
        for column in [3, 7] {
            let opening = FudanCell::row_column(5, column);
            let (won, _) = game(agent.as_mut(), &mut Anywhere, opening);
            assert_eq!(won, Some(Side::First), "{name}");
            let (won, _) = game(&mut Anywhere, agent.as_mut(), opening);
            assert_eq!(won, Some(Side::Second), "{name}");
        }
    }
}

#[test]
fn no_time_still_gives_a_legal_move() {
    let mut rng = random::seeded(41);
    for (name, mut agent) in agents() {
        for _ in 0..5 {
            let board = super::random_board(&mut rng, 12, 12);
            let stopped = Limits { stop: Some(Arc::new(true.into())), ..Limits::default() };
            for limits in
                [Limits::time(Duration::ZERO), Limits::nodes(0), Limits::nodes(1), stopped]
            {
                let chosen = agent.choose(&board, &limits).unwrap();
                assert!(board.is_empty(chosen), "{name}");
            }
        }
    }
}

#[test]
fn the_naive_agent_blocks_an_open_three_and_makes_an_open_four() {
    let empty = "........... ........... ...........";
    let board = |middle: &str| board_from(&format!("{empty} {middle} {empty} {empty}"));
    let mut naive = FudanNaive::new(FudanNaiveOptions::default());
    let blocks = naive.choose(&board("...OOO..... ..X..X....."), &Limits::default()).unwrap();
    assert!([2, 6].contains(&blocks.column) && blocks.row == 3, "{blocks:?}");
    let four = naive.choose(&board("...XXX..... ..O..O....."), &Limits::default()).unwrap();
    assert!([2, 6].contains(&four.column) && four.row == 3, "{four:?}");
}

#[test]
fn playouts_depend_on_the_seed_and_on_nothing_else() {
    let board = board_from("......... ......... ..X...... ...O..... ....X.... ......... .........");
    let choose = |seed| quick_playouts(seed, 0.3).choose(&board, &Limits::default());
    assert!((0..10).all(|seed| choose(seed) == choose(seed)));
    assert!((0..10).any(|seed| choose(seed) != choose(0)));
}

/// The value of a move has the correct sign.
#[test]
fn a_winning_move_is_worth_more_than_a_lost_position() {
    let empty = "........... ........... ...........";
    let board = |middle: &str| board_from(&format!("{empty} {middle} {empty} {empty}"));
    let (winning, losing) = (board("...XXXX.... ..O..OO...."), board("...OOOO.... ..X..X....."));
    for (name, mut agent) in agents() {
        let won = agent.consider(&winning, &Limits::default()).unwrap();
        let lost = agent.consider(&losing, &Limits::default()).unwrap();
        assert!(won.points > 0 && won.points > lost.points, "{name}: {won:?} {lost:?}");
        let none = agent.consider(&board_from("XOX OXO OXO"), &Limits::default());
        assert_eq!(none, None, "{name}");
    }
}
