//! From jobs that are done to units that are finished: what came of them is read from the store.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use tesuji_store::{JobRecord, Kind, Record, Selection, Store, StoreError};

use tesuji_queue::{Bench, Finished, Product, QueueError, Trouble};

/// Records that are asked for at once.
const AT_ONCE: usize = 1000;

/// The notes of a job's units: a line each, as JSON, so that they can be told apart without being read.
pub(crate) fn output_of(products: &[Product]) -> String {
    if products.iter().all(|product| product.note.is_empty()) {
        return String::new();
    }
    let notes: Vec<&str> = products.iter().map(|product| product.note.as_str()).collect();
    notes.join("\n")
}

/// The finished units of a job that is done, those that are wanted.
pub(crate) fn finished(
    job: &JobRecord,
    wanted: &BTreeSet<u64>,
    bench: &dyn Bench,
    store: &dyn Store,
) -> Result<Vec<Finished>, QueueError> {
    let mut notes = job.output.split('\n');
    let units = (job.first..job.first + job.units)
        .map(|unit| (unit, notes.next().unwrap_or_default().to_string()))
        .filter(|(unit, _)| wanted.contains(unit))
        .collect::<Vec<_>>();
    let named: Vec<Option<(Kind, Vec<String>)>> =
        units.iter().map(|(unit, _)| bench.records(*unit)).collect();
    let mut records = records(named.iter().flatten(), store)?;
    let mut all = Vec::with_capacity(units.len());
    for ((unit, note), named) in units.into_iter().zip(named) {
        let mut product = Product { records: Vec::new(), note };
        for key in named.into_iter().flat_map(|(_, keys)| keys) {
            let record = records.remove(&key).ok_or_else(|| {
                Trouble(format!(
                    "job {} is done, but the store {} lacks what came of unit {unit} ({key}); take the job \
                     out of the store to have it done again",
                    job.key,
                    store.place()
                ))
            })?;
            product.records.push(record);
        }
        all.push(Finished { unit, product });
    }
    Ok(all)
}

/// Records by their keys.
fn records<'a>(
    named: impl Iterator<Item = &'a (Kind, Vec<String>)>,
    store: &dyn Store,
) -> Result<HashMap<String, Record>, StoreError> {
    let mut by_kind: HashMap<Kind, Vec<String>> = HashMap::new();
    for (kind, keys) in named {
        by_kind.entry(*kind).or_default().extend(keys.iter().cloned());
    }
    let mut found = HashMap::new();
    for (kind, keys) in by_kind {
        for keys in keys.chunks(AT_ONCE) {
            let selection = Selection { keys: Some(keys.to_vec()), ..Selection::all(kind) };
            store.for_each(&selection, &mut |record| {
                if let Some(key) = record.key().map(str::to_string) {
                    found.insert(key, record);
                }
                ControlFlow::Continue(())
            })?;
        }
    }
    Ok(found)
}

/// The jobs with these keys, with all that came of them.
pub(crate) fn jobs(store: &dyn Store, keys: &[String]) -> Result<Vec<JobRecord>, StoreError> {
    let mut all = Vec::new();
    for keys in keys.chunks(AT_ONCE) {
        let selection = Selection { keys: Some(keys.to_vec()), ..Selection::all(Kind::Job) };
        all.extend(selected(store, &selection)?);
    }
    Ok(all)
}

/// The jobs of a selection.
pub(crate) fn selected(
    store: &dyn Store,
    selection: &Selection,
) -> Result<Vec<JobRecord>, StoreError> {
    let mut all = Vec::new();
    store.for_each(selection, &mut |record| {
        if let Record::Job(job) = record {
            all.push(job);
        }
        ControlFlow::Continue(())
    })?;
    Ok(all)
}
