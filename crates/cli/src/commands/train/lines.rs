//! `learner = "line-network"`: a network of lines for five in a row.

use std::path::Path;

use tesuji_learn::line_network::training::NETWORK;
use tesuji_learn::line_network::{LineSettings, PassMetrics, TeachError, teach};

use super::reached::Reached;
use super::{Plan, Train, stop_sign};
use crate::failure::Failure;
use crate::progress::Progress;

/// Teaches a network as the plan says. An iteration is a pass over all positions.
pub(super) fn learn(verb: &Train, plan: Plan, mut settings: LineSettings) -> Result<(), Failure> {
    settings.threads = verb.threads.map_or(settings.threads, usize::from);
    let queue = verb.queue(settings.threads)?;
    let folder = plan.open_folder()?;
    let of = settings.learning.passes;
    let most = verb.iterations.unwrap_or(of);
    let progress = Progress::new(Some(settings.games.count + of), "games and passes");
    let stop = stop_sign()?;
    let earlier: Vec<PassMetrics> = folder.metrics(|_| true)?;
    let mut last = earlier.last().cloned();
    if earlier.len() as u64 >= most {
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }
    let taught = teach(&settings, &folder, &*queue, &stop, &mut |now| {
        progress.show(now.games + now.passes, || {
            now.last.map_or_else(|| "games".to_string(), PassMetrics::line)
        });
        last = now.last.cloned().or(last.take());
        if now.passes >= most {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    drop(progress);
    taught.map_err(|error| failure(&plan.source, error))?;
    let done = last.as_ref().map_or(0, |last| last.passes);
    let last = last.as_ref().map(|last| (last, last.line()));
    Reached { unit: "passes", done, of: of.min(most), last, result: ("network", NETWORK) }
        .tell(verb, &plan)
}

fn failure(source: &Path, error: TeachError) -> Failure {
    match error {
        TeachError::Folder(error) => error.into(),
        TeachError::Settings(_) => Failure::in_file(source, error),
        _ => Failure::Undone(error.to_string()),
    }
}
