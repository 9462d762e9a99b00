//! With quiescence the leaves of the tree are quiet positions. The value still equals that of plain
//! minimax over the same leaves, with any other options.

use tesuji_games::random::seeded;
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::{ForcingMoves, Outcome, Playable, Position, Score, Side, registry, typed};
use tesuji_search::{
    Deepening, Engine, EngineOptions, Evaluator, GameHeuristic, Limits, Meter, MoveOrdering,
    ParallelMode, Quiescence, Search, TableSize, WindowMode,
};

const MAX_DEPTH: u32 = 6;

/// Minimax for `side` in its plainest form, with forcing moves below the horizon.
fn reference<P: Playable>(position: &P, side: Side, depth: u32, ply: u32) -> Score {
    match position.outcome() {
        Some(Outcome::Draw) => return Score::DRAW,
        Some(Outcome::Win(winner)) if winner == side => return Score::win_in(ply),
        Some(Outcome::Win(_)) => return Score::loss_in(ply),
        None => {}
    }
    if depth == 0 {
        return quiescence_value(position, side, MAX_DEPTH, ply);
    }
    let mut moves = Vec::new();
    position.push_moves(&mut moves);
    let scores = moves.into_iter().map(|m| {
        let mut child = position.clone();
        child.play(m);
        reference(&child, side, depth - 1, ply + 1)
    });
    let best = if position.to_move() == side { scores.max() } else { scores.min() };
    best.expect("an unfinished game has moves")
}

fn quiescence_value<P: Playable>(position: &P, side: Side, depth_left: u32, ply: u32) -> Score {
    match position.outcome() {
        Some(_) => return reference(position, side, 0, ply),
        None if depth_left == 0 => return estimate(position, side),
        None => {}
    }
    let forcing: ForcingMoves<P> = P::tactics().expect("asked of games with tactics");
    let mut moves = Vec::new();
    (forcing.push)(position, &mut moves);
    let mut scores: Vec<Score> = moves
        .into_iter()
        .map(|m| {
            let mut child = position.clone();
            child.play(m);
            quiescence_value(&child, side, depth_left - 1, ply + 1)
        })
        .collect();
    if (forcing.may_stand_pat)(position) {
        scores.push(estimate(position, side));
    }
    let scores = scores.into_iter();
    let best = if position.to_move() == side { scores.max() } else { scores.min() };
    best.expect("forcing moves, or permission to stand pat")
}

fn estimate<P: Playable>(position: &P, side: Side) -> Score {
    let score = Score::estimate(GameHeuristic.evaluate(position));
    if position.to_move() == side { score } else { -score }
}

struct QuiescenceLaw {
    name: &'static str,
}

impl QuiescenceLaw {
    fn visit<P: Playable>(self, start: P) {
        if P::tactics().is_none() {
            return;
        }
        let mut rng = seeded(1950);
        for round in 0..8 {
            let mut position = start.clone();
            for _ in 0..round * 3 {
                let m = position.random_move(&mut rng);
                let undo = position.play(m);
                if position.outcome().is_some() {
                    position.undo(m, undo);
                    break;
                }
            }
            let depth = if position.move_count() > 12 { 1 } else { 3 };
            let expected = reference(&position, position.to_move(), depth, 0);
            for (options, description) in options::<P>() {
                let found =
                    Engine::new(GameHeuristic, options).run(&position, &Limits::depth(depth));
                assert_eq!(found.score, expected, "{}, depth {depth}, {description}", self.name);
            }
        }
    }
}

fn options<P: Playable>() -> Vec<(EngineOptions<P>, String)> {
    let mut all = Vec::new();
    for table in [None, Some(TableSize::from_bytes(1 << 16))] {
        for ordering in [MoveOrdering::Off, MoveOrdering::Full] {
            for (window, threads) in
                [(WindowMode::AlphaBeta, 1), (WindowMode::PrincipalVariation, 2)]
            {
                let options = EngineOptions {
                    table,
                    ordering,
                    window,
                    threads,
                    deepening: if threads == 1 { Deepening::On } else { Deepening::Off },
                    parallel: ParallelMode::SharedTable,
                    quiescence: P::tactics(),
                    quiescence_depth: MAX_DEPTH,
                    ..EngineOptions::exact()
                };
                all.push((options, format!("{table:?}, {ordering:?}, {window:?}, {threads}")));
            }
        }
    }
    all
}

#[test]
fn quiescence_keeps_the_value_of_its_own_minimax() {
    for name in registry::names() {
        registry::start(name)
            .map(|state| typed!(state, |start| QuiescenceLaw { name }.visit(Clone::clone(start))))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// The first side threatens to complete a row at both ends. The static estimate sees nothing;
/// following the only replies finds the loss.
#[test]
fn a_double_threat_is_found_beyond_the_horizon() {
    let mut position = Connect4::new();
    for column in [2, 2, 3, 3, 4] {
        let m = position.drop_into(column).expect("the column is open");
        position.play(m);
    }
    let forcing = Connect4::tactics().expect("Connect Four has tactics");
    let mut meter = Meter::start(&Limits::default());
    let window = (Score::MIN, Score::MAX);
    let score =
        Quiescence::new(forcing, 8).value(&mut position, &mut GameHeuristic, &mut meter, 0, window);
    assert_eq!(score, Score::loss_in(2));
    assert!(!Score::estimate(GameHeuristic.evaluate(&position)).is_decided());
}
