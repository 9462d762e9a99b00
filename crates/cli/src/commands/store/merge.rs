//! `tesuji store merge`: stores into one.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use tesuji_play::quantity::grouped;
use tesuji_store::exchange::{self, Merged};
use tesuji_store::{Added, Kind, Store};

use crate::examples;
use crate::failure::Failure;
use crate::output::print_table;
use crate::progress::Progress;

/// Copy all records of other stores into one
///
/// What is there already stays. A merge may be repeated; one that was interrupted is simply done again.
#[derive(Args)]
#[command(after_help = examples::help(examples::STORE_MERGE))]
pub(super) struct Merge {
    /// The store that gets everything; made when there is none
    into: String,
    /// The stores to copy from; they stay as they are
    #[arg(required = true)]
    from: Vec<String>,
}

impl Merge {
    pub(super) fn run(&self) -> Result<(), Failure> {
        for place in &self.from {
            if same(&self.into, place) {
                let what = format!("{place} cannot be merged into itself; name two stores");
                return Err(Failure::BadInput(what));
            }
        }
        // All sources before the target: a mistyped name must not leave anything behind.
        let sources: Vec<Box<dyn Store>> =
            self.from.iter().map(|place| super::open_existing(place)).collect::<Result<_, _>>()?;
        let mut total = 0;
        for source in &sources {
            total += source.info()?.counts.values().sum::<u64>();
        }
        let into = tesuji_store::open(&self.into)?;
        let progress = Progress::new(Some(total), "records");
        let mut merged = Merged::new();
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

/// Whether two places are one file.
fn same(one: &str, other: &str) -> bool {
    let real = |place: &str| -> Option<PathBuf> {
        let path = place.strip_prefix("sqlite:").unwrap_or(place);
        fs::canonicalize(Path::new(path)).ok()
    };
    one == other || real(one).is_some_and(|path| real(other) == Some(path))
}

fn report(place: &str, merged: &Merged) -> Result<(), Failure> {
    let number = |count: u64| grouped(u128::from(count));
    let mut rows = vec![["".to_string(), "new".to_string(), "there already".to_string()]];
    for kind in Kind::ALL {
        let Added { new, known } = merged.get(&kind).copied().unwrap_or_default();
        if new + known > 0 {
            rows.push([kind.plural().to_string(), number(new), number(known)]);
        }
    }
    if rows.len() == 1 {
        return Ok(writeln!(io::stdout(), "{place}: nothing to merge")?);
    }
    writeln!(io::stdout(), "{place}:")?;
    print_table(&rows)
}
