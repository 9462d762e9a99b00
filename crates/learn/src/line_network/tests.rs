//! Tests of inference and gradients against the reference implementation, and of the file.

use std::sync::Arc;

use tesuji_games::random::{Rng, below, seeded, unit, word};
use tesuji_games::rules::mnk::line_board::LineBoard;
use tesuji_games::rules::mnk::{Mnk, MnkRules};
use tesuji_games::{Notation, Position, RowPosition, Side};
use tesuji_search::puct::PolicyValue;
use tesuji_search::{Engine, EngineOptions, EvaluatedPosition, Evaluator, Limits, Search};

use super::reference::{self, PositionOutput};
use super::*;

/// A network with weights so large that every input matters.
fn random_network(seed: u64) -> Arc<LineNetwork> {
    let mut rng = seeded(seed);
    let initial = LineWeights::random_init(seed);
    let perturbed = initial.parameters().iter().map(|it| it + 0.2 * unit(&mut rng) as f32 - 0.1);
    Arc::new(LineNetwork::new(LineWeights::new(perturbed.collect()).unwrap()))
}

fn board(network: &Arc<LineNetwork>, columns: usize, rows: usize) -> NetworkBoard {
    NetworkBoard::new(network.clone(), columns, rows).unwrap()
}

/// The board of a game's position.
fn board_of(network: &Arc<LineNetwork>, game: &Mnk<LineBoard>) -> NetworkBoard {
    let grid = game.grid();
    let mut board = board(network, grid.columns, grid.rows);
    board.sync_with(game);
    board
}

fn stones_of(board: &NetworkBoard) -> Vec<Option<Side>> {
    (0..board.columns() * board.rows()).map(|cell| board.stone_at(cell)).collect()
}

/// 0 empty, 1 of the side to move, 2 of the opponent.
fn digits_of(board: &NetworkBoard, to_move: Side) -> Vec<u8> {
    let digit = |stone: Option<Side>| stone.map_or(0, |side| if side == to_move { 1 } else { 2 });
    stones_of(board).into_iter().map(digit).collect()
}

fn random_cell(board: &NetworkBoard, rng: &mut Rng) -> usize {
    below(rng, (board.columns() * board.rows()) as u32) as usize
}

/// Places a stone on an empty cell or removes one.
fn change(board: &mut NetworkBoard, rng: &mut Rng) {
    let cell = random_cell(board, rng);
    match board.stone_at(cell) {
        Some(_) => board.remove(cell),
        None => board.put(cell, Side::ALL[below(rng, 2) as usize]),
    }
}

fn output(inference: &mut Inference, board: &NetworkBoard, to_move: Side) -> PositionOutput {
    let chance = inference.evaluate(board, to_move);
    assert_eq!(chance, inference.chance());
    let cells = board.columns() * board.rows();
    PositionOutput {
        chance,
        policy_logits: (0..cells).map(|cell| inference.policy_logit(cell)).collect(),
    }
}

fn assert_close(fast: &PositionOutput, plain: &PositionOutput, what: &str) {
    let (a, b) = (fast.chance, plain.chance);
    assert!((a - b).abs() < 2e-3, "{what}: {a} and {b}");
    let largest = plain.policy_logits.iter().fold(1.0f32, |most, it| most.max(it.abs()));
    for (a, b) in fast.policy_logits.iter().zip(&plain.policy_logits) {
        assert!((a - b).abs() < 2e-3 * largest, "{what}: {a} and {b}");
    }
}

#[test]
fn inference_equals_the_reference() {
    let (network, mut rng, mut inference) = (random_network(1), seeded(1), Inference::default());
    let mut chances = Vec::new();
    for (columns, rows) in [(15, 15), (20, 20), (5, 7), (7, 5), (1, 3), (10, 6), (20, 3)] {
        let mut board = board(&network, columns, rows);
        for round in 0..6 {
            for to_move in Side::ALL {
                let plain =
                    reference::evaluate(network.weights(), columns, &digits_of(&board, to_move));
                let fast = output(&mut inference, &board, to_move);
                assert_close(&fast, &plain, &format!("{columns}x{rows}, {round}"));
                chances.push(fast.chance);
            }
            (0..10).for_each(|_| change(&mut board, &mut rng));
        }
    }
    chances.sort_by(f32::total_cmp);
    chances.dedup_by(|a, b| (*a - *b).abs() < 1e-4);
    assert!(chances.len() > 40, "the chances vary: {chances:?}");
}

