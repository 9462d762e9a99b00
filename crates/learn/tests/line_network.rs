//! Runs that teach line networks: they learn something, come to the same bytes whatever happens, and stop where learning
//! goes astray.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tesuji_games::RowRule;
use tesuji_gomoku::engine::weights::Weights;
use tesuji_learn::evolution::{Given, RunFolder, RunName};
use tesuji_learn::gomoku::GameRecord;
use tesuji_learn::gomoku::record::DECIDED;
use tesuji_learn::gomoku::self_play::NodeLimited;
use tesuji_learn::line_network::games::{GAMES, played_out};
use tesuji_learn::line_network::training::{CHECKPOINT, NETWORK};
use tesuji_learn::line_network::{LineSettings, LineWeights, PassMetrics, teach};
use tesuji_queue::rehearsal::Elsewhere;
use tesuji_queue::{Pool, Tasks};

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

fn begin(path: &Path, settings: &LineSettings) -> RunFolder {
    let given = Given { form: "toml", text: settings.to_toml() };
    let name = RunName { id: "test".to_string(), started_at: 0 };
    RunFolder::create(path, &given, &settings.to_toml(), &name).unwrap()
}

/// The network, the checkpoint and the metrics without the time that they took.
fn results(path: &Path) -> (Vec<u8>, Vec<u8>, Vec<PassMetrics>) {
    let text = fs::read_to_string(path.join("metrics.jsonl")).unwrap();
    let without_time = |line| PassMetrics { seconds: 0.0, ..serde_json::from_str(line).unwrap() };
    let read = |file: &str| fs::read(path.join(file)).unwrap();
    (read(NETWORK), read(CHECKPOINT), text.lines().map(without_time).collect())
}

#[test]
fn a_run_that_is_stopped_again_and_again_comes_to_the_same_network() {
    let place = tempfile::tempdir().unwrap();
    let (calm, stormy) = (place.path().join("calm"), place.path().join("stormy"));
    let settings = LineSettings::from_toml(RUN).unwrap();
    let never = Arc::new(AtomicBool::new(false));
    let pool = Pool::new(settings.threads);
    let taught = teach(&settings, &begin(&calm, &settings), &pool, &never, &mut |_| {}).unwrap();
    let expected = results(&calm);
    assert_eq!(LineWeights::from_bytes(&expected.0).unwrap(), taught);
    assert_eq!(expected.2.iter().map(|line| line.passes).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(expected.2[2].policy_learning < expected.2[0].policy_learning, "it learns");
    assert!(calm.join("plots/policy.svg").exists());

    let queue = Elsewhere::new(Tasks::new(tesuji_learn::tasks()));
    let elsewhere = place.path().join("elsewhere");
    teach(&settings, &begin(&elsewhere, &settings), &queue, &never, &mut |_| {}).unwrap();
    assert_eq!(results(&elsewhere), expected);

    // Other threads, stopped after two games or one pass each time, with a line that was cut off.
    let settings = LineSettings { threads: 3, ..settings };
    drop(begin(&stormy, &settings));
    for _ in 0..12 {
        let (stop, mut steps) = (Arc::new(AtomicBool::new(false)), 0);
        let folder = RunFolder::open(&stormy).unwrap();
        teach(&settings, &folder, &Pool::new(3), &stop, &mut |now| {
            steps += 1;
            stop.store(steps >= 2 || now.passes > 0, Relaxed);
        })
        .unwrap();
        let file = stormy.join(GAMES);
        let half = [fs::read(&file).unwrap(), b"{\"game\":1,\"bo".to_vec()].concat();
        fs::write(&file, half).unwrap();
        drop(folder);
    }
    assert_eq!(results(&stormy), expected);
}

#[test]
fn learning_that_goes_astray_stops_and_keeps_what_was_learned() {
    let place = tempfile::tempdir().unwrap();
    let calm = LineSettings::from_toml(RUN).unwrap();
    let folder = begin(place.path(), &calm);
    let (stop, mut passes) = (Arc::new(AtomicBool::new(false)), 0);
    teach(&calm, &folder, &Pool::new(1), &stop, &mut |now| {
        passes = now.passes;
        stop.store(now.passes > 0, Relaxed);
    })
    .unwrap();
    assert_eq!(passes, 1);
    let good = results(place.path());
    let mut wild = calm.clone();
    wild.learning.rate = 100.0;
    let error = teach(&wild, &folder, &Pool::new(1), &Arc::default(), &mut |_| {}).unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("learning went astray in pass 2: "), "{error}");
    assert!(error.ends_with("expected a smaller `learning.rate`") && !error.contains('\n'));
    assert_eq!(results(place.path()), good);
}

#[test]
fn damaged_files_in_a_run_are_named() {
    let place = tempfile::tempdir().unwrap();
    let settings = LineSettings::from_toml(RUN).unwrap();
    let folder = begin(place.path(), &settings);
    let run = |settings: &LineSettings| {
        let taught = teach(settings, &folder, &Pool::new(1), &Arc::default(), &mut |_| {});
        taught.unwrap_err().to_string()
    };
    fs::write(place.path().join(GAMES), "{}\n").unwrap();
    assert!(run(&settings).contains("games.jsonl: no record of a game"));
    fs::remove_file(place.path().join(GAMES)).unwrap();
    fs::write(place.path().join(CHECKPOINT), "nonsense").unwrap();
    assert!(run(&settings).contains("checkpoint.lines: not the file of a line network"));
    fs::remove_file(place.path().join(CHECKPOINT)).unwrap();
    let records = vec!["/no/such/games.jsonl".to_string()];
    let error = run(&LineSettings { records, ..settings });
    assert!(error.starts_with("/no/such/games.jsonl: "), "{error}");
}

/// A proved win is played until five stand in a row, and its positions are part of the record.
#[test]
fn wins_are_played_out() {
    let record = GameRecord {
        game: 1,
        board: 15,
        opening: 5,
        moves: "h8h9i8i9j8".to_string(),
        best: "k8".to_string(),
        scores: vec![-DECIDED],
        result: 1,
    };
    let mut engine = NodeLimited::new(Weights::shipped(RowRule::AtLeast), 500);
    let out = played_out(&record, RowRule::AtLeast, &mut engine).unwrap();
    assert!(out.moves.starts_with("h8h9i8i9j8k8"), "{}", out.moves);
    assert!(out.scores.len() > 3 && out.moves.len() > 16, "{out:?}");
    let mut last = None;
    out.replay(RowRule::AtLeast, |thought| last = Some((thought.board.clone(), thought.best)))
        .unwrap();
    let (mut board, best) = last.unwrap();
    board.play(best);
    assert!(board.winner().is_some());
    // What is over stays as it is.
    assert_eq!(played_out(&out, RowRule::AtLeast, &mut engine).unwrap(), out);
}
