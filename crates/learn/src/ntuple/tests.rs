//! Tests of training: it improves, it is reproducible, and a resumed run has the same result.

use tesuji_games::random::{choose, seeded};
use tesuji_games::rules::tictactoe::TicTacToe;
use tesuji_games::{Playable, Position, RowPosition, Side};

use tesuji_train::LearnerSettings as _;

use super::learning::TupleTrainer;
use super::*;
use crate::blocks::BlockStats;
use crate::forest::{ForestEvaluation, contents_seen_by};

fn tictactoe(tactics: TacticsMode) -> TupleTrainer<TicTacToe> {
    let learning = TdSettings {
        games: 20_000,
        epsilon: 0.3,
        epsilon_end: 0.1,
        openings: 4,
        lambda: 0.8,
        tactics,
        radius: 0,
        ..TdSettings::default()
    };
    let patterns = PatternSettings { cells: vec![6, 8], count: 12, ..PatternSettings::default() };
    let (start, seed) = (TicTacToe::new(), 3);
    let grid = start.grid();
    let drawn = patterns.drawn(crate::forest::PatternShape::Walks, &grid, seed);
    TupleTrainer::new(start, seed, learning, patterns.spread_on(&grid), drawn)
}

/// The best move of the quantized network at one ply, with random tie-breaks.
fn network_move(
    network: &ForestEvaluation,
    position: &TicTacToe,
    rng: &mut tesuji_games::Rng,
) -> <TicTacToe as Position>::Move {
    let forcing = TicTacToe::tactics().unwrap();
    let mut moves = Vec::new();
    (forcing.push)(position, &mut moves);
    if let Some(&m) = moves.first() {
        return m;
    }
    let side = position.to_move();
    let value = |m| {
        let mut after = *position;
        after.play(m);
        let score = network.by_tables(&contents_seen_by(Side::First, &after), after.to_move());
        let score = if after.outcome().is_some() { 0 } else { score };
        if side == Side::First { score } else { -score }
    };
    position.push_moves(&mut moves);
    let best = moves.iter().map(|&m| value(m)).max().unwrap();
    moves.retain(|&m| value(m) == best);
    *choose(rng, &moves).unwrap()
}

#[test]
fn trained_weights_never_lose_to_random_moves() {
    let mut learner = tictactoe(TacticsMode::Forced);
    let first = learner.learn(500);
    learner.learn(19_000);
    let last = learner.learn(500);
    let error = BlockStats::mean_error;
    assert!(error(&last) < 0.6 * error(&first), "{} {}", error(&first), error(&last));

    let network = learner.network("tictactoe").unwrap();
    let network = ForestEvaluation::of_network(&network, &TicTacToe::new().grid()).unwrap();
    let (mut rng, mut lost, mut won) = (seeded(8), 0, 0);
    for game in 0..2_000 {
        let mut position = TicTacToe::new();
        let side = Side::ALL[game % 2];
        let end = loop {
            if let Some(end) = position.outcome() {
                break end;
            }
            let m = if position.to_move() == side {
                network_move(&network, &position, &mut rng)
            } else {
                position.random_move(&mut rng)
            };
            position.play(m);
        };
        won += usize::from(end.winner() == Some(side));
        lost += usize::from(end.winner() == Some(!side));
    }
    assert_eq!(lost, 0, "of 2000 games; {won} won");
    assert!(won > 1_600, "{won} of 2000");
}

#[test]
fn training_works_without_forced_moves() {
    let mut learner = tictactoe(TacticsMode::None);
    let first = learner.learn(500);
    learner.learn(9_000);
    let last = learner.learn(500);
    let error = BlockStats::mean_error;
    assert!(error(&last) < 0.7 * error(&first), "{} {}", error(&first), error(&last));
}

#[test]
fn a_resumed_trainer_is_bit_identical() {
    let mut uninterrupted = tictactoe(TacticsMode::Forced);
    uninterrupted.learn(300);
    let mut interrupted = tictactoe(TacticsMode::Forced);
    interrupted.learn(120);
    let mut resumed = tictactoe(TacticsMode::Forced);
    resumed.resume(interrupted.games, interrupted.weights, interrupted.coherence).unwrap();
    resumed.learn(180);
    assert_eq!(
        (&resumed.weights, &resumed.coherence),
        (&uninterrupted.weights, &uninterrupted.coherence)
    );
    assert_eq!(resumed.network("g").unwrap(), uninterrupted.network("g").unwrap());
}

#[test]
fn example_settings_are_valid_and_their_patterns_fit() {
    let patterns_on = |game: &str, patterns: PatternSettings| {
        let shape = match patterns.source().unwrap() {
            super::patterns::PatternSource::Drawn(shape) => shape,
            other => panic!("{other:?}"),
        };
        patterns.drawn(shape, &crate::row_games::grid(game).unwrap(), 1).len()
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/weights");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let settings = WeightLearnerSettings::from_toml(&text).unwrap();
        let (game, expected) = (settings.game.clone(), settings.patterns.count);
        let count = patterns_on(&game, settings.patterns);
        // On the smallest board there are only three distinct patterns of eight cells.
        assert!((expected / 2..=expected).contains(&count), "{count} in {}", path.display());
        files += 1;
    }
    assert_eq!(files, 4);
}
