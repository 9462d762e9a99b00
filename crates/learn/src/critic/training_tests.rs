//! Laws of runs that teach a critic: neither threads nor interruptions change a bit, what diverges is noticed and can
//! be carried on with, and something is learned.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tesuji_queue::rehearsal::Elsewhere;
use tesuji_queue::{Pool, Tasks, WorkQueue};

use super::measure::Standing;
use super::settings::{CriticSettings, Explore, Positions, Sides, Strays, Target};
use super::*;
use crate::evolution::run_folder::{Given, RunFolder, RunName};
use crate::network::Network;

fn settings(game: &str, games: u64) -> CriticSettings {
    let mut settings = CriticSettings { game: game.to_string(), ..CriticSettings::default() };
    (settings.learning.games, settings.learning.batch) = (games, 8);
    (settings.measure.block, settings.measure.every) = (20, 0);
    settings.opponents.every = 10;
    settings
}

fn begin(path: &Path, settings: &CriticSettings) -> RunFolder {
    let given = Given { form: "toml", text: settings.to_toml() };
    let name = RunName { id: "x".to_string(), started_at: 1 };
    RunFolder::create(path, &given, &settings.to_toml(), &name).unwrap()
}

/// The bytes of what a whole run leaves.
fn taught(settings: &CriticSettings) -> Vec<u8> {
    taught_by(&Pool::new(settings.threads), settings).0
}

/// The same with what was measured.
fn taught_by(
    queue: &dyn WorkQueue,
    settings: &CriticSettings,
) -> (Vec<u8>, Vec<[Option<Standing>; 3]>) {
    let place = tempfile::tempdir().unwrap();
    let folder = begin(place.path(), settings);
    let network = teach(settings, &folder, queue, &Arc::default(), &mut |_| {}).unwrap();
    let kept = fs::read(place.path().join(NETWORK)).unwrap();
    assert_eq!(Network::from_bytes(&kept).unwrap(), network);
    let lines: Vec<BlockMetrics> = folder.metrics(|_| true).unwrap();
    let measured = lines.iter().map(|line| [line.heuristic, line.alphabeta, line.playouts]);
    (kept, measured.collect())
}

#[test]
fn other_machines_teach_the_same() {
    let elsewhere = Elsewhere::new(Tasks::new(crate::tasks()));
    for game in ["mnk:9x9,k=5", "connect4"] {
        let mut settings = settings(game, 40);
        settings.opponents.earlier = 0.5;
        (settings.measure.every, settings.measure.games) = (2, 4);
        if game != "connect4" {
            settings.opponents.alphabeta = 0.2;
            settings.measure.playouts = 2;
        }
        let here = taught_by(&Pool::new(1), &settings);
        assert_eq!(taught_by(&elsewhere, &settings), here, "{game}");
        let [_, last] = here.1[..] else { panic!("two blocks") };
        assert_eq!(
            last.map(|standing| standing.is_some()),
            [true, game != "connect4", game != "connect4"]
        );
    }
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let mut settings = settings("mnk:9x9,k=5", 60);
    settings.opponents.earlier = 0.5;
    settings.opponents.alphabeta = 0.2;
    let whole = taught(&settings);
    settings.threads = 3;
    assert_eq!(taught(&settings), whole);
    settings.seed = 2;
    assert_ne!(taught(&settings), whole);
    settings.seed = 1;
    // Stopped again and again, wherever it is.
    let place = tempfile::tempdir().unwrap();
    let folder = begin(place.path(), &settings);
    for batches in [2, 3, 4, 5, 100] {
        let (stop, mut left) = (Arc::new(AtomicBool::new(false)), batches);
        teach(&settings, &folder, &Pool::new(settings.threads), &stop, &mut |_| {
            left -= 1;
            stop.store(left == 0, Relaxed);
        })
        .unwrap();
    }
    assert_eq!(fs::read(place.path().join(NETWORK)).unwrap(), whole);
    let lines: Vec<BlockMetrics> = folder.metrics(|_| true).unwrap();
    assert_eq!(lines.iter().map(|line| line.games).collect::<Vec<_>>(), [20, 40, 60]);
}

#[test]
fn every_way_to_learn_works_on_every_kind_of_game() {
    for game in ["tictactoe", "connect4", "mnk:7x6,k=4", "connect6:9x9"] {
        for (target, explore) in
            [(Target::Next, Explore::Greedy), (Target::Reply, Explore::Softmax)]
        {
            let mut settings = settings(game, 12);
            (settings.learning.target, settings.play.explore) = (target, explore);
            settings.learning.width = 2;
            (settings.learning.sides, settings.learning.strays) = (Sides::Played, Strays::Follow);
            settings.learning.positions = Positions::Quiet;
            (settings.measure.every, settings.measure.games) = (1, 2);
            let network = Network::from_bytes(&taught(&settings)).unwrap();
            assert!(Critic::new(network).is_ok(), "{game}");
        }
    }
}

