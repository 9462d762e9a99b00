//! `tesuji store merge`: merges stores.

use std::fs;
use std::path::{Path, PathBuf};

use tesuji_play::quantity::grouped;
use tesuji_store::exchange::{self, MergeSummary};
use tesuji_store::{AddCounts, RecordKind, Store};

use crate::prelude::*;

/// Copy all records of other stores into a store
///
/// Existing records stay unchanged. A merge can be repeated, for example after an interruption.
#[derive(clap::Args)]
pub(crate) struct MergeArgs {
    /// The target store; created if it does not exist
    into: String,
    /// The stores to copy from, which stay unchanged
    #[arg(required = true)]
    from: Vec<String>,
}

impl MergeArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        for place in &self.from {
            if is_same(&self.into, place) {
                let problem =
                    format!("{place}: cannot be merged into itself; expected another store");
                return Err(Failure::BadInput(problem));
            }
        }
        // All sources are opened before the target, so that a mistyped name leaves no empty store
        // behind.
        let sources: Vec<Box<dyn Store>> =
            self.from.iter().map(|place| super::open_existing(place)).collect::<Result<_, _>>()?;
        let sizes = sources.iter().map(|source| Ok(source.info()?.counts.values().sum::<u64>()));
        let total = sizes.sum::<Result<u64, Failure>>()?;
        let into = tesuji_store::open(&self.into)?;
        let progress = Progress::new(Some(total), "records");
        let mut merged = MergeSummary::new();
        let mut before = 0;
        for source in &sources {
            let mut last = before;
            let mut show = |done| {
                last = before + done;
                progress.show(last, || source.place().to_string());
            };
            for (kind, added) in exchange::merge(&**source, &*into, &mut show)? {
                *merged.entry(kind).or_default() += added;
            }
            before = last;
        }
        drop(progress);
        report(into.place(), &merged)
    }
}

/// Whether two places are the same store.
fn is_same(one: &str, other: &str) -> bool {
    let real = |place: &str| -> Option<PathBuf> {
        let path = place.strip_prefix("sqlite:").unwrap_or(place);
        fs::canonicalize(Path::new(path)).ok()
    };
    one == other || real(one).is_some_and(|path| real(other) == Some(path))
}

fn report(place: &str, merged: &MergeSummary) -> Result<(), Failure> {
    let number = |count: u64| grouped(u128::from(count));
    let rows = RecordKind::ALL.into_iter().filter_map(|kind| {
        let AddCounts { new, known } = merged.get(&kind).copied().unwrap_or_default();
        (new + known > 0).then(|| [kind.plural().to_string(), number(new), number(known)])
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return say!("{place}: nothing to merge");
    }
    say!("{place}:")?;
    print_titled(&["", "new", "already there"], rows)
}
