//! Invariants of runs, for every learner: threads, machines and interruptions do not change a byte,
//! damage is reported, and a run of another learner or edition is rejected.

use std::fs;
use std::path::Path;

use tesuji_learn::LEARNERS;
use tesuji_queue::Pool;
use tesuji_train::{RunFolder, RunInfo, RunSettings, RunState, StopReason};

use crate::run::{loopback, metrics, results, settings, train, train_by, train_until, with};

/// A run of each learner that takes a few seconds.
fn small(learner: &str) -> RunSettings {
    let more = match learner {
        "forest" => {
            "game = 'tictactoe'\n[forest]\ntrees = 6\nattributes = 4\nmin_attributes = 2\n\
             window = 3\ngraded = true\nconfidence = 30\nmax_confidence = 60\n\
             tree_weights = 'evolved'\n[evolution]\npopulation = 3\nmutation = 0.4\n\
             adjustment = 0.5\ncrossover = 'graft'\nchampions = 2\ngames_per_individual = 8\n\
             fitness = 'both'\n[search]\ndepth = 1\nradius = 0\n[stop]\niterations = 4\n\
             [data]\nrandom = 20\nmixed = 20\nheuristic = 10\nnoise = 0.3\nopenings = 1\n\
             earlier = 2\n"
        }
        "weights" => {
            "game = 'tictactoe'\n[patterns]\nfrom = 'search'\ncount = 3\ncells = [4]\n\
             [patterns.search]\ntries = 3\ngames = 100\npractice = 50\n[learning]\ngames = 450\n\
             block = 100\n"
        }
        "critic" => {
            "game = 'mnk:9x9,k=5'\n[learning]\ngames = 60\nblock = 20\nbatch = 8\n\
             [opponents]\nearlier = 0.5\nalphabeta = 0.2\nevery = 10\n"
        }
        "line-network" => {
            "[games]\ncount = 12\nnodes = 100\nboards = [9, 11]\nopening = [2, 4]\nlongest = 40\n\
             [learning]\npasses = 3\nbatch = 16\nrate = 0.01\nheld_out = 4\n"
        }
        "gomoku-eval" => {
            "rule = 'renju'\nrounds = 2\n[games]\ncount = 12\nnodes = 150\nboards = [9, 11]\n\
             opening = [2, 5]\nlongest = 30\n[estimate.fit]\npasses = 3\n[order.fit]\npasses = 3\n"
        }
        _ => {
            "[games]\nlevels = [1, 2]\nblock = 70\npermutations = 2\n\
             players = ['random', 'greedy:slips=3', 'flat-ucb:sims=20,depth=2', \
             'belief:rollouts=20']\n[learning]\nblocks = 3\nbatch = 32\nfilters = 4\nunits = 8\n\
             [measure]\nevery = 3\ngames = 3\nsims = 20\ndepth = 2\n"
        }
    };
    settings(&format!("learner = '{learner}'\nseed = 5\n{more}"))
}

fn info(path: &Path) -> RunInfo {
    RunFolder::open(path).unwrap().info().unwrap()
}

#[test]
fn results_do_not_depend_on_threads_machines_or_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    for kind in LEARNERS {
        let settings = small(kind.name);
        let path = |name: &str| folder.path().join(kind.name).join(name);
        let uninterrupted = path("uninterrupted");
        let summary = train(&uninterrupted, &settings).unwrap();
        assert_eq!(
            (summary.ending, Some(summary.step)),
            (StopReason::Steps, settings.common.steps)
        );
        let expected = results(&uninterrupted, &settings);
        let steps: Vec<u64> =
            expected.1.iter().map(|line| line["step"].as_u64().unwrap()).collect();
        assert_eq!(steps, Vec::from_iter(1..=settings.common.steps.unwrap()), "{}", kind.name);
        assert_eq!(info(&uninterrupted).state, RunState::Finished);
        for chart in kind.charts.iter().filter(|chart| !["solved"].contains(&chart.file)) {
            let svg = uninterrupted.join(format!("plots/{}.svg", chart.file));
            assert!(fs::read_to_string(svg).unwrap().starts_with("<svg"), "{}", chart.file);
        }
        // A finished run does not continue.
        train(&uninterrupted, &settings).unwrap();
        assert_eq!(results(&uninterrupted, &settings), expected, "{}", kind.name);

        train_by(&loopback(), &path("remote"), &settings, &mut |_, _| {}).unwrap();
        assert_eq!(results(&path("remote"), &settings), expected, "{} remote", kind.name);

        let other = with(&settings, "seed", 6);
        train(&path("seed"), &other).unwrap();
        assert_ne!(results(&path("seed"), &other).0, expected.0, "{}", kind.name);

        let threads = match settings.common.threads {
            Some(_) => with(&settings, "threads", 3),
            None => settings.clone(),
        };
        let (interrupted, mut interruptions) = (path("interrupted"), 0);
        while train_until(&interrupted, &threads, 3 + interruptions % 5).unwrap().ending
            == StopReason::Interrupted
        {
            assert_eq!(info(&interrupted).state, RunState::Interrupted);
            // Simulates a crash between the metrics and the checkpoint, or in the middle of a line.
            let file = interrupted.join("metrics.jsonl");
            let text = fs::read_to_string(&file).unwrap_or_default();
            let next = text.lines().count() + 1;
            fs::write(&file, format!("{text}{{\"step\":{next},\"seconds\":1}}\n{{\"st")).unwrap();
            interruptions += 1;
            assert!(interruptions < 200, "{}: it makes no progress", kind.name);
        }
        assert!(interruptions > 0, "{}", kind.name);
        assert_eq!(results(&interrupted, &settings), expected, "{} stopped", kind.name);
    }
}

#[test]
fn damaged_checkpoints_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    for kind in LEARNERS {
        let (settings, path) = (small(kind.name), folder.path().join(kind.name));
        let one_step = Some(1);
        train_steps(&path, &settings, one_step);
        let (file, model) =
            (path.join("checkpoint"), path.join(format!("best.{}", kind.extension)));
        let (good, before) = (fs::read(&file).unwrap(), fs::read(&model).unwrap());
        let mut bytes = good.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, bytes).unwrap();
        let error = train(&path, &settings).unwrap_err().to_string();
        assert_eq!(error, "checkpoint: damaged: checksum mismatch", "{}", kind.name);
        let info = info(&path);
        assert_eq!((info.state, info.why), (RunState::Failed, Some(error)));
        assert_eq!(fs::read(&model).unwrap(), before);
        fs::write(&file, good).unwrap();
        train(&path, &settings).unwrap();
        assert_eq!(metrics(&path).len() as u64, settings.common.steps.unwrap());
    }
    let error = train(&folder.path().join("critic"), &small("weights")).unwrap_err().to_string();
    assert_eq!(error, "the run belongs to the learner critic; expected weights");
}

fn train_steps(path: &std::path::Path, settings: &RunSettings, steps: Option<u64>) {
    let mut done = 0;
    train_by(&Pool::new(1), path, settings, &mut |event, stop| {
        if let tesuji_train::TrainEvent::Step { row, .. } = event {
            done = row.step;
        }
        stop.store(Some(done) == steps, std::sync::atomic::Ordering::Relaxed);
    })
    .unwrap();
}
