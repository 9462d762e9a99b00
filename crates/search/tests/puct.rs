//! Tests of PUCT: proofs are correct with any model, assumed results are never reported as proven,
//! and the same input gives the same result.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::uneven_turns::{UnevenTurns, best_outcome, open_positions};
use tesuji_games::random::{derived, seeded, unit};
use tesuji_games::rules::connect4::{Connect4, FixedSize};
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Notation, Outcome, Playable, Position, Score, Side, registry, typed};
use tesuji_search::{
    Connect4Solver, Limits, PolicyValue, Puct, PuctOptions, Search, TableSize, UniformPolicy,
};

/// A model that lists only every `keeps`-th move, with arbitrary priors and values.
#[derive(Clone)]
struct ArbitraryModel {
    keeps: usize,
}

impl<P: Position> PolicyValue<P> for ArbitraryModel {
    fn policy_and_value(&mut self, position: &P, moves: &mut Vec<(P::Move, f32)>) -> f32 {
        let mut rng = seeded(derived(1, [position.key()]));
        let mut count = 0;
        position.for_each_move(|m| {
            if count % self.keeps == 0 {
                moves.push((m, unit(&mut rng) as f32));
            }
            count += 1;
        });
        unit(&mut rng) as f32
    }
}

fn claimed_outcome(score: Score, side: Side) -> Option<Outcome> {
    match score {
        score if score.is_win() => Some(Outcome::Win(side)),
        score if score.is_loss() => Some(Outcome::Win(!side)),
        _ => None,
    }
}

/// Searches until there is a proof; checks the proof and the move.
fn proofs_are_right<P: Position + Debug, M: PolicyValue<P>>(positions: &[P], model: M) {
    const MAX_SIMULATIONS: u64 = 100_000;
    let mut known = HashMap::new();
    for position in positions {
        let mut puct = Puct::new(PuctOptions::default(), model.clone());
        let report = puct.run(position, &Limits::nodes(MAX_SIMULATIONS));
        assert!(report.nodes < MAX_SIMULATIONS, "no proof for {position:?}");
        let (outcome, side) = (best_outcome(position, &mut known), position.to_move());
        let claim = claimed_outcome(report.score, side).unwrap_or(Outcome::Draw);
        assert_eq!(claim, outcome, "{position:?}");
        let mut after = position.clone();
        after.play(report.best.expect("a move"));
        assert_eq!(best_outcome(&after, &mut known), outcome, "best move of {position:?}");
        if let Some(plies) = report.score.plies_to_end() {
            assert_eq!(report.line.len(), plies as usize, "{position:?}");
        }
    }
}

#[test]
fn every_position_of_tictactoe_is_proven() {
    let positions = open_positions(&TicTacToe::new());
    proofs_are_right(&positions, UniformPolicy);
    proofs_are_right(&positions, ArbitraryModel { keeps: 1 });
}

#[test]
fn proofs_are_right_where_a_side_moves_twice() {
    for cells in [5, 6, 7] {
        let positions = open_positions(&UnevenTurns::new(cells));
        proofs_are_right(&positions, UniformPolicy);
        proofs_are_right(&positions, ArbitraryModel { keeps: 1 });
    }
}

/// With half of the moves omitted, reported wins and losses are still correct.
#[test]
fn omitted_moves_prove_nothing() {
    let mut known = HashMap::new();
    let (mut decided, mut wrong_assumptions) = (0, 0);
    for position in open_positions(&TicTacToe::new()) {
        let mut puct = Puct::new(PuctOptions::default(), ArbitraryModel { keeps: 2 });
        let report = puct.run(&position, &Limits::nodes(2_000));
        let (side, best) = (position.to_move(), best_outcome(&position, &mut known));
        if let Some(claim) = claimed_outcome(report.score, side) {
            assert_eq!(claim, best, "{position:?}");
            decided += 1;
        } else if report.score == Score::estimate(500) {
            wrong_assumptions += usize::from(best != Outcome::Win(side));
        }
    }
    assert!(decided > 1000, "{decided} proofs");
    assert!(wrong_assumptions > 0, "the model is supposed to mislead");
}

/// A model that omits only losing moves and declares it.
#[derive(Clone)]
struct BlockingMoves;

