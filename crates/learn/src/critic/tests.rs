//! Tests the incremental code against straightforward code.

use std::sync::Arc;

use tesuji_games::random::{Rng, seeded, unit};
use tesuji_games::rules::connect4::Connect4;
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Playable, RowPosition, Side};
use tesuji_gomoku::fudan::{FUDAN_PATTERNS, FudanBoard, FudanCell};
use tesuji_search::{Engine, EngineOptions, EvaluatedPosition, Evaluator, Limits, Minimax, Search};

use super::encoding::{self, INPUTS, push_inputs, thermometer};
use super::*;
use crate::network::{Input, Network};

type Gomoku = Mnk<LineBoard>;

fn game(columns: usize, rows: usize, k: usize) -> Gomoku {
    Mnk::new(MnkRules::new(columns, rows, k).unwrap())
}

fn matcher(position: &impl RowPosition) -> Arc<PatternMatcher> {
    Arc::new(PatternMatcher::new(&position.grid()).unwrap())
}

/// A critic with weights so large that every input matters.
fn random_critic(seed: u64) -> Arc<Critic> {
    let mut rng = seeded(seed);
    let network = Critic::random_init(1);
    let weights = network.parameters().iter().map(|_| 2.0 * unit(&mut rng) as f32 - 1.0).collect();
    let network = Network::with_parameters(Critic::input(), &Critic::layers(), weights).unwrap();
    Arc::new(Critic::new(network).unwrap())
}

/// The chance that the first side wins, by the layers of the network.
fn value_by_layers(critic: &Critic, counts: &CriticPatternCounts, to_move: Side) -> f32 {
    let (mut inputs, network) = (Vec::new(), critic.network());
    push_inputs(counts, to_move, &mut inputs);
    network.predict(Input::Sparse(&inputs), &mut network.scratch())[0]
}

/// Random stones, regardless of who has won.
fn random_stones(columns: usize, rows: usize, stones: usize, rng: &mut Rng) -> Vec<(usize, Side)> {
    let mut cells: Vec<usize> = (0..columns * rows).collect();
    (0..stones)
        .map(|n| {
            let at = tesuji_games::random::below(rng, cells.len() as u32) as usize;
            (cells.swap_remove(at), if n % 2 == 0 { Side::First } else { Side::Second })
        })
        .collect()
}

#[test]
fn counts_equal_those_of_the_report() {
    let mut rng = seeded(1);
    for (columns, rows) in [(15, 15), (10, 10), (20, 20), (7, 13)] {
        let matcher = matcher(&game(columns, rows, 5));
        for share in [10, 5, 3, 2] {
            let (mut pattern_board, mut board) =
                (PatternBoard::new(matcher.clone()), FudanBoard::new(rows, columns).unwrap());
            for (cell, side) in random_stones(columns, rows, columns * rows / share, &mut rng) {
                pattern_board.flip(cell, side);
                board
                    .place(
                        FudanCell::row_column((cell / columns) as u8, (cell % columns) as u8),
                        side,
                    )
                    .unwrap();
            }
            let expected = FUDAN_PATTERNS.count(&board);
            for side in Side::ALL {
                let of_side = &pattern_board.counts().0[side.index() * PATTERNS..][..PATTERNS];
                assert_eq!(of_side, expected.of(side), "{columns}x{rows}, 1 in {share}");
            }
        }
    }
}

/// Plays and undoes a random game and checks every position.
fn check_incremental<P: Playable + RowPosition>(start: P, seed: u64) {
    let (matcher, critic, mut rng) = (matcher(&start), random_critic(seed), seeded(seed));
    let fresh = |game: &P| evaluated(game, &matcher, &critic);
    let (mut evaluated, mut played) = (fresh(&start), Vec::new());
    while evaluated.position().outcome().is_none() {
        assert_equal(&evaluated, fresh(evaluated.position()).evaluator());
        let m = evaluated.position().random_move(&mut rng);
        let (cell, side) = (evaluated.position().cell(m), evaluated.position().to_move());
        let expected = evaluated.evaluator().pattern_board().counts_with(cell, side);
        let chance = evaluated.evaluator().chance_after(evaluated.position(), m);
        played.push((m, evaluated.play(m)));
        assert_eq!(*evaluated.evaluator().pattern_board().counts(), expected);
        let to_move = evaluated.position().to_move();
        let after = evaluated.evaluator().chance(to_move);
        let for_mover = if to_move == side { after } else { 1.0 - after };
        assert!((chance - for_mover).abs() < 1e-5, "{chance} {for_mover}");
    }
    while let Some((m, undo)) = played.pop() {
        evaluated.undo(m, undo);
        assert_equal(&evaluated, fresh(evaluated.position()).evaluator());
    }
}

