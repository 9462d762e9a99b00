//! `learner = "critic"`: a critic of k-in-a-row games, by temporal differences.

use std::path::Path;
use std::sync::atomic::Ordering;

use tesuji_learn::critic::{BlockMetrics, CriticSettings, NETWORK, TeachError, check_game, teach};

use super::reached::Reached;
use super::{Plan, Train, stop_sign};
use crate::failure::Failure;
use crate::progress::Progress;

/// Teaches a critic as the plan says. An iteration is a block of games; to stop earlier than the file says changes
/// nothing about those before.
pub(super) fn learn(verb: &Train, plan: Plan, mut settings: CriticSettings) -> Result<(), Failure> {
    settings.threads = verb.threads.map_or(settings.threads, usize::from);
    check_game(&settings).map_err(|error| failure(&plan.source, error))?;
    let queue = verb.queue(settings.threads)?;
    let folder = plan.open_folder()?;
    let asked = verb.iterations.unwrap_or(u64::MAX).saturating_mul(settings.measure.block);
    let of = settings.learning.games.min(asked);
    let progress = Progress::new(Some(of), "games");
    let stop = stop_sign()?;
    let earlier: Vec<BlockMetrics> = folder.metrics(|_| true)?;
    let mut last = earlier.last().cloned();
    stop.fetch_or(last.as_ref().is_some_and(|last| last.games >= of), Ordering::Relaxed);
    let taught = teach(&settings, &folder, &*queue, &stop, &mut |now| {
        progress.show(now.games, || {
            now.last.map_or_else(|| "first games".to_string(), BlockMetrics::line)
        });
        last = now.last.cloned().or(last.take());
        stop.fetch_or(last.as_ref().is_some_and(|last| last.games >= of), Ordering::Relaxed);
    });
    drop(progress);
    taught.map_err(|error| failure(&plan.source, error))?;
    let done = last.as_ref().map_or(0, |last| last.games);
    let last = last.as_ref().map(|last| (last, last.line()));
    Reached { unit: "games", done, of, last, result: ("critic", NETWORK) }.tell(verb, &plan)
}

fn failure(source: &Path, error: TeachError) -> Failure {
    match error {
        TeachError::Folder(error) => error.into(),
        TeachError::Diverged { .. }
        | TeachError::Checkpoint(_)
        | TeachError::Unreadable(_)
        | TeachError::Critic(_)
        | TeachError::Queue(_) => Failure::Undone(error.to_string()),
        _ => Failure::in_file(source, error),
    }
}