#[test]
fn what_diverges_is_noticed_and_can_be_carried_on_with() {
    let place = tempfile::tempdir().unwrap();
    let mut settings = settings("mnk:9x9,k=5", 60);
    let folder = begin(place.path(), &settings);
    let stop = Arc::new(AtomicBool::new(false));
    let observer = &mut |now: &TeachProgress<'_>| stop.store(now.games == 20, Relaxed);
    teach(&settings, &folder, &Pool::new(settings.threads), &stop, observer).unwrap();
    let good = fs::read(place.path().join(CHECKPOINT)).unwrap();
    // From the first block on, the steps are far too large.
    let sane = settings.clone();
    (settings.learning.rate, settings.learning.rate_end) = (1e3, 1e3);
    settings.learning.largest = 20.0;
    let error =
        teach(&settings, &folder, &Pool::new(settings.threads), &Arc::default(), &mut |_| {})
            .unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, TeachError::Diverged { kept: 20, .. }), "{text}");
    for words in ["diverged after 2", "the most is 20", "the checkpoint of 20 games is kept"] {
        assert!(text.contains(words) && !text.contains('\n'), "{words}: {text}");
    }
    assert!(text.contains("lower `learning.rate` (now 1000"), "{text}");
    assert_eq!(fs::read(place.path().join(CHECKPOINT)).unwrap(), good);
    // Large weights alone need not be an end, but these leave no slope.
    settings.learning.largest = 1e6;
    let error =
        teach(&settings, &folder, &Pool::new(settings.threads), &Arc::default(), &mut |_| {})
            .unwrap_err();
    assert!(error.to_string().contains("every answer is 0 or 1"), "{error}");
    assert_eq!(fs::read(place.path().join(CHECKPOINT)).unwrap(), good);
    assert_eq!(sane.clone().with_freedoms_of(&settings), settings, "a rate may change");
    teach(&sane, &folder, &Pool::new(1), &Arc::default(), &mut |_| {}).unwrap();
    assert_eq!(fs::read(place.path().join(NETWORK)).unwrap(), taught(&sane));
}

#[test]
fn games_that_cannot_be_learned_are_refused() {
    let complaint = |settings: &CriticSettings| check_game(settings).unwrap_err().to_string();
    assert!(complaint(&settings("othello", 1)).contains("it needs a game of stones in a row"));
    assert!(complaint(&settings("mnk:10x10,k=9", 1)).contains("rows of 3 to 8"));
    assert!(complaint(&settings("gomku", 1)).contains("did you mean 'gomoku'"));
    let mut with_agent = settings("tictactoe", 1);
    with_agent.opponents.alphabeta = 0.5;
    assert!(complaint(&with_agent).contains("`opponents.alphabeta` is for five in a row"));
    assert!(check_game(&settings("gomoku", 1)).is_ok());
}

#[test]
fn a_damaged_checkpoint_is_said_to_be_one() {
    let place = tempfile::tempdir().unwrap();
    let settings = settings("tictactoe", 10);
    let folder = begin(place.path(), &settings);
    folder.replace(CHECKPOINT, b"tesuji-k").unwrap();
    let error =
        teach(&settings, &folder, &Pool::new(settings.threads), &Arc::default(), &mut |_| {})
            .unwrap_err();
    assert!(error.to_string().starts_with("checkpoint.critic: it is damaged"), "{error}");
}

/// A few seconds of learning suffice to beat the game's own estimate.
#[test]
fn a_critic_learns_to_play() {
    let mut settings = settings("mnk:10x10,k=5", 400);
    (settings.learning.rate, settings.learning.rate_end) = (0.5, 0.05);
    (settings.measure.block, settings.measure.every, settings.measure.games) = (400, 1, 60);
    let place = tempfile::tempdir().unwrap();
    let folder = begin(place.path(), &settings);
    teach(&settings, &folder, &Pool::new(settings.threads), &Arc::default(), &mut |_| {}).unwrap();
    let line = folder.metrics::<BlockMetrics>(|_| true).unwrap().remove(0);
    let standing = line.heuristic.unwrap();
    assert!(standing.share() > 0.6, "{standing}");
    assert!(fs::read_to_string(place.path().join("plots/strength.svg")).unwrap().contains("<svg"));
    assert!(line.alphabeta.is_some() && line.playouts.is_none());
}