impl PolicyValue<TicTacToe> for BlockingMoves {
    fn policy_and_value(&mut self, position: &TicTacToe, moves: &mut Vec<(u8, f32)>) -> f32 {
        position.for_each_move(|m| {
            let mut after = *position;
            after.play(m);
            if after.outcome().is_some() || after.winning_move().is_none() {
                moves.push((m, 1.0));
            }
        });
        0.5
    }

    fn omits_only_losses(&self) -> bool {
        true
    }
}

#[test]
fn a_forced_reply_may_prove_a_loss() {
    let positions = open_positions(&TicTacToe::new());
    proofs_are_right(&positions, BlockingMoves);
}

fn solved(text: &str) -> (Connect4, Score) {
    let position = Connect4::new().parse_line(text).expect("moves").end;
    let solved = Connect4Solver::new(FixedSize::<7, 6>, TableSize::megabytes(8))
        .run(&position, &Limits::default());
    (position, solved.score)
}

#[test]
fn tactics_of_connect_four_are_found() {
    // Three in the bottom row with both ends free: to be completed, to be created, or to be
    // defended in vain.
    for text in ["443355", "4433", "44335", "44556"] {
        let (position, score) = solved(text);
        let report = Puct::new(PuctOptions::default(), UniformPolicy)
            .run(&position, &Limits::nodes(200_000));
        assert_eq!(report.score.is_win(), score.is_win(), "{text}");
        assert_eq!(report.score.is_loss(), score.is_loss(), "{text}");
        let mut after = position;
        after.play(report.best.expect("a move"));
        if after.outcome().is_none() {
            let reply = Connect4Solver::new(FixedSize::<7, 6>, TableSize::megabytes(8))
                .run(&after, &Limits::default());
            assert_eq!((-reply.score).is_win(), score.is_win(), "{text}");
        }
    }
}

#[test]
fn the_same_input_gives_the_same_result() {
    let options = PuctOptions { solver: false, ..PuctOptions::default() };
    let new = || Puct::new(options.clone(), ArbitraryModel { keeps: 1 });
    let at_once = new().run(&Connect4::new(), &Limits::nodes(2_000));
    assert_eq!(at_once.moves, new().run(&Connect4::new(), &Limits::nodes(2_000)).moves);
    let mut in_parts = new();
    in_parts.run(&Connect4::new(), &Limits::nodes(800));
    assert_eq!(at_once.moves, in_parts.run(&Connect4::new(), &Limits::nodes(1_200)).moves);
}

#[test]
fn a_kept_tree_still_knows_its_visits() {
    let options = PuctOptions { solver: false, ..PuctOptions::default() };
    let mut puct = Puct::new(options, ArbitraryModel { keeps: 1 });
    let mut position = Connect4::new();
    for _ in 0..8 {
        let before = puct.run(&position, &Limits::nodes(1_000));
        let size = puct.tree_size();
        position.play(before.moves[0].m);
        let after = puct.run(&position, &Limits::nodes(1));
        let visits: u64 = after.moves.iter().map(|m| m.visits).sum();
        // All visits except the first went on to one of the children; the new search adds one.
        assert_eq!(visits, before.moves[0].visits);
        assert!(puct.tree_size() < size, "the rest of the tree is freed");
    }
    puct.forget();
    puct.run(&position, &Limits::nodes(1));
    assert!(puct.tree_size() <= 15);
}

#[test]
fn a_small_tree_keeps_simulating() {
    let options = PuctOptions { capacity: 50, solver: false, ..PuctOptions::default() };
    let mut puct = Puct::new(options, ArbitraryModel { keeps: 1 });
    let report = puct.run(&Connect4::new(), &Limits::nodes(5_000));
    assert_eq!(report.nodes, 5_000);
    assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 5_000);
    assert!(puct.tree_size() <= 50);
}

