//! Reads finished jobs and the records of their items from the store.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use tesuji_store::{JobRecord, Record, RecordKind, Selection, Store, StoreError};

use tesuji_queue::{FinishedItem, JobError, JobSpec, Output, QueueError};

/// Records in one request.
const KEYS_PER_REQUEST: usize = 1000;

/// The notes of a job's items, one line of JSON each, so that they can be split without being
/// parsed.
pub(crate) fn joined_notes(outputs: &[Output]) -> String {
    if outputs.iter().all(|output| output.note.is_empty()) {
        return String::new();
    }
    let notes: Vec<&str> = outputs.iter().map(|output| output.note.as_str()).collect();
    notes.join("\n")
}

/// The items of a finished job that are in `wanted`.
pub(crate) fn finished_items(
    job: &JobRecord,
    wanted: &BTreeSet<u64>,
    spec: &dyn JobSpec,
    store: &dyn Store,
) -> Result<Vec<FinishedItem>, QueueError> {
    let mut notes = job.output.split('\n');
    let items = (job.first..job.first + job.units)
        .map(|item| (item, notes.next().unwrap_or_default().to_string()))
        .filter(|(item, _)| wanted.contains(item))
        .collect::<Vec<_>>();
    let listed: Vec<Option<(RecordKind, Vec<String>)>> =
        items.iter().map(|(item, _)| spec.records(*item)).collect();
    let mut records = records(listed.iter().flatten(), store)?;
    let mut all = Vec::with_capacity(items.len());
    for ((item, note), listed) in items.into_iter().zip(listed) {
        let mut output = Output { records: Vec::new(), note };
        for key in listed.into_iter().flat_map(|(_, keys)| keys) {
            let record = records.remove(&key).ok_or_else(|| {
                JobError(format!(
                    "job {}: done, but the store {} lacks record {key} of item {item}; delete the \
                     job from the store to run it again",
                    job.key,
                    store.place()
                ))
            })?;
            output.records.push(record);
        }
        all.push(FinishedItem { item, output });
    }
    Ok(all)
}

/// Reads records by their keys.
fn records<'a>(
    listed: impl Iterator<Item = &'a (RecordKind, Vec<String>)>,
    store: &dyn Store,
) -> Result<HashMap<String, Record>, StoreError> {
    let mut by_kind: HashMap<RecordKind, Vec<String>> = HashMap::new();
    for (kind, keys) in listed {
        by_kind.entry(*kind).or_default().extend(keys.iter().cloned());
    }
    let mut found = HashMap::new();
    for (kind, keys) in by_kind {
        for keys in keys.chunks(KEYS_PER_REQUEST) {
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

/// The jobs with these keys, with their output.
pub(crate) fn jobs(store: &dyn Store, keys: &[String]) -> Result<Vec<JobRecord>, StoreError> {
    let mut all = Vec::new();
    for keys in keys.chunks(KEYS_PER_REQUEST) {
        let selection = Selection { keys: Some(keys.to_vec()), ..Selection::all(RecordKind::Job) };
        all.extend(selected_jobs(store, &selection)?);
    }
    Ok(all)
}

/// The jobs of a selection.
pub(crate) fn selected_jobs(
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
