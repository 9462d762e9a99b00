//! `tesuji store info`: shows the contents of a store.

use std::collections::BTreeMap;

use tesuji_play::quantity::grouped;
use tesuji_store::RecordKind;

use crate::prelude::*;

/// Show the contents of a store
#[derive(clap::Args)]
pub(crate) struct InfoArgs {
    /// The store: a file, or postgres://USER@HOST/DATABASE
    store: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl InfoArgs {
    pub(super) fn run(self, _: &Registry) -> Result<(), Failure> {
        let info = super::open_existing(&self.store)?.info()?;
        if self.json {
            return print_json(&info);
        }
        let size = grouped(u128::from(info.bytes));
        let (place, engine, schema) = (&info.place, &info.engine, info.schema);
        say!("{place}: {engine}, schema version {schema}, {size} bytes")?;
        let row = |kind: RecordKind| {
            let count = info.counts.get(&kind).copied().unwrap_or_default();
            [kind.plural().to_string(), grouped(u128::from(count))]
        };
        print_table(&RecordKind::ALL.map(row))?;
        print_counts("games by game", &info.games)?;
        print_counts("games by event", &info.events)
    }
}

fn print_counts(title: &str, counts: &BTreeMap<String, u64>) -> Result<(), Failure> {
    if counts.is_empty() {
        return Ok(());
    }
    say!("\n{title}:")?;
    let row =
        |(name, count): (&String, &u64)| [format!("  {}", shown(name)), grouped((*count).into())];
    print_table(&counts.iter().map(row).collect::<Vec<_>>())
}

/// A name for a table: on one line, and `-` if it is empty.
pub(super) fn shown(name: &str) -> String {
    match name.replace(char::is_control, " ") {
        name if name.is_empty() => "-".to_string(),
        name => name,
    }
}