/// Bit for bit: integer sums do not depend on the order.
#[test]
fn outputs_do_not_depend_on_the_move_order() {
    let (network, mut rng) = (random_network(2), seeded(2));
    let mut inference = Inference::default();
    for (columns, rows) in [(15, 15), (9, 12)] {
        let mut changed = board(&network, columns, rows);
        for _ in 0..20 {
            (0..15).for_each(|_| change(&mut changed, &mut rng));
            let mut fresh = board(&network, columns, rows);
            for (cell, stone) in stones_of(&changed).into_iter().enumerate() {
                stone.into_iter().for_each(|side| fresh.put(cell, side));
            }
            for side in Side::ALL {
                let there = output(&mut inference, &changed, side);
                assert_eq!(there, output(&mut inference, &fresh, side));
            }
        }
    }
}

#[test]
fn outputs_are_invariant_under_symmetries() {
    let (network, mut rng, mut inference) = (random_network(3), seeded(3), Inference::default());
    let side = 11;
    type Symmetry = fn(usize, usize) -> (usize, usize);
    let symmetries: [Symmetry; 7] = [
        |x, y| (y, x),
        |x, y| (10 - x, y),
        |x, y| (x, 10 - y),
        |x, y| (10 - x, 10 - y),
        |x, y| (10 - y, x),
        |x, y| (y, 10 - x),
        |x, y| (10 - y, 10 - x),
    ];
    let mut board = board(&network, side, side);
    (0..40).for_each(|_| change(&mut board, &mut rng));
    let here = output(&mut inference, &board, Side::First);
    for symmetry in symmetries {
        let at = |cell: usize| {
            let (x, y) = symmetry(cell % side, cell / side);
            y * side + x
        };
        let mut transformed = self::board(&network, side, side);
        for (cell, stone) in stones_of(&board).into_iter().enumerate() {
            stone.into_iter().for_each(|stone| transformed.put(at(cell), stone));
        }
        let there = output(&mut inference, &transformed, Side::First);
        let policy_logits = (0..side * side).map(|cell| there.policy_logits[at(cell)]).collect();
        assert_close(&PositionOutput { policy_logits, ..there }, &here, "a symmetry");
    }
}

/// Swapping the colors and the side to move changes nothing.
#[test]
fn swapping_sides_changes_nothing() {
    let (network, mut rng, mut inference) = (random_network(4), seeded(4), Inference::default());
    let mut board = board(&network, 15, 15);
    (0..30).for_each(|_| change(&mut board, &mut rng));
    let mut swapped = self::board(&network, 15, 15);
    for (cell, stone) in stones_of(&board).into_iter().enumerate() {
        stone.into_iter().for_each(|side| swapped.put(cell, !side));
    }
    let here = output(&mut inference, &board, Side::First);
    assert_eq!(here, output(&mut inference, &swapped, Side::Second));
    assert_ne!(here, output(&mut inference, &board, Side::Second));
}

#[test]
fn a_synced_board_equals_a_fresh_one() {
    let (network, mut rng) = (random_network(5), seeded(5));
    let mut game = Mnk::<LineBoard>::new(MnkRules::new(12, 9, 5).unwrap());
    let mut synced = board_of(&network, &game);
    let mut copy = synced.clone();
    let start = game.clone();
    while game.outcome().is_none() {
        game.play(game.random_move(&mut rng));
        synced.sync_with(&game);
        let fresh = board_of(&network, &game);
        assert_eq!(stones_of(&synced), stones_of(&fresh));
        copy.clone_from(&synced);
        let (mut one, mut other) = (Inference::default(), Inference::default());
        let expected = output(&mut one, &copy, game.to_move());
        assert_eq!(expected, output(&mut other, &fresh, game.to_move()));
    }
    synced.sync_with(&start);
    assert!(stones_of(&synced).iter().all(Option::is_none));
}

#[test]
fn unsupported_boards_are_rejected() {
    let network = random_network(6);
    for (columns, rows) in [(0, 5), (21, 15), (15, 21)] {
        let error = NetworkBoard::new(network.clone(), columns, rows).unwrap_err().to_string();
        assert!(error.contains(&format!("{columns}x{rows}")), "{error}");
    }
}

#[test]
fn files_round_trip() {
    let weights = LineWeights::random_init(7).with_origin("by chance".to_string());
    let bytes = weights.to_bytes();
    assert!(bytes.len() < 400_000, "{}", bytes.len());
    assert_eq!(LineWeights::from_bytes(&bytes).unwrap(), weights);
    assert_eq!(LineWeights::random_init(7).parameters(), weights.parameters());
    assert_ne!(LineWeights::random_init(8).parameters(), weights.parameters());
}

