//! `learner = "gomoku-eval"`: the numbers of the Gomoku engine.

use std::path::Path;
use std::sync::atomic::Ordering;

use tesuji_learn::gomoku::{RoundMetrics, TuneError, TuneSettings, WEIGHTS, tune};

use super::reached::Reached;
use super::{Plan, Train, stop_sign};
use crate::failure::Failure;
use crate::progress::Progress;

/// Tunes the engine as the plan says. An iteration is a round; to stop earlier than the file says changes nothing about
/// those before.
pub(super) fn learn(verb: &Train, plan: Plan, mut settings: TuneSettings) -> Result<(), Failure> {
    settings.threads = verb.threads.map_or(settings.threads, usize::from);
    settings.rounds = settings.rounds.min(verb.iterations.unwrap_or(u64::MAX));
    let queue = verb.queue(settings.threads)?;
    let folder = plan.open_folder()?;
    let of = settings.rounds;
    let progress = Progress::new(Some(of * settings.games.count), "games");
    let stop = stop_sign()?;
    let earlier: Vec<RoundMetrics> = folder.metrics(|_| true)?;
    stop.fetch_or(earlier.len() as u64 >= of, Ordering::Relaxed);
    let mut last = earlier.last().cloned();
    let tuned = tune(&settings, &folder, &*queue, &stop, &mut |now| {
        progress.show(now.rounds * now.of + now.games, || {
            now.last.map_or_else(|| "round 1".to_string(), RoundMetrics::line)
        });
        last = now.last.cloned();
    });
    drop(progress);
    tuned.map_err(|error| failure(&plan.source, error))?;
    let done = last.as_ref().map_or(0, |last| last.round);
    let last = last.as_ref().map(|last| (last, last.line()));
    Reached { unit: "rounds", done, of, last, result: ("weights", WEIGHTS) }.tell(verb, &plan)
}

fn failure(source: &Path, error: TuneError) -> Failure {
    match error {
        TuneError::Folder(error) => error.into(),
        TuneError::Settings(_) => Failure::in_file(source, error),
        _ => Failure::Undone(error.to_string()),
    }
}
