//! `learner = "gem-outcome"` and `"gem-utility"`: networks for Gem Island.

use std::path::Path;

use tesuji_learn::gem_island::{
    BlockMetrics, NETWORK, NetworkSettings, TrainNetworkError, train_network,
};

use super::reached::Reached;
use super::{Plan, Train, stop_sign};
use crate::failure::Failure;
use crate::progress::Progress;

/// Teaches a network as the plan says. An iteration is a block of games.
pub(super) fn learn(
    verb: &Train,
    plan: Plan,
    mut settings: NetworkSettings,
) -> Result<(), Failure> {
    settings.learning.blocks = verb.iterations.unwrap_or(settings.learning.blocks);
    settings.threads = verb.threads.map_or(settings.threads, usize::from);
    settings.check().map_err(|error| Failure::in_file(&plan.source, error))?;
    let folder = plan.open_folder()?;
    let of = settings.learning.blocks;
    let progress = Progress::new(Some(of), "blocks");
    let (stop, mut last) = (stop_sign()?, None);
    let trained = train_network(&settings, &folder, &stop, &mut |now| {
        progress.show(now.blocks, || now.last.line());
        last = Some(now.last.clone());
    });
    drop(progress);
    trained.map_err(|error| failure(&plan.source, error))?;
    let lines: Vec<BlockMetrics> = folder.metrics(|_| true)?;
    let last = last.as_ref().or(lines.last());
    let done = last.map_or(0, |last| last.blocks);
    let last = last.map(|last| (last, last.line()));
    Reached { unit: "blocks", done, of, last, result: ("network", NETWORK) }.tell(verb, &plan)
}

fn failure(source: &Path, error: TrainNetworkError) -> Failure {
    match error {
        TrainNetworkError::Folder(error) => error.into(),
        TrainNetworkError::Checkpoint(_) => Failure::Undone(error.to_string()),
        _ => Failure::in_file(source, error),
    }
}
