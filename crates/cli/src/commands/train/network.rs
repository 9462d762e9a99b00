//! `learner = "gem-outcome"` and `"gem-utility"`: networks for Gem Island.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use tesuji_learn::gem_island::{
    BlockMetrics, NETWORK, NetworkSettings, TrainNetworkError, train_network,
};

use super::{Plan, Train, interrupted, stop_sign};
use crate::failure::Failure;
use crate::output::print_json;
use crate::progress::Progress;

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    folder: &'a Path,
    blocks: u64,
    of: u64,
    last: Option<&'a BlockMetrics>,
}

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
    let blocks = last.map_or(0, |last| last.blocks);
    if verb.json {
        print_json(&Told { folder: &plan.folder, blocks, of, last })?;
    } else {
        let mut out = io::stdout().lock();
        if let Some(last) = last {
            writeln!(out, "{}", last.line())?;
        }
        writeln!(out, "network: {}", plan.folder.join(NETWORK).display())?;
    }
    if blocks < of { Err(interrupted(&plan.folder, format!("{blocks} blocks"))) } else { Ok(()) }
}

fn failure(source: &Path, error: TrainNetworkError) -> Failure {
    match error {
        TrainNetworkError::Folder(error) => error.into(),
        TrainNetworkError::Checkpoint(_) => Failure::Undone(error.to_string()),
        _ => Failure::in_file(source, error),
    }
}
