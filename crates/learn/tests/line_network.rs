//! Runs of line networks: they learn, they are reproducible, and they stop where training diverges.

use std::fs;
use std::sync::atomic::Ordering::Relaxed;

use tesuji_games::RowRule;
use tesuji_gomoku::engine::weights::WeightTables;
use tesuji_learn::gomoku::SelfPlayRecord;
use tesuji_learn::gomoku::record::DECIDED;
use tesuji_learn::gomoku::self_play::NodeLimitedEngine;
use tesuji_learn::line_network::LineWeights;
use tesuji_learn::line_network::games::{GAMES, play_out};
use tesuji_queue::Pool;
use tesuji_train::TrainEvent;

use crate::run::{self, results, train, train_by, train_until};

const RUN: &str = "
learner = 'line-network'
seed = 5
[games]
count = 12
nodes = 100
boards = [9, 11]
opening = [2, 4]
longest = 40
[learning]
passes = 3
batch = 16
rate = 0.01
held_out = 4
";

#[test]
fn diverging_training_stops_and_keeps_the_last_model() {
    let folder = tempfile::tempdir().unwrap();
    let stable = run::settings(RUN);
    train_by(&Pool::new(1), folder.path(), &stable, &mut |event, stop| {
        stop.fetch_or(matches!(event, TrainEvent::Step { .. }), Relaxed);
    })
    .unwrap();
    let good = results(folder.path(), &stable);
    let diverging = run::with(&stable, "learning.rate", 100.0);
    let error = train(folder.path(), &diverging).unwrap_err().to_string();
    assert!(error.contains("diverged in pass 2"), "{error}");
    assert!(error.contains("`learning.rate`") && !error.contains('\n'));
    assert_eq!(results(folder.path(), &stable), good);
    train(folder.path(), &stable).unwrap();
    let lines = run::metrics(folder.path());
    let loss = |line: usize| lines[line]["policy_learning"].as_f64().unwrap();
    assert!(loss(2) < loss(0), "the loss falls");
    LineWeights::from_bytes(&fs::read(folder.path().join("best.lines")).unwrap()).unwrap();
}

#[test]
fn damaged_files_of_a_run_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let settings = run::settings(RUN);
    train_until(folder.path(), &settings, 1).unwrap();
    fs::write(folder.path().join(GAMES), "{}\n").unwrap();
    let error = |settings| train(folder.path(), settings).unwrap_err().to_string();
    assert!(error(&settings).starts_with("games.jsonl"));
    fs::remove_file(folder.path().join(GAMES)).unwrap();
    let records = toml::Value::Array(vec!["/no/such/games.jsonl".into()]);
    let error = error(&run::with(&settings, "records", records));
    assert!(error.starts_with("/no/such/games.jsonl: "), "{error}");
}

/// A proved win is played until five are in a row, and its positions are part of the record.
#[test]
fn wins_are_played_out() {
    let record = SelfPlayRecord {
        game: 1,
        board: 15,
        opening: 5,
        moves: "h8h9i8i9j8".to_string(),
        best: "k8".to_string(),
        scores: vec![-DECIDED],
        result: 1,
    };
    let mut engine = NodeLimitedEngine::new(WeightTables::shipped(RowRule::AtLeast), 500);
    let out = play_out(&record, RowRule::AtLeast, &mut engine).unwrap();
    assert!(out.moves.starts_with("h8h9i8i9j8k8"), "{}", out.moves);
    assert!(out.scores.len() > 3 && out.moves.len() > 16, "{out:?}");
    let mut last = None;
    out.replay(RowRule::AtLeast, |analyzed| last = Some((analyzed.board.clone(), analyzed.best)))
        .unwrap();
    let (mut board, best) = last.unwrap();
    board.play(best);
    assert!(board.winner().is_some());
    // A finished game stays unchanged.
    assert_eq!(play_out(&out, RowRule::AtLeast, &mut engine).unwrap(), out);
}
