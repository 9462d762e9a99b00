//! Merges a store into another. Records are identified by their keys, so a merge may be repeated,
//! also after an interruption.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::{BATCH, BATCH_BYTES, ExchangeError};
use crate::{AddCounts, Record, RecordKind, Selection, Store};

/// The result of a merge, by kind.
pub type MergeSummary = BTreeMap<RecordKind, AddCounts>;

/// Copies all records of `from` into `into`, in the order of [`RecordKind::ALL`]. `progress` is
/// called with the number of copied records.
pub fn merge(
    from: &dyn Store,
    into: &dyn Store,
    progress: &mut dyn FnMut(u64),
) -> Result<MergeSummary, ExchangeError> {
    if from.place() == into.place() {
        return Err(ExchangeError::SameStore { place: into.place().to_string() });
    }
    let mut merged = MergeSummary::new();
    let mut done = 0;
    for kind in RecordKind::ALL {
        let mut report = |records: u64| {
            done += records;
            progress(done);
        };
        merged.insert(kind, copy(from, into, kind, &mut report)?);
    }
    Ok(merged)
}

fn copy(
    from: &dyn Store,
    into: &dyn Store,
    kind: RecordKind,
    report: &mut dyn FnMut(u64),
) -> Result<AddCounts, ExchangeError> {
    let mut batch = Batch::new(into);
    let mut failure = None;
    from.for_each(&Selection::all(kind), &mut |record| match batch.push(record) {
        Ok(written) => {
            if written > 0 {
                report(written);
            }
            ControlFlow::Continue(())
        }
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    let (added, rest) = batch.finish()?;
    report(rest);
    Ok(added)
}

/// Records that are written to a store in batches, since each write waits for the disk.
pub(super) struct Batch<'s> {
    store: &'s dyn Store,
    records: Vec<Record>,
    /// The size of their long texts.
    bytes: usize,
    added: AddCounts,
}

impl<'s> Batch<'s> {
    pub(super) fn new(store: &'s dyn Store) -> Self {
        Batch { store, records: Vec::with_capacity(BATCH), bytes: 0, added: AddCounts::default() }
    }

    /// The result of the writes so far.
    pub(super) fn added(&self) -> AddCounts {
        self.added
    }

    /// Adds a record; returns the number of records that this wrote.
    pub(super) fn push(&mut self, record: Record) -> Result<u64, ExchangeError> {
        self.bytes += record.bytes();
        self.records.push(record);
        if self.records.len() < BATCH && self.bytes < BATCH_BYTES { Ok(0) } else { self.write() }
    }

    /// Writes the remaining records; returns the result of all writes and the size of the last.
    pub(super) fn finish(mut self) -> Result<(AddCounts, u64), ExchangeError> {
        let rest = self.write()?;
        Ok((self.added, rest))
    }

    fn write(&mut self) -> Result<u64, ExchangeError> {
        if self.records.is_empty() {
            return Ok(0);
        }
        self.added += self.store.add(&self.records)?;
        let written = self.records.len() as u64;
        self.records.clear();
        self.bytes = 0;
        Ok(written)
    }
}