fn evaluated<P: Playable + RowPosition>(
    game: &P,
    matcher: &Arc<PatternMatcher>,
    critic: &Arc<Critic>,
) -> EvaluatedPosition<P, CriticEvaluator> {
    EvaluatedPosition::new(game.clone(), CriticEvaluator::new(matcher.clone(), critic.clone()))
}

fn assert_equal<P: Playable + RowPosition>(
    evaluated: &EvaluatedPosition<P, CriticEvaluator>,
    fresh: &CriticEvaluator,
) {
    let (game, updated, to_move) =
        (evaluated.position(), evaluated.evaluator(), evaluated.position().to_move());
    assert_eq!(updated.pattern_board().counts(), fresh.pattern_board().counts());
    let chance = updated.chance(to_move);
    assert_eq!(chance.to_bits(), fresh.chance(to_move).to_bits());
    let (mut some, mut others) = (Candidates::default(), Candidates::default());
    updated.candidates(game, &mut some);
    fresh.candidates(game, &mut others);
    assert_eq!(some, others);
    assert!(!some.moves.is_empty());
    let plain = value_by_layers(updated.critic(), updated.pattern_board().counts(), to_move);
    let plain = if to_move == Side::First { plain } else { 1.0 - plain };
    assert!((plain - chance).abs() < 1e-5, "{plain} {chance}");
}

/// The critic without incremental counts and move ordering.
#[derive(Clone)]
struct ByCounts(CriticEvaluator);

impl<P: Playable + RowPosition> Evaluator<P> for ByCounts {
    fn evaluate(&mut self, position: &P) -> i32 {
        self.0.start(position);
        self.0.evaluate(position)
    }
}

#[test]
fn alpha_beta_searches_with_a_critic() {
    let position = tesuji_games::Notation::parse_line(&game(6, 5, 4), "c3c2d3").unwrap().end;
    let critic = CriticEvaluator::new(matcher(&position), random_critic(4));
    let limits = Limits::depth(3);
    let plain = Minimax::new(ByCounts(critic.clone())).run(&position, &limits);
    let report = Engine::new(critic, EngineOptions::exact()).run(&position, &limits);
    assert_eq!(report.score, plain.score);
    assert!(report.nodes < plain.nodes);
}

#[test]
fn incremental_updates_equal_a_fresh_evaluation() {
    for seed in 0..3 {
        check_incremental(game(15, 15, 5), seed);
        check_incremental(game(10, 10, 5), seed);
        check_incremental(game(9, 8, 6), seed);
        check_incremental(game(6, 5, 4), seed);
        check_incremental(game(3, 3, 3), seed);
        check_incremental(
            Gomoku::new(MnkRules::new(19, 19, 6).and_then(|rules| rules.with_turns(2, 1)).unwrap()),
            seed,
        );
        check_incremental(Connect4::new(), seed);
    }
}

#[test]
fn thermometer_encoding() {
    assert_eq!(thermometer(0), [0.0; 4]);
    assert_eq!(thermometer(2), [1.0, 1.0, 0.0, 0.0]);
    assert_eq!(thermometer(3), [1.0, 1.0, 1.0, 0.0]);
    assert_eq!(thermometer(4), [1.0, 1.0, 1.0, 0.5]);
    assert_eq!(thermometer(9), [1.0, 1.0, 1.0, 3.0]);
    let mut counts = CriticPatternCounts::default();
    counts.0[12] = 5;
    let mut inputs = Vec::new();
    push_inputs(&counts, Side::First, &mut inputs);
    assert_eq!(inputs, [(48, 1.0), (49, 1.0), (50, 1.0), (51, 1.0), (80, 1.0)]);
    push_inputs(&encoding::sides_swapped(&counts), Side::Second, &mut inputs);
    assert_eq!(inputs, [(8, 1.0), (9, 1.0), (10, 1.0), (11, 1.0)]);
    assert_eq!(INPUTS, 81);
}

