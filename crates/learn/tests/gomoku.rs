//! The tuner of the Gomoku engine: it recovers known parameters, and a run is reproducible.

use std::fs;
use std::path::Path;

use tesuji_games::RowRule;
use tesuji_games::random::{Rng, below, choose, seeded, unit};
use tesuji_gomoku::engine::evaluation::{estimate, sums_of};
use tesuji_gomoku::engine::weights::{
    COMBINATIONS, EngineWeights, SCALE, WeightTables, patterns_of_combinations,
};
use tesuji_gomoku::{Board, Cell, LinePattern};
use tesuji_learn::gomoku::EngineTunerSettings;
use tesuji_learn::gomoku::examples::{EstimateExamples, ExampleExtractor, OrderExamples};
use tesuji_learn::gomoku::fit::{FitSettings, GaussianPrior, Objective, SharedShifts, fit};
use tesuji_learn::gomoku::parameters::{MOVE_SCORE_SCALE, ParameterLayout};
use tesuji_learn::gomoku::record::AnalyzedPosition;
use tesuji_train::LearnerSettings as _;

/// Parameters far from the handcrafted ones.
fn distorted_weights(rule: RowRule) -> EngineWeights {
    let mut weights = EngineWeights::handcrafted(rule);
    let mut rng = seeded(5);
    for side in &mut weights.sides {
        let mut noise = |width: u32| below(&mut rng, 2 * width + 1) as i16 - width as i16;
        side.worth.iter_mut().skip(1).for_each(|number| *number += noise(16));
        side.threats.iter_mut().for_each(|number| *number += noise(100));
        side.attack.iter_mut().for_each(|number| *number += noise(90));
        side.defense.iter_mut().for_each(|number| *number += noise(90));
    }
    if !EngineWeights::sides_differ(rule) {
        weights.sides[1] = weights.sides[0].clone();
    }
    weights
}

/// The moves of the side to move, with their scores.
fn scored_moves(weights: &WeightTables, board: &Board) -> Vec<(Cell, f64)> {
    let own = board.to_move();
    let mut moves = Vec::new();
    board.candidates().for_each(|cell| {
        if !board.is_forbidden(own, cell) {
            let score = weights.move_score(own, board.code(own, cell), board.code(!own, cell));
            moves.push((cell, f64::from(score) / f64::from(MOVE_SCORE_SCALE)));
        }
    });
    moves
}

/// Draws one of them by the softmax of scores.
fn drawn(rng: &mut Rng, moves: &[(Cell, f64)]) -> Option<Cell> {
    let max = moves.iter().map(|m| m.1).fold(f64::MIN, f64::max);
    let mut left = unit(rng) * moves.iter().map(|m| (m.1 - max).exp()).sum::<f64>();
    moves
        .iter()
        .find(|m| {
            left -= (m.1 - max).exp();
            left <= 0.0
        })
        .map(|m| m.0)
}

/// Examples from games with many random moves, labeled by the weights.
fn examples(
    rule: RowRule,
    weights: &WeightTables,
    games: std::ops::Range<u64>,
) -> (EstimateExamples, OrderExamples) {
    let mut extractor = ExampleExtractor::new(ParameterLayout::new(rule), 0.0);
    let (mut estimates, mut orders) = (EstimateExamples::default(), OrderExamples::default());
    for game in games {
        let mut rng = seeded(1000 + game);
        let mut board = Board::new(rule, 15, 15).unwrap();
        board.play(Cell::new(7, 7));
        while board.winner().is_none() && board.stones() < 60 {
            let moves = scored_moves(weights, &board);
            let Some(best) = drawn(&mut rng, &moves) else { break };
            let score = estimate(weights, &board, sums_of(weights, &board));
            let analyzed = AnalyzedPosition { board: &mut board, best, score, result: 0 };
            extractor.extract(analyzed, &mut estimates, &mut orders);
            let random = choose(&mut rng, &moves).map_or(best, |m| m.0);
            board.play(if below(&mut rng, 3) == 0 { best } else { random });
        }
    }
    (estimates, orders)
}