#[test]
fn altered_files_are_rejected_in_one_line() {
    let bytes = LineWeights::random_init(7).to_bytes();
    let mut rng = seeded(7);
    for _ in 0..60 {
        let mut altered = bytes.clone();
        altered.truncate(word(&mut rng) as usize % bytes.len());
        let error = LineWeights::from_bytes(&altered).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
        let mut altered = bytes.clone();
        altered[word(&mut rng) as usize % bytes.len()] ^= 1 << below(&mut rng, 8);
        let error = LineWeights::from_bytes(&altered).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
    }
    let with = |header: &str, numbers: usize| {
        let sealed =
            tesuji_search::envelope::encode(LineWeights::MAGIC, header.as_bytes(), |body| {
                body.extend(std::iter::repeat_n(0, numbers));
            });
        LineWeights::from_bytes(&sealed).unwrap_err().to_string()
    };
    let good = r#"{"reach":5,"hidden":64,"width":32,"units":32,"made":""}"#;
    for (error, words) in [
        (with("x", 8), "header of the line network file"),
        (with(&good.replace("64", "65"), 8), "expected hidden 64"),
        (with(good, 8), "2 parameters"),
        (with(good, 7), "the last parameter is incomplete"),
    ] {
        assert!(error.contains(words), "{error}");
    }
    let mut numbers = vec![0.0; LineWeights::count()];
    assert!(LineWeights::new(numbers.clone()).is_ok());
    numbers[3] = f32::NAN;
    let error = LineWeights::new(numbers).unwrap_err().to_string();
    assert!(error.contains("parameter 3") && error.contains("-100 to 100"), "{error}");
}

fn random_positions(count: usize, seed: u64) -> Vec<dataset::PositionExample> {
    let mut rng = seeded(seed);
    let mut position = |n: usize| {
        let (columns, rows) = [(15, 15), (7, 9), (10, 10)][n % 3];
        let mut stones = vec![0; columns * rows];
        for n in 0..columns * rows / 5 {
            stones[below(&mut rng, (columns * rows) as u32) as usize] = 1 + (n % 2) as u8;
        }
        let empty: Vec<usize> = (0..stones.len()).filter(|&cell| stones[cell] == 0).collect();
        let best = empty[below(&mut rng, empty.len() as u32) as usize] as u16;
        let (chance, best) = (unit(&mut rng) as f32, (n % 4 != 3).then_some(best));
        dataset::PositionExample { columns, stones, chance, best }
    };
    (0..count).map(&mut position).collect()
}

fn batch_of(positions: &[dataset::PositionExample]) -> batch::Batch {
    let mut batch = batch::Batch::default();
    batch.fill(positions);
    batch
}

fn mean_loss(weights: &LineWeights, batch: &batch::Batch) -> f64 {
    let losses = backprop::Backprop::default().losses(weights, batch);
    (losses.value + losses.policy) / losses.positions as f64
}

#[test]
fn losses_equal_those_of_the_reference() {
    let (weights, positions) = (LineWeights::random_init(9), random_positions(8, 9));
    let (mut value, mut policy) = (0.0, 0.0);
    for dataset::PositionExample { columns, stones, chance, best } in &positions {
        let expected = reference::evaluate(&weights, *columns, stones);
        let (p, t) = (f64::from(expected.chance), f64::from(*chance));
        value -= t * p.ln() + (1.0 - t) * (1.0 - p).ln();
        if let Some(best) = best {
            let all = (0..stones.len()).filter(|&cell| stones[cell] == 0);
            let all: f64 = all.map(|cell| f64::from(expected.policy_logits[cell]).exp()).sum();
            policy += all.ln() - f64::from(expected.policy_logits[usize::from(*best)]);
        }
    }
    let found = backprop::Backprop::default().losses(&weights, &batch_of(&positions));
    assert_eq!((found.positions, found.moves), (8, 6));
    assert!((found.value - value).abs() < 1e-3 * value, "{} and {value}", found.value);
    assert!((found.policy - policy).abs() < 1e-3 * policy, "{} and {policy}", found.policy);
}

/// A small step along the gradient of a part changes the loss as the gradient predicts.
#[test]
fn gradients_predict_changes_of_the_loss() {
    let (weights, batch) = (LineWeights::random_init(10), batch_of(&random_positions(8, 10)));
    let mut gradient = Vec::new();
    backprop::Backprop::default().gradient(&weights, &batch, &mut gradient);
    for part in Part::ALL {
        let square: f64 = gradient[part.range()].iter().map(|&it| f64::from(it).powi(2)).sum();
        assert!(square > 0.0, "{part:?}");
        let step = 2e-3 / square;
        let at = |direction: f64| {
            let mut numbers = weights.parameters().to_vec();
            for place in part.range() {
                numbers[place] += (direction * step * f64::from(gradient[place])) as f32;
            }
            mean_loss(&LineWeights::new(numbers).unwrap(), &batch)
        };
        let change = (at(1.0) - at(-1.0)) / (2.0 * step * square);
        assert!((change - 1.0).abs() < 0.05, "{part:?}: {change} of the predicted change");
    }
}

