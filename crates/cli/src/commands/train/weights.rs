//! `learner = "weights"`: a weight for everything that patterns can see, by self-play.

use std::path::Path;

use tesuji_learn::ntuple::{
    BlockMetrics, TrainWeightsError, WEIGHTS, WeightSettings, train_weights,
};
use tesuji_learn::stones;

use super::reached::Reached;
use super::{Plan, Train, stop_sign};
use crate::failure::Failure;
use crate::progress::Progress;

/// Learns weights as the plan says.
pub(super) fn learn(verb: &Train, plan: Plan, settings: WeightSettings) -> Result<(), Failure> {
    for (given, option) in
        [(verb.iterations.is_some(), "--iterations"), (verb.threads.is_some(), "--threads")]
    {
        if given {
            let what = format!("{option} is for forests; set `learning.games` in the file instead");
            return Err(Failure::in_file(&plan.source, what));
        }
    }
    stones::grid(&settings.game).map_err(|error| Failure::in_file(&plan.source, error))?;
    let folder = plan.open_folder()?;
    let of = settings.learning.games;
    let progress = Progress::new(Some(of), "games");
    let (stop, mut last) = (stop_sign()?, None);
    let trained = train_weights(&settings, &folder, &stop, &mut |now| {
        progress.show(now.games, || now.last.line());
        last = Some(now.last.clone());
    });
    drop(progress);
    trained.map_err(|error| failure(&plan.source, error))?;
    let lines: Vec<BlockMetrics> = folder.metrics(|_| true)?;
    let last = last.as_ref().or(lines.last());
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