#[test]
fn known_parameters_are_recovered() {
    for rule in [RowRule::AtLeast, RowRule::Renju] {
        let (layout, truth, by_hand) =
            (ParameterLayout::new(rule), distorted_weights(rule), EngineWeights::handcrafted(rule));
        let weights = WeightTables::new(&truth);
        let (estimates, orders) = examples(rule, &weights, 0..400);
        let (held_estimates, held_orders) = examples(rule, &weights, 400..440);
        let settings = FitSettings { passes: 12, patience: 4, batch: 256, rate: 0.01 };
        let mean = layout.estimate_of(&by_hand);
        let std_dev = vec![50.0 / SCALE as f32; mean.len()];
        let prior =
            GaussianPrior { mean, std_dev, shared: SharedShifts::default(), shared_std_dev: 0.0 };
        let found = fit(&estimates, &held_estimates, &prior, &settings, 1);
        let best = held_estimates.mean_loss(&layout.estimate_of(&truth));
        assert!(found.before - best > 0.02, "{rule}: {} is too easy", found.before);
        let left = (found.after - best) / (found.before - best);
        assert!(left < 0.1, "{rule}: {} of {} to {best}", found.after, found.before);
        let moved = |n: usize| found.parameters[n] != prior.mean[n];
        let unseen = (0..prior.mean.len()).filter(|&n| !moved(n)).count();
        assert!(
            unseen > prior.mean.len() / 4,
            "{rule}: parameters without examples stay unchanged"
        );

        let mean = layout.order_of(&by_hand);
        let std_dev = vec![1.0; mean.len()];
        let shared = layout.shared_in_order();
        let prior = GaussianPrior { mean, std_dev, shared, shared_std_dev: 1.0 };
        let settings = FitSettings { rate: 0.03, ..settings };
        let found = fit(&orders, &held_orders, &prior, &settings, 2);
        let best = held_orders.mean_loss(&layout.order_of(&truth));
        let left = (found.after - best) / (found.before - best);
        assert!(found.before - best > 0.1, "{rule}: {} is too easy", found.before);
        assert!(left < 0.4, "{rule}: {} of {} to {best}", found.after, found.before);
    }
}

/// If all cells with a pattern get a higher value, combinations without examples follow.
#[test]
fn shared_terms_generalize() {
    let (rule, shift) = (RowRule::AtLeast, 15);
    let (layout, by_hand) = (ParameterLayout::new(rule), EngineWeights::handcrafted(rule));
    let mut truth = by_hand.clone();
    let combinations = patterns_of_combinations();
    let has_four = |combination: usize| {
        combinations[combination].iter().filter(|&&it| it == LinePattern::Four).count()
    };
    for side in &mut truth.sides {
        (0..COMBINATIONS).for_each(|combination| {
            side.worth[combination] += shift * has_four(combination) as i16
        });
    }
    let (estimates, _) = examples(rule, &WeightTables::new(&truth), 0..150);
    let (held_out, _) = examples(rule, &WeightTables::new(&truth), 150..170);
    let mean = layout.estimate_of(&by_hand);
    let std_dev = vec![1.0 / SCALE as f32; mean.len()];
    let shared = layout.shared_in_estimate();
    let prior = GaussianPrior { mean, std_dev, shared, shared_std_dev: 1.0 };
    let settings = FitSettings { passes: 30, patience: 4, batch: 256, rate: 0.002 };
    let found = fit(&estimates, &held_out, &prior, &settings, 1);
    let found = layout.engine_weights(&found.parameters, &layout.order_of(&by_hand));
    // The examples do not determine how the shift splits between fours and classes that contain
    // them, only that combinations with a four get a higher value.
    let moved = |fours: usize| {
        let members: Vec<usize> =
            (0..COMBINATIONS).filter(|&combination| has_four(combination) == fours).collect();
        let by = |&combination: &usize| {
            found.sides[0].worth[combination] - by_hand.sides[0].worth[combination]
        };
        members.iter().map(by).map(f64::from).sum::<f64>() / members.len() as f64
    };
    let (with, without) = (moved(1), moved(0));
    assert!(with > 0.5 * f64::from(shift) && without.abs() < 0.25 * with, "{with}, {without}");
    assert_eq!(found.sides[0].worth[0], 0, "zero stays zero");
}

#[test]
fn damaged_games_of_a_run_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let text = "learner = 'gomoku-eval'\nrounds = 1\n[games]\ncount = 4\nnodes = 50\n\
        boards = [9]\nopening = [2, 5]\nlongest = 20";
    let settings = crate::run::settings(text);
    crate::run::train_until(folder.path(), &settings, 1).unwrap();
    let games = folder.path().join("games-1.jsonl");
    fs::write(&games, "{}\n").unwrap();
    let error = crate::run::train(folder.path(), &settings).unwrap_err().to_string();
    assert!(error.starts_with("games-1.jsonl"), "{error}");
    fs::remove_file(&games).unwrap();
    crate::run::train(folder.path(), &settings).unwrap();
}

/// The example and the settings of shipped models are valid, and use the rule that they are named
/// after.
#[test]
fn shipped_settings_are_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let models = RowRule::ALL.map(|rule| (root.join(format!("models/gomoku-{rule}.toml")), rule));
    let example = (root.join("examples/gomoku-eval/freestyle.toml"), RowRule::AtLeast);
    for (path, rule) in models.into_iter().chain([example]) {
        let settings = EngineTunerSettings::from_toml(&fs::read_to_string(&path).unwrap());
        assert_eq!(settings.and_then(|settings| settings.rule()), Ok(rule), "{path:?}");
    }
}
