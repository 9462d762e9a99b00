//! `learner = "gem-outcome"` and `"gem-utility"`: networks for Gem Island.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use tesuji_learn::gem_island::{
    BlockMetrics, DamagedLog, NETWORK, NetworkSettings, Progress as Told, TrainNetworkError,
    train_network,
};

use super::reached::Reached;
use super::{Plan, Train, stop_sign};
use crate::failure::Failure;
use crate::progress::Progress;

/// Teaches a network as the plan says. An iteration is a block of games; to stop earlier than the file says changes
/// nothing about those before.
pub(super) fn learn(
    verb: &Train,
    plan: Plan,
    mut settings: NetworkSettings,
) -> Result<(), Failure> {
    settings.threads = verb.threads.map_or(settings.threads, usize::from);
    settings.check().map_err(|error| Failure::in_file(&plan.source, error))?;
    let queue = verb.queue(settings.threads)?;
    let folder = plan.open_folder()?;
    let of = settings.learning.blocks.min(verb.iterations.unwrap_or(u64::MAX));
    let progress = Progress::new(Some(of), "blocks");
    let (stop, mut last) = (stop_sign()?, None);
    let earlier: Vec<BlockMetrics> = folder.metrics(|_| true)?;
    stop.fetch_or(earlier.last().is_some_and(|last| last.blocks >= of), Ordering::Relaxed);
    let trained = train_network(&settings, &folder, &*queue, &stop, &mut |now| match now {
        Told::Damaged(logs) => warn(logs),
        Told::Block { last: block, .. } => {
            progress.show(block.blocks, || block.line());
            last = Some((*block).clone());
            stop.fetch_or(block.blocks >= of, Ordering::Relaxed);
        }
    });
    drop(progress);
    trained.map_err(|error| failure(&plan.source, error))?;
    let last = last.as_ref().or(earlier.last());
    let done = last.map_or(0, |last| last.blocks);
    let last = last.map(|last| (last, last.line()));
    Reached { unit: "blocks", done, of, last, result: ("network", NETWORK) }.tell(verb, &plan)
}

/// Names the logs that are left out.
fn warn(logs: &[DamagedLog]) {
    let mut err = io::stderr().lock();
    // Where no one reads warnings, the training goes on.
    for log in logs {
        let line = log.to_string().replace(char::is_control, " ");
        let _ = writeln!(err, "warning: left out: {line}");
    }
    let count = if logs.len() == 1 { "1 log".to_string() } else { format!("{} logs", logs.len()) };
    let _ = writeln!(err, "warning: {count} could not be read");
}

fn failure(source: &Path, error: TrainNetworkError) -> Failure {
    match error {
        TrainNetworkError::Folder(error) => error.into(),
        TrainNetworkError::Checkpoint(_) | TrainNetworkError::Queue(_) => {
            Failure::Undone(error.to_string())
        }
        _ => Failure::in_file(source, error),
    }
}
