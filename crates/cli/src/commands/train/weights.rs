//! `learner = "weights"`: a weight for everything that patterns can see, by self-play.

use std::path::Path;
use std::sync::atomic::Ordering;

use tesuji_learn::ntuple::{
    BlockMetrics, TrainWeightsError, WEIGHTS, WeightSettings, train_weights,
};
use tesuji_learn::stones;

use super::reached::Reached;
use super::{Plan, Train, stop_sign};
use crate::failure::Failure;
use crate::progress::Progress;

/// Learns weights as the plan says. An iteration is a block of games; to stop earlier than the
/// file says changes nothing about those before.
pub(super) fn learn(verb: &Train, plan: Plan, settings: WeightSettings) -> Result<(), Failure> {
    if verb.threads.is_some() {
        let what = "--threads: the learner weights uses one thread; expected no --threads";
        return Err(Failure::in_file(&plan.source, what));
    }
    stones::grid(&settings.game).map_err(|error| Failure::in_file(&plan.source, error))?;
    let folder = plan.open_folder()?;
    let asked = verb.iterations.unwrap_or(u64::MAX).saturating_mul(settings.measure.block);
    let of = settings.learning.games.min(asked);
    let progress = Progress::new(Some(of), "games");
    let (stop, mut last) = (stop_sign()?, None);
    let earlier: Vec<BlockMetrics> = folder.metrics(|_| true)?;
    stop.fetch_or(earlier.last().is_some_and(|last| last.games >= of), Ordering::Relaxed);
    let trained = train_weights(&settings, &folder, &stop, &mut |now| {
        progress.show(now.games, || now.last.line());
        last = Some(now.last.clone());
        stop.fetch_or(now.games >= of, Ordering::Relaxed);
    });
    drop(progress);
    trained.map_err(|error| failure(&plan.source, error))?;
    let last = last.as_ref().or(earlier.last());
    let done = last.map_or(0, |last| last.games);
    let last = last.map(|last| (last, last.line()));
    Reached { unit: "games", done, of, last, result: ("weights", WEIGHTS) }.tell(verb, &plan)
}

fn failure(source: &Path, error: TrainWeightsError) -> Failure {
    match error {
        TrainWeightsError::Folder(error) => error.into(),
        TrainWeightsError::Checkpoint(_) | TrainWeightsError::Weights(_) => {
            Failure::Undone(error.to_string())
        }
        _ => Failure::in_file(source, error),
    }
}