#[test]
fn time_nodes_and_the_stop_flag_end_a_search() {
    let mut puct =
        Puct::new(PuctOptions { solver: false, ..PuctOptions::default() }, UniformPolicy);
    let report = puct.run(&Connect4::new(), &Limits::time(Duration::from_millis(20)));
    assert!(report.time >= Duration::from_millis(20) && report.nodes > 0);
    let stop = Some(Arc::new(AtomicBool::new(true)));
    let report = puct.run(&Connect4::new(), &Limits { stop, ..Limits::default() });
    assert_eq!((report.nodes, report.best.is_some()), (0, true));
    assert_eq!(puct.run(&Connect4::new(), &Limits::default()).nodes, 10_000);
    let mut seen = Vec::new();
    puct.search(&Connect4::new(), &Limits::nodes(5_000), &mut |report| seen.push(report.nodes));
    // The exact moments depend on the clock.
    assert!(
        seen.len() > 2 && seen.is_sorted() && seen.iter().all(|nodes| *nodes < 5_000),
        "{seen:?}"
    );
}

/// A model that prefers one move, given by its index.
#[derive(Clone)]
struct FavoriteMove(usize);

impl<P: Position> PolicyValue<P> for FavoriteMove {
    fn policy_and_value(&mut self, position: &P, moves: &mut Vec<(P::Move, f32)>) -> f32 {
        position.for_each_move(|m| {
            let is_favorite = position.move_index(m) == self.0;
            moves.push((m, if is_favorite { 0.9 } else { 0.02 }));
        });
        0.5
    }
}

/// Without simulations the result is that of the model.
#[test]
fn priors_guide_the_search() {
    let start = Connect4::new();
    start.for_each_move(|liked| {
        let mut puct = Puct::new(PuctOptions::default(), FavoriteMove(start.move_index(liked)));
        assert_eq!(puct.run(&start, &Limits::nodes(0)).best, Some(liked));
        let report = puct.run(&start, &Limits::nodes(100));
        assert_eq!(report.best, Some(liked));
        assert!(report.moves[0].visits > 60);
    });
}

/// Plays a few moves of a game.
struct AnyGame;

impl AnyGame {
    fn visit<P: Playable>(self, start: P) {
        let mut puct = Puct::new(PuctOptions::default(), ArbitraryModel { keeps: 2 });
        let mut position = start;
        for _ in 0..3 {
            if position.outcome().is_some() {
                break;
            }
            let report = puct.run(&position, &Limits::nodes(30));
            let m = report.best.expect("a move");
            assert!(position.is_legal(m));
            assert_eq!(report.line[0], m);
            position.play(m);
        }
    }
}

#[test]
fn every_game_can_be_played() {
    for name in registry::names() {
        registry::start(name)
            .map(|state| typed!(state, |start| AnyGame.visit(Clone::clone(start))))
            .expect(name);
    }
}

/// Both stones of a Connect6 turn belong to the same side: one stone completes a row of five, two
/// stones complete a row of four.
struct TwoStones;

impl TwoStones {
    fn visit<P: Playable>(self, start: P) {
        for (line, plies) in
            [("j10 a1a3 k10l10 a5a7 m10n10 a9a11", 1), ("j10 a1a3 k10l10 a5a7 m10 s1 a9a11", 2)]
        {
            let position = start.parse_line(line).expect("moves").end;
            let report = Puct::new(PuctOptions::default(), MoveOrderModel)
                .run(&position, &Limits::nodes(30_000));
            assert_eq!(report.score, Score::win_in(plies), "{line}");
            let sides: Vec<Side> = vec![Side::First; plies as usize];
            let mut after = position;
            for (m, side) in report.line.iter().zip(sides) {
                assert_eq!(after.to_move(), side);
                after.play(*m);
            }
            assert_eq!(after.outcome(), Some(Outcome::Win(Side::First)));
        }
    }
}

/// A model with the priors of the game's move order.
#[derive(Clone)]
struct MoveOrderModel;

impl<P: Playable> PolicyValue<P> for MoveOrderModel {
    fn policy_and_value(&mut self, position: &P, moves: &mut Vec<(P::Move, f32)>) -> f32 {
        position.for_each_move(|m| moves.push((m, position.move_score_of(m).max(1) as f32)));
        0.5
    }
}

#[test]
fn both_stones_of_a_turn_belong_to_one_side() {
    registry::start("connect6")
        .map(|state| typed!(state, |start| TwoStones.visit(Clone::clone(start))))
        .expect("connect6");
}