#[test]
fn counts_beyond_the_table_are_extrapolated() {
    let critic = random_critic(7);
    for count in 0..40 {
        let mut counts = CriticPatternCounts::default();
        (counts.0[3], counts.0[17]) = (count, 40 - count);
        let (fast, plain) =
            (critic.value(&counts, Side::Second), value_by_layers(&critic, &counts, Side::Second));
        assert!((fast - plain).abs() < 1e-4, "{count}: {fast} {plain}");
    }
}

#[test]
fn the_fast_sigmoid_is_accurate() {
    for step in -20_000..=20_000 {
        let sum = step as f32 / 200.0;
        let exact = 1.0 / (1.0 + (-f64::from(sum)).exp());
        assert!((f64::from(model::sigmoid(sum)) - exact).abs() < 2e-6, "{sum}");
    }
}

/// The candidates after a line of moves, in the notation of the game.
fn candidates_after(line: &str) -> (Vec<String>, Urgency) {
    let line = tesuji_games::Notation::parse_line(&game(15, 15, 5), line).unwrap();
    let evaluated = evaluated(&line.end, &matcher(&line.end), &random_critic(3));
    let mut found = Candidates::default();
    evaluated.evaluator().candidates(&line.end, &mut found);
    let text = |candidate: &Candidate<_>| tesuji_games::Notation::move_text(&line.end, candidate.m);
    (found.moves.iter().map(text).collect(), found.urgency)
}

#[test]
fn threats_restrict_the_candidates() {
    let (moves, urgency) = candidates_after("");
    assert_eq!((moves, urgency), (vec!["h8".to_string()], Urgency::Quiet));
    assert_eq!(candidates_after("h8").0.len(), 16);
    let (mut moves, urgency) = candidates_after("e5e14f5g14g5i14h5k14");
    moves.sort();
    assert_eq!((moves, urgency), (vec!["d5".into(), "i5".into()], Urgency::Winning));
    let (mut moves, urgency) = candidates_after("e5e14f5g14g5i14h5k14o15");
    assert!(urgency == Urgency::Winning || urgency == Urgency::Stopping);
    moves.sort();
    assert_eq!(moves, ["d5", "i5"]);
    let (mut moves, urgency) = candidates_after("f5e14g5g14h5k14o15");
    moves.sort();
    assert_eq!((moves, urgency), (vec!["e5".into(), "i5".into()], Urgency::Stopping));
}

#[test]
fn overlines_do_not_win_by_the_exact_rule() {
    let start: Gomoku = Mnk::new(MnkRules::new(15, 15, 5).unwrap().exactly());
    let candidates_after = |line: &str| {
        let line = tesuji_games::Notation::parse_line(&start, line).unwrap();
        let evaluated = evaluated(&line.end, &matcher(&line.end), &random_critic(3));
        let mut found = Candidates::default();
        evaluated.evaluator().candidates(&line.end, &mut found);
        let text =
            |candidate: &Candidate<_>| tesuji_games::Notation::move_text(&line.end, candidate.m);
        (found.moves.iter().map(text).collect::<Vec<_>>(), found.urgency)
    };
    // Black has d5 e5 f5 and h5 i5: g5 would make six in a row.
    let (moves, _) = candidates_after("d5a1 e5a4 f5a8 h5a12 i5e15");
    assert!(!moves.contains(&"g5".to_string()), "{moves:?}");
    // Now there are six in a row, which did not win. White has nothing to stop.
    let (moves, urgency) = candidates_after("d5a1 e5a4 f5a8 h5a12 i5e15 g5i15 o1n10 o15");
    assert!(urgency == Urgency::Quiet && moves.len() > 20, "{urgency:?}, {moves:?}");
}

#[test]
fn unsupported_boards_and_networks_are_rejected() {
    let wrong = |columns, rows, k| {
        PatternMatcher::new(&tesuji_games::RowGrid { columns, rows, k, gravity: false })
            .unwrap_err()
            .to_string()
    };
    assert!(wrong(15, 15, 9).contains("9 in a row"));
    assert!(wrong(29, 5, 5).contains("29x5"));
    let layers = [crate::network::Layer::dense(1, crate::network::Activation::Sigmoid)];
    let other = Network::new(Critic::input(), &layers, 1).unwrap();
    assert!(Critic::new(other).unwrap_err().to_string().contains("81 inputs, 32 units and 1 unit"));
}