#[test]
fn guide_policies_cover_legal_moves() {
    let network = random_network(11);
    let mut game = Mnk::<LineBoard>::new(MnkRules::new(15, 15, 5).unwrap());
    let (mut guide, mut rng) = (LineGuide::new(network.clone(), 15, 15).unwrap(), seeded(11));
    let (mut inference, mut moves) = (Inference::default(), Vec::new());
    for _ in 0..30 {
        moves.clear();
        let chance = guide.policy_and_value(&game, &mut moves);
        let board = board_of(&network, &game);
        assert_eq!(chance, inference.evaluate(&board, game.to_move()));
        assert!(moves.iter().all(|&(m, weight)| game.is_legal(m) && weight > 0.0));
        assert!((moves.iter().map(|it| it.1).sum::<f32>() - 1.0).abs() < 1e-4);
        let likeliest = moves.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
        let logit = inference.policy_logit(game.cell(likeliest));
        game.for_each_move(|m| assert!(inference.policy_logit(game.cell(m)) <= logit));
        game.play(game.random_move(&mut rng));
    }
}

#[test]
fn alpha_beta_searches_with_a_network() {
    let network = random_network(12);
    let start = Mnk::<LineBoard>::new(MnkRules::new(15, 15, 5).unwrap());
    let game = start.parse_line("h8h9i8i9j8j9").unwrap().end;
    let mut evaluator = LineEvaluator::new(network.clone(), (15, 15), 8).unwrap();
    evaluator.start(&game);
    let mut moves = Vec::new();
    evaluator.for_each_candidate(&game, |evaluator, m| moves.push((evaluator.order(&game, m), m)));
    assert_eq!(moves.len(), 8, "only those with the highest policy");
    let lowest = moves.iter().map(|candidate| candidate.0).min().unwrap();
    let better = (0..225).filter_map(|cell| game.move_to(cell));
    assert!(better.filter(|&m| evaluator.order(&game, m) > lowest).count() <= 8);
    // Playing and undoing a move restores the evaluation.
    let mut evaluated = EvaluatedPosition::new(game.clone(), evaluator.clone());
    let (m, before) = (moves[0].1, evaluated.evaluate());
    let undo = evaluated.play(m);
    assert_ne!(evaluated.evaluate(), before);
    evaluated.undo(m, undo);
    assert_eq!(evaluated.evaluate(), before);
    let mut engine = Engine::new(evaluator, EngineOptions::exact());
    let report = engine.search(&game, &Limits::depth(3), &mut |_| {});
    assert!(report.best.is_some_and(|m| game.is_legal(m)), "{report:?}");
    let options = LineSearchOptions { width: 8, ..LineSearchOptions::default() };
    let mut search = line_search(network, (15, 15), &options).unwrap();
    let found = search.search(&game, &Limits::depth(3), &mut |_| {});
    assert_eq!(found.score, report.score);
    // Four in a row: the search completes five regardless of the network's estimate.
    let won = start.parse_line("h8h9i8i9j8j9k8a1").unwrap().end;
    let found = search.search(&won, &Limits::depth(2), &mut |_| {});
    assert!(found.score.is_win() && found.best == won.winning_move().or(found.best), "{found:?}");
}

#[cfg(feature = "tensors")]
#[test]
fn tensor_gradients_equal_hand_written_ones() {
    let (weights, batch) = (LineWeights::random_init(13), batch_of(&random_positions(8, 13)));
    let (mut by_hand, mut by_tensors) = (Vec::new(), Vec::new());
    let hand = backprop::Backprop::default().gradient(&weights, &batch, &mut by_hand);
    let tensors = tensors::gradient(&weights, &batch, &mut by_tensors);
    assert_eq!((hand.positions, hand.moves, hand.found), (8, 6, tensors.found));
    assert!((hand.value - tensors.value).abs() < 1e-3, "{hand:?} {tensors:?}");
    assert!((hand.policy - tensors.policy).abs() < 1e-2, "{hand:?} {tensors:?}");
    for part in Part::ALL {
        let (hand, tensors) = (&by_hand[part.range()], &by_tensors[part.range()]);
        let largest = hand.iter().fold(0.0f32, |most, it| most.max(it.abs()));
        for (a, b) in hand.iter().zip(tensors) {
            assert!((a - b).abs() < 1e-3 * largest, "{part:?}: {a} and {b}");
        }
    }
}
